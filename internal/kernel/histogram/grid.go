package histogram

import (
	"fmt"
	"math"

	"github.com/thresh-dev/thresh/internal/kernel/compare"
)

// grid places floats. Bin k begins at the edge that is printed, anchor + k*width rounded as
// Go does and then to a value of the type, and holds what is at or above it and below the
// next edge. The place of a value is found by arithmetic that is rounded too,
// k = floor((v-anchor) * inverse), and so may be wrong by one next to an edge; comparing the
// value with both edges sets it right.
//
// One step is enough while all roundings together make up less than a bin. They do when a
// bin is at least as wide as the distance of neighbouring values of the type at the largest
// edge, and k is at most kMost: the edge is off by half of that distance, and the product by
// a few parts in 2^52 of k.
type grid struct {
	anchor, width, inverse float64
	low, high              float64 // the lowest and the highest value that is counted
	last                   float64 // the last k; what lies beyond belongs to it
	kMost                  float64 // the largest k, of either sign, that is counted
	single                 bool    // values have 32 bits
}

// The largest k leaves its roundings small: at that distance from 0, edges are four times
// as far apart as neighbouring values, or twice for 32 bits.
const (
	kMostDouble = 1 << 50
	kMostSingle = 1 << 22
)

// kZero turns k into a place and back. Added to a k, it leaves a float whose lowest bits
// are k as an integer, and as no sum is negative, the bits rise with k. So places are these
// bits; no k gives 0, which stands for a value that has no place.
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
	}{{s.Low, &g.low, s.Type}, {s.High, &g.high, s.Type}, {s.Width, &g.width, double}, {s.Anchor, &g.anchor, s.Type}} {
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
		return g, fmt.Errorf("no value lies from %s to %s: the lower one comes first", s.Low, s.High)
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
		return g, fmt.Errorf("a width of %s is not above 0", s.Width)
	case math.IsInf(g.width, 0):
		return g, fmt.Errorf("from %s to %s is farther than the largest number", s.Low, s.High)
	case g.width < g.neighbour(largest):
		return g, fmt.Errorf("a width of %s is too small: numbers next to %s lie %s apart",
			formatFloat(g.width), g.format(largest), g.format(g.neighbour(largest)))
	}
	return g, nil
}

// double is the type of 64 bits.
var double = func() compare.Type {
	t, err := compare.ParseType("f64")
	if err != nil {
		panic("thresh: bug: " + err.Error())
	}
	return t
}()

// neighbour returns how far the value of the type above |v| lies, at least the smallest
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

// round returns the value of the type that is nearest to an edge.
func (g *grid) round(edge float64) float64 {
	if g.single {
		return float64(float32(edge))
	}
	return edge
}

// slot returns the place of a value, 0 if it has none. It is what the kernels do.
func (g *grid) slot(v float64) uint64 {
	k := math.Floor((v - g.anchor) * g.inverse)
	// The conversions keep the compiler from fusing product and sum, which would be
	// rounded differently from the edges.
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

// edge returns the lower edge of the bin at a place, and behind the last bin High.
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
