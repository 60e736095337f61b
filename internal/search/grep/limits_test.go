package grep

import (
	"fmt"
	"testing"

	"github.com/thresh-dev/thresh/question"
)

// TestSpansOfWords: words are found although an occurrence that is none overlaps them, or is at the same place.
func TestSpansOfWords(t *testing.T) {
	for _, test := range []struct {
		patterns []string
		line     string
		want     [][2]int
	}{
		{[]string{"a a"}, "xa a a", [][2]int{{3, 6}}},
		{[]string{"foo bar", "foo"}, "foo barx", [][2]int{{0, 3}}},
		{[]string{"foo", "foo bar"}, "foo bar", [][2]int{{0, 3}}},
		{[]string{"fo+"}, "foo fooo xfoo foo", [][2]int{{0, 3}, {4, 8}, {14, 17}}},
		{[]string{"é"}, "éé é\xff", [][2]int{{5, 7}}},
		{[]string{"-"}, "a- - -b", [][2]int{{3, 4}}},
	} {
		q, err := Compile(question.Lines{Patterns: test.patterns, Word: true})
		if err != nil {
			t.Fatal(err)
		}
		if got := q.matcher().spans([]byte(test.line), nil); fmt.Sprint(got) != fmt.Sprint(test.want) {
			t.Errorf("%q in %q: %v, want %v", test.patterns, test.line, got, test.want)
		}
	}
}
