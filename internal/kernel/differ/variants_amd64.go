package differ

import (
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

func vectorVariants() []kernel.Variant[pair] {
	return []kernel.Variant[pair]{{ISA: cpu.AVX2, Func: pair{differsAVX2, equalsAVX2}}}
}

const bytesAVX2 = 32 // of a vector
