package grep

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/thresh-dev/thresh/internal/test/rounds"
	"github.com/thresh-dev/thresh/question"
)

// TestFoldedText compares the matcher of one text in any case with that of the expression, in texts with few and
// with many letters that have a form outside of ASCII.
func TestFoldedText(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	words := []string{"k", "K", "s", "S", "ks", "a", "A", "task", "TASK", " ", " ", "\n", "\n", "_", "é", "\xff", "\u212a", "\u017f"}
	for i := range rounds.Of(800) {
		p := question.Lines{Patterns: []string{[]string{"k", "ks", "Task", "s", "sk", "a", "aK s"}[r.IntN(7)]}, IgnoreCase: true,
			Word: r.IntN(4) == 0, Whole: r.IntN(8) == 0}
		few := len(words) - r.IntN(3)
		var b strings.Builder
		for range r.IntN(60) {
			b.WriteString(words[r.IntN(few)])
		}
		text := []byte(b.String())
		if i%3 == 0 && len(text) > 0 {
			text = append(text, '\n')
		}
		q, err := Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		other := &Query{Lines: q.Lines}
		if err := other.expressions([]item{{text: p.Patterns[0], literal: true, fold: true}}); err != nil {
			t.Fatal(err)
		}
		most := 1 + r.IntN(8)
		got, want := matched(q, text, most), matched(other, text, most)
		if got != want {
			t.Fatalf("%+v in %q (%v):\ngot  %s\nwant %s", p, text, utf8.Valid(text), got, want)
		}
	}
}

// matched returns which of the first lines match, and where.
func matched(q *Query, text []byte, most int) string {
	var b strings.Builder
	spanner := q.matcher() // a matcher serves one search at a time
	from, n := 0, 0
	q.matcher().lines(text, func(at int) int {
		start := from + strings.LastIndexByte(string(text[from:min(at, len(text))]), '\n') + 1
		end := len(text)
		if i := strings.IndexByte(string(text[at:]), '\n'); i >= 0 {
			end = at + i
		}
		fmt.Fprint(&b, start, ":", end, spanner.spans(text[start:end], nil), " ")
		from = min(end+1, len(text))
		if n++; n == most {
			return -1
		}
		return from
	})
	return b.String()
}
