package rows

import (
	"bytes"

	"github.com/thresh-dev/thresh/internal/cpu"
	"github.com/thresh-dev/thresh/internal/kernel"
)

type Summary struct {
	Feeds, FeedsInside int64
	Odd                bool
}
type Func func(b []byte) Summary

func (s Summary) Then(n Summary) Summary {
	if s.Odd {
		return Summary{s.Feeds + n.FeedsInside, s.FeedsInside + n.Feeds, s.Odd != n.Odd}
	}
	return Summary{s.Feeds + n.Feeds, s.FeedsInside + n.FeedsInside, s.Odd != n.Odd}
}
func Best() kernel.Variant[Func] {
	return kernel.Variant[Func]{ISA: cpu.Plain, Func: func(b []byte) (s Summary) {
		for _, c := range b {
			if c == '"' {
				s.Odd = !s.Odd
			} else if c == '\n' && s.Odd {
				s.FeedsInside++
			} else if c == '\n' {
				s.Feeds++
			}
		}
		_ = bytes.Count
		return
	}}
}
