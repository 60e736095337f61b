package minify

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel/jsonscan"
	"github.com/thresh-dev/thresh/internal/kernel/minify"
)

// TestBoundsOfWords holds the bounds found by words to those of the plain twin, in blocks of
// several pieces, for all that may stand before.
func TestBoundsOfWords(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	parts := []string{"{", "}", "[", "]", "{}", `"a b"`, `"\"{\\"`, "1", " 2 ", "\n", " ", "true", ",", ":", "\xef\xbb\xbf"}
	fast := 0
	for range 120 {
		var text strings.Builder
		for n := r.IntN(80_000); text.Len() < n; {
			text.WriteString(parts[r.IntN(len(parts))])
			if r.IntN(500) == 0 {
				text.WriteString(strings.Repeat(" ", r.IntN(200)))
			}
		}
		src := []byte(text.String())
		at := minify.State{InString: r.IntN(4) == 0}
		before := values{depth: int64(r.IntN(3)), begun: r.IntN(4) > 0}
		before.open = before.begun && before.depth == 0 && !at.InString && r.IntN(2) == 0
		var l wordList
		inString, sound := l.find(jsonscan.Best().Func, src, at)
		got := make([]uint64, len(src)/jsonscan.BlockBytes+1)
		want := slices.Clone(got)
		behind, ok := before.boundsOfWords(got, &l, src, inString)
		if !sound || !ok {
			continue
		}
		fast++
		if wantBehind := before.boundsPlain(want, src, at); behind != wantBehind || !slices.Equal(got, want) {
			t.Fatalf("%d bytes behind %+v %+v: %+v, want %+v; or other bounds", len(src), before, at, behind, wantBehind)
		}
	}
	if fast < 40 {
		t.Errorf("only %d of the texts were found by words", fast)
	}
}
