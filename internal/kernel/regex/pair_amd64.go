package regex

import (
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

var pairVariants = []kernel.Variant[pairFunc]{
	{ISA: cpu.AVX2, Func: pairAVX2},
	{ISA: cpu.Plain, Func: pairPlain},
}

const bytesAVX2 = 32 // of a vector

func pairAVX2(p *pair, b []byte) int {
	if len(b) < p.reach+bytesAVX2 {
		return pairPlain(p, b)
	}
	return scanAVX2(p, b)
}
