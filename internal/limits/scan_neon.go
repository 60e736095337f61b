//go:build goexperiment.simd && arm64

package limits

import (
	"simd/archsimd"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/cpu"
	"github.com/thresh-dev/thresh/internal/kernel"
)

var scans = []kernel.Variant[func([]byte) uint64]{{ISA: cpu.NEON, Func: scanNEON}, plainScan}

// See scanPlain; a turn joins eight vectors of 16 bytes.
func scanNEON(b []byte) uint64 {
	groups := unsafe.Slice((*[8][2]uint64)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/128)
	var a0, a1, a2, a3 archsimd.Uint64x2
	for i := range groups {
		g := &groups[i]
		a0 = a0.Or(archsimd.LoadUint64x2Array(&g[0])).Or(archsimd.LoadUint64x2Array(&g[4]))
		a1 = a1.Or(archsimd.LoadUint64x2Array(&g[1])).Or(archsimd.LoadUint64x2Array(&g[5]))
		a2 = a2.Or(archsimd.LoadUint64x2Array(&g[2])).Or(archsimd.LoadUint64x2Array(&g[6]))
		a3 = a3.Or(archsimd.LoadUint64x2Array(&g[3])).Or(archsimd.LoadUint64x2Array(&g[7]))
	}
	all := a0.Or(a1).Or(a2.Or(a3))
	return all.GetElem(0) | all.GetElem(1) | scanTail(b[len(groups)*128:])
}
