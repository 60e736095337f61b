package tabletest

import (
	"errors"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestNumbers holds what a number is to strconv, which knows some numbers more.
func TestNumbers(t *testing.T) {
	more := regexp.MustCompile(`(?i)[_xpn]|inf`) // underscores, hexadecimal, names
	r := random{rand.New(rand.NewPCG(1, 2))}
	good := 0
	for range 200_000 {
		var s strings.Builder
		for range r.IntN(10) {
			s.WriteByte(pick(r, "0123456789.....+--eE \t_xn\x00"))
		}
		text := s.String()
		n, missing, ok := parse(text)
		trimmed := strings.Trim(text, " \t")
		f, err := strconv.ParseFloat(trimmed, 64)
		want := err == nil && !more.MatchString(trimmed)
		if ok != want || missing {
			t.Fatalf("%q: number %v missing %v, want %v", text, ok, missing, want)
		}
		if !ok {
			continue
		}
		good++
		if got, _ := n.value.Float64(); got != f {
			t.Fatalf("%q: %v, want %v", text, got, f)
		}
		if n.isFloat != strings.ContainsAny(text, "eE") {
			t.Fatalf("%q: float %v", text, n.isFloat)
		}
		back, _, _ := parse(n.text(n.decimals))
		if got, _ := back.value.Float64(); got != f || !n.isFloat && back.value.Cmp(n.value) != 0 {
			t.Fatalf("%q prints as %s", text, n.text(n.decimals))
		}
	}
	if good < 10_000 {
		t.Errorf("only %d numbers were tried", good)
	}
}

func TestNumberTexts(t *testing.T) {
	for _, c := range []struct {
		text     string
		decimals int
		want     string
	}{
		{"5", 2, "5.00"}, {"-0", 1, "0.0"}, {"+007.50", 2, "7.50"}, {".5", 3, "0.500"}, {"-5.", 0, "-5"},
		{"1e3", 2, "1000"}, {"1e20", 0, "100000000000000000000"}, {"1e21", 0, "1e+21"}, {"1e-6", 9, "0.000001"},
		{"1e-7", 0, "1e-07"}, {"-1.5e1", 0, "-15"}, {"1e-400", 0, "0"}, {"-0e0", 0, "0"},
		{"123456789012345678901234567890.1", 1, "123456789012345678901234567890.1"},
	} {
		n, _, ok := parse(c.text)
		if got := n.text(c.decimals); !ok || got != c.want {
			t.Errorf("%s: %s, want %s", c.text, got, c.want)
		}
	}
	if _, _, ok := parse("1e400"); ok {
		t.Error("1e400 is beyond float64 and should be no number")
	}
	if _, err := strconv.ParseFloat("1e400", 64); !errors.Is(err, strconv.ErrRange) {
		t.Error("1e400 is within float64")
	}
}
