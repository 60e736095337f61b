package literals

import (
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

func vectorVariants() []kernel.Variant[Marker] {
	return []kernel.Variant[Marker]{{ISA: cpu.AVX2, Func: markAVX2}}
}
