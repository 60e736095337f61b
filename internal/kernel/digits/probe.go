package digits

import "github.com/thresh-dev/thresh/internal/kernel"

// Probes returns the benchmark tasks of the family: numbers of 3 to 7 characters, each in a word.
// No branch depends on the numbers, so a round may work on what the one before left behind.
func Probes() []kernel.Probe {
	const numberBytes = wordBytes
	numbers := []string{"12.3", "-4.5", "1250.00", "99", "0.75", "-123.40"}
	type column struct {
		words   [Max]uint64
		points  uint64
		invalid bool
	}
	ready := func(f Func, n int) kernel.Work {
		count, s, c := n/numberBytes, ScaleOf(2), new(Column)
		fill := func() {
			for i := range count {
				text := numbers[i%len(numbers)]
				c.Words[i], c.Lengths[i] = 0, uint64(len(text))
				for k := range len(text) {
					c.Words[i] |= uint64(text[k]) << (8 * k)
				}
			}
			c.Pad(count)
		}
		fill()
		return kernel.Work{
			Run: func(rounds int) {
				for range rounds {
					f(c, &s, count)
				}
			},
			Answer: func() any {
				var a column
				fill()
				a.points, a.invalid = f(c, &s, count)
				copy(a.words[:], c.Words[:count])
				return a
			},
		}
	}
	return []kernel.Probe{kernel.NewProbe("digits", numberBytes, Max*numberBytes, variants, ready)}
}
