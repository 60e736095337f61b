//go:build goexperiment.simd && arm64

package rows

import (
	"simd/archsimd"
	"unsafe"
)

// bitOfByte has in each byte of a vector the bit that stands for it in a word.
var bitOfByte = [16]uint8{1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128}

// sumNEON takes four vectors for 64 bytes. See rows.go.
func sumNEON(b []byte) Summary {
	quote, feed := archsimd.BroadcastUint8x16('"'), archsimd.BroadcastUint8x16('\n')
	bit := archsimd.LoadUint8x16Array(&bitOfByte)
	words := unsafe.Slice((*[4][16]uint8)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/64)
	var s sum
	for i := range words {
		v0, v1 := archsimd.LoadUint8x16Array(&words[i][0]), archsimd.LoadUint8x16Array(&words[i][1])
		v2, v3 := archsimd.LoadUint8x16Array(&words[i][2]), archsimd.LoadUint8x16Array(&words[i][3])
		s.add(word(bit, v0.Equal(quote), v1.Equal(quote), v2.Equal(quote), v3.Equal(quote)),
			word(bit, v0.Equal(feed), v1.Equal(feed), v2.Equal(feed), v3.Equal(feed)))
	}
	return s.end(b[len(words)*64:])
}

// word turns four compares into 64 bits, which NEON has no instruction for: each byte keeps
// its own bit, and three additions of neighbours put eight bytes into one.
func word(bit archsimd.Uint8x16, m0, m1, m2, m3 archsimd.Mask8x16) uint64 {
	v0, v1 := m0.ToInt8x16().ToBits().And(bit), m1.ToInt8x16().ToBits().And(bit)
	v2, v3 := m2.ToInt8x16().ToBits().And(bit), m3.ToInt8x16().ToBits().And(bit)
	v0, v2 = v0.ConcatEven(v1).Add(v0.ConcatOdd(v1)), v2.ConcatEven(v3).Add(v2.ConcatOdd(v3))
	v0 = v0.ConcatEven(v2).Add(v0.ConcatOdd(v2))
	v0 = v0.ConcatEven(v0).Add(v0.ConcatOdd(v0))
	return v0.ReshapeToUint64s().GetElem(0)
}
