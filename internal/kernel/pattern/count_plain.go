package pattern

import (
	"bytes"
	"math/bits"
)

// countPlain compares the pattern at every place where the pair matches.
func countPlain(p *Pattern, b []byte) (n, last int) {
	if p.literal && len(p.value) == 1 {
		return countBytePlain(p.value, b)
	}
	places, failures := len(b)-len(p.value)+1, 0
	for i := 0; i < places; i += wordPlaces {
		var fits uint64
		i, fits = p.nextPlain(b, i, places)
		if fits != 0 && p.pairIsAll() {
			n, last = n+bits.OnesCount64(fits), i+(bits.Len64(fits)-1)/8
			continue
		}
		for ; fits != 0; fits &= fits - 1 {
			at := i + bits.TrailingZeros64(fits)/8
			if p.matches(b[at:]) {
				n, last = n+1, at
			} else if failures++; p.exhausted(failures, at) {
				return p.countRest(indexLinear, b, at+1, n, last)
			}
		}
	}
	return n, last
}

// countBytePlain counts piece by piece, so that it searches for the last occurrence only in a piece
// that has one.
func countBytePlain(value, b []byte) (n, last int) {
	const pieceBytes = 2 << 10
	var begin, end int // of the last piece that has one
	for i := 0; i < len(b); i += pieceBytes {
		next := min(i+pieceBytes, len(b))
		if more := bytes.Count(b[i:next], value); more > 0 {
			n, begin, end = n+more, i, next
		}
	}
	return n, begin + max(0, bytes.LastIndexByte(b[begin:end], value[0]))
}
