package utf8

import (
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

func vectorVariants() []kernel.Variant[Func] {
	return []kernel.Variant[Func]{
		{ISA: cpu.AVX512, Func: validAVX512},
		{ISA: cpu.AVX2, Func: validAVX2},
	}
}

// Vector lengths in bytes.
const (
	bytesAVX2   = 32
	bytesAVX512 = 64
)

// mixedBytes is how many bytes are checked completely from a vector on that is not ASCII, also if they are.
const mixedBytes = 256

// shifted selects, by words, the last 16 bytes of one vector and the first 48 of the next.
var shifted = [8]uint64{6, 7, 8, 9, 10, 11, 12, 13}

func validAVX512(b []byte) bool {
	blocks := b[:len(b)-len(b)%bytesAVX512]
	return blocksAVX512(blocks) && validRest(b, blocks)
}

func validAVX2(b []byte) bool {
	blocks := b[:len(b)-len(b)%bytesAVX2]
	return blocksAVX2(blocks) && validRest(b, blocks)
}
