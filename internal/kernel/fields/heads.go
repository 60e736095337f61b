package fields

import (
	"unsafe"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// Heads finds the first fields of records that are longer than a vector, in a dialect without quotes. A
// Chunk lists all separators; most of those of long records lie behind the last field that a query uses.
// Heads only counts them, to verify that each record has as many fields as it should. It makes the masks of
// a word once, and keeps them in registers. Then it looks at the first bytes of each record.
//
// Make one per worker and reuse it.
type Heads struct {
	kernels headKernels
	ends    [headsMax + 2*wordBytes]uint32 // of the records, behind the place before the first
	delims  [headsMax + 2*wordBytes]uint32 // how many delimiters come before each of these
	rows    [HeadBatch][rowBytes]uint8     // of a record each: where its first delimiters lie in it
}

const (
	// HeadBatch is the largest number of records that Locate handles at once: their rows stay in the L1 cache.
	HeadBatch = 256

	// HeadSlack is how many bytes may be read from the beginning of a record on, even beyond the end of the
	// text. Wanted fields that end behind that are not found.
	HeadSlack = 2 * wordBytes

	headsMax      = ChunkBytes / wordBytes // records: more of them are not long
	headFieldsMax = 16                     // fields that a row has room for
	rowBytes      = 2 * headFieldsMax
)

// headKernels are the functions of one instruction set.
type headKernels struct {
	// ends appends to h.ends, from at on, the line feeds in so many words of text, and to h.delims how many
	// delimiters come before each. It stops after the word in which there are more than headsMax, and returns
	// how many there are.
	ends func(h *Heads, text *byte, words int, delim byte) (n int)

	// rows sets h.rows[i], for i below n, to the places of the first headFieldsMax delimiters in the record
	// that begins behind h.ends[from+i]. It reports whether each has as many as needed in HeadSlack bytes.
	rows func(h *Heads, text *byte, from, n, needed int, delim byte) bool
}

var plainHeads = kernel.Variant[headKernels]{ISA: cpu.Plain, Func: headKernels{endsPlain, headRowsPlain}}

// headVariants returns the variants, best first. The plain one is slower than listing all separators with
// any of the vector variants.
func headVariants() []kernel.Variant[headKernels] { return append(vectorHeads(), plainHeads) }

// NewHeads returns Heads, or nil if there is no fast variant here.
func NewHeads() *Heads {
	if v := kernel.Choose(headVariants()); v.ISA != cpu.Plain {
		return &Heads{kernels: v.Func}
	}
	return nil
}

// HeadFields reports whether Heads can find these fields, which are ascending, of records with n fields. The
// last field of a record ends at a line feed, not at a delimiter.
func HeadFields(wanted []int, n int) bool {
	return len(wanted) > 0 && wanted[len(wanted)-1] < min(n-1, headFieldsMax)
}

// Mark finds the records that end in whole words of text, of up to ChunkBytes, that begins with a record. It
// returns their number: 0 if any of them does not have so many fields, or if they are not long.
func (h *Heads) Mark(text []byte, delim byte, fields int) (n int) {
	words := len(text) / wordBytes
	if words == 0 {
		return 0
	}
	h.ends[0], h.delims[0] = ^uint32(0), 0
	if n = h.kernels.ends(h, &text[0], words, delim); n > headsMax {
		return 0
	}
	odd, want := uint32(0), uint32(fields-1)
	before := uint32(0)
	for _, delims := range h.delims[1 : n+1] {
		odd |= delims - before ^ want
		before = delims
	}
	if odd != 0 {
		return 0
	}
	return n
}

// End returns where record i of the last Mark ends: the place of its line feed. The record before the first
// ends at ^uint32(0).
func (h *Heads) End(i int) uint32 { return h.ends[i+1] }

// Ends returns where n records of the last Mark end, from one on.
func (h *Heads) Ends(from, n int) []uint32 { return h.ends[from+1:][:n] }

// Locate sets columns[k][i] to the span of field wanted[k] of record from+i of the last Mark, for n records,
// HeadBatch at most. It returns false, and leaves the columns as they are, if one of the fields ends too far
// behind the beginning of its record. The capacity of text must allow to read HeadSlack bytes of each record.
func (h *Heads) Locate(text []byte, delim byte, from, n int, wanted []int, columns []records.Column) bool {
	if !h.kernels.rows(h, &text[0], from, n, wanted[len(wanted)-1]+1, delim) {
		return false
	}
	ends := h.ends[from:][:n]
	for k, field := range wanted {
		column := columns[k][:n]
		if field == 0 {
			for i := range column {
				column[i] = records.Span{Off: ends[i] + 1, Len: uint32(h.rows[i%HeadBatch][0])}
			}
			continue
		}
		at := uint(field-1) % (rowBytes - 1)
		for i := range column {
			row := &h.rows[i%HeadBatch]
			begin := uint32(row[at]) + 1
			column[i] = records.Span{Off: ends[i] + 1 + begin, Len: uint32(row[at+1]) - begin}
		}
	}
	return true
}

func endsPlain(h *Heads, text *byte, words int, delim byte) (n int) {
	delims := uint32(0)
	for word := 0; word < words && n <= headsMax; word++ {
		for i, b := range bytesAt(text, uint32(word*wordBytes), wordBytes) {
			switch b {
			case '\n':
				n++
				h.ends[n], h.delims[n] = uint32(word*wordBytes+i), delims
			case delim:
				delims++
			}
		}
	}
	return n
}

func headRowsPlain(h *Heads, text *byte, from, n, needed int, delim byte) bool {
	enough := true
	for i := range n {
		found := 0
		for at, b := range bytesAt(text, h.ends[from+i]+1, HeadSlack) {
			if b == delim && found < headFieldsMax {
				h.rows[i][found] = uint8(at)
				found++
			}
		}
		enough = enough && found >= needed
	}
	return enough
}

// bytesAt returns n bytes from an offset of text on.
func bytesAt(text *byte, off uint32, n int) []byte {
	return unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(text), uintptr(off))), n)
}
