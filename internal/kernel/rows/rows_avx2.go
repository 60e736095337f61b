//go:build goexperiment.simd && amd64

package rows

import (
	"simd/archsimd"
	"unsafe"
)

// sumAVX2 takes two vectors for 64 bytes. See rows.go.
func sumAVX2(b []byte) Summary {
	quote, feed := archsimd.BroadcastUint8x32('"'), archsimd.BroadcastUint8x32('\n')
	words := unsafe.Slice((*[2][32]uint8)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/64)
	var s sum
	for i := range words {
		low, high := archsimd.LoadUint8x32Array(&words[i][0]), archsimd.LoadUint8x32Array(&words[i][1])
		s.add(uint64(low.Equal(quote).ToBits())|uint64(high.Equal(quote).ToBits())<<32,
			uint64(low.Equal(feed).ToBits())|uint64(high.Equal(feed).ToBits())<<32)
	}
	archsimd.ClearAVXUpperBits()
	return s.end(b[len(words)*64:])
}
