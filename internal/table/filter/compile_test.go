package filter

import (
	"errors"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/table/key"
)

func TestString(t *testing.T) {
	for expr, want := range map[string]string{
		"a=1":                                   "a = 1",
		"a == 1 AND b<>2 Or a>=-.5e3":           "a = 1 and b != 2 or a >= -.5e3",
		"(((a = 1)))":                           "a = 1",
		"(a = 1 and b = 2) and (b = 1 and a=1)": "a = 1 and b = 2 and b = 1 and a = 1",
		"(a = 1 or b = 2) and not (b = 1)":      "(a = 1 or b = 2) and not b = 1",
		"not (a = 1 and not not b < 2)":         "not (a = 1 and not not b < 2)",
		"3[:4] = 'it''s' or $3 = b[1:]":         `$3[:4] = "it's" or $3 = b[1:]`,
		"`odd name` = \"say \"\"x\"\"\"":        "`odd name` = \"say \"\"x\"\"\"",
		"`and` = 1 and `city` = $1":             "`and` = 1 and city = $1",
		"`7` = 7 and 7 = `7`":                   "`7` = 7 and $7 = `7`",
		"city ~ '^it''s' and city!~\"x\"\"y\"":  `city ~ '^it''s' and not city ~ 'x"y'`,
		"x.y = 1\n\tand é > \"日本\"":             `x.y = 1 and é > "日本"`,
		"a[ 1 : 2 ] = a[0:]":                    "a[1:2] = a",
		"a IN (1,'x' , -2.50)":                  `a in (1, "x", -2.50)`,
		"a not in ('it''s')":                    `not a in ("it's")`,
		"a between 1 and 2 or b = 3":            "a >= 1 and a <= 2 or b = 3",
		"a not between $1 and 'x'":              `not (a >= $1 and a <= "x")`,
		"a is NULL and b Is Not Null":           "a is null and not b is null",
		"a like 'x%' and b not ilike \"_\"":     "a like 'x%' and not b ilike '_'",
		"city ~* 'x' or city !~* 'it''s'":       "city ~* 'x' or not city ~* 'it''s'",
		"a*b>100":                               "a * b > 100",
		"(a + b)*-2 = (a-(b - 1))/-b":           "(a + b) * -2 = (a - (b - 1)) / - b",
		"((a)) + 1 > 2 and (b > 1)":             "a + 1 > 2 and b > 1",
		"a -1 > 2-1":                            "a - 1 > 2 - 1",
		"Year( city ) in (2026)":                "year(city) in (2026)",
		"lower(`odd name`) = 'x'":               "lower(`odd name`) = \"x\"",
	} {
		f, err := Parse(expr, resolve)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		if got := f.String(); got != want {
			t.Errorf("%s\n got %s\nwant %s", expr, got, want)
		}
	}
}

// The line under the filter is where the caret has to be.
func TestErrors(t *testing.T) {
	for _, c := range []struct{ expr, caret, reason string }{
		{``, `^`, "a column is missing here: a name, or $ and a number from 1"},
		{`a = 1 and`, `         ^`, "a column is missing here: a name, or $ and a number from 1"},
		{`a`, ` ^`, "an operator is missing here: = != < <= > >= ~ !~ in between like is"},
		{`a 1`, `  ^`, "an operator is missing here: = != < <= > >= ~ !~ in between like is"},
		{`a =`, `   ^`, `a number, a "text" or a column is missing here`},
		{`a = and`, `    ^`, `a number, a "text" or a column is missing here`},
		{`a = 1 b = 2`, `      ^`, `"and" or "or" is missing before this`},
		{`(a = 1 b`, `       ^`, "an operator, a comma or a closing parenthesis is missing before this"},
		{`b = 1 and (a = 1`, `          ^`, "the parenthesis is never closed"},
		{`a = 1)`, `     ^`, "no parenthesis is open that this could close"},
		{`a = 1 && `, `         ^`, "a column is missing here: a name, or $ and a number from 1"},
		{`a = 1 || b = 1`, `      ^`, "|| puts texts together here; or is written or"},
		{`!a = 1`, `^`, "! is written not here"},
		{`a = 1; b`, `     ^`, `';' has no meaning here`},
		{`é = "日本" … a`, `         ^`, `"and" or "or" is missing before this`},
		{`a = "x`, `    ^`, `the quote " is never closed`},
		{"a = 1 and `x", `          ^`, "the quote ` is never closed"},
		{`$ = 1`, `^`, "a column number is missing after $"},
		{`a = 1x`, `    ^`, "1x is not a number; put a text in double quotes"},
		{`a = -`, `    ^`, "- is not a number; put a text in double quotes"},
		{`a = 1e999`, `    ^`, "1e999 is beyond the range of a 64-bit float; put a text in double quotes"},
		{`1.5 = 2`, `      ^`, "a comparison needs a column; column 5 is written $5"},
		{`a = null`, `    ^`, "nothing equals null: write is null, or is not null"},
		{`a + 1`, `     ^`, "an operator is missing here: = != < <= > >= ~ !~ in between like is"},
		{`a > 1 and b`, `           ^`, "an operator is missing here: = != < <= > >= ~ !~ in between like is"},
		{`case when a then 1 end > 1`, `            ^`, "an operator is missing here: = != < <= > >= ~ !~ in between like is"},
		{`a::intger = 1`, `   ^`, `a type is missing here; did you mean "integer"?`},
		{`case when a = 1 then 2`, `^`, "this case has no end"},
		{`case a then 2 end = 1`, `       ^`, "when is missing here: case when CONDITION then VALUE else VALUE end"},
		{`round(a, b) = 1`, `         ^`, "the number of digits after the point is missing here: round(price, 2)"},
		{`substr(a) = 1`, `^`, "substr takes 2 or 3 arguments"},
		{`a > b + interval '5 moons'`, `                 ^`, `"moons" is not a unit of an interval`},
		{`date_trunc(a, b) = 1`, `           ^`, "a unit in single quotes is missing here: century decade year quarter month week day hour " +
			"minute second millisecond microsecond"},
		{`"b" = 1`, `^`, "a comparison has a text on the right; on the left, write a column with a special name as `b`"},
		{`a = 1 and c1ty = 2`, `          ^`, `column "c1ty": no such name in the header; did you mean "city"?`},
		{`9 = 1`, `^`, "column 9: the first record has 8 fields"},
		{`a = $0`, `    ^`, "column 0: columns are counted from 1"},
		{`a[2:1] = 1`, `  ^`, "the slice ends, at 1, before it begins, at 2"},
		{`a[x] = 1`, `  ^`, "a slice of a column is written [from:to], [from:] or [:to]"},
		{`a[x:] = 1`, `  ^`, `"x" is not an offset in a field: offsets are whole numbers from 0`},
		{`a[1: = 1`, ` ^`, "the bracket is never closed"},
		{`a ~ b`, `    ^`, "a regular expression in single quotes is missing here"},
		{`a ~ 'b' and a ~ 'x(y'`, `                 ^`, "error parsing regexp: missing closing ): `x(y`"},
		{`a ~ 'x[z-a]'`, `       ^`, "error parsing regexp: invalid character class range: `z-a`"},
		{`a in 1`, `     ^`, `a list is missing here: in (1, 2) or in ("a", "b")`},
		{`a in (1`, `     ^`, "the parenthesis is never closed"},
		{`a in ()`, `      ^`, `a number or a "text" is missing here`},
		{`a in (1 2)`, `        ^`, "a comma is missing before this"},
		{`a in (,1)`, `      ^`, `a number or a "text" is missing here`},
		{`a between 1`, `           ^`, "between needs two ends: between 1 and 5"},
		{`a between 1 or 2`, `            ^`, "between needs two ends: between 1 and 5"},
		{`a is 1`, `     ^`, "is can be followed by null or not null only; compare with ="},
		{`a not = 1`, `      ^`, "in, between, like or ilike is missing after not"},
		{`a like b`, `       ^`, "a pattern in quotes is missing here: % stands for any text, _ for one character"},
		{`yaer(a) = 1`, `^`, `there is no function yaer; did you mean "year"?`},
		{`year(a = 1`, `    ^`, "the parenthesis is never closed"},
		{`a * (b + 1 > 2`, `    ^`, "the parenthesis is never closed"},
		{`a * > 2`, `    ^`, "a column is missing here: a name, or $ and a number from 1"},
		{`a = 1 / 0`, `    ^`, "this is not a number, nor a column"},
		{`a ~* 'x(y'`, `      ^`, "error parsing regexp: missing closing ): `(?i)x(y`"},
		{`a ~ '''x('`, `    ^`, "error parsing regexp: missing closing ): `'x(`"},
	} {
		_, err := Parse(c.expr, resolve)
		var wrong *key.SyntaxError
		if !errors.As(err, &wrong) {
			t.Errorf("%s: got %v, want a syntax error", c.expr, err)
			continue
		}
		if want := c.reason + "\n" + c.expr + "\n" + c.caret; err.Error() != want {
			t.Errorf("got\n%v\nwant\n%s", err, want)
		}
	}
}

// What is nested as deep as allowed can be written and asked; deeper is an error.
func TestDepth(t *testing.T) {
	for _, c := range []struct{ open, closing string }{{"(", ")"}, {"not ", ""}, {"not(", ")"}, {"(a=2 or(b=1 and ", "))"}} {
		levels := strings.Count(c.open, "(") + strings.Count(c.open, "not")
		deep := func(n int) string {
			return strings.Repeat(c.open, n/levels) + "a=1" + strings.Repeat(c.closing, n/levels)
		}
		f, err := Parse(deep(1000), resolve)
		if err != nil {
			t.Fatalf("%s: %.80s", c.open, err)
		}
		again, err := Parse(f.String(), resolve)
		if err != nil || again.String() != f.String() {
			t.Errorf("%s: %v", c.open, err)
		}
		if _, err := Parse(deep(1000+levels), resolve); err == nil || !strings.HasPrefix(err.Error(), "this is nested deeper than 1000\n") {
			t.Errorf("%s: got %v", c.open, err)
		}
	}
	if _, err := Parse(strings.Repeat("a=1 or ", 20*1000)+"a=1", resolve); err != nil {
		t.Errorf("what is long is not deep: %.80s", err)
	}
}

// FuzzParse holds what can be parsed to its own way of writing it.
func FuzzParse(f *testing.F) {
	f.Add("a = 1 and (city ~ 'x''y' or not `odd name`[1:3] != \"\"\"\")")
	f.Add("$3 < -.5e-3 or 7 = `7` and é<>a[:2]")
	f.Add("not((((a=1")
	f.Fuzz(func(t *testing.T, expr string) {
		first, err := Parse(expr, resolve)
		if err != nil {
			var wrong *key.SyntaxError
			if !errors.As(err, &wrong) || wrong.At < 0 || wrong.At > len(expr) || wrong.Text != expr {
				t.Fatalf("%q: %#v", expr, err)
			}
			return
		}
		second, err := Parse(first.String(), resolve)
		if err != nil {
			t.Fatalf("%q became %q: %v", expr, first, err)
		}
		if first.String() != second.String() {
			t.Fatalf("%q became %q became %q", expr, first, second)
		}
	})
}
