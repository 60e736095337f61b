package key

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
)

var resolve = Columns([]string{"city", "amount", "a,b", "say \"x\"", "7", "twice", "twice", "first name"})

// batch puts fields into a batch, with what is no field's between them and slack around.
func batch(fields [][]byte) (text []byte, column records.Column, sel records.Selection) {
	const between = ", x"
	text = bytes.Repeat([]byte(between), records.SlackBytes)
	for i, f := range fields {
		column = append(column, records.Span{Off: uint32(len(text)), Len: uint32(len(f))})
		text = append(append(text, f...), between[i%len(between)])
		sel = append(sel, uint16(i))
	}
	return append(text, bytes.Repeat([]byte(between), records.SlackBytes)...), column, sel
}

// ask returns the keys that spec finds in fields, and "-" where there is none.
func ask(t *testing.T, spec string, fields ...string) (keys []string) {
	t.Helper()
	k, err := Parse(spec, Numbered(1), nil)
	if err != nil {
		t.Fatal(err)
	}
	var all [][]byte
	for _, f := range fields {
		keys = append(keys, "-")
		all = append(all, []byte(f))
	}
	text, column, sel := batch(all)
	out := make(records.Column, len(fields))
	for _, i := range k.Worker().Spans(text, column, sel, out, nil) {
		keys[i] = string(out[i].Of(text))
	}
	return keys
}

func TestKeys(t *testing.T) {
	for _, c := range []struct {
		spec         string
		fields, want []string
	}{
		{"1", []string{"abc", "", "\xff\x00"}, []string{"abc", "", "\xff\x00"}},
		{"1[:2]", []string{"abc", "", "a", "ab"}, []string{"ab", "", "a", "ab"}},
		{"1[2:4]", []string{"abcdef", "", "ab", "abc"}, []string{"cd", "", "", "c"}},
		{"1[2:]", []string{"abcdef", "ab", "a"}, []string{"cdef", "", ""}},
		{"1[2:99999999999999999999]", []string{"abcdef", "a"}, []string{"cdef", ""}},
		{"1[4294967296:4294967297]", []string{"abcdef"}, []string{""}},
		{"1[:]", []string{"abcdef"}, []string{"abcdef"}},
		{"1~, *([^, ]+)",
			[]string{"OHERREN, ANNA", "X,Y", ",, JOHN", ",  ,X", "no match", ",", ", ", "A,B,C", "A, B C", ""},
			[]string{"ANNA", "Y", "JOHN", "X", "-", "-", "-", "B", "B", "-"}},
		{"1~b|a", []string{"xab", "c"}, []string{"a", "-"}},
		{"1~a|(b)", []string{"a", "b"}, []string{"", "b"}},
		{"1~^(.*)$", []string{"a\nb", "ab"}, []string{"-", "ab"}},
	} {
		if got := ask(t, c.spec, c.fields...); !slices.Equal(got, c.want) {
			t.Errorf("%s of %q: got %q, want %q", c.spec, c.fields, got, c.want)
		}
	}
}

// A selection may be narrowed in place, and spans may replace those of the column.
func TestInPlace(t *testing.T) {
	text, column, sel := batch([][]byte{[]byte("A, B"), []byte("x"), []byte("C,D"), []byte("E,F"), []byte("y")})
	k, err := Parse("1~, *([^, ]+)", Numbered(1), nil)
	if err != nil {
		t.Fatal(err)
	}
	sel = sel[1:]
	if sel = k.Worker().Spans(text, column, sel, column, sel[:0]); !slices.Equal(sel, records.Selection{2, 3}) {
		t.Fatalf("kept %v", sel)
	}
	if a, b, c := string(column[0].Of(text)), string(column[2].Of(text)), string(column[3].Of(text)); a != "A, B" || b != "D" || c != "F" {
		t.Errorf("got %q %q %q", a, b, c)
	}
}

// written is a key of a list, and what an answer calls it where its column is called N.
type written struct {
	text, heading string
	column        int
	slice         Slice
	expr          string // of the pattern, "" for none
}

func TestParseList(t *testing.T) {
	for spec, want := range map[string][]written{
		"city":                        {{"city", "N", 0, Whole(), ""}},
		" city , 2[ :6] ":             {{"city", "N", 0, Whole(), ""}, {"2[ :6]", "N[ :6]", 1, Slice{0, 6}, ""}},
		"`a,b`,\"say \"\"x\"\"\"[1:]": {{"`a,b`", "N", 2, Whole(), ""}, {`"say ""x"""[1:]`, "N[1:]", 3, Slice{1, math.MaxInt}, ""}},
		"\"7\",7":                     {{`"7"`, "N", 4, Whole(), ""}, {"7", "N", 6, Whole(), ""}},
		"first name,1":                {{"first name", "N", 7, Whole(), ""}, {"1", "N", 0, Whole(), ""}},
		"1~a,2":                       {{"1~a,2", "N~a,2", 0, Whole(), "a,2"}},
		"1~'a,''b' ,2[3:4]":           {{"1~'a,''b'", "N~'a,''b'", 0, Whole(), "a,'b"}, {"2[3:4]", "N[3:4]", 1, Slice{3, 4}, ""}},
		"1~ a ":                       {{"1~ a ", "N~ a ", 0, Whole(), " a "}},
	} {
		keys, err := ParseList(spec, resolve, nil)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		if len(keys) != len(want) {
			t.Errorf("%s: %d keys, want %d", spec, len(keys), len(want))
			continue
		}
		for i, k := range keys {
			w := want[i]
			expr := ""
			if k.pattern != nil {
				expr = k.pattern.expr
			}
			if got := (written{k.Text, k.Heading("N"), k.Column, k.slice, expr}); got != w {
				t.Errorf("%s: got %+v, want %+v", spec, got, w)
			}
		}
	}
}

// The line under the spec is where the caret has to be.
func TestErrors(t *testing.T) {
	for _, c := range []struct{ spec, caret, reason string }{
		{"", "^", "a column is missing here: a number from 1, or a name"},
		{"1,", "  ^", "a column is missing here: a number from 1, or a name"},
		{"1,[2:]", "  ^", "a column is missing here: a number from 1, or a name"},
		{"city,amuont", "     ^", `column "amuont": no such name in the header; did you mean "amount"?`},
		{"1,0", "  ^", "column 0: columns are counted from 1"},
		{"9", "^", "column 9: the first record has 8 fields"},
		{"99999999999999999999", "^", "column 99999999999999999999: the first record has 8 fields"},
		{"twice", "^", `column "twice": columns 6 and 7 both have this name; write $6 or $7`},
		{"`city", "^", "the quote ` is never closed"},
		{"\"city", "^", `the quote " is never closed`},
		{"`city`x", "      ^", "a comma is missing between keys"},
		{"1[2:3]x", "      ^", "a comma is missing between keys"},
		{"1[2:3]~x", "      ^", "a comma is missing between keys"},
		{"1[x]", "  ^", "a slice of a column is written [from:to], [from:] or [:to]"},
		{"1[2]", "  ^", "a slice of a column is written [from:to], [from:] or [:to]; of lines of JSON, " +
			"elements of arrays are written 1.2"},
		{"1[2:3", " ^", "the bracket is never closed"},
		{"1[-2:3]", "  ^", `"-2" is not an offset in a field: offsets are whole numbers from 0`},
		{"1[2:x]", "    ^", `"x" is not an offset in a field: offsets are whole numbers from 0`},
		{"1[3:2]", "  ^", "the slice ends, at 2, before it begins, at 3"},
		{"1~", "  ^", "a regular expression is missing after ~"},
		{"1~'a", "  ^", "the quote ' is never closed"},
		{"1~a(b", "  ^", "error parsing regexp: missing closing ): `a(b`"},
		{"1~ab[z-a]", "     ^", "error parsing regexp: invalid character class range: `z-a`"},
		{"`日本`", "^", `column "日本": no such name in the header; it has city, amount, a,b, say "x", 7, twice, twice, first name`},
	} {
		_, err := ParseList(c.spec, resolve, nil)
		var wrong *SyntaxError
		if !errors.As(err, &wrong) {
			t.Errorf("%s: got %v, want a syntax error", c.spec, err)
			continue
		}
		if want := c.reason + "\n" + c.spec + "\n" + c.caret; err.Error() != want {
			t.Errorf("got\n%v\nwant\n%s", err, want)
		}
	}
	if _, err := Parse("1,2", resolve, nil); err == nil || !strings.HasPrefix(err.Error(), "only one key is allowed here") {
		t.Errorf("two keys for one: got %v", err)
	}
	for spec, want := range map[string]string{
		"city": `column "city": without a header columns have numbers, from 1 to 3; ` +
			`Dialect.Header takes names from the first record, Dialect.JSON those in lines of JSON`,
		`"1"`: `column "1": without a header columns have numbers, from 1 to 3; ` +
			`Dialect.Header takes names from the first record, Dialect.JSON those in lines of JSON`,
		"4": "column 4: the first record has 3 fields",
	} {
		if _, err := Parse(spec, Numbered(3), nil); err == nil || !strings.HasPrefix(err.Error(), want+"\n") {
			t.Errorf("%s: got %v", spec, err)
		}
	}
	for name, want := range map[string]int{"column0": 0, "COLUMN2": 2, "column02": 2, "3": 2, "column3": -1, "column": -1, "column-1": -1,
		"column99999999999999999999": -1} {
		if got, err := Called(3)(name, false); err == nil && got != want || (err != nil) != (want < 0) {
			t.Errorf("%s: %d, %v, want %d", name, got, err, want)
		}
	}
	if got := (&SyntaxError{"wrong", "a\tb\n日本x", 10}).Error(); got != "wrong\na b 日本x\n      ^" {
		t.Errorf("got %q", got)
	}
}

func FuzzParseList(f *testing.F) {
	f.Add("city, 2[:6] , 8~'a''b',`a,b`~x")
	f.Fuzz(func(t *testing.T, spec string) {
		keys, err := ParseList(spec, resolve, nil)
		var wrong *SyntaxError
		if err != nil && (!errors.As(err, &wrong) || wrong.At < 0 || wrong.At > len(spec)) {
			t.Fatalf("%q: %#v", spec, err)
		}
		for _, k := range keys {
			again, err := Parse(k.Text, resolve, nil)
			if err != nil || again.Column != k.Column || again.slice != k.slice || again.Text != k.Text {
				t.Fatalf("%q of %q: %+v, %v", k.Text, spec, again, err)
			}
		}
	})
}

func TestNoAllocation(t *testing.T) {
	text, column, sel := batch([][]byte{[]byte("OHERREN, ANNA"), []byte(",, JOHN"), []byte("none"), bytes.Repeat([]byte("x, y"), 20)})
	out, kept := make(records.Column, len(sel)), make(records.Selection, 0, len(sel))
	for _, spec := range []string{"1", "1[2:3]", "1~, *([^, ]+)"} {
		k, err := Parse(spec, Numbered(1), nil)
		if err != nil {
			t.Fatal(err)
		}
		w := k.Worker()
		if n := testing.AllocsPerRun(10, func() { w.Spans(text, column, sel, out, kept) }); n != 0 {
			t.Errorf("%s: %v allocations a batch", spec, n)
		}
	}
}
