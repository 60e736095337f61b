//go:build goexperiment.simd && arm64

package gather

import (
	"simd/archsimd"
	"unsafe"
)

// packNEON does what packAVX2 does.
func packNEON(to, b []byte, s *shuffle, toStep, fromStep int) (done int) {
	table := archsimd.LoadUint8x16Array((*[vectorBytes]uint8)(s))
	from, out := unsafe.Pointer(unsafe.SliceData(b)), unsafe.Pointer(unsafe.SliceData(to))
	i, most, last := 0, len(to)-vectorBytes, len(b)-vectorBytes
	for ; done+toStep <= most && i+fromStep <= last; i += 2 * fromStep {
		v0 := archsimd.LoadUint8x16Array((*[vectorBytes]uint8)(unsafe.Add(from, i)))
		v1 := archsimd.LoadUint8x16Array((*[vectorBytes]uint8)(unsafe.Add(from, i+fromStep)))
		v0.LookupOrZero(table).StoreArray((*[vectorBytes]uint8)(unsafe.Add(out, done)))
		v1.LookupOrZero(table).StoreArray((*[vectorBytes]uint8)(unsafe.Add(out, done+toStep)))
		done += 2 * toStep
	}
	return done
}
