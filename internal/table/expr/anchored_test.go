package expr

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/test/rounds"
)

// pattern writes a random regular expression.
func pattern(r *rand.Rand, depth int) string {
	if depth == 0 {
		return []string{"a", "b", "/", "[^/]", "[ab]", ".", "www[.]", "\\b", "$", "x", "(?i:A)"}[r.IntN(11)]
	}
	x, y := pattern(r, depth-1), pattern(r, depth-1)
	switch r.IntN(6) {
	case 0:
		return "(?:" + x + ")" + []string{"*", "+", "?", "*?", "+?", "??", "{2}", "{1,3}"}[r.IntN(8)]
	case 1:
		return "(" + x + ")"
	case 2:
		return "(?:" + x + "|" + y + ")"
	}
	return x + y
}

// TestAnchored holds matches to those of package regexp.
func TestAnchored(t *testing.T) {
	r := rand.New(rand.NewPCG(22, 1))
	found, none, gaveUp := 0, 0, 0
	try := func(expression, text string) {
		m := newAnchored(expression)
		if m == nil {
			t.Fatalf("%s has none", expression)
		}
		got, ok := m.find([]byte(text))
		want := regexp.MustCompile(expression).FindSubmatchIndex([]byte(text))
		switch {
		case !ok:
			gaveUp++
		case !slices.Equal(got, want):
			t.Fatalf("%s in %q: got %v, want %v", expression, text, got, want)
		case want == nil:
			none++
		default:
			found++
		}
	}
	for range rounds.Of(20_000) {
		expression := "^" + pattern(r, 1+r.IntN(4))
		if _, err := regexp.Compile(expression); err != nil {
			continue // nested repetitions may be too many
		}
		for range 3 {
			text := ""
			for range r.IntN(12) {
				text += []string{"a", "b", "/", "www.", "x", "A", "\n", " "}[r.IntN(8)]
			}
			try(expression, text)
		}
	}
	try(`^(a*)*$`, strings.Repeat("a", 50)+"b")
	try(`^(?:a|a)*(?:a|a)*b`, strings.Repeat("a", 3000))
	try("^a(.)", "a日")
	if found < none/20 || gaveUp < 3 || gaveUp > found/10 {
		t.Errorf("%d found, %d not, %d given up", found, none, gaveUp)
	}
	for _, expression := range []string{"a", "(?m)^a", "^a|b", "(?:^a)?b"} {
		if newAnchored(expression) != nil {
			t.Errorf("%s is not anchored", expression)
		}
	}
}
