package jsonscan

import (
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// Line is a Block of lines of JSON, with what is needed to check their grammar: where they end, and what numbers are
// made of. These bits are set in strings, too.
type Line struct {
	Block
	Feeds           uint64 // line feeds, which are White as well
	Digits, Zeros   uint64
	Points          uint64
	Minuses, Pluses uint64
	Exponents       uint64 // the letter e, of both cases
}

// LinesFunc describes b, whose length is a multiple of BlockBytes, in one Line per BlockBytes. For the rest it is like
// Func: a line feed in a string is a control character.
type LinesFunc = func(b []byte, lines []Line, at State) (end State, found Found)

// BestLines returns the fastest variant that can run here. Choose once per job, not once per call.
func BestLines() kernel.Variant[LinesFunc] { return kernel.Choose(LinesVariants()) }

// LinesVariants returns all variants, best first.
func LinesVariants() []kernel.Variant[LinesFunc] {
	return append(vectorLinesVariants(), kernel.Variant[LinesFunc]{ISA: cpu.Plain, Func: linesPlain})
}
