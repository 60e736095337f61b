//go:build goexperiment.simd && arm64

package fields

import (
	"simd/archsimd"
	"unsafe"
)

// interleaved puts the upper half of a vector between the lower one: byte i to 2*i, and
// byte i+8 to 2*i+1.
var interleaved = [16]uint8{0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15}

// weights gives the bytes at 2*i and 2*i+1 their bit in the bytes of a mask.
var weights = [16]uint8{1, 1, 2, 2, 4, 4, 8, 8, 16, 16, 32, 32, 64, 64, 128, 128}

// markNEON makes the masks as package rows does, two at once: bytes that are equal keep
// the bit of their place, and adding neighbours three times brings the bits together. The
// rest of a word is left to plain code. See fields.go.
func markNEON(c *Chunk, text []byte, d Dialect, s State) State {
	c.reset(len(text))
	k := s.carry()
	order, weight := archsimd.LoadUint8x16Array(&interleaved), archsimd.LoadUint8x16Array(&weights)
	delim, feed := archsimd.BroadcastUint8x16(d.Delim), archsimd.BroadcastUint8x16('\n')
	quote, ret := archsimd.BroadcastUint8x16(d.Quote), archsimd.BroadcastUint8x16('\r')
	base := unsafe.Pointer(unsafe.SliceData(text[:c.words*64]))
	for i := 0; i < len(text); i += 64 {
		p := unsafe.Add(base, i)
		v0 := archsimd.LoadUint8x16Array((*[16]uint8)(p)).LookupOrZero(order)
		v1 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 16))).LookupOrZero(order)
		v2 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 32))).LookupOrZero(order)
		v3 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 48))).LookupOrZero(order)
		var m masks
		both := quarter(v0, v1, delim, weight).ConcatAddPairs(quarter(v2, v3, delim, weight)).
			ConcatAddPairs(quarter(v0, v1, feed, weight).ConcatAddPairs(quarter(v2, v3, feed, weight))).
			ReshapeToUint32s().ReshapeToUint64s()
		m.delims, m.feeds = both.GetElem(0), both.GetElem(1)
		if d.Quoted {
			both = quarter(v0, v1, quote, weight).ConcatAddPairs(quarter(v2, v3, quote, weight)).
				ConcatAddPairs(quarter(v0, v1, ret, weight).ConcatAddPairs(quarter(v2, v3, ret, weight))).
				ReshapeToUint32s().ReshapeToUint64s()
			m.quotes, m.returns = both.GetElem(0), both.GetElem(1)
		}
		k = c.word(i, min(len(text)-i, 64), m, k)
	}
	return k.state()
}

// quarter adds for the first time: the bits of two vectors' bytes that equal b.
func quarter(v0, v1, b, weight archsimd.Uint8x16) archsimd.Uint16x8 {
	return weight.Masked(v0.Equal(b)).ReshapeToUint16s().ConcatAddPairs(weight.Masked(v1.Equal(b)).ReshapeToUint16s())
}
