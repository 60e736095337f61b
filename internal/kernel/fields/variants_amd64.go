package fields

import (
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// vectorVariants requires VBMI2 for AVX-512, which processors before 2019 lack: an instruction of
// VBMI2 makes the list of places.
func vectorVariants() []kernel.Variant[Func] {
	return []kernel.Variant[Func]{
		{ISA: cpu.AVX512VBMI2, Func: markAVX512},
		{ISA: cpu.AVX2, Func: kernelsAVX2.mark},
	}
}

var (
	kernelsAVX512 = vector{bareAVX512, quotedAVX512, kindsAVX512, listAVX512, sequenceAVX2}
	kernelsAVX2   = vector{bareAVX2, quotedAVX2, kindsAVX2, listEights, sequenceAVX2}
)

// markAVX512 sets c.wide, which Expect and functions for pairs require.
func markAVX512(c *Chunk, text []byte, d Dialect, s State) State {
	s = kernelsAVX512.mark(c, text, d, s)
	c.wide, c.delim = true, d.Delim
	return s
}

// numbers are the indexes of the bytes in a word.
var numbers = [64]uint8{
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
	16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
	32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
	48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63,
}
