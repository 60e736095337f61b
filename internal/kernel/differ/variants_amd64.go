package differ

import (
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

func vectorVariants() []kernel.Variant[pair] {
	return []kernel.Variant[pair]{
		{ISA: cpu.AVX512, Func: pair{differsAVX512, equalsAVX512}},
		{ISA: cpu.AVX2, Func: pair{differsAVX2, equalsAVX2}},
	}
}

// Bytes of a vector.
const bytesAVX2, bytesAVX512 = 32, 64
