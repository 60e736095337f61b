package jsonscan

import (
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

func vectorVariants() []kernel.Variant[Func] {
	return []kernel.Variant[Func]{{ISA: cpu.AVX2, Func: markAVX2}}
}

func vectorStringsVariants() []kernel.Variant[StringsFunc] {
	return []kernel.Variant[StringsFunc]{{ISA: cpu.AVX2, Func: stringsAVX2}}
}

func vectorLinesVariants() []kernel.Variant[LinesFunc] {
	return []kernel.Variant[LinesFunc]{{ISA: cpu.AVX2, Func: linesAVX2}}
}
