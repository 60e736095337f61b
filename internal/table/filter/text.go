package filter

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
	"strings"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
)

const wordBytes = 8

func (n *textual) selector(*builder) selector {
	f := fieldsOf(n.left)
	switch {
	case n.rel != equal && n.rel != unequal:
		return &orderSelector{fields: f, rel: n.rel, right: []byte(n.right), first: firstWord(n.right)}
	case len(n.right) > 2*wordBytes:
		return &longSelector{f, n.rel, n.right}
	}
	s := &shortSelector{fields: f, length: uint32(len(n.right)), last: uint32(max(0, len(n.right)-wordBytes))}
	s.mask = math.MaxUint64 >> (wordBytes * (wordBytes - min(wordBytes, s.length)))
	padded := n.right + strings.Repeat("\x00", wordBytes)
	s.head = binary.LittleEndian.Uint64([]byte(padded)) & s.mask
	s.tail = binary.LittleEndian.Uint64([]byte(padded[s.last:])) & s.mask
	if n.rel == unequal {
		s.others = 1
	}
	return s
}

// shortSelector asks for fields that are a text of up to two words, or for all others. The
// words may overlap. Fields are read beyond their ends, as far as a batch allows.
type shortSelector struct {
	fields
	length     uint32
	last       uint32 // where the second word begins
	head, tail uint64 // the words
	mask       uint64 // what counts of them
	others     uint64 // 1 for all others
}

func (s *shortSelector) keep(b *batch, sel records.Selection) records.Selection {
	column := s.of(b, sel)
	text := unsafe.Pointer(unsafe.SliceData(b.text))
	length, last, head, tail, mask, others := s.length, s.last, s.head, s.tail, s.mask, s.others
	n := 0
	for _, i := range sel {
		f := column[i]
		at := unsafe.Add(text, f.Off)
		differ := ((load(at) ^ head) | (load(unsafe.Add(at, last)) ^ tail)) & mask
		differ |= uint64(f.Len ^ length)
		_, same := bits.Sub64(differ, 1, 0)
		sel[n] = i
		n += int(same ^ others)
	}
	return sel[:n]
}

func load(p unsafe.Pointer) uint64 { return binary.LittleEndian.Uint64((*[wordBytes]byte)(p)[:]) }

// longSelector asks for fields that are a longer text.
type longSelector struct {
	fields
	rel   relation
	right string
}

func (s *longSelector) keep(b *batch, sel records.Selection) records.Selection {
	column := s.of(b, sel)
	kept := sel[:0]
	for _, i := range sel {
		if (string(column[i].Of(b.text)) == s.right) == (s.rel == equal) {
			kept = append(kept, i)
		}
	}
	return kept
}

// orderSelector compares fields with a text by order. The first words, as numbers, decide
// where they differ: bytes that are missing at the end are zeros there.
type orderSelector struct {
	fields
	rel   relation
	right []byte
	first uint64
}

func firstWord(text string) uint64 {
	var w [wordBytes]byte
	copy(w[:], text)
	return binary.BigEndian.Uint64(w[:])
}

func (s *orderSelector) keep(b *batch, sel records.Selection) records.Selection {
	column := s.of(b, sel)
	text := unsafe.Pointer(unsafe.SliceData(b.text))
	smaller := s.rel == less || s.rel == atMost
	kept := sel[:0]
	for _, i := range sel {
		f := column[i]
		first := bits.ReverseBytes64(load(unsafe.Add(text, f.Off)))
		first &= ^(uint64(math.MaxUint64) >> (wordBytes * min(wordBytes, f.Len)))
		fits := first < s.first == smaller
		if first == s.first {
			fits = s.rel.holds(bytes.Compare(f.Of(b.text), s.right))
		}
		if fits {
			kept = append(kept, i)
		}
	}
	return kept
}
