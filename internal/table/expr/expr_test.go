package expr

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/table/key"
	"github.com/thresh-dev/thresh/internal/table/value"
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
	field := func(column int) []byte {
		if fields[column] == null {
			return nil
		}
		return []byte(fields[column])
	}
	got := written(e.Value(field))
	if other := written(again.Value(field)); other != got {
		t.Errorf("%s is %s, but %s is %s", text, got, again, other)
	}
	return got
}

// null is a field, and a value, that is null.
const null = "(null)"

// written returns a value as other parts of a table read it.
func written(v value.Value) string {
	text, _ := v.Append(nil)
	if v.IsNull() {
		return null
	}
	return string(text)
}

func TestValues(t *testing.T) {
	for _, c := range [][4]string{
		{"a + b * 2", "1", "3", "7"}, {"(a + b) * 2", "1", "3", "8"}, {"a - b - 1", "5", "3", "1"}, {"a - (b - 1)", "5", "3", "3"},
		{"a / b / 2", "12", "3", "2"}, {"a / (b / 2)", "12", "3", "8"}, {"-a - -b", "5", "3", "-2"}, {"- - a", "5", "", "5"},
		{"a*-1", "2", "", "-2"}, {"a * b", "1.10", "2", "2.2"}, {"a * b", "0.5", "4", "2"}, {"a / b", "1", "0", null}, {"a / b", "1", "0e0", null},
		{"a + b", "x", "y", "x"}, {"a + b", "1", "y", "y"}, {"a + b", " 1 ", "2", "3"}, {"a + b", "", "y", ""},
		{"a + b", "  ", "1", "  "}, {"a + b", null, "y", null}, {"a + b", "y", null, null}, {"-a", null, "", null},
		{"lower(a)", null, "", null}, {"length(a)", null, "", null}, {"length(a)", "", "", "0"}, {"abs(a)", null, "", null},
		{"a[1:3]", null, "", null}, {"a[1:3]", "x", "", ""}, {"year(a)", null, "", null}, {"year(a)", "", "", null},
		{"length(a * b)", "1e2", "3", "3"}, {"lower(a * b)", "1e30", "1", "1000000000000000000000000000000"},
		{"a - b", "+Inf", "1", "+Inf"}, {"a - b", "+Inf", "+Inf", null}, {"a * b", "-Inf", "2e0", "-Inf"}, {"1 / a", "-Inf", "", "0e0"},
		{"a * b", "1e-9", "1", "0.000000001e0"},
		{"a * b", "1e2", "3", "300e0"}, {"a * b", "1e200", "1e200", "+Inf"}, {"a * b + 1", "1e200", "1e200", "+Inf"},
		{"-a", "1e0", "", "-1e0"}, {"abs(a)", "-1.50", "", "1.5"}, {"abs(a)", "x", "", "x"}, {"abs(-1 * a)", "2e0", "", "2e0"},
		{"'x' in (a, b)", "x", "y", "true"}, {"'x' in (a, b)", "z", "y", "false"}, {"'x' in (a, b)", null, "y", null}, {"2 in (a, b)", "1", "2.0", "true"},
		{"upper(a)", "straße é\xff", "", "STRASSE É\xff"}, {"lower(a)", "ÄB", "", "äb"}, {"length(a)", "日本x", "", "3"},
		{"a[1:3]", "abcd", "", "bc"}, {"a[1:3] * 2", "9127", "", "24"}, {"`odd name` + $1", "1", "", "5"}, {"year(a) + 1", "2026-11-23", "", "2027"},
		{"date_diff('week', a, b)", "2024-01-07", "2024-01-08", "0"}, {"date_diff('week', a, b)", "2024-01-03 15:00", "2024-01-10", "1"},
		{"date_diff('week', a, b)", "2024-01-03", "2023-12-28", "0"}, {"date_diff('week', a, b)", "2024-01-03", "2023-12-27", "-1"},
		{"date_diff('year', a, b)", "2023-12-31", "2024-01-01", "1"},
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
	none := strings.TrimSuffix(strings.Repeat(null+" ", 9), " ")
	for text, want := range map[string]string{
		"2026-11-23":                    "2026 4 11 23 1 00 00 00 2026-11-23",
		" 2024-02-29T23:59 ":            "2024 1 02 29 4 23 59 00 2024-02-29",
		"2026-01-01 10:35:07.25+01:00":  "2026 1 01 01 4 10 35 07 2026-01-01",
		"0000-03-01t00:00:60z":          "0000 1 03 01 3 00 00 60 0000-03-01",
		"2023-02-29":                    none,
		"1900-02-29":                    none,
		"2026-11-31":                    none,
		"2026-00-10":                    none,
		"2026-11-23T24:00":              none,
		"2026-11-23T10":                 none,
		"2026-11-23T10:35:":             none,
		"2026-11-23T10:35:07.":          none,
		"2026-11-23T10:35+1":            none,
		"2026-11-23T10:35 ":             "2026 4 11 23 1 10 35 00 2026-11-23",
		"2026-11-23x":                   none,
		"20261123":                      none,
		"":                              none,
		"2026-11-23T10:35:07,5-0730":    "2026 4 11 23 1 10 35 07 2026-11-23",
		"2026-11-23T10:35:07-24":        none,
		"2026-11-23T10:35:07Z and more": none,
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
		_ = fmt.Sprintf("%q", written(e.Value(func(int) []byte { return []byte("1.5") })))
	})
}
