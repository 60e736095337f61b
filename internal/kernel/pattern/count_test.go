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

// countEverywhere counts the occurrences before starts by comparing at each place.
func countEverywhere(p *Pattern, b []byte, starts int) (n, end int) {
	for i := 0; i < starts && i+len(p.value) <= len(b); i++ {
		if everywhere(p, b[i:i+len(p.value)]) == 0 {
			n, end = n+1, i+len(p.value)
		}
	}
	return n, end
}

// withCounter returns p with another variant of the count.
func withCounter(p *Pattern, f Counter) *Pattern {
	other := *p
	other.counter.Func = f
	return &other
}

// everyCount checks what p counts in b: all occurrences, and those that begin in a part.
func everyCount(t *testing.T, p *Pattern, b []byte, starts ...int) {
	t.Helper()
	for _, s := range append(starts, len(b), 2*len(b)) {
		n, end := p.Count(b, s)
		if wantN, wantEnd := countEverywhere(p, b, s); n != wantN || end != wantEnd {
			t.Fatalf("%x/%x begins %d times in %d of %d bytes and ends at %d, want %d and %d",
				p.value, p.probe.mask, n, s, len(b), end, wantN, wantEnd)
		}
	}
}

// TestCountEveryPlace puts needles at every place of haystacks of every length around the vector
// widths, flush against pages that fault.
func TestCountEveryPlace(t *testing.T) {
	var long strings.Builder
	for i := range 70 {
		long.WriteByte(byte('A' + i))
	}
	needles := []*Pattern{literal(t, "x"), literal(t, "xy"), literal(t, "abcdefg"), literal(t, "0123456789abcdefg"),
		literal(t, long.String()), parse(t, "7F 45 ?? B?"), parse(t, "?? 41 ??"), parse(t, "?1")}
	kerneltest.Run(t, counters, func(t *testing.T, f Counter) {
		for _, p := range needles {
			p := withCounter(p, f)
			for n := 0; n <= 2*256+len(p.value)+probeBytes; n += 1 + n/16 {
				head, tail := kerneltest.Guarded(t, n)
				for _, b := range [][]byte{head, tail} {
					everyCount(t, p, b)
					for at := 0; at+len(p.value) <= n; at += 1 + at/12 {
						copy(b[at:], p.value)
						copy(b[at/2:], p.value)
						everyCount(t, p, b, at, at+1, at/2)
						clear(b)
					}
				}
			}
		}
	})
}

// TestCountRandom counts in an alphabet so small that matches and near misses abound.
func TestCountRandom(t *testing.T) {
	kerneltest.Run(t, counters, func(t *testing.T, f Counter) {
		r := rand.New(rand.NewPCG(5, 6))
		for range rounds.Of(5_000) {
			b := random(r, r.IntN(1200), 1+r.IntN(4))
			value := random(r, 1+r.IntN(12), 1+r.IntN(4))
			if r.IntN(2) == 0 && len(b) > 60 { // one that occurs
				value = bytes.Clone(b[20:][:1+r.IntN(40)])
				for range 10 {
					copy(b[r.IntN(len(b)):], value)
				}
			}
			mask := bytes.Repeat([]byte{0xff}, len(value))
			for i := range mask {
				mask[i] = []byte{0xff, 0xff, 0xff, 0xf0, 0x0f, 0}[r.IntN(6)]
			}
			mask[r.IntN(len(mask))] = 0xff
			for i := range value {
				value[i] &= mask[i]
			}
			everyCount(t, withCounter(newPattern(value, mask), f), b, r.IntN(len(b)+1))
		}
	})
}

// TestEveryLength searches and counts at every length and alignment, where matches and near misses
// abound, and in bytes that differ from the wanted ones only in the highest or the lowest bit.
func TestEveryLength(t *testing.T) {
	const longest, alignments = 300, 8
	patterns := []*Pattern{literal(t, "a"), literal(t, "ab"), literal(t, "aab"), literal(t, "abababababab"),
		parse(t, "61 ?? 61"), parse(t, "?1"), parse(t, "6? ?2"), parse(t, "00"), parse(t, "80 00")}
	r := rand.New(rand.NewPCG(7, 8))
	buffer := make([]byte, longest+alignments)
	for n := range longest + 1 {
		letters := []string{"ab", "a\xe1\x60b", "\x00\x01\x80\x81", "xxxxxxxxa", "a"}[n%5]
		for i := range buffer {
			buffer[i] = letters[r.IntN(len(letters))]
		}
		for start := range alignments {
			b := buffer[start:][:n:n]
			for _, p := range patterns {
				for i := range variants {
					if !cpu.Has(variants[i].ISA) {
						continue
					}
					if got, want := variants[i].Func(p, b), everywhere(p, b); got != want {
						t.Fatalf("%v: %x in %q: %d, want %d", variants[i].ISA, p.value, b, got, want)
					}
					everyCount(t, withCounter(p, counters[i].Func), b)
				}
			}
		}
	}
}

// TestCountByIndex counts words of a text by searching again after every match.
func TestCountByIndex(t *testing.T) {
	const phrase = "upstream of /static/app.js: a phrase"
	text := prose(50_000)
	for at := 100; at+len(phrase) <= len(text); at += 777 {
		copy(text[at:], phrase)
	}
	kerneltest.Run(t, counters, func(t *testing.T, f Counter) {
		for _, word := range []string{"e", "rv", "GET", "session ", "served GET ", phrase} {
			p := withCounter(literal(t, word), f)
			want, end := 0, 0
			for {
				i := p.Index(text[end:])
				if i < 0 {
					break
				}
				want, end = want+1, end+i+len(word)
			}
			if n, got := p.Count(text, len(text)); n != want || got != end || n == 0 {
				t.Errorf("%q: %d to %d, want %d to %d", word, n, got, want, end)
			}
		}
	})
}

// TestCountNearMisses has so many failing candidates that the count switches to its linear variant,
// with matches before and after.
func TestCountNearMisses(t *testing.T) {
	kerneltest.Run(t, counters, func(t *testing.T, f Counter) {
		for _, m := range []int{2, 8, 64, 65, 1000, 5000} {
			needle := bytes.Repeat([]byte("a"), m)
			needle[0], needle[m-1] = 'c', 'b'
			near := bytes.Clone(needle)
			near[m/2] = 'b'
			hay := append(bytes.Clone(needle), bytes.Repeat(near, 200_000/m)...)
			hay = append(hay, needle...)
			hay = append(hay, needle...)
			n, end := withCounter(literal(t, string(needle)), f).Count(hay, len(hay))
			if want := bytes.Count(hay, needle); n != want || end != len(hay) {
				t.Errorf("%d: %d to %d, want %d to %d", m, n, end, want, len(hay))
			}
		}
	})
}

// TestCountManyNearMisses does so until only the linear variant is left.
func TestCountManyNearMisses(t *testing.T) {
	value, hay := nearMisses()
	hay = append(bytes.Clone(hay), ' ')
	hay = append(hay, hay...)
	kerneltest.Run(t, counters, func(t *testing.T, f Counter) {
		if n, end := withCounter(literal(t, string(value)), f).Count(hay, len(hay)); n != 2 || end != len(hay) {
			t.Errorf("%d to %d, want 2 to %d", n, end, len(hay))
		}
	})
}

func TestCountAllocatesNothing(t *testing.T) {
	text, p := prose(10_000), literal(t, "session")
	if n := testing.AllocsPerRun(100, func() { p.Count(text, len(text)) }); n != 0 {
		t.Errorf("%v allocations a call", n)
	}
}

// ISA describes both tables, so they must have the same instruction sets.
func TestCountersMatchVariants(t *testing.T) {
	if len(counters) != len(variants) {
		t.Fatalf("%d variants count, %d search", len(counters), len(variants))
	}
	for i := range counters {
		if counters[i].ISA != variants[i].ISA {
			t.Errorf("variant %d counts with %v and searches with %v", i, counters[i].ISA, variants[i].ISA)
		}
	}
}

// FuzzCount checks that all variants count the same as a comparison at every place.
func FuzzCount(f *testing.F) {
	f.Add(bytes.Repeat([]byte("haystack with a needle"), 20), []byte("needle"), uint64(0), uint16(400))
	f.Add(bytes.Repeat([]byte("ab"), 200), []byte("abb"), uint64(2), uint16(1000))
	f.Add(bytes.Repeat([]byte("ab"), 200), []byte("a"), uint64(0), uint16(0))
	f.Fuzz(func(t *testing.T, hay, needle []byte, wild uint64, starts uint16) {
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
		for _, v := range counters {
			if cpu.Has(v.ISA) {
				everyCount(t, withCounter(newPattern(value, mask), v.Func), hay, int(starts))
			}
		}
	})
}

// prose returns n bytes of log lines in which a common word occurs about every hundred bytes, at
// distances that no branch predictor can learn.
func prose(n int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	words := []string{"served", "GET", "POST", "/static/app.js", "ms", "user=", "req=", "status", "cache", "0x1f", "upstream"}
	var text strings.Builder
	for text.Len() < n {
		if r.IntN(14) == 0 {
			text.WriteString("session ")
			continue
		}
		text.WriteString(words[r.IntN(len(words))])
		text.WriteByte(' ')
	}
	return []byte(text.String()[:n])
}

// BenchmarkCount counts words that occur everywhere, somewhere and nowhere in 128 KiB.
func BenchmarkCount(b *testing.B) {
	const size = 128 << 10
	hay := kerneltest.HugePages(b, size)
	copy(hay, prose(size))
	for _, needle := range []string{"e", "rv", "GET", "session", "upstream", "/static/app.js", "served GET /static/app.js", "Q", "needle", "sessi0n"} {
		want := bytes.Count(hay, []byte(needle))
		name := fmt.Sprintf("of=%s/hits=%d", strings.ReplaceAll(needle, "/", "|"), want)
		for _, v := range counters {
			p := withCounter(literal(b, needle), v.Func)
			b.Run(name+"/isa="+v.ISA.String(), func(b *testing.B) {
				if !cpu.Has(v.ISA) {
					b.Skipf("%v cannot run here", v.ISA)
				}
				b.SetBytes(size)
				for b.Loop() {
					if n, _ := p.Count(hay, len(hay)); n != want {
						b.Fatalf("got %d, want %d", n, want)
					}
				}
			})
		}
		p := literal(b, needle)
		b.Run(name+"/by=Index", func(b *testing.B) {
			b.SetBytes(size)
			for b.Loop() {
				n := 0
				for rest := hay; ; n++ {
					i := p.Index(rest)
					if i < 0 {
						break
					}
					rest = rest[i+p.Len():]
				}
				if n != want {
					b.Fatalf("got %d, want %d", n, want)
				}
			}
		})
	}
}
