//go:build goexperiment.simd && amd64

package gather

import (
	"simd/archsimd"
	"unsafe"
)

// packAVX2 shuffles vectors of b to the start of to, as long as whole vectors fit both. They advance
// by fromStep and toStep bytes. It returns the bytes of to that it filled. Longer vectors would not
// help: a store holds at most 16 bytes of values.
func packAVX2(to, b []byte, s *shuffle, toStep, fromStep int) (done int) {
	table := archsimd.LoadUint8x16Array((*[vectorBytes]uint8)(s)).BitsToInt8()
	from, out := unsafe.Pointer(unsafe.SliceData(b)), unsafe.Pointer(unsafe.SliceData(to))
	i, most, last := 0, len(to)-vectorBytes, len(b)-vectorBytes
	for ; done+toStep <= most && i+fromStep <= last; i += 2 * fromStep {
		v0 := archsimd.LoadUint8x16Array((*[vectorBytes]uint8)(unsafe.Add(from, i)))
		v1 := archsimd.LoadUint8x16Array((*[vectorBytes]uint8)(unsafe.Add(from, i+fromStep)))
		v0.PermuteOrZero(table).StoreArray((*[vectorBytes]uint8)(unsafe.Add(out, done)))
		v1.PermuteOrZero(table).StoreArray((*[vectorBytes]uint8)(unsafe.Add(out, done+toStep)))
		done += 2 * toStep
	}
	archsimd.ClearAVXUpperBits()
	return done
}
