package words

import (
	"strings"

	"github.com/thresh-dev/thresh/internal/kernel"
)

// Probes returns the benchmark tasks of the family: pure ASCII text, and text with characters of
// all lengths.
func Probes() (all []kernel.Probe) {
	for _, kind := range []struct{ name, text string }{
		{"words ascii", "The quick brown fox jumps over the lazy dog.\n"},
		{"words mixed", "Zwölf Boxkämpfer, Съешь ещё этих, 色は匂へど, 😀 and a plain rest.\n"},
	} {
		all = append(all, kernel.NewProbe(kind.name, 1, 0, variants, func(f Func, n int) kernel.Work {
			b := []byte(strings.Repeat(kind.text, n/len(kind.text)+1)[:n])
			k := Kernel{kernel.Variant[Func]{Func: f}}
			return kernel.Repeat(func() Summary { return k.Summarize(b) })
		}))
	}
	return all
}
