package jsonscan

import (
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// End holds one bit for each of 64 bytes, like a Block.
type End struct {
	Quotes  uint64 // quotes that begin or end a string: those that are not escaped
	Escaped uint64 // bytes escaped by a backslash
	Feeds   uint64 // line feeds, in strings and outside
	Digits  uint64 // the same of digits
}

// StringsFunc finds where strings, lines and runs of digits begin and end in b, whose length is a multiple of
// BlockBytes. That takes half of the time of a Func. carry is 1 if the first byte is escaped, otherwise 0; next says
// the same of the byte behind. Invalid says whether there is any control character but line feeds and carriage returns
// before them. For the rest it is like Func.
type StringsFunc = func(b []byte, ends []End, carry uint64) (next uint64, found Found)

// BestStrings returns the fastest variant that can run here. Choose once per job, not once per call.
func BestStrings() kernel.Variant[StringsFunc] { return kernel.Choose(StringsVariants()) }

// StringsVariants returns all variants, best first.
func StringsVariants() []kernel.Variant[StringsFunc] {
	return append(vectorStringsVariants(), kernel.Variant[StringsFunc]{ISA: cpu.Plain, Func: stringsPlain})
}
