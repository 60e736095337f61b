package jsontext

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/thresh-dev/thresh/internal/kernel/jsonscan"
)

// validate validates a text with a new Validator, cut at these indices.
func validate(b []byte, values Values, cuts ...int) error {
	v := New(0, values)
	begin := 0
	for _, cut := range cuts {
		if err := v.Write(b[begin:cut]); err != nil {
			return err
		}
		begin = cut
	}
	if err := v.Write(b[begin:]); err != nil {
		return err
	}
	return v.Close()
}

// twin validates with the state machine alone, and counts lines and columns in the most obvious way.
func twin(b []byte, depthMax int, values Values) error {
	fillTables()
	m := machineFor(depthMax, values)
	line, column := int64(1), int64(1)
	for i, c := range b {
		if reason := m.step(c); reason != "" {
			if i == 0 {
				reason = atBegin(c, reason)
			}
			return &SyntaxError{int64(i), line, column, reason}
		}
		column++
		if c == '\n' {
			line, column = line+1, 1
		}
	}
	if reason := m.end(); reason != "" {
		return &SyntaxError{int64(len(b)), line, column, reason}
	}
	return nil
}

// same reports whether two errors are equal.
func same(a, b error) bool {
	if a == nil || b == nil {
		return a == b
	}
	var x, y *SyntaxError
	return errors.As(a, &x) && errors.As(b, &y) && *x == *y
}

// random returns a valid text with all kinds of values and white space.
func random(r *rand.Rand, words int) []byte {
	var b []byte
	for len(b) == 0 || words > 0 {
		if len(b) > 0 {
			b = append(b, ',', '\n')
		}
		b = appendValue(b, r, &words, 0)
	}
	return append(append([]byte{'['}, b...), ']')
}

var strangeStrings = []string{
	`""`, `"a"`, `"\""`, `"\\"`, `"\\\\\""`, `"\u00e9\ud83d\ude00"`, `"é"`, `"漢字かな交じり文"`, `"😀"`, `"\n\t\b\f\r\/"`,
	`"a string that is longer than a block of sixty-four bytes, so that it spans one, {[:,]} and \"more\" "`,
	`"\uD800 alone"`, `"` + strings.Repeat(`\`, 130) + `"`, `"` + strings.Repeat(`\u1234`, 30) + `"`, `"` + strings.Repeat("ü€😀", 30) + `"`,
}

var strangeNumbers = []string{
	"0", "-0", "1", "-1", "12345678", "123456789", "1234567890123456", "0.5", "-0.25e-10", "1e5", "1E+5", "12345678.12345678e12345678",
	"3.141592653589793238462643383279502884197169399375105820974944592307816406286208998628034825342117067982148086513282306647",
}

func appendValue(b []byte, r *rand.Rand, words *int, depth int) []byte {
	*words--
	white := func() {
		switch r.IntN(4) {
		case 0:
			b = append(b, '\n')
			b = append(b, bytes.Repeat([]byte(" "), 2*depth)...)
		case 1:
			b = append(b, " \t\r\n"[r.IntN(4)])
		}
	}
	white()
	switch k := r.IntN(10); {
	case k < 2 && depth < 20:
		b = append(b, '{')
		for i := range r.IntN(6) {
			if i > 0 {
				b = append(b, ',')
			}
			white()
			b = append(b, strangeStrings[r.IntN(len(strangeStrings))]...)
			white()
			b = append(b, ':')
			b = appendValue(b, r, words, depth+1)
		}
		white()
		b = append(b, '}')
	case k < 4 && depth < 20:
		b = append(b, '[')
		for i := range r.IntN(6) {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendValue(b, r, words, depth+1)
		}
		white()
		b = append(b, ']')
	case k < 7:
		b = append(b, strangeStrings[r.IntN(len(strangeStrings))]...)
	case k < 9:
		b = append(b, strangeNumbers[r.IntN(len(strangeNumbers))]...)
	default:
		b = append(b, []string{"true", "false", "null"}[r.IntN(3)]...)
	}
	white()
	return b
}

// mutate changes a byte, takes one out, or puts one in.
func mutate(b []byte, r *rand.Rand) []byte {
	i := r.IntN(len(b))
	c := "{}[]:,\"\\ \n0123456789-+.eEtfnu\x00\x1f\x7f\x80\xbf\xc0\xc3\xe0\xed\xf0\xf4\xff"
	switch r.IntN(3) {
	case 0:
		b[i] = c[r.IntN(len(c))]
	case 1:
		b = append(b[:i], b[i+1:]...)
	default:
		b = append(b[:i], append([]byte{c[r.IntN(len(c))]}, b[i:]...)...)
	}
	return b
}

// oracle compares err with the verdicts of encoding/json and unicode/utf8.
func oracle(b []byte, err error) error {
	if want := json.Valid(b) && utf8.Valid(b); want != (err == nil) {
		return fmt.Errorf("got %v, but encoding/json says %v and unicode/utf8 %v", err, json.Valid(b), utf8.Valid(b))
	}
	return nil
}

func TestRandomAndMutated(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 400 {
		b := random(r, 1+r.IntN(400))
		if err := validate(b, One, r.IntN(len(b)+1)); err != nil {
			t.Fatalf("%v: %.500q", err, b)
		}
		for range 4 {
			b = mutate(b, r)
			want := twin(b, DepthMax, One)
			got := validate(b, One)
			if !same(got, want) {
				t.Fatalf("got %v, want %v: %.500q", got, want, b)
			}
			if err := oracle(b, got); err != nil {
				t.Fatalf("%v: %.500q", err, b)
			}
			cut := r.IntN(len(b) + 1)
			if got := validate(b, One, cut); !same(got, want) {
				t.Fatalf("cut at %d: got %v, want %v: %.500q", cut, got, want, b)
			}
		}
	}
}

// invalidTexts are texts with the offset and reason of their error. The last ones are valid, with
// the reason "".
var invalidTexts = []struct {
	text   string
	offset int64
	reason string
}{
	{"", 0, "the text holds no value"},
	{" \n", 2, "the text holds no value"},
	{"\ufeff{}", 0, "byte 0xef where a value should be: it begins a byte order mark, which JSON must not have; save the text without it"},
	{"\xff\xfe{\x00", 0, "byte 0xff where a value should be: it begins a text in UTF-16; convert the text to UTF-8"},
	{"{} x", 3, "'x' after the end of the value"},
	{"{}{}", 2, "'{' after the end of the value"},
	{"[1,]", 3, "']' after a comma, where a value should be"},
	{`{"a":1,}`, 7, "'}' after a comma, where a name in quotes should be"},
	{"[1 2]", 3, "'2' where ',' or ']' should be"},
	{"[1}", 2, "'}' where ',' or ']' should be"},
	{"{1:2}", 1, "'1' where a name in quotes or '}' should be"},
	{`{"a" 1}`, 5, "'1' where ':' should be"},
	{`{"a":}`, 5, "'}' where a value should be"},
	{`{"a":1 "b":2}`, 7, "'\"' where ',' or '}' should be"},
	{"[", 1, "the text ends where a value or ']' should be"},
	{`{"a":1`, 6, "the text ends where ',' or '}' should be"},
	{"tru", 3, "the text ends within true, false or null"},
	{"nul1", 3, "'1' in a literal, which must be true, false or null"},
	{"truex", 4, "'x' in or after a literal"},
	{"01", 1, "'1' after the leading zero of a number"},
	{"-", 1, "the text ends in a number"},
	{"-a", 1, "'a' where a number needs a digit"},
	{"1.e1", 2, "'e' where a number needs a digit"},
	{"1e+", 3, "the text ends in a number"},
	{"1.2.3", 3, "'.' in or after a number"},
	{"+1", 0, "'+' where a value should be"},
	{"NaN", 0, "'N' where a value should be"},
	{"\"a\tb\"", 2, `byte 0x09 in a string must be escaped, as \u and four digits`},
	{`"\x"`, 2, "'x' after a backslash is not a valid escape"},
	{`"\u12g4"`, 5, `'g' where \u needs four hexadecimal digits`},
	{`"abc`, 4, "the text ends in a string"},
	{"\"\x80\"", 1, "byte 0x80 cannot begin a UTF-8 character"},
	{"\"\xc0\xaf\"", 1, "byte 0xc0 cannot begin a UTF-8 character"},
	{"\"\xe0\x80\x80\"", 2, "byte 0x80 makes an overlong UTF-8 encoding"},
	{"\"\xed\xa0\x80\"", 2, "byte 0xa0 makes a surrogate, which UTF-8 does not allow"},
	{"\"\xf4\x90\x80\x80\"", 2, "byte 0x90 makes a character beyond U+10FFFF"},
	{"\"\xe2\x82\"", 3, `'"' in an incomplete UTF-8 character`},
	{"\"\xe2\x82", 3, "the text ends in a string"},
	{"[é]", 1, "byte 0xc3 where a value or ']' should be"},
	{"{\"a\":[1,2,{\"b\":null}],\"c\":-0.5e+7,\"d\":\"\\ud800\\n\"}\n", 0, ""},
	{" 0 ", 0, ""},
	{`"\\"`, 0, ""},
}

// wholeText reports whether a reason is about the whole text, and so differs within an array.
func wholeText(reason string) bool {
	return reason == "" || strings.Contains(reason, "the text ") || strings.Contains(reason, "the end of the value")
}

// The error is the same wherever the text is cut, and after white space or the start of a long array.
func TestInvalidTexts(t *testing.T) {
	long := "[" + strings.Repeat("\"a\", [1, {\"b\": null}],\n", 1000)
	for _, test := range invalidTexts {
		for _, before := range []string{"", "\n \n  ", long} {
			if before == long && wholeText(test.reason) || before != "" && test.offset == 0 && test.reason != "" {
				continue
			}
			b := []byte(before + test.text)
			var want error
			if test.reason != "" {
				offset := test.offset + int64(len(before))
				head := string(b[:offset])
				want = &SyntaxError{
					offset, int64(strings.Count(head, "\n")) + 1,
					offset - int64(strings.LastIndex(head, "\n")), test.reason,
				}
			}
			for cut := max(0, len(b)-150); cut <= len(b); cut += 1 + len(before)/10_000*6 {
				if got := validate(b, One, cut); !same(got, want) {
					t.Fatalf("%q, cut at %d: got %v, want %v", test.text, cut, got, want)
				}
			}
		}
	}
}

func TestMany(t *testing.T) {
	for text, reason := range map[string]string{
		"":                     "",
		"\n":                   "",
		"{}\n{}\n":             "",
		"1 2\n3":               "",
		`{}[]"a""b"null[1]2[]`: "",
		"12":                   "",
		`1"a"`:                 "",
		`"a"1`:                 "",
		`null"a"true{}0`:       "",
		"truefalse":            "'f' in or after a literal",
		"{},{}":                "',' where a value should be",
		"{}\n]":                "']' where a value should be",
		"1\n:":                 "':' where a value should be",
		"{}\n[":                "the text ends where a value or ']' should be",
	} {
		for _, before := range []string{"", strings.Repeat("{\"a\": [1, \"b\"]}\n7\n", 600)} {
			b := []byte(before + text)
			for cut := max(0, len(b)-150); cut <= len(b); cut += 1 + len(before)/10_000*6 {
				err := validate(b, Any, cut)
				var e *SyntaxError
				if got := errors.As(err, &e); got != (reason != "") || got && e.Reason != reason {
					t.Fatalf("%q, cut at %d: got %v, want %q", text, cut, err, reason)
				}
				if want := twin(b, DepthMax, Any); !same(err, want) {
					t.Fatalf("%q, cut at %d: got %v, want %v", text, cut, err, want)
				}
			}
		}
	}
}

func TestDepth(t *testing.T) {
	nested := func(n int) []byte {
		return []byte(strings.Repeat("[", n) + strings.Repeat("]", n) + strings.Repeat(" ", 200))
	}
	for _, test := range []struct{ limit, depth int }{{0, DepthMax}, {1, 1}, {500, 500}, {20_000, 20_000}} {
		for deeper := range 2 {
			b := nested(test.depth + deeper)
			v := New(test.limit, One)
			err := v.Write(b)
			if err == nil {
				err = v.Close()
			}
			if want := twin(b, test.depth, One); !same(err, want) || (err != nil) != (deeper == 1) {
				t.Errorf("limit %d, depth %d: got %v, want %v", test.limit, test.depth+deeper, err, want)
			}
		}
	}
}

// After an error, a Validator always returns the same error.
func TestErrorStays(t *testing.T) {
	v := New(0, One)
	first := v.Write([]byte("[1,\n x"))
	if first == nil || first.Error() != "not JSON at offset 5 (line 2, column 2): 'x' where a value should be" {
		t.Fatalf("got %v", first)
	}
	if err := v.Write([]byte("]")); err != first {
		t.Errorf("the second Write returns %v", err)
	}
	if err := v.Close(); err != first {
		t.Errorf("Close returns %v", err)
	}
}

// A random text, cut at every offset, and a longer one in pieces of many sizes.
func TestEverySplit(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	b := random(r, 150)
	for cut := range len(b) + 1 {
		if err := validate(b, One, cut); err != nil {
			t.Fatalf("cut at %d: %v: %q", cut, err, b)
		}
	}
	b = append(b, random(r, 2000)...)
	for size := 1; size < 700; size += 1 + size/30 {
		var cuts []int
		for at := size; at < len(b); at += size {
			cuts = append(cuts, at)
		}
		if got, want := validate(b, Any, cuts...), twin(b, DepthMax, Any); !same(got, want) || got != nil {
			t.Fatalf("pieces of %d: got %v, want %v", size, got, want)
		}
	}
}

// The fast path accepts a long text except for a little at its ends. No other test would notice a
// Sum that always answers "don't know".
func TestFastPathAccepts(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, values := range []Values{One, Several, Any} {
		b := random(r, 5000)
		v := New(0, values)
		if err := v.Write(b); err != nil {
			t.Fatal(err)
		}
		if s := v.sum; s.fault < len(b) || s.to-s.from < len(b)-1000 {
			t.Errorf("values %d: of %d bytes, the fast path covers %d to %d, and has its first doubt at %d", values, len(b), s.from, s.to, s.fault)
		}
	}
}

// A mutation in a text of several tiles is reported at the same byte as by the twin.
func TestLongMutated(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 60 {
		b := mutate(random(r, 4000), r)
		want := twin(b, DepthMax, One)
		if got := validate(b, One); !same(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
		if err := oracle(b, want); err != nil {
			t.Fatal(err)
		}
	}
}

// Anything after the end of a long text is found, in the same tile or in a later one.
func TestLeftOver(t *testing.T) {
	b := random(rand.New(rand.NewPCG(11, 12)), 3000)
	for _, white := range []int{0, 1, 100, 3 * jsonscan.TileBytes} {
		for _, more := range []string{"", "]", "x", "{}", "\"", "\x00"} {
			long := []byte(string(b) + strings.Repeat(" ", white) + more + strings.Repeat("\n", 300))
			got, want := validate(long, One), twin(long, DepthMax, One)
			if !same(got, want) || (got == nil) != (more == "") {
				t.Errorf("%q after %d spaces: got %v, want %v", more, white, got, want)
			}
		}
	}
}

// Tokens across the boundary of two tiles, or of the part of a piece that the fast path covers.
func TestBorders(t *testing.T) {
	for _, text := range []string{
		"é", "€", "😀", "\xc3", "\xe2\x82", "\xf0\x9f\x98", "\xa9", `\u00e9`, `\u00g9`, `\u0`, `\"`, `\\`, `\x`, `", "`, `", 12345.25e+10, "`,
		`", 12345.25.10, "`, `", true, "`, `", trxe, "`, `" "`, `", {"a": [1]}, "`, "\x01", "é\x01",
	} {
		for before := 50; before < 50+64; before++ {
			head := `["` + strings.Repeat("x", before) + text
			for cut := len(head) + 50; cut < len(head)+140; cut += 5 {
				b := []byte(head + strings.Repeat("y", 150) + `"]`)
				if got, want := validate(b, One, cut), twin(b, DepthMax, One); !same(got, want) {
					t.Fatalf("%q, cut at %d: got %v, want %v", b, cut, got, want)
				}
			}
		}
		for before := jsonscan.TileBytes - 20; before < jsonscan.TileBytes+4; before++ {
			b := []byte(`["` + strings.Repeat("x", before) + text + strings.Repeat("y", 2*jsonscan.TileBytes) + `"]`)
			if got, want := validate(b, One), twin(b, DepthMax, One); !same(got, want) {
				t.Fatalf("%q after %d letters: got %v, want %v", text, before, got, want)
			}
		}
	}
}

// A number that is longer than several tiles.
func TestLongNumber(t *testing.T) {
	for _, more := range []string{"", ".5", "x", "e", " 1"} {
		b := []byte("[" + strings.Repeat("1", 3*jsonscan.TileBytes+77) + more + strings.Repeat(" ", 200) + "]")
		for _, cut := range []int{0, 1000, jsonscan.TileBytes, len(b) - 300, len(b) - 100} {
			if got, want := validate(b, One, cut), twin(b, DepthMax, One); !same(got, want) {
				t.Errorf("%q after many digits, cut at %d: got %v, want %v", more, cut, got, want)
			}
		}
	}
}

func TestNoAllocation(t *testing.T) {
	b := random(rand.New(rand.NewPCG(9, 10)), 1000)
	v := New(0, Any)
	if n := testing.AllocsPerRun(20, func() {
		if err := v.Write(b); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations a piece", n)
	}
}

func FuzzValidate(f *testing.F) {
	for _, test := range invalidTexts {
		f.Add([]byte(test.text), uint16(3), uint16(9), uint8(0))
	}
	f.Add([]byte(strings.Repeat(`{"a\"":[-1.5e3,true,"\u00e9é"]}`, 20)), uint16(130), uint16(200), uint8(2))
	f.Fuzz(func(t *testing.T, b []byte, first, second uint16, mode uint8) {
		values := Values(mode % 3)
		i := int(first) % (len(b) + 1)
		j := i + int(second)%(len(b)-i+1)
		want := twin(b, DepthMax, values)
		for _, cuts := range [][]int{{i, j}, nil} {
			if got := validate(b, values, cuts...); !same(got, want) {
				t.Fatalf("cut at %v: got %v, want %v", cuts, got, want)
			}
			if got := joined(b, values, 64, cuts...); !same(got, want) {
				t.Fatalf("summarized between %v: got %v, want %v", cuts, got, want)
			}
		}
		if err := oracle(b, want); err != nil && values == One {
			t.Fatal(err)
		}
	})
}
