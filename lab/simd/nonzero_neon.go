//go:build goexperiment.simd && arm64

package simd

import (
	"simd/archsimd"
	"unsafe"
)

func countByMaximum(b []byte) (n int) {
	for ; len(b) >= 16; b = b[16:] {
		v := archsimd.LoadUint32x4Array((*[4]uint32)(unsafe.Pointer(&b[0])))
		if v.ReduceMax() != 0 {
			n++
		}
	}
	return n
}
