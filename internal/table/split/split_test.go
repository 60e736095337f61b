package split

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func texts(f Form, line string) (all []string, fault Fault, at int) {
	spans, fault, at := f.All([]byte(line))
	for _, s := range spans {
		all = append(all, string(s.Of([]byte(line))))
	}
	return all, fault, at
}

func TestSplit(t *testing.T) {
	bars, blanks, fixed := Form{Separator: "||", Quote: '"'}, Form{Blanks: true, Quote: '"'}, Form{Widths: []int{2, 3, 0}}
	for _, c := range []struct {
		form  Form
		line  string
		want  string // with / between
		fault Fault
		at    int
	}{
		{bars, "", "", None, 0},
		{bars, "a", "a", None, 0},
		{bars, "a||b||", "a/b/", None, 0},
		{bars, "a|b||c", "a|b/c", None, 0},
		{bars, "a|||b", "a/|b", None, 0},
		{bars, `"a||b"||c`, `"a||b"/c`, None, 0},
		{bars, `"a""||b"||""`, `"a""||b"/""`, None, 0},
		{bars, `a"b||c`, `a"b/c`, Misplaced, 1},
		{bars, `x||"a"b||c`, `x/"a"b/c`, Misplaced, 6},
		{bars, `x||"a||c`, `x/"a||c`, Unclosed, 3},
		{bars, `x||"`, `x/"`, Unclosed, 3},
		{bars, `x||"""`, `x/"""`, Unclosed, 3},
		{Form{Separator: "||"}, `"a||b"`, `"a/b"`, None, 0},
		{blanks, " \t ", "", None, 0},
		{blanks, "  a \t b  ", "a/b", None, 0},
		{blanks, `a "b c"`, `a/"b c"`, None, 0},
		{blanks, `"b c"d e`, `"b c"d/e`, Misplaced, 5},
		{blanks, `a "b c`, `a/"b c`, Unclosed, 2},
		{fixed, "", "//", None, 0},
		{fixed, "a", "a//", None, 0},
		{fixed, "abcdefgh", "ab/cde/fgh", None, 0},
		{fixed, " b  d  h ", "b/d/h", None, 0},
		{fixed, "äöüß€x y", "äö/üß€/x y", None, 0},
		{fixed, "\xffbcdefg", "\xffb/cde/fg", None, 0},
		{Form{Widths: []int{1, 1}}, "ab  ", "a/b", None, 0},
		{Form{Widths: []int{1, 1}}, "ab c", "a/b", Longer, 2},
	} {
		got, fault, at := texts(c.form, c.line)
		if all := strings.Join(got, "/"); all != c.want || fault != c.fault || at != c.at {
			t.Errorf("%+v: %q: %q, fault %d at %d; want %q, %d at %d", c.form, c.line, all, fault, at, c.want, c.fault, c.at)
		}
	}
}

// TestSplitAsGo compares lines without quotes with what the standard library makes of them.
func TestSplitAsGo(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	runs := regexp.MustCompile("[ \t]+")
	for range 20_000 {
		b := make([]byte, random.IntN(30))
		for i := range b {
			b[i] = "ab| \t"[random.IntN(5)]
		}
		line := string(b)
		if got, _, _ := texts(Form{Separator: "||", Quote: '"'}, line); !slices.Equal(got, strings.Split(line, "||")) {
			t.Fatalf("%q: %q", line, got)
		}
		want := []string(nil)
		if trimmed := strings.Trim(line, " \t"); trimmed != "" {
			want = runs.Split(trimmed, -1)
		}
		if got, _, _ := texts(Form{Blanks: true, Quote: '"'}, line); !slices.Equal(got, want) {
			t.Fatalf("%q: %q, want %q", line, got, want)
		}
	}
}

// TestSplitter asks for some of the fields, in another order, one of which no line has.
func TestSplitter(t *testing.T) {
	s := Form{Separator: ", "}.New([]int{3, 0, 1 << 30, 1})
	for _, line := range []string{"a, b, c, d, e", "x", "", "p, q"} {
		fields := strings.Split(line, ", ")
		if n := s.Split([]byte(line)); n != len(fields) {
			t.Errorf("%q: %d fields", line, n)
		}
		fields = append(fields, "", "", "")
		want := []string{fields[3], fields[0], "", fields[1]}
		for slot, span := range s.Spans {
			if got := string(span.Of([]byte(line))); got != want[slot] {
				t.Errorf("%q: slot %d: %q, want %q", line, slot, got, want[slot])
			}
		}
	}
}

func TestSkips(t *testing.T) {
	for line, want := range map[string]bool{"#": true, " \t# a": true, "a #": false, "": false, "%": false} {
		if got := (&Form{Comment: "#"}).Skips([]byte(line)); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
	if (&Form{}).Skips([]byte("# a")) {
		t.Error("without comments a line is one")
	}
}

func BenchmarkSplit(b *testing.B) {
	for name, f := range map[string]Form{"||": {Separator: "||", Quote: '"'}, "blanks": {Blanks: true, Quote: '"'},
		"widths": {Widths: []int{8, 12, 8, 10, 0}}} {
		line := []byte(fmt.Sprintf("%-8s%-12s%-8s%-10s%s", "1917", "Hamilton||", "FR||", "90.96||", "ring twice"))
		b.Run(name, func(b *testing.B) {
			s := f.New([]int{1, 3})
			b.SetBytes(int64(len(line)))
			for b.Loop() {
				s.Split(line)
			}
		})
	}
}
