package histogram

import (
	"math/bits"

	"github.com/thresh-dev/thresh/internal/kernel/divide"
)

// countIntegers counts integers in their bins.
func countIntegers[T uint32 | uint64](c *Counter, values []T, distances distances[T], by *divide.By[T]) error {
	s := &c.h.scale
	low, high := distances.all(values, c.swaps(), T(s.base^s.bias))
	values, low, high, err := inside(c, values, low, high)
	if err != nil || len(values) == 0 {
		return err
	}
	first, last, err := c.reach(uint64(low), uint64(high))
	if err != nil {
		return err
	}
	if first == last {
		c.window.add(first, uint64(len(values)))
		return nil
	}
	if by != nil {
		by.Divide(values, values)
	}
	increment(&c.window, values, s.cut)
	return nil
}

// inside returns the distances from base that have a quotient, and counts the other values
// separately. The distances returned all lie between the low and high returned.
//
// Ranks below base have wrapped around and are larger than all distances up to the highest rank. So
// the minimum and the maximum of a chunk tell whether there is anything to do.
func inside[T uint32 | uint64](c *Counter, values []T, low, high T) (in []T, _, _ T, err error) {
	s := &c.h.scale
	from := T(max(s.low, s.base) - s.base)
	to := T(s.high - s.base) // base is at most the high limit
	if from <= low && high <= to {
		return values, low, high, nil
	}
	// Adding borrows avoids a branch per value, which would be mispredicted too often.
	base, lowest, highest := T(s.base), s.low, s.high
	var below, above, n uint64
	for _, d := range values {
		rank := uint64(d + base)
		_, isBelow := bits.Sub64(rank, lowest, 0)
		_, isAbove := bits.Sub64(highest, rank, 0)
		below += isBelow
		above += isAbove
	}
	c.below += below
	c.above += above
	if s.cut > 0 {
		if err := addCut(c, values); err != nil {
			return nil, 0, 0, err
		}
	}
	for _, d := range values {
		_, isOut := bits.Sub64(uint64(to-from), uint64(d-from), 0)
		values[n] = d
		n += 1 - isOut
	}
	low, high = ^T(0), 0
	for _, d := range values[:n] {
		low, high = min(low, d), max(high, d)
	}
	return values[:n], low, high, nil
}

// addCut counts the values of the cut bin.
func addCut[T uint32 | uint64](c *Counter, values []T) error {
	s := &c.h.scale
	for _, d := range values {
		if rank := uint64(d + T(s.base)); rank >= s.low && rank < s.base {
			if err := c.addRank(rank, 1); err != nil {
				return err
			}
		}
	}
	return nil
}

// reach makes the window hold the places of two distances from base, and returns them.
func (c *Counter) reach(low, high uint64) (first, last uint64, err error) {
	s := &c.h.scale
	first, last = s.quotient(low)+s.cut, s.quotient(high)+s.cut
	if c.window.reach(first, last) {
		return first, last, nil
	}
	far, w := s.base+low, &c.window
	if w.empty() || last > w.high && (first >= w.low || last-w.high > w.low-first) {
		far = s.base + high
	}
	return 0, 0, c.tooFar(s.value(far).String(), first, last)
}

// addRank counts n values of the same rank.
func (c *Counter) addRank(rank, n uint64) error {
	s := &c.h.scale
	switch {
	case rank < s.low:
		c.below += n
	case rank > s.high:
		c.above += n
	default:
		place := s.place(rank)
		if !c.window.reach(place, place) {
			return c.tooFar(s.value(rank).String(), place)
		}
		c.window.add(place, n)
	}
	return nil
}
