package decimal

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// decimals are exact decimals of every kind.
func decimals(r *rand.Rand) (all []Number) {
	fields := append([]string{"0", "0.000", "-0.0", "0.1", "0.10", "1e0", "9007199254740993", "0.30000000000000004",
		"123456789012345678", "1234567890123456789", "-1234567890123456789.5", "1" + strings.Repeat("0", 400),
		"0." + strings.Repeat("0", 400) + "1", "99999999999999999999", "100000000000000000000"}, nasty...)
	for range 200 {
		digits := fmt.Sprint(r.Uint64())[:1+r.IntN(16)]
		switch r.IntN(4) {
		case 0:
			fields = append(fields, digits, "-"+digits)
		case 1:
			fields = append(fields, digits+strings.Repeat("0", r.IntN(20)))
		case 2:
			at := r.IntN(len(digits))
			fields = append(fields, digits[:at]+"."+digits[at:], "-0."+strings.Repeat("0", r.IntN(9))+digits)
		case 3:
			fields = append(fields, strconv.FormatFloat(r.NormFloat64(), 'f', -1, 64), digits+digits+"."+digits)
		}
	}
	for _, f := range fields {
		if n, kind := Parse([]byte(f)); kind == Plain {
			all = append(all, n)
		}
	}
	return all
}

func TestOrdered(t *testing.T) {
	all := decimals(rand.New(rand.NewPCG(1, 1)))
	for _, a := range all {
		x := a.AppendOrdered([]byte("before"))[len("before"):]
		back, err := DecodeOrdered(x)
		if err != nil || back.Rat().Cmp(a.Rat()) != 0 {
			t.Fatalf("%s became %s: %v", a.Text(0), back.Text(0), err)
		}
		for _, b := range all {
			y := b.AppendOrdered(nil)
			want := a.Rat().Cmp(b.Rat())
			if got := bytes.Compare(x, y); got != want {
				t.Fatalf("%s and %s: %d, want %d", a.Text(0), b.Text(0), got, want)
			}
			if want != 0 && bytes.HasPrefix(y, x) {
				t.Fatalf("%s begins with %s", b.Text(0), a.Text(0))
			}
		}
		for n := range x {
			if back, err := DecodeOrdered(x[:n]); err == nil && back.Rat().Cmp(a.Rat()) == 0 {
				t.Fatalf("%s: %d of %d bytes are enough", a.Text(0), n, len(x))
			}
		}
	}
}

// TestShortest: a decimal is the shortest of a float64 if strconv writes it so.
func TestShortest(t *testing.T) {
	yes := 0
	for _, n := range decimals(rand.New(rand.NewPCG(2, 2))) {
		f, _ := n.Rat().Float64()
		want, ok := new(big.Rat).SetString(strconv.FormatFloat(f, 'e', -1, 64))
		same := ok && n.large == nil && want.Cmp(n.Rat()) == 0
		got, is := n.Shortest()
		if is != same || is && got != f {
			t.Errorf("%s: %v, %v, want %v, %v", n.Text(0), got, is, f, same)
		}
		if !is {
			continue
		}
		yes++
		if back := FromShortest(got); back.Compare(n) != 0 {
			t.Errorf("%s came back as %s", n.Text(0), back.Text(0))
		}
	}
	if yes < 100 {
		t.Errorf("%d decimals are the shortest of a float64", yes)
	}
	if _, ok := FromFloat(0.5).Shortest(); ok {
		t.Error("a float64 is no decimal")
	}
	for _, f := range []float64{math.MaxFloat64, 5e-324, -1e300, 0} {
		if got := FromShortest(f).Float64(); got != f {
			t.Errorf("%v came back as %v", f, got)
		}
	}
}
