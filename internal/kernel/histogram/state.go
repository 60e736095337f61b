package histogram

import (
	"fmt"
	"slices"
)

// State is a Counter in a form that can be sent to another process.
type State struct {
	Below, Above, NaN uint64
	First             uint64   // the place of the first count
	Counts            []uint64 // by bin; of 8- and 16-bit values by value
}

// State returns the counter's state.
func (c *Counter) State() *State {
	s := &State{Below: c.below, Above: c.above, NaN: c.nan}
	if c.narrow != nil {
		c.narrow.flush()
		s.Counts = slices.Clone(c.narrow.counts)
		return s
	}
	first, counts := c.window.filled()
	s.First, s.Counts = first, slices.Clone(counts)
	return s
}

// AddState adds what another counter of an equal histogram has counted. It fails like Add.
func (c *Counter) AddState(s *State) error {
	other := c.h.Counter()
	other.below, other.above, other.nan = s.Below, s.Above, s.NaN
	switch {
	case c.narrow != nil && len(s.Counts) != len(c.narrow.counts):
		return fmt.Errorf("a histogram of %d values cannot add one of %d", len(c.narrow.counts), len(s.Counts))
	case c.narrow != nil:
		copy(other.narrow.counts, s.Counts)
	case len(s.Counts) > 0:
		if s.First+uint64(len(s.Counts))-1 < s.First {
			return fmt.Errorf("a histogram cannot have %d bins from %d on", len(s.Counts), s.First)
		}
		if !other.window.reach(s.First, s.First+uint64(len(s.Counts))-1) {
			return fmt.Errorf("a histogram of at most %d bins cannot add one of %d", other.window.most, len(s.Counts))
		}
		for i, n := range s.Counts {
			other.window.add(s.First+uint64(i), n)
		}
	}
	return c.Merge(other)
}
