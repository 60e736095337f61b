package rows

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/cpu"
	"github.com/thresh-dev/thresh/internal/kernel/kerneltest"
)

// nasty are inputs whose quotes and line feeds lie where a kernel may go wrong.
var nasty = map[string]string{
	"nothing":          "",
	"only feeds":       strings.Repeat("\n", 300),
	"only quotes":      strings.Repeat(`"`, 301),
	"alternating":      strings.Repeat("\"\n", 150),
	"doubled quotes":   strings.Repeat("a,\"b\"\"\n\"\"c\"\n", 20),
	"never closed":     "a,b\n\"" + strings.Repeat("x\n", 150),
	"feed then quote":  strings.Repeat("x", 63) + "\n\"" + strings.Repeat("\n", 63) + "\"\n",
	"quote ends block": strings.Repeat("x", 63) + "\"\n" + strings.Repeat("y", 62) + "\"\n\n",
	"CR LF":            strings.Repeat("\"a\r\nb\",c\r\n", 30),
	"neighbours":       strings.Repeat("\x0b\x09\x21\x23\x8a\xa2\n\"", 40),
}

// wanted says what is right in the most obvious way: by what comes before each line feed.
func wanted(b []byte) (s Summary) {
	text := string(b)
	for i := range len(text) {
		if text[i] != '\n' {
			continue
		}
		if strings.Count(text[:i], `"`)%2 == 0 {
			s.Feeds++
		} else {
			s.FeedsInside++
		}
	}
	s.Odd = strings.Count(text, `"`)%2 == 1
	return s
}

// Every length between guard pages: each slice once begins and once ends at memory that
// must not be touched. What lies around a slice is full of quotes and line feeds.
func TestEveryLength(t *testing.T) {
	const longest = 5*64 + 1
	kerneltest.Run(t, variants, func(t *testing.T, summarize Func) {
		head, tail := kerneltest.Guarded(t, longest)
		random := rand.New(rand.NewPCG(1, 2))
		for range 10 {
			for i := range longest {
				head[i] = "\"\nxy"[random.IntN(4)]
				tail[i] = "\"\nxy"[random.IntN(4)]
			}
			for n := range longest + 1 {
				for _, b := range [][]byte{head[:n], tail[longest-n:]} {
					if got, want := summarize(b, '"'), wanted(b); got != want {
						t.Fatalf("%q: got %+v, want %+v", b, got, want)
					}
				}
			}
		}
	})
}

// However a text is cut into three, the summaries compose to that of the whole, whichever
// two are composed first.
func TestEverySplit(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, summarize Func) {
		for name, text := range nasty {
			b := []byte(text)
			want := wanted(b)
			for i := range len(b) + 1 {
				for j := i; j <= len(b); j += 1 + (j-i)/3 {
					first, middle, last := summarize(b[:i], '"'), summarize(b[i:j], '"'), summarize(b[j:], '"')
					if got := first.Then(middle).Then(last); got != want {
						t.Fatalf("%s, cut at %d and %d: got %+v, want %+v", name, i, j, got, want)
					}
					if got := first.Then(middle.Then(last)); got != want {
						t.Fatalf("%s, cut at %d and %d, composed from behind: got %+v, want %+v",
							name, i, j, got, want)
					}
				}
			}
		}
	})
}

// Every place of a quote in a text of line feeds: those up to it are outside, the others
// inside. It crosses all borders of vectors and blocks at all alignments.
func TestEveryPlaceOfAQuote(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, summarize Func) {
		buffer := []byte(strings.Repeat("\n", 64+260))
		for start := range 64 {
			for _, n := range []int{1, 63, 64, 65, 128, 130, 259} {
				b := buffer[start : start+n]
				for i := range b {
					b[i] = '"'
					want := Summary{Feeds: int64(i), FeedsInside: int64(n - i - 1), Odd: true}
					if got := summarize(b, '"'); got != want {
						t.Fatalf("start %d, length %d, quote at %d: got %+v, want %+v", start, n, i, got, want)
					}
					b[i] = '\n'
				}
			}
		}
	})
}

func TestRandom(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, summarize Func) {
		random := rand.New(rand.NewPCG(3, 4))
		for range 5_000 {
			b := make([]byte, random.IntN(2000))
			rare := 1 + random.IntN(200) // how rare quotes and line feeds are
			for i := range b {
				b[i] = byte(random.IntN(256))
				if random.IntN(rare) == 0 {
					b[i] = "\"\n"[random.IntN(2)]
				}
			}
			if got, want := summarize(b, '"'), summarizePlain(b, '"'); got != want {
				t.Fatalf("%q: got %+v, want %+v", b, got, want)
			}
		}
	})
}

func TestThen(t *testing.T) {
	var none Summary
	odd := Summary{Feeds: 3, FeedsInside: 5, Odd: true}
	if got := none.Then(odd); got != odd {
		t.Errorf("nothing before: %+v", got)
	}
	if got := odd.Then(none); got != odd {
		t.Errorf("nothing behind: %+v", got)
	}
	if got, want := odd.Then(odd), (Summary{Feeds: 8, FeedsInside: 8}); got != want {
		t.Errorf("twice: got %+v, want %+v", got, want)
	}
}

func TestBestIsAllowed(t *testing.T) {
	best := Best()
	if !cpu.Has(best.ISA) {
		t.Errorf("Best is %v, which may not run here", best.ISA)
	}
	want := Summary{Feeds: 2, FeedsInside: 1}
	if got := best.Func([]byte("a,\"b\nc\"\nd\n"), '"'); got != want {
		t.Errorf("Best says %+v, want %+v", got, want)
	}
}

func TestNoAllocation(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, summarize Func) {
		b := []byte(nasty["doubled quotes"])
		if n := testing.AllocsPerRun(10, func() { summarize(b, '"') }); n != 0 {
			t.Errorf("%v allocations a call", n)
		}
	})
}

// FuzzSummarize holds every form to the definition, in one piece and in two.
func FuzzSummarize(f *testing.F) {
	for _, text := range nasty {
		f.Add([]byte(text), uint16(len(text)/2))
	}
	f.Fuzz(func(t *testing.T, b []byte, at uint16) {
		if len(b) > 4096 {
			return // the definition takes quadratic time
		}
		want, cut := wanted(b), min(int(at), len(b))
		for _, v := range variants {
			if !cpu.Has(v.ISA) {
				continue
			}
			if got := v.Func(b, '"'); got != want {
				t.Fatalf("%v: got %+v, want %+v", v.ISA, got, want)
			}
			if got := v.Func(b[:cut], '"').Then(v.Func(b[cut:], '"')); got != want {
				t.Fatalf("%v, cut at %d: got %+v, want %+v", v.ISA, cut, got, want)
			}
		}
	})
}
