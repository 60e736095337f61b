package stats

import (
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

func vectorVariants() []kernel.Variant[adder] {
	return []kernel.Variant[adder]{
		{ISA: cpu.AVX512, Func: addAVX512},
		{ISA: cpu.AVX2, Func: addAVX2},
	}
}

// Bytes of a vector, and float64 lanes.
const (
	bytesAVX2, lanesAVX2     = 32, 4
	bytesAVX512, lanesAVX512 = 64, 8
)

func addAVX2(s *scratch, c column, b []byte) { addVectors(s, c, b, &kernelsAVX2) }

var kernelsAVX2 = kernels{
	ints:     [4]ints{ints8AVX2, ints16AVX2, ints32AVX2, ints64AVX2},
	decode32: decode32AVX2,
	decode64: decode64AVX2,
	add16:    add16AVX2,

	sum16:       sum16AVX2,
	vectorBytes: bytesAVX2,

	withoutNaN: withoutNaNAVX2,

	peel: peelAVX2,
	add:  addLayerAVX2,
}

func addAVX512(s *scratch, c column, b []byte) { addVectors(s, c, b, &kernelsAVX512) }

var kernelsAVX512 = kernels{
	ints:     [4]ints{ints8AVX512, ints16AVX512, ints32AVX2, ints64AVX512},
	decode32: decode32AVX2,
	decode64: decode64AVX512,
	add16:    add16AVX512,

	sum16:       sum16AVX512,
	vectorBytes: bytesAVX512,

	withoutNaN: withoutNaNAVX512,

	peel: peelAVX512,
	add:  addLayerAVX512,
}
