package rows

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/thresh-dev/thresh/internal/cpu"
	"github.com/thresh-dev/thresh/internal/kernel/kerneltest"
)

// nasty fills b with quotes and line feeds in all places.
func nasty(b []byte, r *rand.Rand) {
	for i := range b {
		b[i] = "\"\n,x\r\n\"\x8a\xa2"[r.IntN(9)]
	}
}

// Every length at both edges of guarded memory, with the plain form for the truth.
func TestEveryLength(t *testing.T) {
	const longest = 64*5 + 1
	r := rand.New(rand.NewPCG(1, 2))
	kerneltest.Run(t, variants, func(t *testing.T, sum Func) {
		head, tail := kerneltest.Guarded(t, longest)
		nasty(head, r)
		nasty(tail, r)
		for n := range longest + 1 {
			for _, b := range [][]byte{head[:n], tail[longest-n:]} {
				if got, want := sum(b), sumPlain(b); got != want {
					t.Fatalf("length %d: %+v, want %+v", n, got, want)
				}
			}
		}
	})
}

// A text that is cut anywhere, or into many pieces, has the same summary.
func TestEverySplit(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	kerneltest.Run(t, variants, func(t *testing.T, sum Func) {
		for range 20 {
			b := make([]byte, r.IntN(400))
			nasty(b, r)
			want := sumPlain(b)
			for cut := range len(b) + 1 {
				if got := sum(b[:cut]).Then(sum(b[cut:])); got != want {
					t.Fatalf("%q cut at %d: %+v, want %+v", b, cut, got, want)
				}
			}
			var all Summary
			for rest := b; len(rest) > 0; {
				n := 1 + r.IntN(len(rest))
				all, rest = all.Then(sum(rest[:n])), rest[n:]
			}
			if all != want {
				t.Fatalf("%q in pieces: %+v, want %+v", b, all, want)
			}
		}
	})
}

// The plain form itself, by examples.
func TestPlain(t *testing.T) {
	for text, want := range map[string]Summary{
		"":                   {},
		"a\nb\n":             {Feeds: 2},
		"\"a\nb\"\n":         {Feeds: 1, FeedsInside: 1},
		"\"":                 {Odd: true},
		"\n\"\n":             {Feeds: 1, FeedsInside: 1, Odd: true},
		"\"x\"\"\n\"\"y\"\n": {Feeds: 1, FeedsInside: 1},
	} {
		if got := sumPlain([]byte(text)); got != want {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
}

func TestBestIsAllowed(t *testing.T) {
	best := Best()
	if !cpu.Has(best.ISA) {
		t.Errorf("Best is %v, which may not run here", best.ISA)
	}
}

// FuzzSum compares every form with the plain one, and a cut with the whole.
func FuzzSum(f *testing.F) {
	f.Add([]byte("a,\"b\nc\"\nd\n"), uint16(5))
	f.Fuzz(func(t *testing.T, b []byte, at uint16) {
		want := sumPlain(b)
		cut := int(at) % (len(b) + 1)
		for _, v := range variants {
			if !cpu.Has(v.ISA) {
				continue
			}
			if got := v.Func(b); got != want {
				t.Errorf("%v of %q: %+v, want %+v", v.ISA, b, got, want)
			}
			if got := v.Func(b[:cut]).Then(v.Func(b[cut:])); got != want {
				t.Errorf("%v of %q cut at %d: %+v, want %+v", v.ISA, b, cut, got, want)
			}
		}
	})
}

// BenchmarkSum goes through records with quotes in each, in the cache.
func BenchmarkSum(b *testing.B) {
	var text []byte
	for i := 0; len(text) < 128<<10; i++ {
		text = fmt.Appendf(text, "%d,\"Smith, John\",plain,\"said \"\"no\"\"\"\n", i)
	}
	for _, v := range variants {
		b.Run(v.ISA.String(), func(b *testing.B) {
			if !cpu.Has(v.ISA) {
				b.Skipf("%v cannot run here", v.ISA)
			}
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				v.Func(text)
			}
		})
	}
}
