package utf8

import (
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

func vectorVariants() []kernel.Variant[Func] {
	return []kernel.Variant[Func]{{ISA: cpu.NEON, Func: validNEON}}
}

// bytesNEON is the length of a vector.
const bytesNEON = 16

func validNEON(b []byte) bool {
	blocks := b[:len(b)-len(b)%bytesNEON]
	return blocksNEON(blocks) && validRest(b, blocks)
}
