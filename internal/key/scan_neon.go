//go:build goexperiment.simd && arm64

package key

import (
	"simd/archsimd"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/cpu"
	"github.com/thresh-dev/thresh/internal/kernel"
)

// vectorVariants has no walk of its own: two words to a vector are no more than what the
// plain form does of each record's words at once.
func vectorVariants() []kernel.Variant[forms] {
	return []kernel.Variant[forms]{{ISA: cpu.NEON, Func: forms{markNEON, walkPlain}}}
}

// interleaved puts the upper half of a vector between the lower one: byte i to 2*i, and
// byte i+8 to 2*i+1.
var interleaved = [16]uint8{0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15}

// weights gives the bytes at 2*i and 2*i+1 their bit in the bytes of a mask.
var weights = [16]uint8{1, 1, 2, 2, 4, 4, 8, 8, 16, 16, 32, 32, 64, 64, 128, 128}

// markNEON makes the marks of both ranges at once, as package fields makes its masks: bytes
// in a range keep the bit of their place, and adding neighbours three times brings the bits
// together.
func markNEON(text unsafe.Pointer, b *block, one, two span, in1, in2 *[blockMax]uint64) {
	order, weight := archsimd.LoadUint8x16Array(&interleaved), archsimd.LoadUint8x16Array(&weights)
	first1, length1 := archsimd.BroadcastUint8x16(one.first), archsimd.BroadcastUint8x16(one.length)
	first2, length2 := archsimd.BroadcastUint8x16(two.first), archsimd.BroadcastUint8x16(two.length)
	for j := range min(len(b.records), blockMax) {
		p := unsafe.Add(text, b.fields[j].Off)
		v0 := archsimd.LoadUint8x16Array((*[16]uint8)(p)).LookupOrZero(order)
		v1 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 16))).LookupOrZero(order)
		v2 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 32))).LookupOrZero(order)
		v3 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 48))).LookupOrZero(order)
		marks1 := quarter(v0, v1, first1, length1, weight).ConcatAddPairs(quarter(v2, v3, first1, length1, weight))
		marks2 := quarter(v0, v1, first2, length2, weight).ConcatAddPairs(quarter(v2, v3, first2, length2, weight))
		both := marks1.ConcatAddPairs(marks2).ReshapeToUint32s().ReshapeToUint64s()
		in1[j], in2[j] = both.GetElem(0), both.GetElem(1)
	}
}

// quarter adds for the first time: the bits of two vectors' bytes that are in a range.
func quarter(v0, v1, first, length, weight archsimd.Uint8x16) archsimd.Uint16x8 {
	return weight.Masked(v0.Sub(first).LessEqual(length)).ReshapeToUint16s().
		ConcatAddPairs(weight.Masked(v1.Sub(first).LessEqual(length)).ReshapeToUint16s())
}
