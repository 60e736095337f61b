package inflate

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os/exec"
	"slices"
	"testing"

	"github.com/thresh-dev/thresh/internal/test/python"
)

// limitCase is a stream at a limit of the format, and whether it is one.
type limitCase struct {
	name string
	good bool
	src  []byte
}

// dynamic returns a block with the given lengths of codes and its symbols.
func dynamic(literals, distances []uint8, symbols func(w *bitWriter, l, d huffman)) []byte {
	var w bitWriter
	w.bits(1, 1)
	w.bits(2, 2)
	writeHeader(rand.New(rand.NewPCG(1, 1)), &w, literals, distances)
	if symbols != nil {
		symbols(&w, canonical(literals), canonical(distances))
	}
	return append(w.out, 0, 0, 0, 0)
}

// withLengths returns the lengths of n codes, all 0 but those given by symbol.
func withLengths(n int, lengths map[int]uint8) []uint8 {
	all := make([]uint8, n)
	for symbol, length := range lengths {
		all[symbol] = length
	}
	return all
}

// limits returns streams at the limits of the format. What is good is what zlib takes, which
// TestLimitsOfZlib checks.
func limits() (cases []limitCase) {
	add := func(name string, good bool, src []byte) { cases = append(cases, limitCase{name, good, src}) }
	end := func(w *bitWriter, l, _ huffman) { l.write(w, 256) }
	one := map[int]uint8{0: 1}

	// How many codes a header has.
	for _, n := range []int{257, 286, 287, 288} {
		add(fmt.Sprint("literal codes: ", n), n <= 286, dynamic(withLengths(n, map[int]uint8{0: 1, 256: 1}), withLengths(1, one), end))
	}
	for _, n := range []int{1, 30, 31, 32} {
		add(fmt.Sprint("distance codes: ", n), n <= 30, dynamic(withLengths(257, map[int]uint8{0: 1, 256: 1}), withLengths(n, one), end))
	}

	// Codes that are incomplete, over-subscribed, or missing.
	lit := func(good bool, name string, lengths map[int]uint8) {
		add("literals: "+name, good, dynamic(withLengths(286, lengths), withLengths(1, one), end))
	}
	lit(true, "only the end", map[int]uint8{256: 1})
	lit(false, "only the end, in two bits", map[int]uint8{256: 2})
	lit(false, "incomplete", map[int]uint8{0: 1, 256: 2})
	lit(false, "incomplete in the last bit", map[int]uint8{0: 1, 1: 2, 2: 3, 3: 4, 4: 5, 5: 6, 6: 7, 7: 8, 8: 9, 9: 10, 10: 11, 11: 12, 12: 13, 13: 14, 256: 15})
	lit(true, "as long as can be", map[int]uint8{0: 1, 1: 2, 2: 3, 3: 4, 4: 5, 5: 6, 6: 7, 7: 8, 8: 9, 9: 10, 10: 11, 11: 12, 12: 13, 13: 14, 14: 15, 256: 15})
	lit(false, "over-subscribed", map[int]uint8{0: 1, 1: 1, 256: 1})
	lit(false, "over-subscribed in the last bit", map[int]uint8{
		0: 1, 1: 2, 2: 3, 3: 4, 4: 5, 5: 6, 6: 7, 7: 8, 8: 9, 9: 10, 10: 11, 11: 12, 12: 13, 13: 14, 14: 15, 15: 15, 256: 15})
	lit(false, "none", nil)
	lit(false, "no end", map[int]uint8{0: 1, 1: 1})
	dist := func(good bool, name string, n int, lengths map[int]uint8) {
		add("distances: "+name, good, dynamic(withLengths(257, map[int]uint8{0: 1, 256: 1}), withLengths(n, lengths), end))
	}
	dist(true, "none", 1, nil)
	dist(true, "one of one bit", 30, map[int]uint8{29: 1})
	dist(false, "one of two bits", 30, map[int]uint8{29: 2})
	dist(false, "two that are incomplete", 2, map[int]uint8{0: 1, 1: 2})
	dist(false, "over-subscribed", 3, map[int]uint8{0: 1, 1: 1, 2: 1})

	// Distances beyond what there is, and codes that stand for none.
	match := func(length, distance, extra, extraBits int) func(w *bitWriter, l, d huffman) {
		return func(w *bitWriter, l, d huffman) {
			l.write(w, 0)
			l.write(w, length)
			d.write(w, distance)
			w.bits(extra, extraBits)
			l.write(w, 256)
		}
	}
	some := withLengths(286, map[int]uint8{0: 2, 256: 2, 257: 2, 285: 2})
	add("distance 1 of 1", true, dynamic(some, withLengths(1, one), match(257, 0, 0, 0)))
	add("length 258", true, dynamic(some, withLengths(1, one), match(285, 0, 0, 0)))
	add("distance 2 of 1", false, dynamic(some, withLengths(2, map[int]uint8{0: 1, 1: 1}), match(257, 1, 0, 0)))
	add("no such distance code", false, dynamic(some, withLengths(1, one), func(w *bitWriter, l, _ huffman) {
		l.write(w, 0)
		l.write(w, 257)
		w.bits(1, 1)
		l.write(w, 256)
	}))
	fixedCodes := func(symbols func(w *bitWriter, l, d huffman)) []byte {
		var w bitWriter
		w.bits(1, 1)
		w.bits(1, 2)
		symbols(&w, canonical(fixedLengths()), canonical(slices.Repeat([]uint8{5}, fixedDistances)))
		return append(w.out, 0, 0, 0, 0)
	}
	for _, symbol := range []int{284, 285, 286, 287} {
		add(fmt.Sprint("fixed symbol ", symbol), symbol < 286, fixedCodes(func(w *bitWriter, l, d huffman) {
			l.write(w, 0)
			l.write(w, symbol)
			w.bits(0, max(0, 5*(285-symbol)))
			d.write(w, 0)
			l.write(w, 256)
		}))
	}
	for _, symbol := range []int{29, 30, 31} {
		for _, have := range []int{windowBytes - 1, windowBytes} {
			add(fmt.Sprint("fixed distance symbol ", symbol, " of ", have), symbol < 30 && have == windowBytes, fixedCodes(func(w *bitWriter, l, d huffman) {
				for i := range have {
					l.write(w, i%251)
				}
				l.write(w, 257)
				d.write(w, symbol)
				w.bits(1<<13-1, 13)
				l.write(w, 256)
			}))
		}
	}

	// Repetitions of lengths.
	header := func(codes func(w *bitWriter, code huffman)) []byte {
		var w bitWriter
		w.bits(1, 1)
		w.bits(2, 2)
		w.bits(0, 5)
		w.bits(0, 5)
		w.bits(lengthCodes-4, 4)
		code := canonical(withLengths(lengthCodes, map[int]uint8{0: 3, 1: 3, 2: 3, 16: 3, 17: 3, 18: 3, 15: 3, 14: 3}))
		for _, symbol := range lengthOrder {
			w.bits(int(code.lengths[symbol]), 3)
		}
		codes(&w, code)
		return append(w.out, 0, 0, 0, 0)
	}
	repeat := func(first, last int) func(w *bitWriter, code huffman) {
		return func(w *bitWriter, code huffman) {
			code.write(w, first)
			if first == 16 {
				w.bits(0, 2)
			}
			code.write(w, 18)
			w.bits(127, 7)
			code.write(w, 18)
			w.bits(last, 7) // 257 lengths and one of a distance, of which 1 + 138 are there
			code.write(w, 1)
			code.write(w, 1)
			w.bits(0, 1)
		}
	}
	add("lengths: up to the end of the block", true, header(repeat(0, 256-139-11)))
	add("lengths: one before the first", false, header(repeat(16, 255-139-11)))
	add("lengths: beyond the last one", false, header(repeat(0, 127)))
	for name, lengths := range map[string]map[int]uint8{"one code": {18: 1}, "none": nil, "incomplete": {18: 1, 1: 2}, "over-subscribed": {18: 1, 1: 1, 0: 1}} {
		var w bitWriter
		w.bits(1, 1)
		w.bits(2, 2)
		w.bits(0, 10)
		w.bits(lengthCodes-4, 4)
		for _, symbol := range lengthOrder {
			w.bits(int(lengths[int(symbol)]), 3)
		}
		add("codes for lengths: "+name, false, append(w.out, make([]byte, 40)...))
	}

	// Stored blocks, and the type that is none.
	for _, n := range []int{0, 1, 65535} {
		src := append([]byte{1, byte(n), byte(n >> 8), byte(^n), byte(^n >> 8)}, bytes.Repeat([]byte{5}, n)...)
		add(fmt.Sprint("stored: ", n), true, src)
		src = bytes.Clone(src)
		src[3] ^= 1
		add(fmt.Sprint("stored, wrong length: ", n), false, src)
	}
	add("stored, then stored", true, []byte{0, 0, 0, 0xff, 0xff, 1, 1, 0, 0xfe, 0xff, 7})
	add("type 3", false, []byte{7, 0, 0})
	return cases
}

func fixedLengths() []uint8 {
	return slices.Concat(slices.Repeat([]uint8{8}, 144), slices.Repeat([]uint8{9}, 112), slices.Repeat([]uint8{7}, 24), slices.Repeat([]uint8{8}, 8))
}

func TestLimits(t *testing.T) {
	c := newChecker(t)
	for _, l := range limits() {
		c.check(t, l.name, l.src)
		if got := c.decode(t, c.twin, l.src, steps(1<<20, 1<<20)); (got.err == io.EOF) != l.good {
			t.Errorf("%s: %v, want it to be good: %v", l.name, got, l.good)
		}
	}
}

// TestLimitsOfZlib asks zlib which of the streams are good.
func TestLimitsOfZlib(t *testing.T) {
	const program = `
import sys, zlib
for line in sys.stdin:
    d = zlib.decompressobj(-15)
    try:
        d.decompress(bytes.fromhex(line))
        print("true" if d.eof else "false")
    except zlib.error:
        print("false")
`
	cmd := exec.Command(python.Interpreter(t), "-c", program)
	var in, want bytes.Buffer
	all := limits()
	for _, l := range all {
		fmt.Fprintf(&in, "%x\n", l.src)
		fmt.Fprintln(&want, l.good)
	}
	cmd.Stdin = &in
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out, want.Bytes()) {
		for i, line := range bytes.Split(bytes.TrimSpace(out), []byte("\n")) {
			if l := all[i]; string(line) != fmt.Sprint(l.good) {
				t.Errorf("%s: zlib says %s", l.name, line)
			}
		}
	}
}

// Every index of a table leads to the code that its bits begin with, for codes of all shapes, and no
// codes need more than the table has.
func TestTables(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	var table [literalEntries]entry
	for range 400 {
		n, root, symbols := 2+r.IntN(285), literalRoot, literalSymbols[:]
		if r.IntN(2) == 0 {
			n, root, symbols = 2+r.IntN(29), distanceRoot, distanceSymbols[:]
		}
		size := map[int]int{literalRoot: literalEntries, distanceRoot: distanceEntries}[root]
		lengths := randomLengths(r, n, 0, codeBitsMax)
		if !build(table[:size], root, lengths, symbols) {
			t.Fatalf("%v is refused", lengths)
		}
		if root == literalRoot {
			pair(&table)
		}
		h := canonical(lengths)
		for symbol, length := range lengths {
			if length == 0 {
				continue
			}
			var w bitWriter
			h.write(&w, symbol)
			w.bits(r.IntN(1<<15), 15)
			var d Decoder
			d.bits, d.bitsLen = uint64(w.out[0])|uint64(w.out[1])<<8, uint(length)
			if len(w.out) > 2 {
				d.bits |= uint64(w.out[2]) << 16
			}
			d.bits &= 1<<length - 1
			e, ok := d.lookup(table[:], uint(root))
			want := symbols[symbol] + entry(length)*codeBit
			if e&literals == literals&^oneLiteral {
				e = e.single()
			}
			if !ok || e != want {
				t.Fatalf("symbol %d with code of %d bits of %v: entry %#x, want %#x", symbol, length, lengths, e, want)
			}
		}
	}
}
