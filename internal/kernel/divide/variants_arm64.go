package divide

import (
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

func vectorVariants() []kernel.Variant[dividers] {
	return []kernel.Variant[dividers]{{ISA: cpu.NEON, Func: dividersNEON}}
}

// For 64-bit numbers, four products in each of two lanes are more work than the two UMULH of the
// plain variant.
var dividersNEON = dividers{
	of32: [ways]divider[uint32]{shift32NEON, fit32NEON, excess32NEON},
	of64: [ways]divider[uint64]{shift64NEON, fit64Plain, excess64Plain},
}

// Bytes of values, for kernels that are derived from each other.
const width32, width64 = 4, 8
