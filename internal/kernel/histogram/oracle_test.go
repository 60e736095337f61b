package histogram

import (
	"fmt"
	"math"
	"math/big"
	"sort"
	"strconv"
	"testing"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/kernel/compare"
)

// typeNames are the names of all types, in both byte orders, but of narrow floats.
var typeNames = namesOf(func(t compare.Type) bool { return !t.Narrow() })

func namesOf(which func(compare.Type) bool) (names []string) {
	for _, t := range compare.Types() {
		if which(t) {
			names = append(names, t.String())
		}
	}
	return names
}

func mustType(tb testing.TB, name string) compare.Type {
	tb.Helper()
	t, err := compare.ParseType(name)
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

// get reads the bits of the first value of b, put writes them.
func get(t compare.Type, b []byte) (raw uint64) {
	for i := range t.Width() {
		place := i
		if !t.BigEndian() {
			place = t.Width() - 1 - i
		}
		raw = raw<<8 | uint64(b[place])
	}
	return raw
}

func put(t compare.Type, b []byte, raw uint64) {
	for i := range t.Width() {
		place := i
		if t.BigEndian() {
			place = t.Width() - 1 - i
		}
		b[place] = byte(raw >> (8 * i))
	}
}

// whole returns the integer with these bits, and float the float.
func whole(t compare.Type, raw uint64) *big.Int {
	unused := 64 - 8*t.Width()
	if t.Signed() {
		return big.NewInt(int64(raw<<unused) >> unused)
	}
	return new(big.Int).SetUint64(raw)
}

func float(t compare.Type, raw uint64) float64 {
	if t.Width() == 4 {
		return float64(math.Float32frombits(uint32(raw)))
	}
	return math.Float64frombits(raw)
}

func bigOf(tb testing.TB, text string) *big.Int {
	tb.Helper()
	v, ok := new(big.Int).SetString(text, 10)
	if !ok {
		tb.Fatalf("%q is no number", text)
	}
	return v
}

// naive counts value by value into a map, with numbers of any length.
func naive(tb testing.TB, s Spec, b []byte, stride int) answer.Histogram {
	tb.Helper()
	if s.Type.Float() {
		return naiveFloat(tb, s, b, stride)
	}
	var low, high, width *big.Int
	anchor := new(big.Int)
	if s.Low != "" {
		low = bigOf(tb, s.Low)
	}
	if s.High != "" {
		high = bigOf(tb, s.High)
	}
	if s.Bins > 0 {
		anchor = low
		width = new(big.Int).Sub(high, low)
		width.Add(width, big.NewInt(int64(s.Bins))).Div(width, big.NewInt(int64(s.Bins)))
	} else {
		width = bigOf(tb, s.Width)
	}
	if s.Anchor != "" {
		anchor = bigOf(tb, s.Anchor)
	}
	var r answer.Histogram
	counts, edges := map[string]uint64{}, []*big.Int(nil)
	for i := 0; i+s.Type.Width() <= len(b); i += stride {
		v := whole(s.Type, get(s.Type, b[i:]))
		switch {
		case low != nil && v.Cmp(low) < 0:
			r.Below++
		case high != nil && v.Cmp(high) > 0:
			r.Above++
		default:
			k := new(big.Int).Sub(v, anchor)
			k.Sub(k, new(big.Int).Mod(k, width)) // floored, as Mod is Euclid's
			k.Add(k, anchor)
			if counts[k.String()]++; counts[k.String()] == 1 {
				edges = append(edges, k)
			}
		}
		if i > len(b)-stride {
			break
		}
	}
	sort.Slice(edges, func(i, j int) bool { return edges[i].Cmp(edges[j]) < 0 })
	if len(edges) == 0 {
		return r
	}
	for k := edges[0]; k.Cmp(edges[len(edges)-1]) <= 0; k = new(big.Int).Add(k, width) {
		r.Bins = append(r.Bins, answer.Bin{Low: k.String(), High: new(big.Int).Add(k, width).String(), Count: counts[k.String()]})
		if len(r.Bins) > 1<<21 {
			tb.Fatal("too many bins for the twin")
		}
	}
	return r
}

func floatOf(tb testing.TB, text string, bits int, without float64) float64 {
	tb.Helper()
	if text == "" {
		return without
	}
	v, err := strconv.ParseFloat(text, bits)
	if err != nil {
		tb.Fatal(err)
	}
	return v
}

func naiveFloat(tb testing.TB, s Spec, b []byte, stride int) answer.Histogram {
	tb.Helper()
	bits, most := 8*s.Type.Width(), math.MaxFloat64
	if bits == 32 {
		most = math.MaxFloat32
	}
	low, high := floatOf(tb, s.Low, bits, -most), floatOf(tb, s.High, bits, most)
	width, anchor := floatOf(tb, s.Width, 64, 0), floatOf(tb, s.Anchor, bits, 0)
	last := int64(math.MaxInt64)
	if s.Bins > 0 {
		width, anchor, last = (high-low)/float64(s.Bins), low, int64(s.Bins)-1
		if low == high {
			width, last = math.Inf(1), 0
		}
	}
	edge := func(k int64) float64 {
		switch {
		case k > last:
			return high
		case k == 0:
			return anchor
		}
		e := anchor + float64(float64(k)*width) // rounded twice: nothing is fused
		if bits == 32 {
			return float64(float32(e))
		}
		return e
	}
	var r answer.Histogram
	counts := map[int64]uint64{}
	first, final := int64(math.MaxInt64), int64(math.MinInt64)
	for i := 0; i+s.Type.Width() <= len(b); i += stride {
		v := float(s.Type, get(s.Type, b[i:]))
		switch {
		case math.IsNaN(v):
			r.NaN++
		case v < low:
			r.Below++
		case v > high:
			r.Above++
		default:
			// The last edge at or below v, searched from well above it.
			k := min(int64((v-anchor)/width)+4, last)
			for v < edge(k) {
				k--
			}
			counts[k]++
			first, final = min(first, k), max(final, k)
		}
		if i > len(b)-stride {
			break
		}
	}
	for k := first; k <= final; k++ {
		r.Bins = append(r.Bins, answer.Bin{Low: compare.FormatFloat(edge(k), bits), High: compare.FormatFloat(edge(k+1), bits), Count: counts[k]})
	}
	return r
}

func mustCompile(tb testing.TB, s Spec, f kernels) *Histogram {
	tb.Helper()
	h, err := compile(s, kernel.Variant[kernels]{Func: f})
	if err != nil {
		tb.Fatalf("%+v: %v", s, err)
	}
	return h
}

func mustResult(tb testing.TB, c *Counter) answer.Histogram {
	tb.Helper()
	r, err := c.Result()
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// difference returns how two results differ, "" if they do not.
func difference(got, want answer.Histogram) string {
	if got.Below != want.Below || got.Above != want.Above || got.NaN != want.NaN {
		return fmt.Sprintf("below, above, NaN: got %d %d %d, want %d %d %d",
			got.Below, got.Above, got.NaN, want.Below, want.Above, want.NaN)
	}
	if len(got.Bins) != len(want.Bins) {
		return fmt.Sprintf("got %d bins, want %d", len(got.Bins), len(want.Bins))
	}
	for i := range got.Bins {
		if got.Bins[i] != want.Bins[i] {
			return fmt.Sprintf("bin %d: got %v, want %v", i, got.Bins[i], want.Bins[i])
		}
	}
	return ""
}
