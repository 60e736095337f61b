package ndjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/thresh-dev/thresh/internal/kernel/jsonscan"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
	"github.com/thresh-dev/thresh/internal/test/rounds"
)

var asked = []string{"a", "b", "a.b", "a.b.a", "b.0", "a.1.b", "0", "é", "a.\n", "a.0.0"}

// plain finds the values of a line by encoding/json: of a string its value, of others their text.
func plain(line []byte, steps []string) (value string, found bool) {
	var raw json.RawMessage
	if json.Unmarshal(line, &raw) != nil {
		return "", false
	}
	for _, step := range steps {
		index, err := strconv.Atoi(step)
		switch raw = bytes.TrimSpace(raw); {
		case raw[0] == '{':
			var object map[string]json.RawMessage
			if json.Unmarshal(raw, &object) != nil || object[step] == nil {
				return "", false
			}
			raw = object[step]
		case raw[0] == '[' && err == nil:
			var array []json.RawMessage
			if json.Unmarshal(raw, &array) != nil || index < 0 || index >= len(array) {
				return "", false
			}
			raw = array[index]
		default:
			return "", false
		}
	}
	raw = bytes.TrimSpace(raw)
	if raw[0] == '"' {
		var text string
		if json.Unmarshal(raw, &text) != nil {
			panic("a string that is none")
		}
		return text, true
	}
	return string(raw), string(raw) != "null"
}

// check compares the locator with encoding/json on some lines in one text.
func check(t *testing.T, lines [][]byte) {
	t.Helper()
	var paths Paths
	var wanted []int
	for _, p := range asked {
		column, err := paths.Resolve(p, false)
		if err != nil {
			t.Fatal(err)
		}
		wanted = append(wanted, column)
	}
	text := append(bytes.Join(lines, []byte("\n")), "\n"[:len(lines)%2]...)
	for _, skimmed := range []bool{false, true} {
		l := New(&paths, wanted)
		variants, skimming := jsonscan.StringsVariants(), jsonscan.LinesVariants()
		if v := variants[len(text)%len(variants)]; cpu.Has(v.ISA) { // in turn
			l.scan, l.skimmer.scan = v.Func, skimming[len(text)%len(variants)].Func
		}
		l.skimmer.seen = skimmed
		if l.pace.always = walks; skimmed {
			l.pace.always = skims
		}
		l.Begin(text)
		checkLines(t, l, lines)
	}
}

// checkLines compares what a locator finds in lines with encoding/json.
func checkLines(t *testing.T, l *Locator, lines [][]byte) {
	t.Helper()
	text, from := l.text, 0
	for _, line := range lines {
		trimmed := bytes.TrimLeft(line, " \t\r\n")
		valid := json.Valid(line) && utf8.Valid(line) && trimmed[0] == '{'
		at, reason := l.Line(from, from+len(line))
		if valid != (reason == "") {
			t.Fatalf("%q: %q at %d, valid: %v", line, reason, at-from, valid)
		}
		if at < from || at > from+len(line) {
			t.Fatalf("%q: the fault is at %d", line, at-from)
		}
		for i, p := range asked {
			want, found := "", false
			if valid {
				want, found = plain(line, strings.Split(p, "."))
			}
			v := l.Values[i]
			got := string(text[v.From:v.To])
			if v.Kind == Escaped {
				got = string(Unescape(nil, text[v.From:v.To]))
			}
			if found != (v.Kind != Missing) || found && strings.ToValidUTF8(got, "\ufffd") != strings.ToValidUTF8(want, "\ufffd") {
				t.Fatalf("%q: %s is %q, %v, want %q, %v", line, p, got, v.Kind, want, found)
			}
		}
		from += len(line) + 1
	}
}

// pieces are what lines are made of.
var pieces = []string{`{`, `}`, `[`, `]`, `,`, `:`, `"a"`, `"b"`, `"a":`, `"b":`, `"0":`, `"é":`, `"\u0061":`, `null`, `true`, `false`,
	`0`, `-1`, `1.50`, `1e5`, `01`, `-`, `.5`, `1.`, `1e`, `"x\ny"`, `"\ud83d\ude00"`, `"\ud800"`, `"\ud800\u0041"`, `"\x"`, `"\u12"`, `"`, `\`,
	` `, "\t", "\r", "\x01", "\"\x01\"", `"é"`, "\x00", `"a\\"`, `"\\\""`, `{"a":{"b":1}}`, `{"a":[0,{"b":"x"}]}`, `{"b":["q"]}`, `""`, `tru`, `nul`}

func random(r *rand.Rand) []byte {
	var value func(depth int) string
	space := func() string { return []string{"", "", "", " ", "\t "}[r.IntN(5)] }
	value = func(depth int) string {
		switch n := r.IntN(8); {
		case n < 3 && depth < 4:
			var parts []string
			for range r.IntN(4) {
				key := []string{`"a"`, `"b"`, `"\u0061"`, `"c"`, `"0"`, `"é"`, `"\n"`}[r.IntN(7)]
				parts = append(parts, space()+key+space()+":"+space()+value(depth+1))
			}
			return "{" + strings.Join(parts, space()+",") + space() + "}"
		case n == 3 && depth < 4:
			var parts []string
			for range r.IntN(4) {
				parts = append(parts, space()+value(depth+1)+space())
			}
			return "[" + strings.Join(parts, ",") + "]"
		}
		return []string{`"x"`, `""`, `"a\"b"`, `"\u00e9\ud83d\ude00"`, `12`, `-0.50e+7`, `true`, `false`, `null`, `"{\"a\":1}"`}[r.IntN(10)]
	}
	line := []byte(space() + "{" + `"a":` + value(1) + `,"b"` + space() + ":" + value(1) + "}" + space())
	switch r.IntN(3) {
	case 0:
		at := r.IntN(len(line))
		line = slices.Concat(line[:at], []byte(pieces[r.IntN(len(pieces))]), line[at+r.IntN(2):])
	case 1:
		if r.IntN(3) == 0 {
			line = nil
			for range 1 + r.IntN(8) {
				line = append(line, pieces[r.IntN(len(pieces))]...)
			}
		}
	}
	return line
}

func TestRandomLines(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 6000 {
		var lines [][]byte
		for range 1 + r.IntN(4) {
			if line := random(r); !IsBlank(line) {
				lines = append(lines, line)
			}
		}
		if len(lines) > 0 {
			check(t, lines)
		}
	}
}

// samples are lines with everything that may be in one.
var samples = []string{
	`{"a":{"b":1,"a":-2.50e+7},"b":["x",{"b":"y"}],"0":"\u00e9\"","é":true,"c":null,"d":false}`,
	`{"b": [10, 0.5, -0, 1E5, []], "a": {"b": {"a": "long enough that it does not fit into a word of quotes, which has 64"}}}` + "\r",
	` { "a" : "Grüner Tee, 茶碗 \ud83d\ude00" , "b" : 12345678901234567890.12345678901 , "a" : [ [ { } ] ] } `,
}

// TestFlipped changes each byte of lines to others, behind lines that are remembered and before one that must not suffer.
func TestFlipped(t *testing.T) {
	others := []byte("\"\\{}[]:,0-.e+ \t\r\x01\x00u\x80\xc3\xffnx")
	step := rounds.Every(4)
	for _, sample := range samples {
		for at := range sample {
			flipped := []byte(sample)
			for i, c := range append(others, sample[at]^1, sample[at]^0x20) {
				if c == '\n' || (i+at)%step > 0 {
					continue
				}
				flipped[at] = c
				check(t, [][]byte{[]byte(sample), flipped, []byte(sample)})
			}
		}
	}
}

// TestCutShort ends the text behind each byte of a line.
func TestCutShort(t *testing.T) {
	for _, sample := range samples {
		for n := 1; n <= len(sample); n++ {
			if line := []byte(sample[:n]); !IsBlank(line) {
				check(t, [][]byte{[]byte(sample), line})
				check(t, [][]byte{line, []byte(sample)})
			}
		}
	}
}

// TestNumbers reads numbers in all spellings and of many lengths, at the end of the text and before it.
func TestNumbers(t *testing.T) {
	for n := range 40 {
		digits := strings.Repeat("7", n)
		for _, number := range []string{digits, "-" + digits, "0" + digits, "0." + digits, digits + ".", digits + ".0", "1." + digits, digits + "." + digits,
			digits + "e5", digits + "." + digits + "E-" + digits, "1e" + digits, "1e+" + digits, "-0" + digits, digits + "-", digits + ".5.5", digits + "x"} {
			line := []byte(`{"a":` + number + `,"b":[` + number + `]}`)
			check(t, [][]byte{line, line, []byte(`{"a":` + number + "}"), []byte(`{"a":` + number)})
			check(t, [][]byte{line}) // no other fault is near
		}
	}
}

// TestUTF8: a line that is not UTF-8 is malformed, its neighbours are not.
func TestUTF8(t *testing.T) {
	for _, bad := range []string{"\x80", "\xc3", "\xc3\x28", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc0\xaf", "\xe8\x8c"} {
		for n := range 70 {
			pad := strings.Repeat("x", n)
			check(t, [][]byte{[]byte(`{"a":"é` + pad + `"}`), []byte(`{"a":"` + pad + bad + `"}`), []byte(`{"` + bad + pad + `":1}`), []byte(`{"a":1}` + bad)})
		}
	}
	l := New(new(Paths), nil)
	text := []byte("{\"é\":\"ab\xc3c\"}")
	l.Begin(text)
	if at, reason := l.Line(0, len(text)); at != 9 || reason != "a byte that is not UTF-8" {
		t.Errorf("%q at %d", reason, at)
	}
}

// TestLongText: pieces of a text are joined, also within escapes.
func TestLongText(t *testing.T) {
	for d := -1; d <= 1; d++ {
		line := []byte(`{"a":"` + strings.Repeat("x", pieceBytes-8+d) + strings.Repeat(`\\\"`, 5) + `","b":1}`)
		check(t, [][]byte{line, []byte(`{"b":2}`)})
	}
}

// TestDepth: nesting has the bound that encoding/json has.
func TestDepth(t *testing.T) {
	for _, depth := range []int{depthMax - 2, depthMax - 1, depthMax, depthMax + 1} {
		check(t, [][]byte{[]byte(`{"b":` + strings.Repeat("[", depth) + strings.Repeat("]", depth) + "}")})
	}
}

func TestPaths(t *testing.T) {
	var p Paths
	for _, name := range []string{"", ".", "a.", "a..b"} {
		if _, err := p.Resolve(name, false); err == nil {
			t.Errorf("%q is a path", name)
		}
	}
	for i, ask := range []struct {
		name   string
		quoted bool
	}{{"a.b", false}, {"a.b", true}, {"0", false}} {
		for range 2 {
			if column, err := p.Resolve(ask.name, ask.quoted); err != nil || column != i || p.Name(i) != ask.name {
				t.Errorf("%v: column %d, %v", ask, column, err)
			}
		}
	}
	l := New(&p, []int{0, 1, 2})
	text := []byte(`{"a.b":1,"a":{"b":2},"0":3}`)
	l.Begin(text)
	if _, reason := l.Line(0, len(text)); reason != "" {
		t.Fatal(reason)
	}
	for i, want := range []string{"2", "1", "3"} {
		if v := l.Values[i]; string(text[v.From:v.To]) != want {
			t.Errorf("column %d: %v, want %s", i, v, want)
		}
	}
}

// FuzzLine reads a line after another one, whose keys are remembered.
func FuzzLine(f *testing.F) {
	for i := range 20 {
		r := rand.New(rand.NewPCG(3, uint64(i)))
		f.Add(random(r), random(r))
	}
	f.Fuzz(func(t *testing.T, before, line []byte) {
		for _, l := range [][]byte{before, line} {
			if IsBlank(l) || bytes.Contains(l, []byte("\n")) {
				return
			}
		}
		check(t, [][]byte{before, line})
	})
}

func ExampleUnescape() {
	fmt.Printf("%q\n", Unescape(nil, []byte(`a\n\u00e9\ud83d\ude00x`)))
	// Output: "a\né😀x"
}
