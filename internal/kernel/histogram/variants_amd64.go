package histogram

import (
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

func vectorVariants() []kernel.Variant[kernels] {
	return []kernel.Variant[kernels]{
		{ISA: cpu.AVX512, Func: kernelsAVX512},
		{ISA: cpu.AVX2, Func: kernelsAVX2},
	}
}

var kernelsAVX2 = kernels{
	same: sameAVX2, others: othersAVX2, distances32: distances32AVX2, distances64: distances64AVX2, slots: slotsAVX2,
}

var kernelsAVX512 = kernels{
	same: sameAVX2, others: othersAVX2, distances32: distances32AVX512, distances64: distances64AVX512,
	slots: slotsAVX512,
}
