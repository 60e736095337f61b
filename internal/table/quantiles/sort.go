package quantiles

import (
	"slices"

	"github.com/thresh-dev/thresh/internal/threshold"
)

// sorter is a radix sort, least significant byte first. It skips bytes that are the same in all
// values; in prices, most bytes are.
type sorter struct {
	values, other []uint64
}

// radixMin is the number of values from which a radix sort pays.
var radixMin = threshold.New("values: sorted by radix", 256, 1)

// sort returns the values in ascending order, in their own memory or in the sorter's.
func (s *sorter) sort(values []uint64) []uint64 {
	if len(values) < radixMin.Get() {
		slices.Sort(values)
		return values
	}
	var differ uint64
	for _, v := range values {
		differ |= v ^ values[0]
	}
	s.other = slices.Grow(s.other[:0], len(values))[:len(values)]
	from, to := values, s.other
	for shift := 0; shift < 64; shift += 8 {
		if byte(differ>>shift) == 0 {
			continue
		}
		var next [256]int
		for _, v := range from {
			next[byte(v>>shift)]++
		}
		at := 0
		for b, n := range next {
			next[b] = at
			at += n
		}
		for _, v := range from {
			b := byte(v >> shift)
			to[next[b]] = v
			next[b]++
		}
		from, to = to, from
	}
	return from
}
