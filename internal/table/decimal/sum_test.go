package decimal

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/thresh-dev/thresh/internal/threshold"
)

// wantedSum adds fractions.
func wantedSum(values []Number) (sum *big.Rat, anyFloat bool) {
	sum = new(big.Rat)
	for _, v := range values {
		sum.Add(sum, v.Rat())
		anyFloat = anyFloat || v.IsFloat()
	}
	return sum, anyFloat
}

// split adds values to several sums in random order, some by way of bytes, and merges them.
func split(t *testing.T, r *rand.Rand, values []Number) *Sum {
	t.Helper()
	parts := make([]Sum, 1+r.IntN(4))
	for _, i := range r.Perm(len(values)) {
		parts[r.IntN(len(parts))].Add(values[i])
	}
	var total Sum
	for _, i := range r.Perm(len(parts)) {
		part := parts[i]
		if r.IntN(2) == 0 {
			b := append(part.AppendBinary([]byte("before")), "behind"...)
			rest, err := part.Decode(b[len("before"):])
			if err != nil || string(rest) != "behind" {
				t.Fatalf("decode: %v, %q left", err, rest)
			}
		}
		total.Merge(&part)
	}
	return &total
}

func checkSum(t *testing.T, r *rand.Rand, values []Number) {
	t.Helper()
	want, anyFloat := wantedSum(values)
	nearest, _ := want.Float64()
	for range 2 {
		sum := split(t, r, values)
		got := sum.Number()
		if got.IsFloat() != anyFloat {
			t.Fatalf("sum of %d: is a float: %v", len(values), !anyFloat)
		}
		if anyFloat && got.Float64() != nearest || !anyFloat && got.Rat().Cmp(want) != 0 {
			t.Fatalf("sum of %d: %s, want %s", len(values), got.Text(0), want.FloatString(30))
		}
		for _, n := range []int64{1, int64(len(values)) + 1, 1 << 40} {
			mean, _ := new(big.Rat).Quo(want, new(big.Rat).SetInt64(n)).Float64()
			if got := sum.Mean(n); got != mean {
				t.Fatalf("mean of %d: %v, want %v", n, got, mean)
			}
		}
	}
}

func TestSum(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	checkSum(t, r, nil)
	checkSum(t, r, numbers(nasty))
	for range 200 {
		fields := make([]string, r.IntN(40))
		for i := range fields {
			fields[i] = randomField(r)
		}
		all := numbers(fields)
		checkSum(t, r, all)
		var decimals []Number
		for _, v := range all {
			if !v.IsFloat() {
				decimals = append(decimals, v)
			}
		}
		checkSum(t, r, decimals)
	}
}

// TestSumPlain: 128-bit addends of all sizes and scales, which overflow now and then.
func TestSumPlain(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for range 2000 {
		want := new(big.Rat)
		var sum Sum
		for range r.IntN(20) {
			high, low := int64(r.Uint64())>>r.IntN(64), r.Uint64()
			scale := r.IntN(ScaleMax + 1)
			if r.IntN(4) == 0 {
				high, low = []int64{math.MaxInt64, math.MinInt64, -1, 0}[r.IntN(4)], -uint64(r.IntN(2))
			}
			sum.AddPlain(high, low, scale)
			want.Add(want, new(big.Rat).SetFrac(bigOf(high, low), powerOfTen(scale)))
		}
		if got := sum.Number().Rat(); got.Cmp(want) != 0 {
			t.Fatalf("got %s, want %s", got, want)
		}
	}
}

// TestSumFloats: cancellation, ties, and sums beyond the range of float64 on the way.
func TestSumFloats(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	plain := FromPlain(1, 1)
	for _, floats := range [][]float64{
		{0.1}, {0.1, -0.1}, {1e300, 1, -1e300}, {math.MaxFloat64, math.MaxFloat64, -math.MaxFloat64},
		{math.MaxFloat64, math.MaxFloat64, math.MaxFloat64}, {-math.MaxFloat64, -math.MaxFloat64, math.MaxFloat64, 1},
		{math.SmallestNonzeroFloat64, 1}, {0x1p53, 1, 0x1p-60}, {0},
	} {
		var values []Number
		for _, f := range floats {
			values = append(values, FromFloat(f))
		}
		checkSum(t, r, values)
		checkSum(t, r, append(values, plain))
	}
	if got := new(Sum).Mean(0); !math.IsNaN(got) {
		t.Fatalf("the mean of nothing is %v", got)
	}
}

func FuzzSumDecode(f *testing.F) {
	for _, fields := range [][]string{{}, {"1.5", "-20"}, {"1e5", "99999999999999999999999"}, {"-1e300", "-1e300", "0.1"}, nasty} {
		var s Sum
		for _, n := range numbers(fields) {
			s.Add(n)
		}
		f.Add(s.AppendBinary(nil))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var s, again Sum
		if _, err := s.Decode(b); err != nil {
			if s.Number().sign() != 0 {
				t.Fatal("a sum after an error")
			}
			return
		}
		if rest, err := again.Decode(s.AppendBinary(nil)); err != nil || len(rest) > 0 {
			t.Fatalf("what was read cannot be written and read: %v, %d bytes left", err, len(rest))
		}
		if s.scale+again.scale > 40 || s.wide != nil && s.wide.scale > 1000 {
			t.Skip("big integers take long")
		}
		if got, want := again.Number(), s.Number(); got.Compare(want) != 0 {
			t.Fatalf("%s became %s", want.Text(0), got.Text(0))
		}
	})
}

// TestMeanRounds holds the mean of sums around the bounds of what float64 holds exactly to the
// nearest float64 of the exact fraction, with ties to even, whichever way it is divided.
func TestMeanRounds(t *testing.T) {
	check := func(high int64, low uint64, scale int, n int64) {
		t.Helper()
		var s Sum
		s.AddPlain(high, low, scale)
		exact := new(big.Rat).SetFrac(bigOf(high, low), powerOfTen(scale))
		want, _ := exact.Quo(exact, new(big.Rat).SetInt64(n)).Float64()
		if got := s.Mean(n); got != want {
			t.Fatalf("%d*2^64+%d with scale %d by %d: %v, want %v", high, low, scale, n, got, want)
		}
	}
	random := rand.New(rand.NewPCG(9, 9))
	for _, exponent := range []int{50, 52, 53, 54, 55, 60, 62} {
		for d := int64(-9); d <= 9; d++ {
			sum := int64(1)<<exponent + d
			for _, scale := range []int{0, 1, 2, 6} {
				// Even divisors leave ties: halves between two neighbours.
				for _, n := range []int64{1, 2, 3, 4, 7, 8, 10, 64, 1 << 20, 1<<53 - 1, 1 << 53, 1<<53 + 1, 1<<62 + 1} {
					check(sum>>63, uint64(sum), scale, n)
					check(-sum>>63, uint64(-sum), scale, n)
				}
				check(sum>>63, uint64(sum), scale, 1+random.Int64N(1<<54))
			}
		}
	}
	for range 20_000 {
		low := random.Uint64() >> random.IntN(64)
		check(int64(low)>>63, low, random.IntN(smallDigits+1), 1+random.Int64N(1<<(1+random.IntN(62))))
		check(random.Int64()>>random.IntN(63), random.Uint64(), random.IntN(smallDigits+1), 1+random.Int64N(1000))
	}
	threshold.Shrink(t, 2) // and all of them as exact fractions
	for range 2_000 {
		low := random.Uint64() >> random.IntN(64)
		check(int64(low)>>63, low, random.IntN(smallDigits+1), 1+random.Int64N(1<<(1+random.IntN(62))))
	}
}

// TestInfinities holds sums of infinities to IEEE 754, however the sum is made.
func TestInfinities(t *testing.T) {
	r := rand.New(rand.NewPCG(30, 6))
	inf := math.Inf(1)
	for range 200 {
		values := numbers(nasty)[:r.IntN(20)]
		want := 0.0
		for range 1 + r.IntN(3) {
			f := []float64{inf, -inf}[r.IntN(2)]
			values = append(values, FromFloat(f))
			want += f
		}
		sum := split(t, r, values)
		var squares Squares
		for _, v := range values {
			squares.Add(v)
		}
		for _, got := range []float64{sum.Number().Float64(), sum.Mean(3)} {
			if got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
				t.Fatalf("sum of %v: %v", want, got)
			}
		}
		if v := squares.Variance(sum, 3, 2, true); !math.IsNaN(v) {
			t.Fatalf("deviation of infinities: %v", v)
		}
	}
}
