package regex

import (
	"bytes"
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"

	"github.com/thresh-dev/thresh/internal/test/rounds"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// TestNextLine compares the lines that NextLine finds with those in which package regexp finds a match, also
// with thresholds so small that matches overflow and lines are searched in parts.
func TestNextLine(t *testing.T) {
	exprs := []string{"a", "ab|a", "a.*b", "^", "$", "^$", "b$", "[^a]", "x*", ".*", `\bab`, "(ab|a)(c|bcd)?", "é", `a[^c]*c|a`, "[a-c]{3}[0-9]"}
	for _, size := range []int{0, 2, 7} {
		if size > 0 {
			threshold.Shrink(t, size)
		}
		for _, expr := range exprs {
			re, err := Compile(expr)
			if err != nil {
				t.Fatal(err)
			}
			s, twin := re.Searcher(), regexp.MustCompile(expr)
			for seed := range uint64(rounds.Of(40)) {
				text := nextLineText(rand.New(rand.NewPCG(seed, 1)))
				var got, want []int
				s.Reset(text)
				for end := s.NextLine(); end >= 0; end = s.NextLine() {
					got = append(got, bytes.Count(text[:end], []byte("\n")))
				}
				for i, line := range bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n")) {
					if len(text) > 0 && twin.Match(line) {
						want = append(want, i)
					}
				}
				if !slices.Equal(got, want) {
					t.Fatalf("size %d, %q in %q: lines %v, want %v", size, expr, text, got, want)
				}
			}
		}
	}
}

// nextLineText returns lines, some of them many times as long as others.
func nextLineText(r *rand.Rand) []byte {
	var b bytes.Buffer
	words := []string{"a", "b", "ab", "c", "abc", " ", "é", "\xff", "1", "x"}
	for range r.IntN(40) {
		n := r.IntN(5)
		if r.IntN(10) == 0 {
			n = r.IntN(2000)
		}
		for range n {
			b.WriteString(words[r.IntN(len(words))])
		}
		b.WriteByte('\n')
	}
	if r.IntN(2) == 0 {
		b.WriteString("ab")
	}
	return b.Bytes()
}
