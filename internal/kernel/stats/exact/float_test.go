package exact

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// wanted adds with a precision that holds every bit of a sum of float64.
func wanted(x []float64) float64 {
	var posInf, negInf, nan bool
	sum := new(big.Float).SetPrec(2300)
	for _, v := range x {
		switch {
		case v != v:
			nan = true
		case math.IsInf(v, 1):
			posInf = true
		case math.IsInf(v, -1):
			negInf = true
		default:
			sum.Add(sum, big.NewFloat(v))
		}
	}
	switch {
	case nan || posInf && negInf:
		return math.NaN()
	case posInf:
		return math.Inf(1)
	case negInf:
		return math.Inf(-1)
	}
	nearest, _ := sum.Float64()
	return nearest + 0 // a big.Float keeps the sign of a zero
}

func same(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || a != a && b != b
}

// check compares a sum with the right one: forwards, backwards, and merged from two halves.
func check(t *testing.T, x []float64) {
	t.Helper()
	want := wanted(x)
	var forwards, backwards, left, right Float
	forwards.AddSlice(x)
	for _, v := range slices.Backward(x) {
		backwards.Add(v)
	}
	left.AddSlice(x[:len(x)/3])
	right.AddSlice(x[len(x)/3:])
	left.Merge(&right)
	for name, f := range map[string]*Float{"forwards": &forwards, "backwards": &backwards, "merged": &left} {
		if got := f.Round(); !same(got, want) {
			t.Fatalf("%s: got %v (%x), want %v (%x) of %v", name,
				got, math.Float64bits(got), want, math.Float64bits(want), x[:min(len(x), 20)])
		}
		if ratio, finite := f.Rat(); finite {
			if got, _ := ratio.Float64(); got != want {
				t.Fatalf("%s: as a fraction %v, want %v", name, got, want)
			}
		} else if !math.IsNaN(want) && !math.IsInf(want, 0) {
			t.Fatalf("%s: no fraction, want %v", name, want)
		}
	}
}

func TestFloat(t *testing.T) {
	const (
		subnormal = math.SmallestNonzeroFloat64
		normal    = 0x1p-1022
		highest   = math.MaxFloat64
	)
	inf, nan := math.Inf(1), math.NaN()
	tests := [][]float64{
		nil, {0}, {math.Copysign(0, -1)}, {0, math.Copysign(0, -1)}, {1}, {-1}, {1, -1},
		{subnormal}, {-subnormal}, {subnormal, subnormal}, {normal, -subnormal}, {normal - subnormal, subnormal},
		{normal, normal}, {0x1p-1021, -subnormal}, {0x1p-1021, subnormal, subnormal},
		{highest}, {highest, highest}, {-highest, -highest}, {highest, highest, -highest},
		{highest, 0x1p969}, {highest, 0x1p970}, {highest, math.Nextafter(0x1p970, 0)}, {highest, 0x1p970, -subnormal},
		{1e308, 1e308, 1e308, -1e308, -1e308, -1e308, 1}, {1e308, 1, -1e308}, {1, 1e100, 1, -1e100},
		{1, 0x1p-53}, {1, 0x1p-53, subnormal}, {1, 0x1p-53, -subnormal}, {1 + 0x1p-52, 0x1p-53}, // ties
		{0x1.fffffffffffffp0, 0x1p-53}, {0x1.fffffffffffffp-1023, subnormal}, {-1, -0x1p-53, -subnormal},
		{0x1p53, 1}, {0x1p53, 1, 1}, {0x1p53 + 2, 1}, {0.1, 0.2, -0.3}, {0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1},
		{inf}, {-inf}, {inf, inf}, {inf, -inf}, {nan}, {nan, inf}, {1, inf, -highest}, {-inf, highest, highest},
	}
	for _, x := range tests {
		check(t, x)
	}
}

// Every power of two alone, above its half unit, and next to every few other powers.
func TestFloatPlaces(t *testing.T) {
	for e := -1074; e < 1024; e++ {
		x := math.Ldexp(1, e)
		check(t, []float64{x, math.Ldexp(x, -53), -math.Ldexp(x, -54)})
		check(t, []float64{-x, math.Ldexp(x, -33), -0x1p-1074})
	}
	// Ties that one more bit decides, wherever it is below them.
	for e := -900; e < -900+chunkBits; e++ {
		for below := 54; below < 170; below++ {
			x := math.Ldexp(1, e)
			check(t, []float64{x, math.Ldexp(x, -53), math.Ldexp(x, -below)})
			check(t, []float64{x, math.Ldexp(x, -52), math.Ldexp(x, -53), -math.Ldexp(x, -below)})
		}
	}
}

func TestFloatRandom(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	makers := map[string]func() float64{
		"any bits": func() float64 { return math.Float64frombits(random.Uint64()) },
		"finite": func() float64 {
			return math.Ldexp(random.Float64()-0.5, random.IntN(2098)-1073)
		},
		"ordinary":  random.NormFloat64,
		"large":     func() float64 { return math.Ldexp(random.Float64()-0.5, 1023) },
		"subnormal": func() float64 { return math.Float64frombits(random.Uint64() &^ (0x7ff << 52)) },
	}
	for name, maker := range makers {
		t.Run(name, func(t *testing.T) {
			for range 300 {
				x := make([]float64, random.IntN(100))
				for i := range x {
					x[i] = maker()
				}
				check(t, x)
			}
		})
	}
}

// Everything cancels except one value far below the others.
func TestFloatCancellation(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		x := []float64{math.Ldexp(random.Float64(), -900)}
		for range 100 {
			v := math.Ldexp(random.Float64(), random.IntN(2000)-1000)
			x = append(x, v, -v)
		}
		random.Shuffle(len(x), func(i, j int) { x[i], x[j] = x[j], x[i] })
		check(t, x)
	}
}

// More additions and merges than a chunk takes carries, of the addend that fills it most.
func TestFloatCarries(t *testing.T) {
	widest := math.Ldexp(0x1.fffffffffffffp52, 31-1074)
	const count = 1 << 20
	for _, x := range []float64{widest, -widest} {
		var all, part, merged Float
		for range count {
			all.Add(x)
			part.Add(x)
			if part.pending == pendingMax {
				merged.Merge(&part)
				part = Float{}
			}
		}
		merged.Merge(&part)
		if all.Round() != count*x || merged.Round() != count*x {
			t.Errorf("got %v and merged %v, want %v", all.Round(), merged.Round(), count*x)
		}
		for range 100 {
			merged.Merge(&merged) // to the power of 100
		}
		if got, want := merged.Round(), math.Ldexp(count*x, 100); got != want {
			t.Errorf("doubled often: got %v, want %v", got, want)
		}
	}
}

func TestFloatAllocatesNothing(t *testing.T) {
	var f, o Float
	x := []float64{1, 1e300, -1e-300}
	if n := testing.AllocsPerRun(100, func() { f.AddSlice(x); o.Merge(&f); o.Round() }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzFloat(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("\x00\x00\x00\x00\x00\x00\xf0\x7f\x01\x00\x00\x00\x00\x00\x10\x80"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var x []float64
		for ; len(raw) >= 8; raw = raw[8:] {
			x = append(x, math.Float64frombits(binary.LittleEndian.Uint64(raw)))
		}
		check(t, x)
	})
}

func BenchmarkFloatAdd(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	x := make([]float64, 4096)
	for i := range x {
		x[i] = random.NormFloat64()
	}
	var want Float
	want.AddSlice(x)
	b.SetBytes(int64(8 * len(x)))
	for b.Loop() {
		var f Float
		if f.AddSlice(x); f.Round() != want.Round() {
			b.Fatalf("got %v, want %v", f.Round(), want.Round())
		}
	}
}
