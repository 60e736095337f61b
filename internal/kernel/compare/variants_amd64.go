package compare

import (
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

func vectorVariants() []kernel.Variant[searcher] {
	return []kernel.Variant[searcher]{
		{ISA: cpu.AVX512, Func: indexAVX512},
		{ISA: cpu.AVX2, Func: vectorsAVX2.index},
	}
}

func vectorCounters() []kernel.Variant[counter] {
	return []kernel.Variant[counter]{
		{ISA: cpu.AVX512, Func: countAVX512},
		{ISA: cpu.AVX2, Func: vectorsAVX2.count},
	}
}

// Vector lengths in bytes.
const (
	bytesAVX2   = 32
	bytesAVX512 = 64
)

var vectorsAVX2 = vectors{
	bytes:    bytesAVX2,
	finders:  [4]finder{index8AVX2, index16AVX2, index32AVX2, index64AVX2},
	counters: [4]counter{count8AVX2, count16AVX2, count32AVX2, count64AVX2},
}

var vectorsAVX512 = vectors{
	bytes:    bytesAVX512,
	finders:  [4]finder{index8AVX512, index16AVX512, index32AVX512, index64AVX512},
	counters: [4]counter{count8AVX512, count16AVX512, count32AVX512, count64AVX512},
}

// Slices shorter than a vector go to the shorter vectors of AVX2.

func indexAVX512(b []byte, a *arc, stride int) int {
	if len(b) < vectorsAVX512.bytes {
		return vectorsAVX2.index(b, a, stride)
	}
	return vectorsAVX512.index(b, a, stride)
}

func countAVX512(b []byte, a *arc, stride int) int {
	if len(b) < vectorsAVX512.bytes {
		return vectorsAVX2.count(b, a, stride)
	}
	return vectorsAVX512.count(b, a, stride)
}
