package order

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/value"
	"github.com/thresh-dev/thresh/internal/test/rounds"
)

// compareValues is the order of values as it is documented: numbers, times, texts, and null where it belongs.
func compareValues(a, b []byte, d Direction) int {
	x, y := kindOf(a), kindOf(b)
	if x != y {
		if d.NullsFirst && (x == Null || y == Null) {
			return -cmp.Compare(x, y)
		}
		return cmp.Compare(x, y)
	}
	c := 0
	switch x {
	case Number:
		m, _ := decimal.Parse(a)
		n, _ := decimal.Parse(b)
		c = m.Compare(n)
	case Time:
		c = value.CompareTimes(a, b)
	case Text:
		c = bytes.Compare(a, b)
	}
	if d.Descending {
		return -c
	}
	return c
}

func kindOf(field []byte) Kind {
	if field == nil {
		return Null
	}
	if _, kind := decimal.Parse(field); kind == decimal.Plain || kind == decimal.Irregular {
		return Number
	}
	if _, ok := value.ParseTime(field); ok {
		return Time
	}
	return Text
}

func randomField(r *rand.Rand) []byte {
	sign := []string{"", "", "-", "+"}[r.IntN(4)]
	digits := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteByte("0012345678999"[r.IntN(13)])
		}
		return b.String()
	}
	switch r.IntN(12) {
	case 0:
		return nil
	case 1:
		return []byte(sign + digits(1+r.IntN(25)) + "." + digits(r.IntN(25)))
	case 2:
		return []byte(sign + digits(1+r.IntN(3)))
	case 3:
		return []byte(sign + "0." + strings.Repeat("0", r.IntN(120)) + digits(1+r.IntN(3)))
	case 4:
		return []byte(sign + digits(1+r.IntN(3)) + strings.Repeat("0", r.IntN(120)))
	case 5:
		return fmt.Appendf(nil, "%s%se%d", sign, digits(1+r.IntN(20)), r.IntN(640)-330)
	case 6:
		return []byte([]string{"+Inf", "-Inf", "0", "-0", "1e2", "100", "100.00", "0.1", "1e-1", "nan"}[r.IntN(10)])
	case 7:
		return fmt.Appendf(nil, "2026-0%d-0%d", 1+r.IntN(2), 1+r.IntN(2))
	case 8:
		return fmt.Appendf(nil, "2026-01-0%d%c0%d:0%d%s%s", 1+r.IntN(2), "T "[r.IntN(2)], r.IntN(3), r.IntN(2),
			[]string{"", ":00", ":59.5", ":59.50", ":60"}[r.IntN(5)], []string{"", "Z", "+01:00", "-02"}[r.IntN(4)])
	}
	return []byte([]string{"", "\x00", "\x00\x00", "a", "a\x00", "a\x00b", "ab", "\xff", "\xff\xff", "b"}[r.IntN(10)])
}

// TestKeys: keys compare as values do, in each direction, whatever follows them; and First returns what was appended.
func TestKeys(t *testing.T) {
	r := rand.New(rand.NewPCG(34, 1))
	for range rounds.Of(60_000) {
		var a, b [2][]byte
		var directions [2]Direction
		var x, y []byte
		want := 0
		for i := range a {
			a[i], b[i] = randomField(r), randomField(r)
			if r.IntN(3) == 0 {
				b[i] = slices.Clone(a[i])
			}
			d := Direction{Descending: r.IntN(2) == 0, NullsFirst: r.IntN(2) == 0}
			x, y = d.Append(x, a[i]), d.Append(y, b[i])
			directions[i] = d
			want = cmp.Or(want, compareValues(a[i], b[i], d))
		}
		in, off := r.Int64N(3), r.Int64()>>r.IntN(63)
		x, y = AppendPlace(x, in, off), AppendPlace(y, in, off+int64(r.IntN(2)))
		if want == 0 && bytes.Equal(x, y) {
			continue
		}
		if want == 0 {
			want = -1 // the place decides
		}
		if got := bytes.Compare(x, y); got != want {
			t.Fatalf("%q and %q, %v: %d, want %d", a, b, directions, got, want)
		}
		first, ok := directions[0].First(x)
		if !ok {
			continue
		}
		n, _ := decimal.Parse(a[0])
		if first.Kind != kindOf(a[0]) || first.Kind == Number && n.Compare(first.Number) != 0 ||
			(first.Kind == Time || first.Kind == Text) && !bytes.Equal(first.Text, a[0]) {
			t.Fatalf("%q, %v: first is %v", a[0], directions[0], first)
		}
	}
}

// TestExactDigits: a float has no digit other than 0 after those, whatever its exponent.
func TestExactDigits(t *testing.T) {
	const most = 1100
	r := rand.New(rand.NewPCG(34, 2))
	for exponent := -1074; exponent <= 1023; exponent++ {
		for _, f := range []float64{1, 1.5, 2 - 1.0/(1<<52), 1 + r.Float64()} {
			if f = math.Ldexp(f, exponent); f == 0 || math.IsInf(f, 0) {
				continue
			}
			all := strconv.FormatFloat(f, 'e', most, 64)
			got := strconv.FormatFloat(f, 'e', exactDigits(f), 64)
			digits, power, _ := strings.Cut(got, "e")
			if want := digits + strings.Repeat("0", most-exactDigits(f)) + "e" + power; want != all {
				t.Fatalf("%g: %s, want %s", f, got, all)
			}
		}
	}
}
