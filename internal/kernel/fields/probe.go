package fields

import (
	"strings"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
)

// Probes returns the benchmark tasks of the family: records without quotes, and records with a
// quoted field.
func Probes() (all []kernel.Probe) {
	for _, kind := range []struct {
		name, record string
		dialect      Dialect
	}{
		{"fields", "1714|42.5|Amsterdam|open|2024-05-01\n", Dialect{Delim: '|'}},
		{"fields quoted", "1714,42.5,\"Amsterdam, North\",open,2024-05-01\n", Dialect{',', '"', true}},
	} {
		all = append(all, kernel.NewProbe(kind.name, 1, ChunkBytes, variants, func(f Func, n int) kernel.Work {
			more := n + records.SlackBytes
			text := []byte(strings.Repeat(kind.record, more/len(kind.record)+1)[:more])[:n]
			c := new(Chunk)
			return kernel.Work{
				Run: func(rounds int) {
					for range rounds {
						f(c, text, kind.dialect, AtField)
					}
				},
				Answer: func() any {
					state := f(c, text, kind.dialect, AtField)
					separators := c.Before[c.words]
					return [...]any{state, c.Delims, c.Feeds, c.Bad, separators, c.placesText(separators)}
				},
			}
		}))
	}
	return all
}

// placesText returns the first n places as a string, which can be compared.
func (c *Chunk) placesText(n uint32) string {
	var b strings.Builder
	for _, place := range c.places[:n] {
		b.WriteByte(byte(place))
		b.WriteByte(byte(place >> 8))
	}
	return b.String()
}
