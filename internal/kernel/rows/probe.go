package rows

import (
	"strings"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/kernel/fields"
)

// Probes returns the benchmark tasks of the family: records with one quoted field.
func Probes() []kernel.Probe {
	const line = "4711,2018-03-04,\"Smith, John \"\"JJ\"\"\",Springfield,250.00\n"
	return []kernel.Probe{kernel.NewProbe("rows", 1, 0, variants, func(f Func, n int) kernel.Work {
		b := []byte(strings.Repeat(line, n/len(line)+1)[:n])
		k := Kernel{kernel.Variant[Func]{Func: f}}
		return kernel.Repeat(func() Summary { return k.Summarize(b, fields.Dialect{Delim: ',', Quote: '"', Quoted: true}) })
	})}
}
