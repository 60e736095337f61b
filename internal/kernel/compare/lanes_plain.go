package compare

import (
	"encoding/binary"
	"math/bits"
)

// lanes is an arc prepared for testing all values in a 64-bit word at once, one lane per value
// (SIMD within a register).
type lanes struct {
	high          uint64 // the highest bit of each lane
	low, lowClear uint64 // low without the highest bits; the highest bits that low does not have
	span, spanSet uint64 // the span; the span with all the highest bits set
	typ           Type
	isKey         bool // whether the bits of a value are its key
}

// stepBytes are tested together.
const stepBytes = 32

// contiguous reports whether lanes are faster for b than decoding: the values are contiguous, and
// several of them fit a word.
func (a *arc) contiguous(b []byte, stride int) bool {
	return stride == a.typ.width && stride < 8 && len(b) >= 2*stepBytes
}

func (a *arc) lanes() lanes {
	every := ^uint64(0) / a.typ.maxRank()
	high, low, span := every*a.typ.signBit(), every*a.low, every*a.span
	return lanes{
		high: high, low: low &^ high, lowClear: ^low & high, span: span, spanSet: span | high,
		typ: a.typ, isKey: !a.typ.bigEndian && !a.typ.Float(),
	}
}

// step returns one set bit for each value that fits.
func (l *lanes) step(b *[stepBytes]byte) uint64 {
	w0, w1 := binary.LittleEndian.Uint64(b[0:]), binary.LittleEndian.Uint64(b[8:])
	w2, w3 := binary.LittleEndian.Uint64(b[16:]), binary.LittleEndian.Uint64(b[24:])
	if !l.isKey {
		w0, w1, w2, w3 = l.keys(w0), l.keys(w1), l.keys(w2), l.keys(w3)
	}
	return l.fits(w0) | l.fits(w1)>>1 | l.fits(w2)>>2 | l.fits(w3)>>3
}

// keys returns the keys of the values in a word, in any order.
func (l *lanes) keys(word uint64) uint64 {
	if l.typ.bigEndian {
		word = bits.ReverseBytes64(word)
	}
	if l.typ.Float() {
		negative := word & l.high
		word ^= negative - negative>>((8*l.typ.width-1)&63)
	}
	return word
}

// fits returns the highest bit of each lane whose key is on the arc.
//
// In a subtraction of words, lanes do not borrow from each other if every lane of the minuend has
// its highest bit set and no lane of the subtrahend has. So the highest bits of the difference are
// computed separately. The difference is compared with span in the same way: the other bits decide
// unless the highest ones differ.
func (l *lanes) fits(keys uint64) uint64 {
	distance := (keys | l.high - l.low) ^ keys&l.high ^ l.lowClear
	reaches := l.spanSet - distance&^l.high
	return (reaches&^distance | l.span&(reaches|^distance)) & l.high
}
