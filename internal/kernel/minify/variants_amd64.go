package minify

import (
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

func vectorVariants() []kernel.Variant[Kernel] {
	return []kernel.Variant[Kernel]{
		{ISA: cpu.AVX512VBMI2, Func: Kernel{summarizeAVX512, minifyAVX512, keptByAVX512}},
		{ISA: cpu.AVX2, Func: Kernel{summarizeAVX2, minifyAVX2, keptByAVX2}},
	}
}
