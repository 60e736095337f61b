package regex

import (
	"strings"

	"github.com/thresh-dev/thresh/internal/kernel"
)

// Probes returns the benchmark tasks of the family: a pair of bytes of two classes that does not
// occur in a log.
func Probes() []kernel.Probe {
	const line = "2026-03-04 10:11:12 info request=7f3b9d user=anna path=/v1/items status=200 took=12ms\n"
	var digits, capitals [256]bool
	for b := '0'; b <= '9'; b++ {
		digits[b] = true
	}
	for b := 'A'; b <= 'Z'; b++ {
		capitals[b] = true
	}
	finder := newPairFinder(0, &digits, 3, &capitals)
	return []kernel.Probe{kernel.NewProbe("regex pair", 1, 0, pairVariants, func(f pairFunc, n int) kernel.Work {
		b := []byte(strings.Repeat(line, n/len(line)+1)[:n])
		find := finder
		find.search.Func = f
		return kernel.Repeat(func() int { return find.index(b) })
	})}
}
