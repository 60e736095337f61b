package inflate

import (
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

func vectorVariants() []kernel.Variant[loops] {
	return []kernel.Variant[loops]{{ISA: cpu.AVX2, Func: loops{loopAVX2, symbolLoopAVX2}}}
}
