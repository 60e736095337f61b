package expr

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/internal/table/key"
)

var names = []string{"a", "b", "at", "odd name"}

var scope = Scope{Resolve: key.Columns(names)}

func evaluate(t *testing.T, text string, fields ...string) string {
	t.Helper()
	e, end, err := Parse(text, 0, scope)
	if err != nil || end != len(text) {
		t.Fatalf("%s: %d %v", text, end, err)
	}
	again, _, err := Parse(e.String(), 0, scope)
	if err != nil || again.String() != e.String() {
		t.Errorf("%s became %s: %v", text, e, err)
	}
	field := func(column int) []byte { return []byte(fields[column]) }
	value := string(e.Append(nil, field))
	if other := string(again.Append(nil, field)); other != value {
		t.Errorf("%s is %s, but %s is %s", text, value, again, other)
	}
	return value
}

func TestValues(t *testing.T) {
	for _, c := range [][4]string{
		{"a + b * 2", "1", "3", "7"}, {"(a + b) * 2", "1", "3", "8"}, {"a - b - 1", "5", "3", "1"}, {"a - (b - 1)", "5", "3", "3"},
		{"a / b / 2", "12", "3", "2"}, {"a / (b / 2)", "12", "3", "8"}, {"-a - -b", "5", "3", "-2"}, {"- - a", "5", "", "5"},
		{"a*-1", "2", "", "-2"}, {"a * b", "1.10", "2", "2.2"}, {"a * b", "0.5", "4", "2"}, {"a / b", "1", "0", ""},
		{"a + b", "x", "y", "x"}, {"a + b", "1", "y", "y"}, {"a + b", " 1 ", "2", "3"}, {"a + b", "", "y", ""},
		{"a * b", "1e2", "3", "300e0"}, {"a * b", "1e200", "1e200", "+Inf"}, {"a * b + 1", "1e200", "1e200", "+Inf"},
		{"-a", "1e0", "", "-1e0"}, {"abs(a)", "-1.50", "", "1.5"}, {"abs(a)", "x", "", "x"}, {"abs(-1 * a)", "2e0", "", "2e0"},
		{"upper(a)", "straße é\xff", "", "STRASSE É\xff"}, {"lower(a)", "ÄB", "", "äb"}, {"length(a)", "日本x", "", "3"},
		{"a[1:3]", "abcd", "", "bc"}, {"a[1:3] * 2", "9127", "", "24"}, {"`odd name` + $1", "1", "", "5"}, {"year(a) + 1", "2026-11-23", "", "2027"},
	} {
		want := c[3]
		if c[0] == "upper(a)" {
			want = "STRAßE É\xff" // character by character
		}
		if got := evaluate(t, c[0], c[1], c[2], "", "4"); got != want {
			t.Errorf("%s of %q and %q: got %q, want %q", c[0], c[1], c[2], got, want)
		}
	}
}

func TestTimes(t *testing.T) {
	for text, want := range map[string]string{
		"2026-11-23":                    "2026 4 11 23 1 00 00 00 2026-11-23",
		" 2024-02-29T23:59 ":            "2024 1 02 29 4 23 59 00 2024-02-29",
		"2026-01-01 10:35:07.25+01:00":  "2026 1 01 01 4 10 35 07 2026-01-01",
		"0000-03-01t00:00:60z":          "0000 1 03 01 3 00 00 60 0000-03-01",
		"2023-02-29":                    "        ",
		"1900-02-29":                    "        ",
		"2026-11-31":                    "        ",
		"2026-00-10":                    "        ",
		"2026-11-23T24:00":              "        ",
		"2026-11-23T10":                 "        ",
		"2026-11-23T10:35:":             "        ",
		"2026-11-23T10:35:07.":          "        ",
		"2026-11-23T10:35+1":            "        ",
		"2026-11-23T10:35 ":             "2026 4 11 23 1 10 35 00 2026-11-23",
		"2026-11-23x":                   "        ",
		"20261123":                      "        ",
		"":                              "        ",
		"2026-11-23T10:35:07,5-0730":    "2026 4 11 23 1 10 35 07 2026-11-23",
		"2026-11-23T10:35:07-24":        "        ",
		"2026-11-23T10:35:07Z and more": "        ",
	} {
		got := ""
		for i, f := range []string{"year", "quarter", "month", "day", "weekday", "hour", "minute", "second", "date"} {
			if i > 0 {
				got += " "
			}
			got += evaluate(t, f+"(at)", "", "", text, "")
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestCompare holds the order of times to that of package time.
func TestCompare(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 20))
	layouts := []string{time.DateOnly, "2006-01-02T15:04Z07:00", time.RFC3339, "2006-01-02 15:04:05.000Z07:00", time.RFC3339Nano}
	random := func() (text string, at time.Time) {
		layout := layouts[r.IntN(len(layouts))]
		zone := time.FixedZone("", (r.IntN(1440)-720)*60)
		base := []int64{-62000000000, 0, 951782400, 1800000000}[r.IntN(4)]
		text = time.Unix(base+r.Int64N(200_000), r.Int64N(4)*250_000_000).In(zone).Format(layout)
		at, err := time.Parse(layout, text)
		if err != nil {
			t.Fatal(err)
		}
		return text, at
	}
	for range 20_000 {
		x, a := random()
		y, b := random()
		u, ok := ParseTime([]byte(x))
		v, ok2 := ParseTime([]byte(y))
		if !ok || !ok2 || u.Compare(v) != a.Compare(b) {
			t.Fatalf("%s and %s: got %v %v %d, want %d", x, y, ok, ok2, u.Compare(v), a.Compare(b))
		}
	}
}

// FuzzParse: what can be parsed can be written and parsed again, and all errors have a place.
func FuzzParse(f *testing.F) {
	f.Add("a + b * -(2 - `odd name`[1:3]) / year(at)")
	f.Add("((((a")
	f.Fuzz(func(t *testing.T, text string) {
		e, _, err := Parse(text, 0, scope)
		if err != nil {
			var wrong *key.SyntaxError
			if !errors.As(err, &wrong) || wrong.At < 0 || wrong.At > len(text) || wrong.Text != text {
				t.Fatalf("%q: %#v", text, err)
			}
			return
		}
		again, end, err := Parse(e.String(), 0, scope)
		if err != nil || end != len(e.String()) || again.String() != e.String() {
			t.Fatalf("%q became %q became %v: %v", text, e, again, err)
		}
		_ = fmt.Sprintf("%q", e.Append(nil, func(int) []byte { return []byte("1.5") }))
	})
}
