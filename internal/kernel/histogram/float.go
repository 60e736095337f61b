package histogram

import (
	"fmt"
	"math"
	"math/bits"
	"unsafe"
)

// widen converts the bits of 32-bit floats to 64-bit floats.
func (c *Counter) widen(values []uint32) []float64 {
	c.h.kernel.Func.distances32.all(values, c.swaps(), 0)
	floats := c.floats[:len(values)]
	for i, v := range values {
		floats[i] = float64(math.Float32frombits(v))
	}
	return floats
}

// asFloats converts the bits of 64-bit floats to floats.
func (c *Counter) asFloats(values []uint64) []float64 {
	if c.swaps() {
		for i, v := range values {
			values[i] = bits.ReverseBytes64(v)
		}
	}
	floats := c.floats[:len(values)]
	copy(floats, unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(values))), len(values)))
	return floats
}

// countFloats counts floats in their bins.
func (c *Counter) countFloats(values []float64) error {
	places := c.chunk[:len(values)]
	low, high := c.h.kernel.Func.places(places, values, &c.h.grid)
	if low == 0 {
		n := 0
		low, high = math.MaxUint64, 0
		for i, p := range places {
			if p == 0 {
				if err := c.countUnplaced(values[i]); err != nil {
					return err
				}
				continue
			}
			places[n] = p
			n++
			low, high = min(low, p), max(high, p)
		}
		places = places[:n]
	}
	if len(places) == 0 {
		return nil
	}
	if !c.window.reach(low, high) {
		for _, v := range values {
			if p := c.h.grid.slot(v); p != 0 && !c.window.reach(p, p) {
				return c.tooFar(c.h.grid.format(v), p)
			}
		}
	}
	if low == high {
		c.window.add(low, uint64(len(places)))
		return nil
	}
	increment(&c.window, places, 0)
	return nil
}

// countUnplaced counts a float that has no place.
func (c *Counter) countUnplaced(v float64) error {
	g := &c.h.grid
	switch {
	case v != v:
		c.nan++
	case v < g.low:
		c.below++
	case v > g.high:
		c.above++
	default:
		return fmt.Errorf("value %s lies more than 2^%d bins of width %s from %s: choose a larger width",
			g.format(v), math.Ilogb(g.kMost), formatFloat(g.width), g.format(g.anchor))
	}
	return nil
}

// addFloat counts n floats of the same value.
func (c *Counter) addFloat(v float64, n uint64) error {
	place := c.h.grid.slot(v)
	switch {
	case v != v:
		c.nan += n
	case place != 0 && c.window.reach(place, place):
		c.window.add(place, n)
	case place != 0:
		return c.tooFar(c.h.grid.format(v), place)
	default:
		if err := c.countUnplaced(v); err != nil {
			return err
		}
		if v < c.h.grid.low {
			c.below += n - 1
		} else {
			c.above += n - 1
		}
	}
	return nil
}
