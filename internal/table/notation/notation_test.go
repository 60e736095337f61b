package notation

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestAppend(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{ // "" for no number
		{"de", "1.234.567,89", "1234567.89"}, {"de", "1234,5", "1234.5"}, {"de", "-1.000", "-1000"}, {"de", "7", "7"},
		{"de", ",5", ".5"}, {"de", "5,", "5"}, {"de", "1.5", ""}, {"de", "1.2345", ""}, {"de", "1234.567", ""},
		{"de", "1,5,6", ""}, {"de", "1,234.5", ""}, {"de", ".123", ""}, {"de", "1..234", ""}, {"de", ",", ""}, {"de", "", ""},
		{"de", "1.234,50 €", "1234.50"}, {"de", "-€ 5", "-5"}, {"de", "€ -5", "-5"}, {"de", "5,00-", "-5.00"},
		{"de", "(5,00 €)", "-5.00"}, {"de", "(-5)", ""}, {"de", "--5", ""}, {"de", "-5-", ""}, {"de", "€5€", ""}, {"de", "€", ""},
		{"de", "12,5 %", "0.125"}, {"de", "-1.200%", "-12.00"}, {"de", "5 %", "0.05"}, {"de", ",5%", "0.005"}, {"de", "%", ""},
		{"de", "1,5E3", "1.5E3"}, {"de", "1,5e-03", "1.5e-03"}, {"de", "1,5e", ""}, {"de", "1,5e3 %", ""}, {"de", "abc", ""},
		{"de", "12 34", ""}, {"de", "−5", "-5"}, {"de", "+5", "+5"[1:]}, {"de", "2026-11-27", ""}, {"de", "1.2.2026", ""},
		{"fr", "1 234,5", "1234.5"}, {"fr", "1\u202f234\u202f567,5", "1234567.5"}, {"fr", "1 23", ""}, {"fr", "1.5", ""},
		{"fr", "1 234\u00a0567", ""}, {"ch", "1'234.50", "1234.50"}, {"ch", "1’234", "1234"}, {"ch", "1,5", ""},
		{"en", "1,234.56", "1234.56"}, {"en", "$1,234", "1234"}, {"en", "1.5", "1.5"}, {"en", "1,5", ""}, {"en", "£ 3.20", "3.20"},
	} {
		got, ok := Named(c.name).Append([]byte("x"), []byte(c.text))
		if string(got) != "x"+c.want || ok != (c.want != "") {
			t.Errorf("%s %q: %q, %v; want %q", c.name, c.text, got, ok, c.want)
		}
	}
	if Named("xx") != nil {
		t.Error("a name is wrong")
	}
}

// TestAppendWritten writes random numbers in each notation.
func TestAppendWritten(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		n, whole, decimals := All[r.IntN(len(All))], fmt.Sprint(r.Uint64()>>r.IntN(64)), fmt.Sprint(r.IntN(1000))
		grouped, sep := whole, n.groups[r.IntN(len(n.groups))]
		for i := len(whole) - 3; i > 0; i -= 3 {
			grouped = grouped[:i] + sep + grouped[i:]
		}
		want, text := whole+"."+decimals, grouped+string(n.point)+decimals
		if r.IntN(3) == 0 {
			want, text = "-"+want, []string{"-" + text, text + "-", "(" + text + ")", "€ -" + text}[r.IntN(4)]
		}
		got, ok := n.Append(nil, []byte(text+strings.Repeat(" ", r.IntN(2))))
		if !ok || string(got) != want {
			t.Fatalf("%s %q: %q, want %q", n.Name, text, got, want)
		}
	}
}
