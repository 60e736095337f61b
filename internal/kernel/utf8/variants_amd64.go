package utf8

import (
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

func vectorVariants() []kernel.Variant[Func] {
	return []kernel.Variant[Func]{{ISA: cpu.AVX2, Func: validAVX2}}
}

const bytesAVX2 = 32 // of a vector

// mixedBytes is how many bytes are checked completely from a vector on that is not ASCII, also if they are.
const mixedBytes = 256

func validAVX2(b []byte) bool {
	blocks := b[:len(b)-len(b)%bytesAVX2]
	return blocksAVX2(blocks) && validRest(b, blocks)
}
