package decompress

import (
	"bytes"
	"math/bits"
	"slices"
)

// bzip2Writer writes bzip2 data, plainly: blocks of any size, also damaged ones. Its prefix codes are
// complete, with lengths that differ by one.
type bzip2Writer struct {
	out      []byte
	n        int // bits in out
	combined uint32
	ends     []int // behind each block: bytes of content so far
	content  []byte
}

func (w *bzip2Writer) bits(v uint64, n int) {
	for i := n - 1; i >= 0; i-- {
		if w.n%8 == 0 {
			w.out = append(w.out, 0)
		}
		w.out[w.n/8] |= byte(v>>i&1) << (7 - w.n%8)
		w.n++
	}
}

func (w *bzip2Writer) begin(level byte) {
	for _, c := range []byte{'B', 'Z', 'h', '0' + level} {
		w.bits(uint64(c), 8)
	}
	w.combined = 0
}

func (w *bzip2Writer) end() {
	w.bits(bzip2EndMagic, 48)
	w.bits(uint64(w.combined), 32)
	w.n = (w.n + 7) / 8 * 8
}

// bzip2Sum is the checksum, bit by bit.
func bzip2Sum(p []byte) uint32 {
	sum := ^uint32(0)
	for _, c := range p {
		for i := range 8 {
			top := sum>>31 ^ uint32(c>>(7-i)&1)
			if sum <<= 1; top != 0 {
				sum ^= 0x04c11db7
			}
		}
	}
	return ^sum
}

// parts are what a block consists of.
type parts struct {
	sum        uint32
	randomized uint64
	origin     int
	used       []byte   // the bytes that occur, ascending
	symbols    []uint16 // without the end
}

// lengthOf returns the length of a symbol's code, of so many symbols.
func lengthOf(symbol, symbols int) int {
	short := bits.Len(uint(symbols)) - 1
	if symbol < 1<<(short+1)-symbols {
		return short
	}
	return short + 1
}

// codeOf returns a symbol's code.
func codeOf(symbol, symbols int) uint64 {
	short := bits.Len(uint(symbols)) - 1
	words := 1<<(short+1) - symbols // short ones
	if symbol < words {
		return uint64(symbol)
	}
	return uint64(symbol + words)
}

func (w *bzip2Writer) write(p parts) {
	w.bits(bzip2BlockMagic, 48)
	w.bits(uint64(p.sum), 32)
	w.combined = bits.RotateLeft32(w.combined, 1) ^ p.sum
	w.bits(p.randomized, 1)
	w.bits(uint64(p.origin), 24)
	var used [16]uint64
	var ranges uint64
	for _, c := range p.used {
		ranges |= 1 << (15 - c>>4)
		used[c>>4] |= 1 << (15 - c&15)
	}
	w.bits(ranges, 16)
	for _, u := range used {
		if u != 0 {
			w.bits(u, 16)
		}
	}
	n := len(p.used) + 2
	symbols := append(slices.Clone(p.symbols), uint16(n-1))
	groups := (len(symbols) + groupSymbols - 1) / groupSymbols
	w.bits(2, 3)
	w.bits(uint64(groups), 15)
	for range groups {
		w.bits(0b10, 2) // the other code than before: both are the same
	}
	for range 2 {
		w.bits(uint64(lengthOf(0, n)), 5)
		for i := range n {
			if i > 0 && lengthOf(i, n) > lengthOf(i-1, n) {
				w.bits(0b10, 2)
			}
			w.bits(0, 1)
		}
	}
	for _, s := range symbols {
		w.bits(codeOf(int(s), n), lengthOf(int(s), n))
	}
}

// block writes a block with some content.
func (w *bzip2Writer) block(content []byte) {
	var runs []byte
	for rest := content; len(rest) > 0; {
		n := 1
		for n < min(len(rest), 255) && rest[n] == rest[0] {
			n++
		}
		runs = append(runs, rest[:min(n, 4)]...)
		if n >= 4 {
			runs = append(runs, byte(n-4))
		}
		rest = rest[n:]
	}
	rotations := make([]int, len(runs))
	for i := range rotations {
		rotations[i] = i
	}
	twice := append(slices.Clone(runs), runs...)
	slices.SortStableFunc(rotations, func(a, b int) int {
		return bytes.Compare(twice[a:a+len(runs)], twice[b:b+len(runs)])
	})
	last := make([]byte, len(runs))
	p := parts{sum: bzip2Sum(content), used: slices.Compact(slices.Sorted(slices.Values(runs)))}
	for i, r := range rotations {
		if r == 0 {
			p.origin = i
		}
		last[i] = twice[r+len(runs)-1]
	}
	list, run := slices.Clone(p.used), 0
	flush := func() {
		for ; run > 0; run = (run - 1) / 2 {
			p.symbols = append(p.symbols, uint16((run-1)%2))
		}
	}
	for _, c := range last {
		place := bytes.IndexByte(list, c)
		if place == 0 {
			run++
			continue
		}
		flush()
		p.symbols = append(p.symbols, uint16(place+1))
		copy(list[1:], list[:place])
		list[0] = c
	}
	flush()
	w.write(p)
	w.content = append(w.content, content...)
	w.ends = append(w.ends, len(w.content))
}

// contentOf returns the content of a block without runs of four, plainly, and without its sum.
func contentOf(p parts) []byte {
	list := slices.Clone(p.used)
	var last []byte
	for i := 0; i < len(p.symbols); {
		run := 0
		for digit := 1; i < len(p.symbols) && p.symbols[i] < 2; digit *= 2 {
			run += digit << p.symbols[i]
			i++
		}
		last = append(last, bytes.Repeat(list[:1], run)...)
		if i < len(p.symbols) {
			place := int(p.symbols[i]) - 1
			c := list[place]
			copy(list[1:], list[:place])
			list[0] = c
			last = append(last, c)
			i++
		}
	}
	// The table of rotations, plainly: the stable order of the last bytes.
	order := make([]int, len(last))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(last[a]) - int(last[b]) })
	var content []byte
	for at := order[p.origin]; len(content) < len(last); at = order[at] {
		content = append(content, last[at])
	}
	return content
}
