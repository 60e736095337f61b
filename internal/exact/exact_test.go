package exact

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// precise adds up with more bits than float64 numbers can span.
func precise(values []float64) float64 {
	sum := new(big.Float).SetPrec(4000)
	for _, v := range values {
		sum.Add(sum, new(big.Float).SetFloat64(v))
	}
	if sum.Sign() == 0 {
		return 0
	}
	v, _ := sum.Float64()
	return v
}

func sumOf(values []float64) *Float {
	s := new(Float)
	for _, v := range values {
		s.Add(v)
	}
	return s
}

// anyFinite returns numbers of all magnitudes, some of which cancel.
func anyFinite(r *rand.Rand, n int) (values []float64) {
	for len(values) < n {
		v := math.Float64frombits(r.Uint64())
		if math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		values = append(values, v)
		if r.IntN(2) == 0 {
			values = append(values, -v)
		}
	}
	return values
}

func TestExamples(t *testing.T) {
	tiny, huge := math.SmallestNonzeroFloat64, math.MaxFloat64
	for _, test := range []struct {
		values []float64
		want   float64
	}{
		{nil, 0},
		{[]float64{math.Copysign(0, -1)}, 0},
		{[]float64{1, 1e100, 1, -1e100}, 2},
		{[]float64{huge, huge, -huge}, huge},
		{[]float64{huge, huge}, math.Inf(1)},
		{[]float64{-huge, -huge}, math.Inf(-1)},
		{[]float64{tiny, tiny, -tiny}, tiny},
		{[]float64{huge, tiny, -huge}, tiny},
		{[]float64{1, 0x1p-53}, 1},                      // a tie, to even
		{[]float64{1, 0x1p-53, tiny}, 1 + 0x1p-52},      // just above it
		{[]float64{0x1p-1022, -tiny}, 0x1p-1022 - tiny}, // subnormal
		{[]float64{math.Inf(1), -huge}, math.Inf(1)},
	} {
		if got := sumOf(test.values).Round(); got != test.want || math.Signbit(got) != math.Signbit(test.want) {
			t.Errorf("%g: %g, want %g", test.values, got, test.want)
		}
	}
	if got := sumOf([]float64{math.Inf(1), math.Inf(-1)}).Round(); !math.IsNaN(got) {
		t.Errorf("inf - inf is %g", got)
	}
}

func TestAgainstManyBits(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		values := anyFinite(r, 1+r.IntN(60))
		want := precise(values)
		if got := sumOf(values).Round(); got != want {
			t.Fatalf("%g: %g, want %g", values, got, want)
		}
		rand.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
		var merged Float
		for part := range slices.Chunk(values, 7) {
			merged.Merge(sumOf(part))
		}
		if got := merged.Round(); got != want {
			t.Fatalf("%g merged: %g, want %g", values, got, want)
		}
	}
}

// TestCarries adds so often that carries must be propagated on the way.
func TestCarries(t *testing.T) {
	s := sumOf([]float64{1 - 0x1p-53})
	for range 40 { // doubles it each time
		s.Merge(s)
	}
	if got, want := s.Round(), math.Ldexp(1-0x1p-53, 40); got != want {
		t.Errorf("%g, want %g", got, want)
	}
	if got := s.Quotient(1 << 40); got != 1-0x1p-53 {
		t.Errorf("mean %g", got)
	}
}

func FuzzSum(f *testing.F) {
	f.Add([]byte("0123456789abcdef01234567"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var values []float64
		for ; len(b) >= 8; b = b[8:] {
			if v := math.Float64frombits(binary.LittleEndian.Uint64(b)); !math.IsNaN(v) && !math.IsInf(v, 0) {
				values = append(values, v)
			}
		}
		if got, want := sumOf(values).Round(), precise(values); got != want {
			t.Errorf("%g: %g, want %g", values, got, want)
		}
	})
}

func BenchmarkAdd(b *testing.B) {
	values := anyFinite(rand.New(rand.NewPCG(1, 2)), 1024)
	b.SetBytes(int64(8 * len(values)))
	for b.Loop() {
		sumOf(values)
	}
}
