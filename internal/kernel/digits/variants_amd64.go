package digits

import (
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

func vectorVariants() []kernel.Variant[Func] {
	return []kernel.Variant[Func]{
		{ISA: cpu.AVX512, Func: inLanes(integersAVX512, 8)},
		{ISA: cpu.AVX2, Func: inLanes(integersAVX2, 4)},
	}
}
