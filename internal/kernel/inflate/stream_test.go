package inflate

import (
	"math/bits"
	"math/rand/v2"
	"slices"
)

// bitWriter writes a stream bit by bit.
type bitWriter struct {
	out  []byte
	free int // bits of the last byte
}

// bits writes the n low bits of v, lowest first.
func (w *bitWriter) bits(v, n int) {
	for range n {
		if w.free == 0 {
			w.out, w.free = append(w.out, 0), 8
		}
		w.out[len(w.out)-1] |= byte(v & 1 << (8 - w.free))
		w.free--
		v >>= 1
	}
}

// code writes a Huffman code, highest bit first.
func (w *bitWriter) code(code, n int) {
	w.bits(int(bits.Reverse32(uint32(code))>>(32-n)), n)
}

// huffman is a code for each symbol.
type huffman struct {
	lengths []uint8
	codes   []int
}

// canonical returns the codes of the given lengths, as RFC 1951 computes them.
func canonical(lengths []uint8) huffman {
	h := huffman{lengths, make([]int, len(lengths))}
	code := 0
	for n := uint8(1); n <= codeBitsMax; n++ {
		code <<= 1
		for symbol := range lengths {
			if lengths[symbol] == n {
				h.codes[symbol] = code
				code++
			}
		}
	}
	return h
}

// write writes the code of a symbol, if it has one.
func (h huffman) write(w *bitWriter, symbol int) bool {
	n := int(h.lengths[symbol])
	if n == 0 {
		return false
	}
	w.code(h.codes[symbol], n)
	return true
}

// randomLengths returns complete lengths of codes for some of n symbols, among them the one given. It
// splits random leaves of a tree, which makes some codes long.
func randomLengths(r *rand.Rand, n, must, longest int) []uint8 {
	leaves := []int{1, 1}
	skew := r.IntN(3)
	for range r.IntN(n - 1) {
		i := r.IntN(len(leaves))
		if skew > 0 {
			i = len(leaves) - 1 - r.IntN(min(len(leaves), 1+skew))
		}
		if leaves[i] < longest && len(leaves) < n {
			leaves[i]++
			leaves = append(leaves, leaves[i])
		}
	}
	lengths := make([]uint8, n)
	symbols := r.Perm(n)
	if i := slices.Index(symbols, must); i >= len(leaves) {
		symbols[0], symbols[i] = symbols[i], symbols[0]
	}
	for i, leaf := range leaves {
		lengths[symbols[i]] = uint8(leaf)
	}
	return lengths
}

// randomStream returns a stream of some blocks, which is valid but for distances that may be too
// large, and symbols that must not occur.
func randomStream(r *rand.Rand, blocks int) []byte {
	var w bitWriter
	for i := range blocks {
		last := 0
		if i == blocks-1 {
			last = 1
		}
		w.bits(last, 1)
		switch r.IntN(6) {
		case 0:
			w.bits(0, 2)
			w.free = 0
			n := r.IntN(300)
			w.bits(n, 16)
			w.bits(^n, 16)
			for range n {
				w.bits(r.IntN(256), 8)
			}
		case 1:
			w.bits(1, 2)
			randomSymbols(r, &w, canonical(fixedLengths()), canonical(slices.Repeat([]uint8{5}, fixedDistances)))
		default:
			literals := randomLengths(r, 257+r.IntN(30), 256, codeBitsMax)
			distances := randomLengths(r, 2+r.IntN(29), 0, codeBitsMax)
			if r.IntN(8) == 0 {
				distances = []uint8{uint8(r.IntN(2))}
			}
			w.bits(2, 2)
			writeHeader(r, &w, literals, distances)
			randomSymbols(r, &w, canonical(literals), canonical(distances))
		}
	}
	return w.out
}

// writeHeader writes the lengths of codes, with some repetitions.
func writeHeader(r *rand.Rand, w *bitWriter, literals, distances []uint8) {
	code := canonical(append(slices.Repeat([]uint8{4}, 13), slices.Repeat([]uint8{5}, 6)...))
	w.bits(len(literals)-257, 5)
	w.bits(len(distances)-1, 5)
	w.bits(lengthCodes-4, 4)
	for _, symbol := range lengthOrder {
		w.bits(int(code.lengths[symbol]), 3)
	}
	all := slices.Concat(literals, distances)
	for i := 0; i < len(all); {
		run := 1
		for i+run < len(all) && all[i+run] == all[i] {
			run++
		}
		switch {
		case i > 0 && all[i] == all[i-1] && run >= 3 && r.IntN(2) == 0:
			run = min(run, 3+r.IntN(4))
			code.write(w, 16)
			w.bits(run-3, 2)
		case all[i] == 0 && run >= 11 && r.IntN(2) == 0:
			run = min(run, 138)
			code.write(w, 18)
			w.bits(run-11, 7)
		case all[i] == 0 && run >= 3 && r.IntN(2) == 0:
			run = min(run, 3+r.IntN(8))
			code.write(w, 17)
			w.bits(run-3, 3)
		default:
			run = 1
			code.write(w, int(all[i]))
		}
		i += run
	}
}

// randomSymbols writes literals and matches, and the end of the block.
func randomSymbols(r *rand.Rand, w *bitWriter, literals, distances huffman) {
	matches := r.IntN(10)
	for range r.IntN(1 << r.IntN(10)) {
		symbol := r.IntN(256)
		if r.IntN(10) < matches {
			symbol = 256 + r.IntN(len(literals.lengths)-256)
		}
		if symbol == 256 || symbol > 285 && r.IntN(100) > 0 || !literals.write(w, symbol) || symbol < 256 {
			continue
		}
		if symbol < literalMax {
			extra := int(literalSymbols[symbol].consumes())
			w.bits(r.IntN(1<<extra), extra)
		}
		symbol = r.IntN(len(distances.lengths))
		if r.IntN(4) > 0 { // near
			symbol %= 8
		}
		symbol %= len(distances.lengths)
		for tries := 0; !distances.write(w, symbol) && tries < 40; tries++ {
			symbol = (symbol + 1) % len(distances.lengths)
		}
		if symbol < distanceMax {
			extra := int(distanceSymbols[symbol].consumes())
			w.bits(r.IntN(1<<extra), extra)
		}
	}
	literals.write(w, 256)
}

// writeValue writes a length or a distance: the last symbol that is not above it, and the rest.
func writeValue(w *bitWriter, h huffman, symbols []entry, first, value int) {
	for symbol := len(symbols) - 1; symbol >= first; symbol-- {
		if least := symbols[symbol].value(); least <= value {
			h.write(w, symbol)
			w.bits(value-least, int(symbols[symbol].consumes()))
			return
		}
	}
}
