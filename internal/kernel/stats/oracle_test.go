package stats

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/rand/v2"
	"sort"
	"strconv"
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel/compare"
)

// typeNames are the names of all types, in both byte orders.
var typeNames = func() (names []string) {
	for _, t := range compare.Types() {
		names = append(names, t.String())
	}
	return names
}()

func mustType(tb testing.TB, name string) compare.Type {
	tb.Helper()
	t, err := compare.ParseType(name)
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

// put writes a value of a type at the start of b.
func put(t compare.Type, b []byte, raw uint64) {
	var le [8]byte
	binary.LittleEndian.PutUint64(le[:], raw)
	for i := range t.Width() {
		if t.BigEndian() {
			b[i] = le[t.Width()-1-i]
		} else {
			b[i] = le[i]
		}
	}
}

// get reads a value written by put.
func get(t compare.Type, b []byte) (raw uint64) {
	for i := range t.Width() {
		place := i
		if t.BigEndian() {
			place = t.Width() - 1 - i
		}
		raw |= uint64(b[place]) << (8 * i)
	}
	return raw
}

// texts is the text output of a summary.
type texts struct {
	n, nan, inf         uint64
	min, max, sum, mean string
}

func said(s *Summary) texts {
	return texts{s.N(), s.NaN(), s.Inf(), s.MinText(), s.MaxText(), s.SumText(), s.MeanText()}
}

// wanted summarizes value by value with numbers of any precision.
func wanted(t compare.Type, b []byte, stride int) texts {
	if t.Float() {
		return wantedFloat(t, b, stride)
	}
	var want texts
	least, greatest, sum := new(big.Int), new(big.Int), new(big.Int)
	for i := 0; i+t.Width() <= len(b); i += stride {
		raw, unused := get(t, b[i:]), 64-8*t.Width()
		v := new(big.Int).SetUint64(raw)
		if t.Signed() {
			v.SetInt64(int64(raw<<unused) >> unused)
		}
		if want.n == 0 || v.Cmp(least) < 0 {
			least = v
		}
		if want.n == 0 || v.Cmp(greatest) > 0 {
			greatest = v
		}
		sum.Add(sum, v)
		want.n++
	}
	want.sum = sum.String()
	if want.n == 0 {
		return want
	}
	mean, _ := new(big.Rat).SetFrac(sum, new(big.Int).SetUint64(want.n)).Float64()
	want.min, want.max, want.mean = least.String(), greatest.String(), compare.FormatFloat(mean, 64)
	return want
}

func wantedFloat(t compare.Type, b []byte, stride int) texts {
	var want texts
	var infs float64
	least, greatest, sum := math.Inf(1), math.Inf(-1), new(big.Float).SetPrec(2300)
	for i := 0; i+t.Width() <= len(b); i += stride {
		raw := get(t, b[i:])
		v := t.Value(raw)
		want.n++
		if v != v {
			want.nan++
			continue
		}
		least, greatest = min(least, v), max(greatest, v) // -0 is less than +0 here, too
		if math.IsInf(v, 0) {
			want.inf++
			infs += v
		} else {
			sum.Add(sum, big.NewFloat(v))
		}
	}
	nearest, _ := sum.Float64()
	want.sum = compare.FormatFloat(nearest+0, 64)
	if infs != 0 {
		want.sum = compare.FormatFloat(infs, 64)
	}
	if want.n == want.nan {
		return want
	}
	want.min, want.max = t.Format(least), t.Format(greatest)
	exact, _ := sum.Rat(nil)
	mean, _ := exact.Quo(exact, new(big.Rat).SetUint64(want.n-want.nan)).Float64()
	want.mean = compare.FormatFloat(mean, 64)
	if infs != 0 {
		want.mean = compare.FormatFloat(infs, 64)
	}
	return want
}

// Kinds of columns: each returns the bits of its next value.
var kinds = map[string]func(random *rand.Rand, t compare.Type) uint64{
	"any bits": func(random *rand.Rand, _ compare.Type) uint64 { return random.Uint64() },
	"small": func(random *rand.Rand, t compare.Type) uint64 {
		return fromFloat(t, float64(random.IntN(100)))
	},
	"highest": func(_ *rand.Rand, t compare.Type) uint64 {
		if t.Float() {
			return fromFloat(t, math.MaxFloat32)
		}
		return math.MaxUint64 >> (64 - 8*t.Width()) &^ bias(t)
	},
	"lowest": func(_ *rand.Rand, t compare.Type) uint64 {
		if t.Float() {
			return fromFloat(t, -math.MaxFloat32)
		}
		return bias(t)
	},
	"normal": func(random *rand.Rand, t compare.Type) uint64 {
		return fromFloat(t, random.NormFloat64())
	},
}

// floatKinds are only for floats.
var floatKinds = map[string]func(random *rand.Rand, t compare.Type) uint64{
	"few NaN": func(random *rand.Rand, t compare.Type) uint64 {
		if random.IntN(9) == 0 {
			return fromFloat(t, math.NaN()) | uint64(random.IntN(2))<<(8*t.Width()-1)
		}
		return fromFloat(t, random.NormFloat64())
	},
	"all NaN": func(_ *rand.Rand, t compare.Type) uint64 { return fromFloat(t, math.NaN()) },
	"few +Inf": func(random *rand.Rand, t compare.Type) uint64 {
		if random.IntN(99) == 0 {
			return fromFloat(t, math.Inf(1))
		}
		return fromFloat(t, random.ExpFloat64())
	},
	"few -Inf": func(random *rand.Rand, t compare.Type) uint64 {
		if random.IntN(99) == 0 {
			return fromFloat(t, math.Inf(-1))
		}
		return fromFloat(t, random.ExpFloat64())
	},
	"finite": func(random *rand.Rand, t compare.Type) uint64 {
		return fromFloat(t, math.Ldexp(random.Float64()-0.5, random.IntN(240)-120))
	},
	"huge": func(random *rand.Rand, t compare.Type) uint64 {
		if t.Width() == 4 {
			return fromFloat(t, math.MaxFloat32*(2*random.Float64()-1))
		}
		return fromFloat(t, math.Ldexp(random.Float64()-0.5, 1024))
	},
	"ones below the limit of blocks": func(random *rand.Rand, t compare.Type) uint64 {
		return fromFloat(t, math.Ldexp(1, 1005+random.IntN(9)))
	},
	"subnormal": func(random *rand.Rand, t compare.Type) uint64 {
		mantissaBits := map[int]int{4: 23, 8: 52}[t.Width()]
		return random.Uint64() >> (64 - mantissaBits) >> random.IntN(20)
	},
	"small exponents": func(random *rand.Rand, t compare.Type) uint64 {
		return random.Uint64() >> (66 - 8*t.Width()) >> random.IntN(20)
	},
	"lowest normal": func(random *rand.Rand, t compare.Type) uint64 {
		if t.Narrow() {
			return uint64(random.Uint32()) >> (32 - 8*t.Width()) >> 5
		}
		return uint64(random.Uint32()) << (8*t.Width() - 32) >> 5
	},
	"zeros": func(random *rand.Rand, t compare.Type) uint64 {
		return uint64(random.IntN(2)) << (8*t.Width() - 1)
	},
	"-0": func(_ *rand.Rand, t compare.Type) uint64 { return 1 << (8*t.Width() - 1) },
	"cancelling": func(random *rand.Rand, t compare.Type) uint64 {
		return fromFloat(t, []float64{0x1p100, -0x1p100, 1, 0x1p-100}[random.IntN(4)])
	},
}

// fromFloat returns the bits of a value of the type near x.
func fromFloat(t compare.Type, x float64) uint64 {
	switch {
	case !t.Float():
		return uint64(int64(x))
	case t.Narrow():
		return narrowBits(t, x)
	case t.Width() == 4:
		return uint64(math.Float32bits(float32(x)))
	}
	return math.Float64bits(x)
}

// narrowBits returns the bits of the value of a float of 8 or 16 bits next to x, towards zero.
func narrowBits(t compare.Type, x float64) uint64 {
	all := 1 << (8*t.Width() - 1) // magnitudes; the last one is a NaN
	if x != x {
		return uint64(all - 1)
	}
	raw := uint64(sort.Search(all, func(i int) bool { return !(t.Value(uint64(i)) <= math.Abs(x)) }) - 1)
	if math.Signbit(x) {
		raw |= uint64(all)
	}
	return raw
}

// kindsFor returns the kinds that a type has.
func kindsFor(t compare.Type) map[string]func(*rand.Rand, compare.Type) uint64 {
	all := map[string]func(*rand.Rand, compare.Type) uint64{}
	for name, kind := range kinds {
		all[name] = kind
	}
	if t.Float() {
		for name, kind := range floatKinds {
			all[name] = kind
		}
	}
	return all
}

// fill writes contiguous values of a kind.
func fill(random *rand.Rand, t compare.Type, kind func(*rand.Rand, compare.Type) uint64, b []byte) {
	for ; len(b) >= t.Width(); b = b[t.Width():] {
		put(t, b, kind(random, t))
	}
}

// The texts of floats read back as the same floats.
func TestFloatText(t *testing.T) {
	tests := []struct {
		x    float64
		want string
	}{
		{0, "0"}, {math.Copysign(0, -1), "-0"}, {0.1, "0.1"}, {-2.5, "-2.5"}, {1e6, "1000000"}, {1e20, "100000000000000000000"},
		{1e21, "1e+21"}, {1e-6, "0.000001"}, {1e-7, "1e-07"}, {math.Inf(1), "+Inf"}, {math.Inf(-1), "-Inf"}, {math.NaN(), "NaN"},
	}
	for _, test := range tests {
		got := compare.FormatFloat(test.x, 64)
		if got != test.want {
			t.Errorf("got %s, want %s", got, test.want)
		}
		back, err := strconv.ParseFloat(got, 64)
		if err != nil || back != test.x && test.x == test.x {
			t.Errorf("%s is read as %v, %v", got, back, err)
		}
	}
}
