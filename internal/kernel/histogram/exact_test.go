package histogram

import (
	"math"
	"math/big"
	"math/rand/v2"
	"sort"
	"strconv"
	"testing"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/kernel/compare"
)

// TestPrintedEdges reads histograms of floats like a user: the printed edges are values of the
// type, as their shortest text, and lie where exact fractions say, up to rounding; each value is in
// the bin between whose printed edges it lies. It uses none of the package's arithmetic.
func TestPrintedEdges(t *testing.T) {
	rounds := 3000
	if testing.Short() {
		rounds = 300
	}
	r, checked := rand.New(rand.NewPCG(31, 32)), 0
	defer func() {
		if checked < rounds/2 {
			t.Errorf("only %d histograms of %d could be checked", checked, rounds)
		}
	}()
	for range rounds {
		typ := mustType(t, []string{"f32", "f32be", "f64", "f64be"}[r.IntN(4)])
		bits := 8 * typ.Width()
		values := floatsOf(r, bits)
		s := specOf(r, typ, values)
		h, err := compile(s, kernel.Choose(variants))
		if err != nil {
			continue // a width that does not separate values
		}
		var b []byte
		for _, v := range values {
			at := len(b)
			b = append(b, make([]byte, typ.Width())...)
			put(typ, b[at:], rawOf(v, bits))
		}
		c := h.Counter()
		if err := c.Add(0, b, typ.Width()); err != nil {
			continue // values too far apart
		}
		checkEdges(t, s, values, mustResult(t, c), bits)
		checked++
	}
}

// TestSinglesTooFar: values of 32 bits have no bin if they are so far from 0 that the edges of a
// width would coincide.
func TestSinglesTooFar(t *testing.T) {
	h := mustCompile(t, Spec{Type: mustType(t, "f32"), Width: "1"}, kernel.Choose(variants).Func)
	for v, fits := range map[float64]bool{kMostSingle: true, kMostSingle + 1: false, -kMostSingle: true, -kMostSingle - 1: false} {
		var b [4]byte
		put(h.typ, b[:], rawOf(v, 32))
		err := h.Counter().Add(0, b[:], 4)
		if fits != (err == nil) {
			t.Errorf("%v: error %v", v, err)
		}
	}
}

func rawOf(v float64, bits int) uint64 {
	if bits == 32 {
		return uint64(math.Float32bits(float32(v)))
	}
	return math.Float64bits(v)
}

// floatsOf returns values of a type that lie close together, somewhere in its range, and some
// special ones.
func floatsOf(r *rand.Rand, bits int) (out []float64) {
	most, least := math.MaxFloat64, math.SmallestNonzeroFloat64
	if bits == 32 {
		most, least = math.MaxFloat32, math.SmallestNonzeroFloat32
	}
	scales := []float64{1, 0.1, 0.7, 1e6, 1e-3, most / 4, least, 1000 * least, math.Ldexp(1, r.IntN(200)-100)}
	scale := scales[r.IntN(len(scales))]
	center := []float64{0, 0, 1, -1, 100}[r.IntN(5)] * scale
	for range 1 + r.IntN(60) {
		v := center + scale*float64(r.IntN(41)-20)/10
		if r.IntN(3) == 0 {
			v = center + scale*r.NormFloat64()
		}
		if bits == 32 {
			v = float64(float32(v))
		}
		out = append(out, v)
	}
	if r.IntN(4) == 0 {
		out = append(out, math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1))
	}
	return out
}

// specOf returns a histogram with a number of bins or a width, for some values.
func specOf(r *rand.Rand, typ compare.Type, values []float64) Spec {
	bits := 8 * typ.Width()
	var finite []float64
	for _, v := range values {
		if v-v == 0 {
			finite = append(finite, v)
		}
	}
	if len(finite) == 0 {
		finite = []float64{0}
	}
	sort.Float64s(finite)
	low, high := finite[0], finite[len(finite)-1]
	s := Spec{Type: typ, BinsMost: 1 << 16}
	if r.IntN(2) == 0 {
		s.Bins = 1 + r.IntN(40)
		s.Low, s.High = compare.FormatFloat(low, bits), compare.FormatFloat(high, bits)
		if r.IntN(3) == 0 {
			s.Low = compare.FormatFloat(finite[len(finite)/3], bits)
		}
		return s
	}
	s.Width = strconv.FormatFloat((high-low)/float64(1+r.IntN(100)), 'g', 1+r.IntN(17), 64)
	return s
}

func checkEdges(t *testing.T, s Spec, values []float64, got answer.Histogram, bits int) {
	t.Helper()
	edges := make([]float64, 0, len(got.Bins)+1)
	for i, b := range got.Bins {
		low, high := parsed(t, b.Low, bits), parsed(t, b.High, bits)
		if i == 0 {
			edges = append(edges, low)
		} else if edges[i] != low {
			t.Fatalf("%+v: bin %d begins at %s, the one before ends at %s", s, i, b.Low, got.Bins[i-1].High)
		}
		if high < low || high == low && len(got.Bins) > 1 {
			t.Fatalf("%+v: bin %d from %s to %s", s, i, b.Low, b.High)
		}
		edges = append(edges, high)
	}
	var want answer.Histogram
	counts := make([]uint64, len(got.Bins))
	low, high := math.Inf(-1), math.Inf(1)
	if s.Bins > 0 {
		low, high = parsed(t, s.Low, bits), parsed(t, s.High, bits)
	}
	for _, v := range values {
		switch {
		case v != v:
			want.NaN++
		case v < low || math.IsInf(v, -1):
			want.Below++
		case v > high || math.IsInf(v, 1):
			want.Above++
		default:
			i := sort.Search(len(edges), func(i int) bool { return edges[i] > v }) - 1
			if s.Bins > 0 && v == high {
				i = len(counts) - 1
			}
			if i < 0 || i >= len(counts) {
				t.Fatalf("%+v: %v is counted in no bin of %v", s, v, got.Bins)
			}
			counts[i]++
		}
	}
	for i, n := range counts {
		if got.Bins[i].Count != n {
			t.Fatalf("%+v: bin %v, want %d", s, got.Bins[i], n)
		}
	}
	if got.Below != want.Below || got.Above != want.Above || got.NaN != want.NaN {
		t.Fatalf("%+v: below, above, NaN %d %d %d, want %d %d %d",
			s, got.Below, got.Above, got.NaN, want.Below, want.Above, want.NaN)
	}
	exactEdges(t, s, edges, bits)
}

// exactEdges compares edges with exact fractions.
func exactEdges(t *testing.T, s Spec, edges []float64, bits int) {
	t.Helper()
	origin, width := new(big.Rat), new(big.Rat)
	if s.Bins > 0 {
		low, high := parsed(t, s.Low, bits), parsed(t, s.High, bits)
		if low == high {
			return
		}
		origin.SetFloat64(low)
		width.Sub(new(big.Rat).SetFloat64(high), origin)
		width.Quo(width, big.NewRat(int64(s.Bins), 1))
	} else {
		width.SetFloat64(parsed(t, s.Width, 64))
	}
	for _, e := range edges {
		if math.IsInf(e, 0) {
			continue // an edge beyond the largest value
		}
		// The number of the edge, to the nearest.
		k := new(big.Rat).Sub(new(big.Rat).SetFloat64(e), origin)
		k.Quo(k, width)
		number, _ := k.Float64()
		exact := new(big.Rat).SetFloat64(math.Round(number))
		exact.Mul(exact, width).Add(exact, origin)
		off, _ := exact.Sub(exact, new(big.Rat).SetFloat64(e)).Float64()
		// The edge is the sum of two numbers of at most these sizes, each rounded.
		first, _ := origin.Float64()
		if allowed := 2 * (ulp(e, bits) + ulp(e-first, 64) + ulp(first, 64)); math.Abs(off) > allowed {
			t.Fatalf("%+v: edge %v is %g off, more than %g", s, e, off, allowed)
		}
	}
}

func parsed(t *testing.T, text string, bits int) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(text, bits)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	if again := compare.FormatFloat(v, bits); bits == 32 && again != text && text[0] != '+' && len(text) > len(again) {
		t.Fatalf("%q is not the shortest text of a value of 32 bits, %q is", text, again)
	}
	return v
}

// ulp returns the distance from a number to the next.
func ulp(v float64, bits int) float64 {
	v = math.Abs(v)
	if bits == 32 {
		return v - float64(math.Nextafter32(float32(v), -1))
	}
	return v - math.Nextafter(v, -1)
}
