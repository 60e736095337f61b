package pattern

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel/kerneltest"
	"github.com/thresh-dev/thresh/internal/test/rounds"
)

// TestFold compares with a search in lower case, in texts of letters and of the bytes that differ from letters in
// the bit of the case.
func TestFold(t *testing.T) {
	const alphabet = "aAbBzZ[{@`kKsS 0"
	kerneltest.Run(t, variants, func(t *testing.T, index Func) {
		r := rand.New(rand.NewPCG(7, 8))
		text := func(n, letters int) []byte {
			b := make([]byte, n)
			for i := range b {
				b[i] = alphabet[r.IntN(letters)]
			}
			return b
		}
		for range rounds.Of(10_000) {
			letters := 2 + r.IntN(len(alphabet)-1)
			b, needle := text(r.IntN(900), letters), text(1+r.IntN(4), letters)
			if r.IntN(4) == 0 {
				needle = text(1+r.IntN(FoldBytesMax), letters)
				if len(b) > len(needle) {
					copy(b[r.IntN(len(b)-len(needle)):], strings.ToUpper(string(needle)))
				}
			}
			p, err := Fold(needle)
			if err != nil {
				t.Fatal(err)
			}
			want := bytes.Index(bytes.ToLower(b), bytes.ToLower(needle))
			if got := index(p, b); got != want {
				t.Fatalf("%q in %q: %d, want %d", needle, b, got, want)
			}
		}
	})
}

// TestFoldRefuses: what has no meaning, or would be slow, is an error.
func TestFoldRefuses(t *testing.T) {
	for _, text := range []string{"", "é", "a\x80", strings.Repeat("a", FoldBytesMax+1)} {
		if _, err := Fold([]byte(text)); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
}

// TestFoldChoosesRareLetters: letters are ranked by how common they are, and before what is more common.
func TestFoldChoosesRareLetters(t *testing.T) {
	p, err := Fold([]byte("e quit e"))
	if err != nil {
		t.Fatal(err)
	}
	if p.first.value != 'Q' {
		t.Errorf("%q is compared first, want Q", p.first.value)
	}
}
