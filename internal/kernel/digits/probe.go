package digits

import (
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
)

// Probes returns the benchmark tasks of the family: numbers of 3 to 7 characters, each in a word.
// No branch depends on the numbers, so a round may work on what the one before left behind.
func Probes() []kernel.Probe {
	const numberBytes, maxProbe = wordBytes, 256
	numbers := []string{"12.3", "-4.5", "1250.00", "99", "0.75", "-123.40"}
	type column struct {
		words   [maxProbe]uint64
		points  uint8
		refused bool
	}
	ready := func(f Func, n int) kernel.Work {
		count, s, words, fields := n/numberBytes, ScaleOf(2), new([maxProbe]uint64), new([maxProbe]records.Span)
		fill := func() {
			for i := range count {
				text := numbers[i%len(numbers)]
				words[i], fields[i] = 0, records.Span{Len: uint32(len(text))}
				for k := range len(text) {
					words[i] |= uint64(text[k]) << (8 * k)
				}
			}
		}
		fill()
		return kernel.Work{
			Run: func(rounds int) {
				for range rounds {
					f(&words[0], &fields[0], &s, count)
				}
			},
			Answer: func() any {
				var a column
				fill()
				a.points, a.refused = f(&words[0], &fields[0], &s, count)
				copy(a.words[:], words[:count])
				return a
			},
		}
	}
	return []kernel.Probe{kernel.NewProbe("digits", numberBytes, maxProbe*numberBytes, variants, ready)}
}
