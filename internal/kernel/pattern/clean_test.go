package pattern

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel/kerneltest"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
	"github.com/thresh-dev/thresh/internal/test/rounds"
)

// cleanBytes is what Clean must return.
func cleanBytes(p *Pattern, b []byte) int {
	n := len(b)
	if at := everywhere(p, b); at >= 0 {
		n = at
	}
	for i, c := range b[:n] {
		if c == 0 {
			return i
		}
	}
	return n
}

// TestCleanEveryPlace puts a zero byte, a needle, and both at every place of texts of every length around the
// vector widths, flush against pages that fault.
func TestCleanEveryPlace(t *testing.T) {
	long := string(bytes.Repeat([]byte("ABCDEFG"), 10)) + "!"
	needles := []*Pattern{literal(t, "x"), literal(t, "xy"), literal(t, "needle"), literal(t, long),
		parse(t, "7F 45 ?? B?"), parse(t, "?? 41 ??"), parse(t, "00 78")}
	every := rounds.Every(1)
	kerneltest.Run(t, cleaners, func(t *testing.T, clean Cleaner) {
		for _, p := range needles {
			for n := 0; n <= 3*256+len(p.value)+1; n += 1 + n/40*every {
				head, tail := kerneltest.Guarded(t, n)
				for _, b := range [][]byte{head, tail} {
					fill := func() {
						for i := range b {
							b[i] = '.'
						}
					}
					check := func(zero, at int) {
						if got, want := clean(p, b), cleanBytes(p, b); got != want {
							t.Fatalf("%x of %d bytes at %d, a zero at %d: %d, want %d", p.value, n, at, zero, got, want)
						}
					}
					fill()
					check(-1, -1)
					for at := 0; at < n; at += 1 + at/40*every {
						fill()
						copy(b[at:], p.value) // the end of b may cut it off
						check(-1, at)
						for _, zero := range []int{0, at - 1, at + len(p.value)/2, at + len(p.value), n - 1} {
							if zero >= 0 && zero < n {
								old := b[zero]
								b[zero] = 0
								check(zero, at)
								b[zero] = old
							}
						}
						fill()
						b[at] = 0
						check(at, -1)
					}
				}
			}
		}
	})
}

func TestCleanRandom(t *testing.T) {
	kerneltest.Run(t, cleaners, func(t *testing.T, clean Cleaner) {
		r := rand.New(rand.NewPCG(7, 8))
		for range rounds.Of(20_000) {
			b := random(r, r.IntN(1500), 1+r.IntN(4))
			value := random(r, 1+r.IntN(12), 1+r.IntN(4))
			for range r.IntN(3) {
				if len(b) > 0 {
					b[r.IntN(len(b))] = 0
				}
			}
			mask := bytes.Repeat([]byte{0xff}, len(value))
			for i := range mask[1:] {
				mask[i] = []byte{0xff, 0xff, 0xff, 0xf0, 0x0f, 0}[r.IntN(6)]
				value[i] &= mask[i]
			}
			p := newPattern(value, mask)
			if got, want := clean(p, b), cleanBytes(p, b); got != want {
				t.Fatalf("%x/%x in %q: %d, want %d", value, mask, b, got, want)
			}
		}
	})
}

// Texts of near misses wear the search out, which then goes on in linear time.
func TestCleanNearMisses(t *testing.T) {
	value, text := nearMisses()
	p := literal(t, string(value))
	kerneltest.Run(t, cleaners, func(t *testing.T, clean Cleaner) {
		if got := clean(p, text); got != len(text) {
			t.Errorf("%d of %d bytes are clean", got, len(text))
		}
		found := append(bytes.Clone(text), ' ')
		if got, want := clean(p, found), len(found)-len(value); got != want {
			t.Errorf("%d bytes are clean, want %d", got, want)
		}
		for _, zero := range []int{0, 1, len(text) / 2, len(text) - 1} {
			b := bytes.Clone(text)
			b[zero] = 0
			if got := clean(p, b); got != zero {
				t.Errorf("%d bytes are clean, want %d", got, zero)
			}
		}
	})
}

func BenchmarkClean(b *testing.B) {
	hay := requests(1 << 20)
	for _, needle := range []string{"user=98765432 served", "q=7f3a9c", "queue?size=10&kind=all in"} {
		p := literal(b, needle)
		want := cleanBytes(p, hay)
		for _, v := range cleaners {
			b.Run(needle[:8]+"/isa="+v.ISA.String(), func(b *testing.B) {
				if !cpu.Has(v.ISA) {
					b.Skipf("%v cannot run here", v.ISA)
				}
				b.SetBytes(int64(want))
				for b.Loop() {
					if v.Func(p, hay) != want {
						b.Fatal("wrong answer")
					}
				}
			})
		}
	}
}
