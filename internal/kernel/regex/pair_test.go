package regex

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel/kerneltest"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
	"github.com/thresh-dev/thresh/internal/test/rounds"
)

// TestPair compares each variant of the pair search with the plain one: every length around the
// vector widths, between guard pages, with sets of one byte, of classes and of high bytes.
func TestPair(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	classes := []string{"a", "\x00", "\xff", "0123456789", "AZaz\x80\x8f\xf0", "\n"}
	setOf := func(s string) (set [256]bool) {
		for i := range len(s) {
			set[s[i]] = true
		}
		return set
	}
	kerneltest.Run(t, pairVariants, func(t *testing.T, f pairFunc) {
		for round := range rounds.Of(1500) {
			set1, set2 := setOf(classes[rng.IntN(len(classes))]), setOf(classes[rng.IntN(len(classes))])
			if round%4 == 0 {
				for b := range 256 {
					set1[b], set2[b] = rng.IntN(2) == 0, rng.IntN(40) == 0
				}
			}
			off1, off2 := rng.IntN(maxOffset+1), rng.IntN(maxOffset+1)
			p := newPair(off1, &set1, off2, &set2)
			text := make([]byte, rng.IntN(300))
			for i := range text {
				text[i] = byte(rng.IntN(256))
				if round%2 == 0 {
					text[i] = 'x'
				}
			}
			if n := len(text); round%2 == 0 && n > maxOffset {
				at := rng.IntN(n - maxOffset)
				text[at+off1], text[at+off2] = 'a', '0'
			}
			want := pairPlain(p, text)
			if round%50 == 0 {
				head, tail := kerneltest.Guarded(t, len(text))
				copy(head, text)
				if got := f(p, head); got != want {
					t.Fatalf("in %q at the head: %d, want %d", text, got, want)
				}
				copy(tail, text)
				text = tail
			}
			if got := f(p, text); got != want {
				t.Fatalf("offsets %d and %d in %q: %d, want %d", off1, off2, text, got, want)
			}
		}
	})
}

// BenchmarkPair looks for a digit and a letter three places after it: absent, and every 82 bytes.
func BenchmarkPair(b *testing.B) {
	var digits, capitals, letters [256]bool
	for c := '0'; c <= '9'; c++ {
		digits[c] = true
	}
	for c := 'A'; c <= 'Z'; c++ {
		capitals[c], letters[c+32] = true, true
	}
	const line = "2026-03-04 10:11:12 info request=7f3b9d user=anna path=/v1/items status=200 took=12ms\n"
	for _, hits := range []string{"none", "first"} {
		p := newPair(0, &digits, 3, &capitals)
		if hits == "first" {
			p = newPair(0, &letters, 3, &letters)
		}
		for _, size := range []int{40, 64, 100, 1000, 256 << 10} {
			text := []byte(strings.Repeat(line, size/len(line)+1)[:size])
			want := pairPlain(p, text)
			for _, v := range pairVariants {
				b.Run(fmt.Sprintf("hits=%s/size=%d/isa=%v", hits, size, v.ISA), func(b *testing.B) {
					if !cpu.Has(v.ISA) {
						b.Skipf("%v cannot run here", v.ISA)
					}
					b.SetBytes(int64(size))
					for b.Loop() {
						if v.Func(p, text) != want {
							b.Fatal("wrong answer")
						}
					}
				})
			}
		}
	}
}
