package jsonscan

import (
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

func vectorVariants() []kernel.Variant[Func] {
	return []kernel.Variant[Func]{{ISA: cpu.NEON, Func: markNEON}}
}

func vectorStringsVariants() []kernel.Variant[StringsFunc] {
	return []kernel.Variant[StringsFunc]{{ISA: cpu.NEON, Func: stringsNEON}}
}

func vectorLinesVariants() []kernel.Variant[LinesFunc] {
	return []kernel.Variant[LinesFunc]{{ISA: cpu.NEON, Func: linesNEON}}
}

// places interleaves the upper half of a vector with the lower one: byte i goes to 2*i, and byte
// i+8 to 2*i+1.
var places = [16]uint8{0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15}

// weights gives the bytes at 2*i and 2*i+1 their bit within the bytes of a mask.
var weights = [16]uint8{1, 1, 2, 2, 4, 4, 8, 8, 16, 16, 32, 32, 64, 64, 128, 128}
