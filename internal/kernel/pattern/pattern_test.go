package pattern

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel/kerneltest"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
	"github.com/thresh-dev/thresh/internal/test/rounds"
)

// everywhere compares p at every place of b: what Index must return.
func everywhere(p *Pattern, b []byte) int {
	for i := 0; i+len(p.value) <= len(b); i++ {
		fits := true
		for j, v := range p.value {
			fits = fits && b[i+j]&p.mask[j] == v
		}
		if fits {
			return i
		}
	}
	return -1
}

func parse(t testing.TB, s string) *Pattern {
	t.Helper()
	p, err := ParseHex(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func literal(t testing.TB, s string) *Pattern {
	t.Helper()
	p, err := Literal([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestEveryPlace puts a needle at every place of haystacks of every length around the vector
// widths, flush against pages that fault.
func TestEveryPlace(t *testing.T) {
	var long strings.Builder
	for i := range 70 {
		long.WriteByte(byte('A' + i%50))
	}
	needles := []*Pattern{literal(t, "x"), literal(t, "xy"), literal(t, "needle"), literal(t, long.String()),
		parse(t, "7F 45 ?? B?"), parse(t, "?? 41 ??"), parse(t, "?1")}
	kerneltest.Run(t, variants, func(t *testing.T, index Func) {
		for _, p := range needles {
			for n := 0; n <= 2*256+len(p.value)+1; n += 1 + n/90 {
				head, tail := kerneltest.Guarded(t, n)
				for _, b := range [][]byte{head, tail} {
					if got := index(p, b); got != everywhere(p, b) {
						t.Fatalf("%x in %d zeros: %d", p.value, n, got)
					}
					for at := 0; at+len(p.value) <= n; at += 1 + at/60 {
						copy(b[at:], p.value)
						if got := index(p, b); got != at {
							t.Fatalf("%x of %d bytes at %d: found at %d", p.value, n, at, got)
						}
						clear(b)
					}
				}
			}
		}
	})
}

// random returns n bytes of an alphabet so small that near misses abound.
func random(r *rand.Rand, n, letters int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = "abAB"[r.IntN(letters)]
	}
	return b
}

func TestRandom(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, index Func) {
		r := rand.New(rand.NewPCG(3, 4))
		for range rounds.Of(20_000) {
			b := random(r, r.IntN(700), 1+r.IntN(4))
			value := random(r, 1+r.IntN(12), 1+r.IntN(4))
			mask := bytes.Repeat([]byte{0xff}, len(value))
			for i := range mask {
				mask[i] = []byte{0xff, 0xff, 0xff, 0xf0, 0x0f, 0}[r.IntN(6)]
			}
			mask[r.IntN(len(mask))] = 0xff
			for i := range value {
				value[i] &= mask[i]
			}
			p := newPattern(value, mask)
			if got, want := index(p, b), everywhere(p, b); got != want {
				t.Fatalf("%x/%x in %q: %d, want %d", value, mask, b, got, want)
			}
		}
	})
}

// TestNearMisses has so many failing candidates that the search switches to its linear variant.
func TestNearMisses(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, index Func) {
		for _, m := range []int{2, 8, 64, 65, 1000, 5000} {
			needle := append(bytes.Repeat([]byte("a"), m), 'b')
			p := literal(t, string(needle))
			// The rare byte is near as well, so that the pair matches nearly everywhere.
			hay := bytes.Repeat(append(bytes.Repeat([]byte("a"), m-1), 'b'), 200_000/m)
			if got := index(p, hay); got != -1 {
				t.Errorf("%d: found at %d what is not there", m, got)
			}
			hay = append(hay, needle...)
			if got, want := index(p, hay), bytes.Index(hay, needle); got != want {
				t.Errorf("%d: found at %d, want %d", m, got, want)
			}
		}
	})
}

// TestGoesOn puts text that differs from a needle in a single byte, which is not one of the pair,
// at every place around the vector widths, and needles before and after. A variant must continue
// after a place where the pattern might have begun.
func TestGoesOn(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, index Func) {
		for _, m := range []int{3, 6, 17, 33, 40, 70} {
			value := make([]byte, m)
			for i := range value {
				value[i] = byte('0' + i)
			}
			p := literal(t, string(value))
			near := bytes.Clone(value)
			near[p.order[len(p.order)-1].off] = '-'
			for n := m; n <= 2*m+130; n += 1 + n/60 {
				_, b := kerneltest.Guarded(t, n)
				for at := 0; at+m <= n; at++ {
					clear(b)
					copy(b[at:], near)
					if got := index(p, b); got != -1 {
						t.Fatalf("%d bytes in %d, nearly at %d: found at %d", m, n, at, got)
					}
					for _, hit := range []int{0, at + m, at + m + 1, n - m} {
						if hit+m <= n && (hit+m <= at || at+m <= hit) {
							copy(b[hit:], value)
							if got := index(p, b); got != everywhere(p, b) {
								t.Fatalf("%d bytes in %d, nearly at %d, at %d: found at %d", m, n, at, hit, got)
							}
						}
					}
				}
			}
		}
	})
}

// nearMisses returns a needle, and a text without it in which about every fifth place looks like it
// for hundreds of bytes.
func nearMisses() (needle, text []byte) {
	period := append(bytes.Repeat([]byte("Q"), 100), bytes.Repeat([]byte("e"), 100)...)
	return append(bytes.Repeat(period, 10), ' '), bytes.Repeat(period, 500)
}

// TestManyNearMisses has so many failing candidates that the search must switch to its linear
// variant.
func TestManyNearMisses(t *testing.T) {
	value, hay := nearMisses()
	p := literal(t, string(value))
	if first := p.first; first.value != 'Q' || !p.exhausted(len(hay)/10, len(hay)) {
		t.Fatal("the text does not wear the search out")
	}
	kerneltest.Run(t, variants, func(t *testing.T, index Func) {
		if got := index(p, hay); got != -1 {
			t.Errorf("found at %d what is not there", got)
		}
		if got := index(p, append(hay, ' ')); got != len(hay)+1-len(value) {
			t.Errorf("found at %d, want %d", got, len(hay)+1-len(value))
		}
	})
}

func TestParseHex(t *testing.T) {
	tests := []struct {
		text, value, mask string
		column            int // of the error, 0 for none
	}{
		{"7F 45 4C 46 ?? 01", "7f454c460001", "ffffffff00ff", 0},
		{"b?", "b0", "f0", 0},
		{"?b", "0b", "0f", 0},
		{"7f454C", "7f454c", "ffffff", 0},
		{"  00  ", "00", "ff", 0},
		{"", "", "", 1},
		{"   ", "", "", 1},
		{"??", "", "", 1},
		{"7F 4", "", "", 4},
		{"7 F", "", "", 1},
		{"7F 0x45", "", "", 4},
		{"7F G0", "", "", 4},
		{"7F 0G", "", "", 5},
		{"7F,45", "", "", 3},
	}
	for _, test := range tests {
		p, err := ParseHex(test.text)
		if test.column > 0 {
			if want := fmt.Sprintf("column %d:", test.column); err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%q: error %v, want one that begins with %q", test.text, err, want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", test.text, err)
		} else if v, m := fmt.Sprintf("%x", p.value), fmt.Sprintf("%x", p.mask); v != test.value || m != test.mask {
			t.Errorf("%q is %s/%s, want %s/%s", test.text, v, m, test.value, test.mask)
		}
	}
	if _, err := Literal(nil); err == nil {
		t.Error("an empty literal was accepted")
	}
}

func TestTraits(t *testing.T) {
	for _, test := range []struct {
		p               *Pattern
		overlaps, zeros bool
	}{
		{literal(t, "aa"), true, false},
		{literal(t, "ab"), false, false},
		{literal(t, "abca"), true, false},
		{parse(t, "00 00"), true, true},
		{parse(t, "00 01"), false, false},
		{parse(t, "01 ??"), true, false},
		{parse(t, "0? 1?"), false, false},
	} {
		if test.p.Overlaps() != test.overlaps || test.p.FitsZeros() != test.zeros {
			t.Errorf("%x: overlaps %v, fits zeros %v", test.p.value, test.p.Overlaps(), test.p.FitsZeros())
		}
	}
}

// FuzzIndex checks that all variants return the same, that what they return is an occurrence, and
// that there is none before it.
func FuzzIndex(f *testing.F) {
	f.Add([]byte("haystack with a needle"), []byte("needle"), uint64(0))
	f.Add(bytes.Repeat([]byte("ab"), 200), []byte("abb"), uint64(2))
	f.Fuzz(func(t *testing.T, hay, needle []byte, wild uint64) {
		if len(needle) == 0 {
			return
		}
		mask := bytes.Repeat([]byte{0xff}, len(needle))
		value := bytes.Clone(needle)
		for i := 1; i < len(mask) && i < 64; i++ {
			if wild>>i&1 != 0 {
				mask[i], value[i] = 0xf0, value[i]&0xf0
			}
		}
		p := newPattern(value, mask)
		want := everywhere(p, hay)
		for _, v := range variants {
			if !cpu.Has(v.ISA) {
				continue
			}
			if got := v.Func(p, hay); got != want {
				t.Errorf("%v: %d, want %d", v.ISA, got, want)
			}
		}
	})
}

// requests returns lines of different lengths, in which a pair of rare bytes is no rarer than lines.
func requests(n int) (text []byte) {
	r := rand.New(rand.NewPCG(5, 6))
	for len(text) < n {
		text = fmt.Appendf(text, "2026-01-02T03:04:05.%03dZ INFO req=%08x user=%08d served GET /v1/queue?size=%d&kind=%s in %d ms\n",
			r.IntN(1000), r.Uint32(), r.IntN(1e8), r.IntN(1000), "abcdefghijklmnopqrstuvwxyz"[:r.IntN(26)], r.IntN(500))
	}
	return text
}

func BenchmarkIndex(b *testing.B) {
	line := []byte("2026-01-02T03:04:05.678Z INFO req=0011aabb user=123456789 served GET /static/app.js in 12 ms\n")
	hays := map[string][]byte{"log": line, "zeros": make([]byte, 64), "a": bytes.Repeat([]byte("a"), 64),
		"requests": requests(1 << 20)}
	for _, c := range []struct{ hay, needle string }{
		{"requests", "user=98765432 served"}, {"requests", "q=7f3a9c"}, {"requests", "queue?size=10&kind=all in"},
		{"log", "req=7f3a9c"}, {"log", "user=987"}, {"log", "e"}, {"zeros", "needle"},
		{"a", "aaaaaaaaaaaaaaab"}, {"a", "ab"},
		{"a", strings.Repeat("a", 31) + "b" + strings.Repeat("a", 32)},
	} {
		for _, size := range []int{64, 4 << 10, 256 << 10, 64 << 20} {
			hay := bytes.Repeat(hays[c.hay], size/len(hays[c.hay])+1)[:size]
			p := literal(b, c.needle)
			want := bytes.Index(hay, []byte(c.needle))
			name := fmt.Sprintf("hay=%s/needle=%.9s/size=%d", c.hay, c.needle, size)
			for _, v := range variants {
				b.Run(name+"/isa="+v.ISA.String(), func(b *testing.B) {
					if !cpu.Has(v.ISA) {
						b.Skipf("%v cannot run here", v.ISA)
					}
					b.SetBytes(int64(size))
					for b.Loop() {
						if v.Func(p, hay) != want {
							b.Fatal("wrong answer")
						}
					}
				})
			}
			b.Run(name+"/isa=bytes.Index", func(b *testing.B) {
				b.SetBytes(int64(size))
				for b.Loop() {
					if bytes.Index(hay, []byte(c.needle)) != want {
						b.Fatal("wrong answer")
					}
				}
			})
		}
	}
}
