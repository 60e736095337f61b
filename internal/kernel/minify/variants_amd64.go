//go:build goexperiment.simd

package minify

import (
	"github.com/thresh-dev/thresh/internal/cpu"
	"github.com/thresh-dev/thresh/internal/kernel"
)

func vectorVariants() []kernel.Variant[Kernel] {
	return []kernel.Variant[Kernel]{
		{ISA: cpu.AVX512VBMI2, Func: Kernel{summarizeAVX512, minifyAVX512, keptByAVX512}},
		{ISA: cpu.AVX2, Func: Kernel{summarizeAVX2, minifyAVX2, keptByAVX2}},
	}
}

// whites is the white space of JSON, each at the place that its low four bits are, in each 16
// bytes of a vector. Elsewhere stands a byte whose low four bits are another place: zero,
// where at zero itself stands the space.
var whites = [64]uint8{
	0: ' ', 9: '\t', 10: '\n', 13: '\r',
	16: ' ', 25: '\t', 26: '\n', 29: '\r',
	32: ' ', 41: '\t', 42: '\n', 45: '\r',
	48: ' ', 57: '\t', 58: '\n', 61: '\r',
}
