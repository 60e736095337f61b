package sketch

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// distributions make values of very different kinds.
var distributions = map[string]func(r *rand.Rand) float64{
	"uniform":  func(r *rand.Rand) float64 { return float64(r.Int64N(1e9)) / 100 },
	"small":    func(r *rand.Rand) float64 { return float64(r.Int64N(7) - 3) },
	"bytes":    func(r *rand.Rand) float64 { return float64(r.IntN(256)) },
	"one":      func(*rand.Rand) float64 { return 9 },
	"zero":     func(*rand.Rand) float64 { return 0 },
	"normal":   func(r *rand.Rand) float64 { return r.NormFloat64() },
	"wide":     func(r *rand.Rand) float64 { return math.Exp(r.NormFloat64() * 200) },
	"extremes": func(r *rand.Rand) float64 { return math.MaxFloat64 * float64(r.IntN(3)-1) },
	"infinite": func(r *rand.Rand) float64 { return math.Inf(r.IntN(2)*2 - 1) },
}

// split adds values to several Quantiles in random order, some by way of bytes, and merges them.
func split(t *testing.T, r *rand.Rand, values []float64) *Quantiles {
	t.Helper()
	parts := make([]Quantiles, 1+r.IntN(5))
	for _, i := range r.Perm(len(values)) {
		parts[r.IntN(len(parts))].Add(values[i])
	}
	sum := new(Quantiles)
	for _, i := range r.Perm(len(parts)) {
		part := parts[i]
		if r.IntN(2) == 0 {
			b := append(part.AppendBinary([]byte("before")), "behind"...)
			part = Quantiles{}
			rest, err := part.Decode(b[len("before"):])
			if err != nil || string(rest) != "behind" {
				t.Fatalf("decode: %v, %q left", err, rest)
			}
		}
		sum.Merge(&part)
	}
	return sum
}

// TestQuantiles: estimates are within the stated error and between the least and the greatest
// value, and the same however the values were split.
func TestQuantiles(t *testing.T) {
	for name, draw := range distributions {
		for _, n := range []int{1, 2, 3, valuesFew - 1, valuesFew, valuesFew + 1, 1001, 70_000} {
			r := rand.New(rand.NewPCG(uint64(n), 7))
			values := make([]float64, n)
			for i := range values {
				values[i] = draw(r)
			}
			a, b := split(t, r, values), split(t, r, values)
			slices.Sort(values)
			if a.N() != int64(n) {
				t.Fatalf("%s: %d values, want %d", name, a.N(), n)
			}
			for _, rank := range []int{1, 2, n / 10, n / 2, n - n/100, n} {
				rank = min(max(rank, 1), n)
				want := values[rank-1]
				got, exact := a.Quantile(int64(rank))
				again, _ := b.Quantile(int64(rank))
				switch {
				case got != again:
					t.Fatalf("%s: number %d of %d is %v and %v", name, rank, n, got, again)
				case got < values[0] || got > values[n-1]:
					t.Fatalf("%s: number %d of %d is %v, beyond %v and %v", name, rank, n, got, values[0], values[n-1])
				case exact && got != want:
					t.Fatalf("%s: number %d of %d is %v, want %v", name, rank, n, got, want)
				case math.Abs(want) > 1e300:
					continue
				}
				if off := math.Abs(got - want); off > math.Abs(want)*accuracy*(1+1e-9) {
					t.Fatalf("%s: number %d of %d is %v, want %v", name, rank, n, got, want)
				}
			}
		}
	}
}

// TestQuantilesRounded: an estimate that is rounded to an integer is within the stated error.
func TestQuantilesRounded(t *testing.T) {
	var q Quantiles
	for i := range 5000 {
		q.Add(float64(i))
	}
	for i := range int64(5000) {
		v, _ := q.Quantile(i + 1)
		if off := math.Abs(math.Round(v) - float64(i)); off > QuantileError*float64(i) {
			t.Fatalf("%d is told as %v", i, math.Round(v))
		}
	}
}

func TestQuantilesBytes(t *testing.T) {
	var q Quantiles
	if q.Bytes() != 0 {
		t.Fatalf("nothing takes %d bytes", q.Bytes())
	}
	for i := range 1_000_000 {
		q.Add(float64(i))
	}
	if got := q.Bytes(); got < 1<<10 || got > 64<<10 {
		t.Fatalf("the sketch takes %d bytes", got)
	}
}

func TestQuantilesDecodeBroken(t *testing.T) {
	var few, many Quantiles
	few.Add(5)
	for i := range 100 {
		many.Add(float64(i))
	}
	for _, q := range []*Quantiles{&few, &many} {
		b := q.AppendBinary(nil)
		for n := range b {
			var d Quantiles
			if _, err := d.Decode(b[:n]); err == nil {
				t.Fatalf("%d of %d bytes were read as all", n, len(b))
			}
			if d.N() != 0 || d.Bytes() != 0 {
				t.Fatal("values after an error")
			}
		}
	}
}

func BenchmarkQuantiles(b *testing.B) {
	var q Quantiles
	for i := int64(0); b.Loop(); i++ {
		q.Add(float64(i & 0xfffff))
	}
}
