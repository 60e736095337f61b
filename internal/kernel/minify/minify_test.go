package minify

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel/kerneltest"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
	"github.com/thresh-dev/thresh/internal/test/rounds"
)

// nasty are texts with quotes and backslashes where a kernel may go wrong.
var nasty = map[string]string{
	"nothing":            "",
	"white":              strings.Repeat(" \n\t\r", 50),
	"white in a string":  `"` + strings.Repeat(" \n\t\r", 50) + `" `,
	"quotes":             strings.Repeat(`"`, 201),
	"backslashes":        strings.Repeat(`\`, 201) + `" "`,
	"even backslashes":   `"` + strings.Repeat(`\`, 200) + `" " `,
	"odd at a border":    strings.Repeat("x", 61) + `"\\\" " ` + strings.Repeat("y ", 50),
	"runs":               strings.Repeat(`" \" \\" \\\" \\\\" `, 20),
	"not quite white":    strings.Repeat("\x00\x01\x08\x0b\x0c\x1f\x21\x89\x8a\x8d\xa0\xff ", 20),
	"pretty":             "{\n  \"a b\": [1,\n    2.5e3, \"c \\\" d\\\\\"],\n  \"é \": null\n}\n",
	"escape begins":      strings.Repeat("x", 63) + `\" " "`,
	"escape out of one":  strings.Repeat(`\`, 64) + `" a b " c d`,
	"escape out of many": strings.Repeat(`\`, 129) + `" a b " c d` + strings.Repeat(" ", 70),
}

var states = []State{{}, {InString: true}, {Escaped: true}, {true, true}}

// wanted computes byte by byte what is right, without the package's notion of a state.
func wanted(src []byte, begin State) (out []byte, end State) {
	in, escaped := begin.InString, begin.Escaped
	for _, c := range src {
		if in || !strings.ContainsRune(" \n\r\t", rune(c)) {
			out = append(out, c)
		}
		if escaped {
			escaped = false
		} else if c == '\\' {
			escaped = true
		} else if c == '"' {
			in = !in
		}
	}
	return out, State{in, escaped}
}

func check(t *testing.T, k Kernel, src []byte, dst []byte) {
	t.Helper()
	sum := k.Summarize(src)
	for _, begin := range states {
		want, wantEnd := wanted(src, begin)
		n, end := k.Minify(dst, src, begin)
		if !bytes.Equal(dst[:n], want) || end != wantEnd {
			t.Fatalf("%q from %+v: got %q, %+v; want %q, %+v", src, begin, dst[:n], end, want, wantEnd)
		}
		if end, kept := sum.From(begin); end != wantEnd || kept != int64(len(want)) {
			t.Fatalf("%q from %+v: the summary says %d, %+v; want %d, %+v", src, begin, kept, end, len(want), wantEnd)
		}
	}
}

// Every length between guard pages, in both buffers.
func TestEveryLength(t *testing.T) {
	const longest = 4*blockBytes + 1
	kerneltest.Run(t, variants, func(t *testing.T, k Kernel) {
		head, tail := kerneltest.Guarded(t, longest)
		dstHead, dstTail := kerneltest.Guarded(t, longest)
		random := rand.New(rand.NewPCG(1, 2))
		for range rounds.Of(10) {
			for i := range longest {
				head[i] = "\"\\ \nxy,"[random.IntN(7)]
				tail[i] = "\"\\\\\\ \n"[random.IntN(6)]
			}
			for n := range longest + 1 {
				check(t, k, head[:n], dstTail[longest-n:])
				check(t, k, tail[longest-n:], dstHead[:n])
			}
		}
	})
}

// Every mask and number of blocks, between guard pages: the variants keep the same bytes as the
// plain twin, which are those of the bits.
func TestCompress(t *testing.T) {
	const longest = 5 * blockBytes
	kerneltest.Run(t, variants, func(t *testing.T, k Kernel) {
		head, tail := kerneltest.Guarded(t, longest)
		dstHead, dstTail := kerneltest.Guarded(t, longest)
		random := rand.New(rand.NewPCG(3, 4))
		for range rounds.Of(2000) {
			keeps := make([]uint64, random.IntN(longest/blockBytes+1))
			var want []byte
			n := len(keeps) * blockBytes
			for i := range longest {
				head[i], tail[i] = byte(random.Uint32()), byte(random.Uint32())
			}
			for i := range keeps {
				keeps[i] = []uint64{0, ^uint64(0), random.Uint64(), random.Uint64() & random.Uint64() & random.Uint64(),
					1 << random.IntN(blockBytes), ^(1 << random.IntN(blockBytes))}[random.IntN(6)]
			}
			for _, pair := range [][2][]byte{{head[:n], dstTail[longest-n:]}, {tail[longest-n:], dstHead[:n]}} {
				src, dst := pair[0], pair[1]
				want = want[:0]
				for i, c := range src {
					if keeps[i/blockBytes]>>(i%blockBytes)&1 == 1 {
						want = append(want, c)
					}
				}
				if got := k.Compress(dst, src, keeps); !bytes.Equal(dst[:got], want) {
					t.Fatalf("by %x: %d bytes, want %d, or they differ", keeps, got, len(want))
				}
			}
		}
	})
}

func TestNasty(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, k Kernel) {
		for name, text := range nasty {
			t.Run(name, func(t *testing.T) { check(t, k, []byte(text), make([]byte, len(text))) })
		}
	})
}

// However a text is cut into two, the outputs compose.
func TestEverySplit(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, k Kernel) {
		for name, text := range nasty {
			b := []byte(text)
			for i := range len(b) + 1 {
				want, wantEnd := wanted(b, State{})
				dst := make([]byte, len(b))
				n, at := k.Minify(dst, b[:i], State{})
				m, end := k.Minify(dst[n:], b[i:], at)
				if !bytes.Equal(dst[:n+m], want) || end != wantEnd {
					t.Fatalf("%s, cut at %d: got %q, want %q", name, i, dst[:n+m], want)
				}
			}
		}
	})
}

// In place, and to an earlier place: writing must never overtake reading.
func TestInPlace(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, k Kernel) {
		random := rand.New(rand.NewPCG(3, 4))
		for range rounds.Of(300) {
			lead := random.IntN(70)
			src := make([]byte, random.IntN(400))
			for i := range src {
				src[i] = "\"\\ \nabcdefghijkl"[random.IntN(16)]
			}
			want, _ := wanted(src, State{})
			memory := append(make([]byte, lead), src...)
			n, _ := k.Minify(memory, memory[lead:], State{})
			if !bytes.Equal(memory[:n], want) {
				t.Fatalf("%q, %d bytes to the front: got %q, want %q", src, lead, memory[:n], want)
			}
		}
	})
}

// What encoding/json accepts as JSON must come out as from its own Compact.
func FuzzMinify(f *testing.F) {
	for _, text := range nasty {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		var compact bytes.Buffer
		valid := json.Compact(&compact, src) == nil
		for _, v := range variants {
			if !cpu.Has(v.ISA) {
				continue
			}
			dst := make([]byte, len(src))
			check(t, v.Func, src, dst)
			if n, _ := v.Func.Minify(dst, src, State{}); valid && !bytes.Equal(dst[:n], compact.Bytes()) {
				t.Fatalf("%v of %q: got %q, encoding/json has %q", v.ISA, src, dst[:n], compact.Bytes())
			}
		}
	})
}

// pretty returns n bytes of indented records.
func pretty(n int) []byte {
	var b bytes.Buffer
	random := rand.New(rand.NewPCG(5, 6))
	b.WriteString("[\n")
	for b.Len() < n {
		fmt.Fprintf(&b, "  {\n    \"id\": %d,\n    \"name\": \"user \\\"%d\\\" of it\",\n    \"tags\": [\n      \"a b\",\n"+
			"      %v\n    ],\n    \"active\": true\n  },\n", random.IntN(1e9), random.IntN(100), random.Float64())
	}
	return b.Bytes()[:n]
}

func BenchmarkMinify(b *testing.B) {
	for _, v := range variants {
		if !cpu.Has(v.ISA) {
			continue
		}
		for _, n := range []int{32, 1000, 256 << 10, 64 << 20} {
			src := pretty(n)
			dst := make([]byte, n)
			b.Run(fmt.Sprintf("minify/%v/%d", v.ISA, n), func(b *testing.B) {
				b.SetBytes(int64(n))
				for b.Loop() {
					v.Func.Minify(dst, src, State{})
				}
			})
			b.Run(fmt.Sprintf("summarize/%v/%d", v.ISA, n), func(b *testing.B) {
				b.SetBytes(int64(n))
				for b.Loop() {
					v.Func.Summarize(src)
				}
			})
		}
	}
}
