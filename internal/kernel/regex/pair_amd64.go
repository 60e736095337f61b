package regex

import (
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

var pairVariants = []kernel.Variant[pairFunc]{
	{ISA: cpu.AVX512, Func: pairAVX512},
	{ISA: cpu.AVX2, Func: pairAVX2},
	{ISA: cpu.Plain, Func: pairPlain},
}

// Vector lengths in bytes.
const (
	bytesAVX2   = 32
	bytesAVX512 = 64
)

func pairAVX512(p *pair, b []byte) int {
	if len(b) < p.reach+bytesAVX512 {
		return pairAVX2(p, b)
	}
	return scanAVX512(p, b)
}

func pairAVX2(p *pair, b []byte) int {
	if len(b) < p.reach+bytesAVX2 {
		return pairPlain(p, b)
	}
	return scanAVX2(p, b)
}
