package regex

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

func compiled(t testing.TB, expr string) *Regex {
	t.Helper()
	r, err := Compile(expr)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestErrors(t *testing.T) {
	for _, test := range []struct {
		expr, fragment string
		offset         int
	}{
		{`a(b`, `a(b`, 0},
		{`a[z-a]`, `z-a`, 2},
		{`ab**`, `**`, 2},
		{`a\nb`, `\n`, 1},
		{"a\nb", "\n", 1},
		{`\\x\x0ab`, `\x0a`, 3},
	} {
		_, err := Compile(test.expr)
		var e *Error
		if !errors.As(err, &e) || e.Fragment != test.fragment || e.Offset != test.offset {
			t.Errorf("Compile(%q) = %+v, want %q at %d", test.expr, err, test.fragment, test.offset)
		}
	}
}

func TestFacts(t *testing.T) {
	for _, test := range []struct {
		expr             string
		emptyLine, zeros bool
		kernel           string // its first word
	}{
		{`abc`, false, false, "literal"},
		{`user=[0-9]+`, false, false, "literal"},
		{`(?i)upload|session`, false, false, "byteset"},
		{`\w+ \w+`, false, false, "dfa"},
		{`a*`, true, true, "dfa"},
		{`^$`, true, true, "dfa"},
		{`\b`, false, true, "dfa"},
		{`a.b`, false, true, "byteset"},
		{`a[^\x00]b`, false, false, "byteset"},
		{`\x00`, false, true, "literal"},
		{`\pL{1000}`, false, true, "runes"},
	} {
		r := compiled(t, test.expr)
		if got := r.MatchesEmptyLine(); got != test.emptyLine {
			t.Errorf("%q matches an empty line: %v", test.expr, got)
		}
		if got := r.CanMatchByte(0); got != test.zeros {
			t.Errorf("%q can match a zero: %v", test.expr, got)
		}
		if got, _, _ := strings.Cut(r.Kernel(), " "); got != test.kernel {
			t.Errorf("%q runs by %q, want %q", test.expr, got, test.kernel)
		}
	}
}

// TestStop tells a search to stop before it begins: no way of searching may report a match.
func TestStop(t *testing.T) {
	text := append(bytes.Repeat([]byte("b"), 3*pieceBytes), "abc 1 foo\n"...)
	for _, expr := range []string{`abc`, `a.c`, `\w+ \d`, `foo$`, `.`, `a*`, `\PN+1`} {
		for way, r := range forced(compiled(t, expr)) {
			s := r.Searcher()
			s.Stop = new(atomic.Bool)
			s.Stop.Store(true)
			s.Reset(text)
			if start, end := s.Next(); start != -1 || end != -1 {
				t.Errorf("%q (%s) found %d to %d when told to stop", expr, way, start, end)
			}
			s.Stop.Store(false)
			s.Reset(text)
			if start, _ := s.Next(); start < 0 {
				t.Errorf("%q (%s) found nothing after another Reset", expr, way)
			}
		}
	}
}

// TestThrash has more states than the cache holds, so that it is emptied and given up.
func TestThrash(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	text := []byte(pick(rng, []string{"a", "b"}, 40_000) + "\n" +
		pick(rng, []string{"a", "b", "\n"}, 5000))
	check(t, `a(a|b){17}c|bbbbbbbbbbbaa$`, [][]byte{text[20_000:]})
	s := compiled(t, `a(a|b){17}c`).Searcher()
	s.mode, s.fwd.limit = modeWhole, 1<<20
	s.Reset(text)
	s.mode = modeWhole
	if start, _ := s.Next(); start >= 0 || s.fwd.resets == 0 || !s.noDFA {
		t.Errorf("found %d after %d resets, given up: %v", start, s.fwd.resets, s.noDFA)
	}
}

// TestLongLine searches lines far longer than the part between two checks of Stop, including one of zeros: what keeps
// the automaton in one state is skipped, and no match after it is lost.
func TestLongLine(t *testing.T) {
	for _, fill := range []byte{0, 'x', 0xff} {
		text := bytes.Repeat([]byte{fill}, 3*pieceBytes)
		copy(text[len(text)/2:], `"a1-b`)
		copy(text[len(text)-20:], `c1-b" 12ms`)
		text[len(text)-1] = '\n'
		for _, expr := range []string{`[ab]+[0-9]`, `\d+[a-m]+s`, `"[^"]*"`, `".*"`, `-b" `, `(?i)B"`} {
			re, err := Compile(expr)
			if err != nil {
				t.Fatal(err)
			}
			want := expectedString(expr, text)
			for way, r := range forced(re) {
				if got := found(r.Searcher(), text); way != "runes" && !slices.Equal(got, want) {
					t.Errorf("%q (%s) in a line of %#x: %v, want %v", expr, way, fill, got, want)
				}
			}
		}
	}
}

// TestAllocations: once the states exist, a search allocates nothing.
func TestAllocations(t *testing.T) {
	text := logText(1 << 20)
	for _, expr := range benchmarked {
		s := compiled(t, expr).Searcher()
		want := count(s, text)
		if allocs := testing.AllocsPerRun(3, func() {
			if n := count(s, text); n != want {
				t.Errorf("%q has %d matches, then %d", expr, want, n)
			}
		}); allocs > 0 {
			t.Errorf("%q allocates %.0f times", expr, allocs)
		}
	}
}

// FuzzMatches: for any expression and text, (1) Compile accepts what the standard library accepts,
// unless no line can match; (2) every way of searching gives its matches, line by line; (3) a
// Searcher gives the same when it is used again.
func FuzzMatches(f *testing.F) {
	for i, expr := range expressions {
		f.Add(expr, []byte(pieces[i%len(pieces)]+"\n"+pieces[(i+7)%len(pieces)]))
	}
	f.Fuzz(func(t *testing.T, expr string, text []byte) {
		if len(expr) > 40 || len(text) > 4096 {
			return
		}
		check(t, expr, [][]byte{text, text})
	})
}
