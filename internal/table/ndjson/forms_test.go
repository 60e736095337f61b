package ndjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/internal/kernel/jsonscan"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
	"github.com/thresh-dev/thresh/internal/test/rounds"
)

// form is a way to read lines with variants of the kernels.
type form struct {
	name  string
	scan  jsonscan.StringsFunc
	lines jsonscan.LinesFunc
	way   way
}

// forms returns all forms that can run here. The last one, which walks by the plain twin, is what the others must equal.
func forms() (all []form) {
	for i, v := range jsonscan.StringsVariants() {
		if lines := jsonscan.LinesVariants()[i]; cpu.Has(v.ISA) && cpu.Has(lines.ISA) {
			all = append(all, form{v.ISA.String() + ", skimmed", v.Func, lines.Func, skims},
				form{v.ISA.String() + ", walked", v.Func, lines.Func, walks})
		}
	}
	return all
}

// locator returns a locator of what is asked.
func (f *form) locator(t testing.TB, asked []string) *Locator {
	var paths Paths
	var wanted []int
	for _, p := range asked {
		column, err := paths.Resolve(p, false)
		if err != nil {
			t.Fatal(err)
		}
		wanted = append(wanted, column)
	}
	l := New(&paths, wanted)
	l.scan, l.skimmer.scan, l.pace.always, l.skimmer.seen = f.scan, f.lines, f.way, true
	return l
}

// read returns what a form finds in each line of a text.
func (f *form) read(t testing.TB, text []byte) (found []string) {
	l := f.locator(t, asked)
	l.Begin(text)
	for from := 0; from < len(text); {
		to := len(text)
		if n := bytes.IndexByte(text[from:], '\n'); n >= 0 {
			to = from + n
		}
		if line := text[from:to]; !IsBlank(line) {
			at, reason := l.Line(from, to)
			if reason == "" {
				at = 0
			}
			found = append(found, fmt.Sprintf("%q: %q at %d, %v", line, reason, at, l.Values))
		}
		from = to + 1
	}
	return found
}

// record returns a record of several levels: keys come twice, lack, and change their order, and there is white space.
func record(r *rand.Rand, depth int) string {
	space := func() string { return []string{"", "", "", "", " ", "\t", "  \r "}[r.IntN(7)] }
	var value func(depth int) string
	object := func(depth int) string {
		keys := []string{`"a"`, `"b"`, `"0"`, `"é"`, `"\n"`, `"c"`, `"\u0061"`, `"a key that is longer than sixteen bytes"`}[:5+r.IntN(4)]
		r.Shuffle(len(keys), func(i, k int) {
			if r.IntN(6) == 0 {
				keys[i], keys[k] = keys[k], keys[i]
			}
		})
		var members []string
		for _, key := range keys {
			for range []int{0, 1, 1, 1, 1, 1, 1, 2}[r.IntN(8)] {
				members = append(members, space()+key+space()+":"+space()+value(depth-1)+space())
			}
		}
		return "{" + strings.Join(members, ",") + space() + "}"
	}
	value = func(depth int) string {
		switch n := r.IntN(10); {
		case n < 3 && depth > 0:
			return object(depth)
		case n < 5 && depth > 0:
			var elements []string
			for range r.IntN(5) {
				elements = append(elements, space()+value(depth-1)+space())
			}
			return "[" + strings.Join(elements, ",") + space() + "]"
		case n < 7:
			return fmt.Sprintf([]string{"%d", "-%d", "%d.5", "0.%d", "-0.%de7", "1%dE-3", "2e+%d"}[r.IntN(7)], r.IntN(1<<r.IntN(40)))
		case n < 9:
			return `"` + strings.Repeat([]string{"x", `\"`, `\\`, `\u00e9`, `\ud83d\ude00`, "茶", "{", "]", ":,"}[r.IntN(9)], r.IntN(1<<r.IntN(7))) + `"`
		}
		return []string{"null", "true", "false", "[]", "{}", "0", "-0", `""`}[r.IntN(8)]
	}
	return object(depth)
}

// nested returns lines of records, some of which are mutated.
func nested(r *rand.Rand, lines int) []byte {
	ends := []string{"\n", "\n", "\r\n", " \n", "\n\n", "\n \r\n"}
	var text []byte
	for range lines {
		line := []byte(record(r, r.IntN(5)))
		for r.IntN(6) == 0 {
			at, piece := r.IntN(len(line)), pieces[r.IntN(len(pieces))]
			if n := r.IntN(3); n == 0 {
				line = slices.Insert(line, at, []byte(piece)...)
			} else if line = slices.Delete(line, at, min(at+n, len(line))); len(line) == 0 {
				break
			}
		}
		text = append(append(text, line...), ends[r.IntN(len(ends))]...)
	}
	return text[:len(text)-r.IntN(2)]
}

// TestForms reads records by each form, in texts that are shorter and longer than a tile.
func TestForms(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	all := forms()
	valid, lines := 0, 0
	for range rounds.Of(400) {
		text := nested(r, 1+r.IntN(1<<r.IntN(7)))
		want := all[len(all)-1].read(t, text)
		for _, f := range all[:len(all)-1] {
			if got := f.read(t, text); !slices.Equal(got, want) {
				for i := range want {
					if got[i] != want[i] {
						t.Fatalf("%s:\n%s\nwant\n%s", f.name, got[i], want[i])
					}
				}
			}
		}
		for line := range bytes.Lines(text) {
			if lines++; json.Valid(line) {
				valid++
			}
		}
	}
	if valid < lines/3 || valid > lines*9/10 {
		t.Errorf("%d of %d lines are valid", valid, lines)
	}
}

func FuzzForms(f *testing.F) {
	r := rand.New(rand.NewPCG(9, 10))
	for range 20 {
		f.Add(nested(r, 1+r.IntN(4)))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		all := forms()
		want := all[len(all)-1].read(t, text)
		for _, form := range all[:len(all)-1] {
			if got := form.read(t, text); !slices.Equal(got, want) {
				t.Fatalf("%s:\n%s\nwant\n%s", form.name, got, want)
			}
		}
	})
}

// TestDeclined puts a fault at each place of a text of several tiles. The lines around it are skimmed nevertheless.
func TestDeclined(t *testing.T) {
	line := `{"a":{"b":[1,-2.5e3,"x\n"]},"b":null}` + "\n"
	text := []byte(strings.Repeat(line, 3*jsonscan.TileBytes/len(line)))
	for _, f := range forms() {
		if f.way != skims {
			continue
		}
		step := rounds.Every(16)
		for at := 0; at < len(text); at += step {
			was := text[at]
			if was == '\n' {
				continue
			}
			text[at] = '"'
			l := f.locator(t, asked)
			l.Begin(text)
			if n := len(l.skimmer.declined); n > 1 || n == 1 && l.skimmer.declined[0].to-l.skimmer.declined[0].from > jsonscan.TileBytes+len(line) {
				t.Fatalf("%s: a quote at %d: declined %v", f.name, at, l.skimmer.declined)
			}
			for from := 0; from < len(text); from += len(line) {
				this := text[from : from+len(line)-1]
				_, reason := l.Line(from, from+len(line)-1)
				if (reason == "") != json.Valid(this) || reason == "" && l.Values[0].Kind != Plain {
					t.Fatalf("%s: a quote at %d: %q: %q, %v", f.name, at, this, reason, l.Values)
				}
			}
			text[at] = was
		}
	}
}

// TestSkimmed: lines with everything that may be in one are skimmed, but for keys with escapes, and deep ones.
func TestSkimmed(t *testing.T) {
	deep := strings.Repeat(`{"a":`, maxNesting-1) + "1" + strings.Repeat("}", maxNesting-1)
	for _, f := range forms() {
		if f.way != skims {
			continue
		}
		for line, declined := range map[string]int{
			samples[0]: 0, samples[1]: 0, samples[2]: 0, `{"\u0061":1}`: 1, `{"b":"\u0061"}`: 0, deep: 0, `{"a":` + deep + "}": 1,
			`{"` + strings.Repeat("k", 150) + `\u0061` + strings.Repeat("k", 150) + `":1}`: 1,
		} {
			for pad := range jsonscan.BlockBytes {
				l := f.locator(t, asked)
				l.Begin([]byte(strings.Repeat(" ", pad) + line + "\n"))
				if len(l.skimmer.declined) != declined {
					t.Fatalf("%s: %s behind %d spaces: declined %v", f.name, line, pad, l.skimmer.declined)
				}
			}
		}
	}
}

// TestAcrossBlocks has values, valid ones and others, at each place of a block, in a text without other faults.
func TestAcrossBlocks(t *testing.T) {
	for pad := range jsonscan.BlockBytes {
		for _, value := range []string{"1e-5", "1e+5", "1e--5", "1e+-5", "1e", "1e-", "01", "-01", "-0", "00", "1.5", "1.", ".5", "1.5.5", "-",
			"--1", "+1", "1e5e5", "1e5.5", "1-2", "1+2", "-1.5E+30", "true", "tru", "true1", "truefalse", "nul", "null", "falsee", "false",
			"1 2", "[1 ,2]", "[1,]", "[,1]", "[ ]", "[1", "1]", "{}", "{,}", `{"b":1,}`, `{"b" 1}`, `{"b":}`, `{"b":1 "c":2}`, `{1:2}`,
			`{"b":[1}]`, `{"b":"c":1}`, `["b":1]`, `""""`, `"a" "b"`, `"a"1`, `1"a"`, "1,2", "1}{", "1},{", `1,"b":{}},`, `1},"b":{}`} {
			for _, key := range []string{"a", "not asked"} {
				check(t, [][]byte{[]byte(strings.Repeat(" ", pad) + `{"` + key + `":` + value + "}")})
			}
		}
	}
}

// TestEndsOfTexts ends the text at each byte behind a line whose keys are remembered: they are not remembered anew.
func TestEndsOfTexts(t *testing.T) {
	var count func(s *shape) int
	count = func(s *shape) (n int) {
		if s == nil {
			return 0
		}
		for i := range s.pairs {
			n += 1 + count(s.pairs[i].inside)
		}
		return n + count(s.elements)
	}
	line := `{"a":1,"b":{"a":"x","a key of more than sixteen bytes":[{"b":2}]},"0":-2.5,"c":null}`
	for _, f := range forms() {
		if f.way != walks {
			continue
		}
		l := f.locator(t, asked)
		l.Begin([]byte(line + "\n" + strings.Repeat(" ", 100)))
		if _, reason := l.Line(0, len(line)); reason != "" {
			t.Fatal(reason)
		}
		const keys = 7
		if n := count(&l.top); n != keys {
			t.Fatalf("%s: %d keys are remembered, want %d", f.name, n, keys)
		}
		known := l.Known(plainKey)
		for behind := range 100 {
			for cut := 0; cut <= len(line); cut++ { // the last line is not whole
				l.Begin([]byte(line + "\n" + strings.Repeat(" ", behind) + "\n" + line[:cut]))
				for _, span := range [][2]int{{0, len(line)}, {len(line) + behind + 2, len(line) + behind + 2 + cut}} {
					if span[1] > span[0] {
						l.Line(span[0], span[1])
					}
				}
				if n := count(&l.top); n != keys || !slices.Equal(l.Known(plainKey), known) {
					t.Fatalf("%s: %d keys are remembered %d bytes before a text's end, cut at %d", f.name, n, behind, cut)
				}
				if behind > 0 {
					break
				}
			}
		}
	}
}

// TestPace: the faster way is chosen, and tried again.
func TestPace(t *testing.T) {
	for _, faster := range []way{walks, skims} {
		p, now := pace{always: undecided}, time.Now()
		chosen := map[way]int{}
		for range 3 * roundTexts {
			w := p.choose(trialBytes, now)
			chosen[w]++
			now = now.Add(time.Millisecond)
			if w != faster {
				now = now.Add(time.Millisecond)
			}
			if w := p.choose(trialBytes-1, now); w != walks {
				t.Errorf("a short text: %v", w)
			}
		}
		if n := chosen[faster]; n != 3*(roundTexts-trialTexts/2) {
			t.Errorf("%v is faster: chosen %v", faster, chosen)
		}
	}
}
