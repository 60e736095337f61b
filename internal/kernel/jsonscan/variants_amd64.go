package jsonscan

import (
	"github.com/thresh-dev/thresh/internal/cpu"
	"github.com/thresh-dev/thresh/internal/kernel"
)

func vectorVariants() []kernel.Variant[Func] {
	return []kernel.Variant[Func]{
		{ISA: cpu.AVX512VBMI2, Func: markAVX512},
		{ISA: cpu.AVX2, Func: markAVX2},
	}
}
