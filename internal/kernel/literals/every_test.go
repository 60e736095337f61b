package literals

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/test/rounds"
)

// TestEvery compares Every with a loop over all places and literals.
func TestEvery(t *testing.T) {
	words := []string{"a", "b", "ab", "aba", "abab", "B", "Ab", "é", "É", "K", "k", "\u212a", "bc", "c", "abc", "cab"}
	for seed := range uint64(rounds.Of(400)) {
		r := rand.New(rand.NewPCG(seed, 2))
		fold := r.IntN(2) == 0
		var list []Literal
		for range 1 + r.IntN(40) {
			text := ""
			for range 1 + r.IntN(2) {
				text += words[r.IntN(len(words))]
			}
			list = append(list, Literal{Value: []byte(text)})
		}
		var b bytes.Buffer
		for range r.IntN(300) {
			b.WriteString(words[r.IntN(len(words))])
		}
		text := b.Bytes()
		set, ids, err := CompileEvery(list, fold)
		if err != nil {
			t.Fatal(err)
		}
		var got, want []string
		set.Every(text, len(text), func(at, n, id int) bool {
			got = append(got, fmt.Sprint(at, n, id))
			return true
		})
		for at := range text {
			for i, l := range list {
				for n := 1; n <= 3*len(l.Value) && at+n <= len(text); n++ {
					same := bytes.Equal(l.Value, text[at:at+n])
					same = same || fold && strings.EqualFold(string(l.Value), string(text[at:at+n]))
					if same && ids[i] == i {
						want = append(want, fmt.Sprint(at, n, i))
					}
				}
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d, fold %v, %q in %q:\n%v, want\n%v", seed, fold, list, text, got, want)
		}
		for i, id := range ids {
			if id > i || !strings.EqualFold(string(list[i].Value), string(list[id].Value)) {
				t.Fatalf("%q has the id of %q", list[i].Value, list[id].Value)
			}
		}
	}
}
