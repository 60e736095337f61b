package decimal

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/kernel/kerneltest"
	"github.com/thresh-dev/thresh/internal/test/rounds"
)

// nasty are texts that a parser of numbers gets wrong.
var nasty = []string{
	"", " ", "\t", "  \t ", "-", "+", ".", "-.", "+.", "..", ".5", "5.", "+.5", "-.5", "-5.", "-0", "+0", "-0.0", "0",
	"00012", "-00012.50", "000000000000000000000000000012", "0.000000000000000000000001", "1.2.3", "--1", "+-1", "-+1",
	"1-", "1+", "1 2", " 1", "1 ", "\t1\t", " -1 ", "- 1", "1\r", "\r", "1\x00", "\x001", "\x00", "12a", "a12", "1_000",
	"1,000", "0x10", "inf", "-inf", "+Inf", " -Inf", "Inf", "+Infinity", "nan", "NaN", "Infinity",
	"٣", "1٣", "½", "\xff", "1e", "1e+", "e5", ".e5", "1e5", "1E5", "1e+05",
	"1.e5", ".1e-3", "-2.5E-3", "1e400", "-1e400", "1e-400", "-1e-400", "1e5.5", "1e5e5", "1.7976931348623157e308",
	"1.7976931348623159e308", "4.9e-324", "12.3", "-4.5", "1234.50", "250", "1234567", "12345678", "-12345678", "123456789",
	"1234567.", "1234567.8", "-1234567.8", "123456.78", ".1234567", ".12345678", "0.123456", "0.1234567", "12345678.12345678",
	"1234567890123456", "12345678901234567", "123456789012345678", "1234567890123456789", "12345678901234567890",
	"-123456789012345678", "-1234567890123456789", "9223372036854775807", "-9223372036854775808", "9223372036854775808",
	"4611686018427387903", "4611686018427387904", "-4611686018427387904", "46116860184273879.03", "46116860184273879.04",
	"1234567890.12345", "12345678901.12345", "1./", "1/2", "/", ":", "1:", "1;2", "2*3", "1(2", "1.2,3", "12345678.", "123456789.",
	strings.Repeat("9", 400), "-" + strings.Repeat("9", 400) + "." + strings.Repeat("9", 40), "0." + strings.Repeat("0", 400) + "1",
	strings.Repeat("1", 40) + "e-30", strings.Repeat(" ", 100), strings.Repeat(" ", 30) + "7.25" + strings.Repeat("\t", 30),
}

// wanted parses by the letter of the rule, with the libraries of Go.
func wanted(field string) (value *big.Rat, decimals int, kind Kind) {
	s := strings.Trim(field, " \t")
	switch {
	case field == "":
		return nil, 0, Missing
	case s == "+Inf" || s == "-Inf":
		return nil, 0, Irregular
	case s == "":
		return nil, 0, Bad
	}
	body := strings.TrimPrefix(s, "-")
	if body == s {
		body = strings.TrimPrefix(s, "+")
	}
	mantissa, exponent := body, ""
	i := strings.IndexAny(body, "eE")
	if i >= 0 {
		mantissa, exponent = body[:i], body[i+1:]
		exponent = strings.TrimPrefix(exponent, "-")
		if exponent == body[i+1:] {
			exponent = strings.TrimPrefix(exponent, "+")
		}
		if !allDigits(exponent) || exponent == "" {
			return nil, 0, Bad
		}
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	if !allDigits(whole) || !allDigits(fraction) || whole+fraction == "" {
		return nil, 0, Bad
	}
	if i >= 0 {
		f, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return nil, 0, Bad
		}
		return new(big.Rat).SetFloat64(f), 0, Irregular
	}
	digits := whole + fraction
	if s[0] == '-' {
		digits = "-" + digits
	}
	m, _ := new(big.Int).SetString(digits, 10)
	return new(big.Rat).SetFrac(m, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(len(fraction))), nil)), len(fraction), Plain
}

func allDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// lay puts fields into a text with slack around them, filled with what would do harm if it
// were taken for theirs.
func lay(fields []string, filler string) (text []byte, column records.Column) {
	room := []byte(strings.Repeat(filler, records.SlackBytes))[:records.SlackBytes]
	for _, f := range fields {
		column = append(column, records.Span{Off: uint32(len(room)), Len: uint32(len(f))})
		room = append(append(room, f...), filler[0])
	}
	return append(room, strings.Repeat(filler, records.SlackBytes)...), column
}

func all(n int) (sel records.Selection) {
	for i := range n {
		sel = append(sel, uint16(i))
	}
	return sel
}

// check holds Numbers and Parse to what is wanted of the fields, batch by batch.
func check(t testing.TB, n *Numbers, fields []string, filler string) {
	t.Helper()
	for len(fields) > 0 {
		size := min(len(fields), records.Max)
		checkBatch(t, n, fields[:size], filler)
		fields = fields[size:]
	}
}

func checkBatch(t testing.TB, n *Numbers, fields []string, filler string) {
	t.Helper()
	text, column := lay(fields, filler)
	n.Parse(text, column, all(len(fields)))
	plain := true
	for i, f := range fields {
		value, decimals, kind := wanted(f)
		one, got := Parse([]byte(f))
		if got != kind {
			t.Fatalf("Parse(%q): kind %d, want %d", f, got, kind)
		}
		if value != nil && one.Rat().Cmp(value) != 0 {
			t.Fatalf("Parse(%q) = %s, want %s", f, one.Text(0), value)
		}
		if kind == Plain && decimals > n.Decimals {
			t.Fatalf("%q has %d decimals, of %d seen", f, decimals, n.Decimals)
		}
		switch got := n.Kinds[i]; {
		case got == Plain && kind == Plain:
			m := big.NewInt(n.Mantissa[i])
			if new(big.Rat).SetFrac(m, powerOfTen(n.Scale)).Cmp(value) != 0 {
				t.Fatalf("%q (%q around): %d at scale %d, want %s", f, filler, n.Mantissa[i], n.Scale, value)
			}
			if m.BitLen() > plainBits {
				t.Fatalf("%q: %d has more than %d bits", f, n.Mantissa[i], plainBits)
			}
		case got == Irregular && kind == Plain:
			scaled := new(big.Rat).Mul(value, new(big.Rat).SetInt(powerOfTen(n.Scale)))
			if decimals <= n.Scale && scaled.Num().BitLen() <= 58 {
				t.Fatalf("%q is odd at scale %d", f, n.Scale)
			}
		case got != kind:
			t.Fatalf("%q (%q around): kind %d, want %d", f, filler, got, kind)
		}
		plain = plain && n.Kinds[i] == Plain
	}
	if n.AllPlain != plain {
		t.Fatalf("AllPlain is %v, want %v", n.AllPlain, plain)
	}
}

var fillers = []string{"9", ".", "-", "e", " ", ",", "\x00", "\xff", "1.-"}

func TestNasty(t *testing.T) {
	for _, filler := range fillers {
		check(t, new(Numbers), nasty, filler)
		for _, f := range nasty {
			for _, long := range []bool{false, true} {
				n := &Numbers{long: long}
				check(t, n, []string{f}, filler)
			}
		}
	}
}

// TestEveryShort parses everything that five letters from the alphabet of numbers make.
func TestEveryShort(t *testing.T) {
	const alphabet, length = "09.-+ e/", 5
	var fields []string
	total := int(math.Pow(float64(len(alphabet)), length))
	for code := range total {
		var b [length]byte
		for i := range b {
			b[i] = alphabet[code%len(alphabet)]
			code /= len(alphabet)
		}
		fields = append(fields, string(b[:]))
	}
	check(t, &Numbers{Scale: 3}, fields, "7")
	check(t, &Numbers{Scale: 3, long: true}, fields[:total/2], "7")
}

func randomField(r *rand.Rand) string {
	number := func(whole, fraction int) string {
		s := []string{"", "", "-", "+"}[r.IntN(4)]
		for range whole {
			s += string(rune('0' + r.IntN(10)))
		}
		if fraction > 0 || r.IntN(8) == 0 {
			s += "."
		}
		for range fraction {
			s += string(rune('0' + r.IntN(10)))
		}
		return s
	}
	switch r.IntN(12) {
	case 0:
		return nasty[r.IntN(len(nasty))]
	case 1:
		return number(r.IntN(24), r.IntN(24))
	case 2:
		return strconv.FormatFloat(math.Float64frombits(r.Uint64()), 'e', r.IntN(20)-1, 64)
	case 3:
		b := []byte(number(r.IntN(8), r.IntN(8)))
		if len(b) > 0 {
			b[r.IntN(len(b))] = byte(r.IntN(256))
		}
		return string(b)
	case 4, 5, 6:
		return number(r.IntN(12), r.IntN(7))
	}
	return number(1+r.IntN(4), r.IntN(3))
}

func TestRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 300 {
		fields := make([]string, 1+r.IntN(1000))
		for i := range fields {
			fields[i] = randomField(r)
		}
		n := &Numbers{Scale: r.IntN(ScaleMax + 1), long: r.IntN(2) == 0}
		check(t, n, fields, fillers[round%len(fillers)])
	}
}

// TestSelection: what is not selected is not touched.
func TestSelection(t *testing.T) {
	text, column := lay([]string{"x", "1.5", "y", "2.25", "z"}, ",")
	var n Numbers
	n.Parse(text, column, records.Selection{0, 1, 2, 3, 4})
	if n.AllPlain || n.Kinds[0] != Bad || n.Kinds[4] != Bad {
		t.Fatalf("text taken for numbers: %v", n.Kinds[:5])
	}
	n.Parse(text, column, records.Selection{1, 3})
	if !n.AllPlain || n.Scale != 2 || n.Decimals != 2 || n.Mantissa[1] != 150 || n.Mantissa[3] != 225 {
		t.Fatalf("got %v %v at scale %d", n.Mantissa[:5], n.Kinds[:5], n.Scale)
	}
	for i, k := range n.Kinds {
		if k != Plain {
			t.Fatalf("record %d is %d behind a batch of plain ones", i, k)
		}
	}
	n.Parse(text, column, nil)
	if !n.AllPlain {
		t.Fatal("nothing is not all plain")
	}
}

// TestSome: of any records that are selected, each gets its own number, and no others do.
func TestSome(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	for range rounds.Of(200) {
		fields := make([]string, 1+r.IntN(records.Max))
		for i := range fields {
			fields[i] = strconv.Itoa(r.IntN(2_000_000) - 1_000_000)
		}
		text, column := lay(fields, ",")
		var sel records.Selection
		for _, i := range all(len(fields)) {
			if r.IntN(3) > 0 {
				sel = append(sel, i)
			}
		}
		var n Numbers
		n.Parse(text, column, sel)
		for i, f := range fields {
			want := int64(0)
			if slices.Contains(sel, uint16(i)) {
				want, _ = strconv.ParseInt(f, 10, 64)
			}
			if n.Mantissa[i] != want {
				t.Fatalf("%d of %d selected: number %d is %d, want %d", len(sel), len(fields), i, n.Mantissa[i], want)
			}
		}
	}
}

// TestScale: it follows the decimals, in one batch and over several, up to its bound.
func TestScale(t *testing.T) {
	var n Numbers
	for _, step := range []struct {
		fields          []string
		scale, decimals int
	}{
		{[]string{"1", "20"}, 0, 0},
		{[]string{"1.5", "20"}, 1, 1},
		{[]string{"1.500", "1.1234567"}, 3, 7},
		{[]string{"7"}, 3, 7},
		{[]string{"1.12345", "0.000001"}, 6, 7},
		{[]string{"1.123456789"}, 6, 9},
	} {
		check(t, &n, step.fields, ",")
		if n.Scale != step.scale || n.Decimals != step.decimals {
			t.Fatalf("%v: scale %d and %d decimals, want %d and %d",
				step.fields, n.Scale, n.Decimals, step.scale, step.decimals)
		}
	}
}

// TestSlack: no more than SlackBytes around the text are read.
func TestSlack(t *testing.T) {
	for _, field := range []string{"", "-", "5", "-12.3", "12345678", "123456789.12", "1234567890123456", "x", strings.Repeat("7", 40)} {
		for _, long := range []bool{false, true} {
			head, tail := kerneltest.Guarded(t, 2*records.SlackBytes+len(field))
			for _, room := range [][]byte{head, tail} {
				text := room[records.SlackBytes:][:len(field)]
				copy(text, field)
				n := Numbers{long: long}
				n.Parse(text, records.Column{{Len: uint32(len(field))}}, records.Selection{0})
				if _, _, kind := wanted(field); n.Kinds[0] != kind && len(field) < 20 {
					t.Fatalf("%q: kind %d, want %d", field, n.Kinds[0], kind)
				}
			}
		}
	}
}

func BenchmarkParse(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	sorts := map[string]func() string{
		"measurements": func() string { return fmt.Sprintf("%.1f", r.NormFloat64()*15+12) },
		"money":        func() string { return fmt.Sprintf("%.2f", math.Exp(r.NormFloat64()*2+4)) },
		"amounts":      func() string { return strconv.Itoa(r.IntN(5000)) },
		"integers": func() string {
			return strconv.FormatUint(r.Uint64()>>(10+r.IntN(50)), 10)
		},
		"longmoney": func() string { return fmt.Sprintf("%.2f", r.Float64()*1e9) },
		"gaps": func() string {
			if r.IntN(4) == 0 {
				return ""
			}
			return strconv.Itoa(r.IntN(100000))
		},
		"mixed": func() string { return randomField(r) },
	}
	for name, field := range sorts {
		b.Run(name, func(b *testing.B) {
			fields := make([]string, records.Max)
			for i := range fields {
				fields[i] = field()
			}
			text, column := lay(fields, ",")
			sel := all(len(fields))
			var n Numbers
			for b.Loop() {
				n.Parse(text, column, sel)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/records.Max, "ns/value")
			check(b, &n, fields, ",")
		})
	}
}
