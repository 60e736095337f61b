package decimal

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// numbers parses all that are numbers.
func numbers(fields []string) (all []Number) {
	for _, f := range fields {
		if n, kind := Parse([]byte(f)); (kind == Plain || kind == Irregular) && !n.IsInfinite() {
			all = append(all, n)
		}
	}
	return all
}

func TestCompare(t *testing.T) {
	all := numbers(nasty)
	for _, s := range []string{"0.1", "0.1e0", "1.5", "1.50", "1.5e0", "0.5", "5e-1", "9007199254740993", "9007199254740992e0",
		"1" + strings.Repeat("0", 400), "1.7976931348623158e308", "1" + strings.Repeat("0", 308), "1e308"} {
		all = append(all, numbers([]string{s, "-" + s})...)
	}
	for _, a := range all {
		for _, b := range all {
			want := a.Rat().Cmp(b.Rat())
			if got := a.Compare(b); got != want {
				t.Fatalf("%s and %s: %d, want %d", a.Text(0), b.Text(0), got, want)
			}
			before := want < 0 || want == 0 && !a.IsFloat() && b.IsFloat()
			if a.Before(b) != before {
				t.Fatalf("%s before %s: %v", a.Text(0), b.Text(0), !before)
			}
		}
		for _, sign := range []int{-1, 1} {
			if got := a.Compare(FromFloat(math.Inf(sign))); got != -sign {
				t.Fatalf("%s and infinity %d: %d", a.Text(0), sign, got)
			}
			if got := FromFloat(math.Inf(sign)).Compare(a); got != sign {
				t.Fatalf("infinity %d and %s: %d", sign, a.Text(0), got)
			}
		}
	}
	if FromFloat(math.Inf(1)).Compare(FromFloat(math.Inf(1))) != 0 {
		t.Fatal("infinities of one sign differ")
	}
}

func TestText(t *testing.T) {
	for _, test := range []struct {
		field    string
		decimals int
		want     string
	}{
		{"0", 0, "0"}, {"-0", 0, "0"}, {"-0.00", 0, "0"}, {"0", 2, "0.00"}, {"-0.00", 1, "0.0"}, {"1", 0, "1"}, {"1", 3, "1.000"},
		{"1.5", 0, "1.5"}, {"1.50", 0, "1.5"}, {"1.50", 1, "1.5"}, {"1.50", 2, "1.50"}, {"1.50", 3, "1.500"}, {"100", 0, "100"},
		{"100.00", 0, "100"}, {".5", 0, "0.5"}, {"-.05", 0, "-0.05"}, {"-.05", 4, "-0.0500"}, {"-12.345", 1, "-12.345"},
		{"00012", 1, "12.0"}, {"10.0", 0, "10"}, {"12345678901234567890.10", 0, "12345678901234567890.1"},
		{"-0." + strings.Repeat("0", 30) + "7", 2, "-0." + strings.Repeat("0", 30) + "7"},
		{"1e5", 2, "100000"}, {"1.5e0", 3, "1.5"}, {"1e21", 0, "1e+21"}, {"1e20", 0, "100000000000000000000"}, {"1e-6", 0, "0.000001"},
		{"1e-7", 0, "1e-07"}, {"-0e0", 0, "0"}, {"0.1e0", 0, "0.1"},
	} {
		n, kind := Parse([]byte(test.field))
		if kind != Plain && kind != Irregular {
			t.Fatalf("%q is %d", test.field, kind)
		}
		if got := n.Text(test.decimals); got != test.want {
			t.Errorf("%q with %d decimals: %q, want %q", test.field, test.decimals, got, test.want)
		}
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 50_000 {
		for _, n := range numbers([]string{randomField(r)}) {
			text := n.Text(r.IntN(12))
			again, _ := Parse([]byte(text))
			if again.Compare(n) != 0 && !n.IsFloat() {
				t.Fatalf("%s is printed as %s", n.Rat(), text)
			}
			if n.IsFloat() && again.Float64() != n.Float64() {
				t.Fatalf("%v is printed as %s", n.Float64(), text)
			}
		}
	}
}

func TestFloat64(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 100_000 {
		f := randomField(r)
		for _, n := range numbers([]string{f}) {
			want, _ := strconv.ParseFloat(strings.Trim(f, " \t"), 64)
			if got := n.Float64(); got != want {
				t.Fatalf("%q: %v, want %v", f, got, want)
			}
		}
	}
}

func TestMantissa(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 50_000 {
		f, scale := randomField(r), r.IntN(ScaleMax+1)
		for _, n := range numbers([]string{f}) {
			value := n.Rat()
			value.Mul(value, new(big.Rat).SetInt(powerOfTen(scale)))
			want := new(big.Int).Div(value.Num(), value.Denom())
			floor, exact, ok := n.Mantissa(scale)
			if !ok {
				if want.BitLen() < 63 {
					t.Fatalf("%q at scale %d: %s does not fit", f, scale, want)
				}
				continue
			}
			if want.Cmp(big.NewInt(floor)) != 0 || exact != value.IsInt() {
				t.Fatalf("%q at scale %d: %d (exact: %v), want %s", f, scale, floor, exact, want)
			}
		}
	}
	if _, _, ok := FromFloat(math.Inf(1)).Mantissa(0); ok {
		t.Fatal("infinity fits an integer")
	}
}

func TestReason(t *testing.T) {
	for field, want := range map[string]string{
		"x": "is not a number", "1e400": "is beyond the range of a 64-bit float", " -1e400\t": "is beyond the range of a 64-bit float",
	} {
		if got := Reason([]byte(field)); got != want {
			t.Errorf("%q %s, want: %s", field, got, want)
		}
	}
}

func TestNumberBytes(t *testing.T) {
	for _, n := range append(numbers(nasty), FromFloat(math.Inf(-1)), FromPlain(math.MinInt64, 3)) {
		b := append(n.AppendBinary([]byte("before")), "behind"...)
		var got Number
		rest, err := got.Decode(b[len("before"):])
		if err != nil || string(rest) != "behind" || got.Compare(n) != 0 || got.IsFloat() != n.IsFloat() {
			t.Fatalf("%s became %s (%v, %q left)", n.Text(0), got.Text(0), err, rest)
		}
	}
}

// FuzzParse holds both ways to parse, among neighbours and alone, to the letter of the rule.
func FuzzParse(f *testing.F) {
	for _, field := range nasty {
		f.Add(field, "-1.5")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if len(a)+len(b) > 2000 {
			t.Skip("big integers take long to print")
		}
		for _, long := range []bool{false, true} {
			check(t, &Numbers{long: long}, []string{a, b, a + b, "-" + a, a + "." + b}, "0")
		}
	})
}
