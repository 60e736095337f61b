//go:build goexperiment.simd

package minify

import (
	"github.com/thresh-dev/thresh/internal/cpu"
	"github.com/thresh-dev/thresh/internal/kernel"
)

func vectorVariants() []kernel.Variant[Kernel] {
	return []kernel.Variant[Kernel]{
		{ISA: cpu.AVX512VBMI2, Func: Kernel{summarizeAVX512, minifyAVX512}},
		{ISA: cpu.AVX2, Func: Kernel{summarizeAVX2, minifyAVX2}},
	}
}

// row is the white space of JSON, each at the place that its low four bits are; elsewhere
// stands a byte whose low four bits are another place.
var row = [16]uint8{0: ' ', 9: '\t', 10: '\n', 13: '\r'}
