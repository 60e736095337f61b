package histogram

import (
	"fmt"
	"math"

	"github.com/thresh-dev/thresh/internal/kernel/compare"
)

// grid finds the bins of floats. Bin k begins at its printed edge, anchor + k*width rounded as Go
// does and then to a value of the type. It holds the values from there to below the next edge. The
// place of a value is computed with rounding too, k = floor((v-anchor) * inverse), so it may be off
// by one next to an edge; comparing the value with both edges corrects it.
//
// One correction suffices as long as all rounding errors together are less than a bin. They are if
// a bin is at least as wide as the distance between neighbouring values of the type at the largest
// edge, and k is at most kMost: the edge is off by half that distance, and the product by a few
// parts in 2^52 of k.
type grid struct {
	anchor, width, inverse float64
	low, high              float64 // the lowest and the highest value that are counted
	last                   float64 // the last k; values beyond belong to it
	kMost                  float64 // the largest k, of either sign, that is counted
	single                 bool    // values have 32 bits
}

// The largest k keeps rounding errors small: at that distance from 0, edges are four times as far
// apart as neighbouring values, or twice for 32 bits.
const (
	kMostDouble = 1 << 50
	kMostSingle = 1 << 22
)

// kZero converts k to a place and back. The sum of k and kZero is a float whose lowest bits are k
// as an integer. No sum is negative, so the bits rise with k: these bits are the place. No k gives
// 0, which means that a value has no place.
const kZero = 3 << 51

func newGrid(s Spec) (grid, error) {
	g := grid{low: -math.MaxFloat64, high: math.MaxFloat64, last: math.Inf(1), kMost: kMostDouble}
	if s.Type.Width() == 4 {
		g.low, g.high, g.kMost, g.single = -math.MaxFloat32, math.MaxFloat32, kMostSingle, true
	}
	for _, number := range []struct {
		text string
		to   *float64
		typ  compare.Type // a width need not be a value of the column's type
	}{{s.Low, &g.low, s.Type}, {s.High, &g.high, s.Type}, {s.Width, &g.width, double()}, {s.Anchor, &g.anchor, s.Type}} {
		if number.text == "" {
			continue
		}
		v, err := number.typ.ParseFloat(number.text)
		if err == nil && (math.IsInf(v, 0) || math.IsNaN(v)) {
			err = fmt.Errorf("value %q is not a finite number", number.text)
		}
		if err != nil {
			return g, err
		}
		*number.to = v
	}
	if g.low > g.high {
		return g, fmt.Errorf("no value is between %s and %s: the lower one comes first", s.Low, s.High)
	}
	if s.Bins != 0 {
		bins := float64(s.Bins)
		if g.low == g.high {
			bins = 1
			g.width = g.neighbour(g.low)
		} else {
			g.width = (g.high - g.low) / bins
		}
		g.anchor, g.last = g.low, bins-1
	}
	g.inverse = 1 / g.width
	largest := math.Abs(g.anchor)
	if s.Bins != 0 {
		largest = max(largest, math.Abs(g.high))
	}
	switch {
	case s.Bins == 0 && g.width <= 0:
		return g, fmt.Errorf("the width %s is not above 0", s.Width)
	case math.IsInf(g.width, 0):
		return g, fmt.Errorf("from %s to %s is more than the largest number", s.Low, s.High)
	case g.width < g.neighbour(largest):
		return g, fmt.Errorf("a width of %s is too small: numbers next to %s lie %s apart",
			formatFloat(g.width), g.format(largest), g.format(g.neighbour(largest)))
	}
	return g, nil
}

// double is the type of 64-bit floats.
func double() compare.Type {
	t, err := compare.ParseType("f64")
	if err != nil {
		panic("thresh: bug: " + err.Error())
	}
	return t
}

// neighbour returns the distance from |v| to the next value of the type, at least the smallest
// number that has a reciprocal.
func (g *grid) neighbour(v float64) float64 {
	const smallest = 0x1p-1022
	v = math.Abs(v)
	switch {
	case g.single && v >= math.MaxFloat32:
		return math.MaxFloat32 - float64(math.Nextafter32(math.MaxFloat32, 0))
	case g.single:
		return float64(math.Nextafter32(float32(v), math.MaxFloat32)) - v
	case v == math.MaxFloat64:
		return v - math.Nextafter(v, 0)
	}
	return max(math.Nextafter(v, math.Inf(1))-v, smallest)
}

// round rounds an edge to the nearest value of the type.
func (g *grid) round(edge float64) float64 {
	if g.single {
		return float64(float32(edge))
	}
	return edge
}

// slot returns the place of a value, or 0 if it has none. The kernels compute the same.
func (g *grid) slot(v float64) uint64 {
	k := math.Floor((v - g.anchor) * g.inverse)
	// The conversions keep the compiler from fusing product and sum, which would round differently
	// from the edges.
	if v < g.round(g.anchor+float64(k*g.width)) {
		k--
	} else if v >= g.round(g.anchor+float64((k+1)*g.width)) {
		k++
	}
	k = min(k, g.last)
	if v >= g.low && v <= g.high && k >= -g.kMost && k <= g.kMost {
		return math.Float64bits(k + kZero)
	}
	return 0
}

// edge returns the lower edge of the bin at a place; after the last bin, High.
func (g *grid) edge(place uint64) float64 {
	k := math.Float64frombits(place) - kZero
	if k > g.last {
		return g.high
	}
	return g.round(g.anchor + float64(k*g.width))
}

// format returns the shortest text that reads back as v, a value of the type.
func (g *grid) format(v float64) string {
	if g.single {
		return compare.FormatFloat(v, 32)
	}
	return formatFloat(v)
}

// formatFloat returns the shortest text that reads back as v.
func formatFloat(v float64) string { return compare.FormatFloat(v, 64) }
