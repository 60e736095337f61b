package gather

import (
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

func vectorVariants() []kernel.Variant[Func] {
	return []kernel.Variant[Func]{{ISA: cpu.AVX2, Func: gatherAVX2}}
}

func gatherAVX2(to, b []byte, width, stride int) {
	if s, values := together(width, stride); values > 1 {
		done := packAVX2(to, b, &s, values*width, values*stride)
		to, b = to[done:], b[done/width*stride:]
	}
	each(to, b, width, stride)
}
