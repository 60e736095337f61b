package utf8

import (
	"strings"

	"github.com/thresh-dev/thresh/internal/kernel"
)

// Probes returns the benchmark tasks of the family: pure ASCII text, and text with characters of
// all lengths.
func Probes() (all []kernel.Probe) {
	for _, kind := range []struct{ name, text string }{
		{"utf8 ascii", "The quick brown fox jumps over the lazy dog. "},
		{"utf8 mixed", "Zwölf Boxkämpfer, Съешь ещё этих, 色は匂へど, 😀 and a plain rest. "},
	} {
		all = append(all, kernel.NewProbe(kind.name, 1, 0, variants, func(f Func, n int) kernel.Work {
			b := []byte(strings.Repeat(kind.text, n/len(kind.text)+1)[:n])
			for i := Whole(b); i < n; i++ {
				b[i] = '.'
			}
			k := Kernel{kernel.Variant[Func]{Func: f}}
			return kernel.Repeat(func() bool { return k.Valid(b) })
		}))
	}
	return all
}
