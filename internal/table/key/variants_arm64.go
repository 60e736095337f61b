package key

import (
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// vectorVariants has no walk of its own: with two words a vector it would do no more at once
// than the plain variant.
func vectorVariants() []kernel.Variant[kernels] {
	return []kernel.Variant[kernels]{{ISA: cpu.NEON, Func: kernels{markNEON, walkPlain}}}
}

// interleaved interleaves the halves of a vector: byte i goes to 2*i, and byte i+8 to 2*i+1.
var interleaved = [16]uint8{0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15}

// weights holds, for the bytes at 2*i and 2*i+1, their bits in the bytes of the mask.
var weights = [16]uint8{1, 1, 2, 2, 4, 4, 8, 8, 16, 16, 32, 32, 64, 64, 128, 128}
