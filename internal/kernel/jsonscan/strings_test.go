package jsonscan

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel/kerneltest"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
	"github.com/thresh-dev/thresh/internal/test/rounds"
)

// stringsBytes reads the text byte by byte: it defines what is right.
func stringsBytes(b []byte, ends []End, carry uint64) (next uint64, found Found) {
	clear(ends)
	slash, returned := carry == 1, false
	for i, c := range b {
		bit := uint64(1) << (i % BlockBytes)
		if slash {
			ends[i/BlockBytes].Escaped |= bit
			found.Escapes = true
		} else if c == '"' {
			ends[i/BlockBytes].Quotes |= bit
		}
		if c == '\n' {
			ends[i/BlockBytes].Feeds |= bit
		} else if '0' <= c && c <= '9' {
			ends[i/BlockBytes].Digits |= bit
		}
		slash = c == '\\' && !slash
		found.NonASCII = found.NonASCII || c > 0x7f
		found.Invalid = found.Invalid || c < ' ' && c != '\n' && c != '\r' || returned && c != '\n'
		returned = c == '\r'
	}
	found.Invalid = found.Invalid || returned
	if slash {
		next = 1
	}
	return next, found
}

// sameStrings compares a kernel with the definition.
func sameStrings(t *testing.T, find StringsFunc, b []byte) {
	t.Helper()
	run := func(find StringsFunc, carry uint64) string {
		ends := make([]End, len(b)/BlockBytes)
		next, found := find(b, ends, carry)
		return fmt.Sprintf("%x %d %+v", ends, next, found)
	}
	for carry := range uint64(2) {
		if got, want := run(find, carry), run(stringsBytes, carry); got != want {
			t.Fatalf("%q, %d:\ngot  %s\nwant %s", b, carry, got, want)
		}
	}
}

// nastyReturns are texts with line feeds and carriage returns, besides the nasty ones.
var nastyReturns = append([]string{strings.Repeat("\r\n", 70), strings.Repeat("\n\r\n", 50), strings.Repeat("x\r\n", 50), "\r\r\n", "\r", "\n",
	"\"a\tb\"", "\\\n\"\\\r\n", strings.Repeat("\\\n", 60)}, nasty...)

func TestStringsEveryPlace(t *testing.T) {
	kerneltest.Run(t, StringsVariants(), func(t *testing.T, find StringsFunc) {
		for _, text := range nastyReturns {
			for shift := range BlockBytes {
				sameStrings(t, find, padded(strings.Repeat("x", shift)+text))
				if end := strings.Repeat("x", shift) + text; len(end) >= BlockBytes { // nothing behind it
					sameStrings(t, find, []byte(end[len(end)%BlockBytes:]))
				}
			}
		}
	})
}

// Random bytes between guard pages, as in TestRandomGuarded.
func TestStringsRandomGuarded(t *testing.T) {
	const longest = 5 * BlockBytes
	kerneltest.Run(t, StringsVariants(), func(t *testing.T, find StringsFunc) {
		head, tail := kerneltest.Guarded(t, longest)
		random := rand.New(rand.NewPCG(1, 2))
		for range rounds.Of(3000) {
			n := random.IntN(longest/BlockBytes+1) * BlockBytes
			letters := "\"\\\n09/:"
			switch random.IntN(4) {
			case 0:
				letters += "\x01\x1f\x00\x80\xff\t \r"
			case 1:
				letters += "\r"
			}
			quiet := random.IntN(20)
			for _, b := range [][]byte{head[:n], tail[longest-n:]} {
				for i := range b {
					b[i] = 'x'
					switch {
					case i > 0 && b[i-1] == '\r' && random.IntN(9) > 0:
						b[i] = '\n'
					case random.IntN(quiet+1) == 0:
						b[i] = letters[random.IntN(len(letters))]
					}
				}
				sameStrings(t, find, b)
			}
		}
	})
}

// TestStringsByte: every byte alone, and before a line feed.
func TestStringsByte(t *testing.T) {
	kerneltest.Run(t, StringsVariants(), func(t *testing.T, find StringsFunc) {
		for c := range 256 {
			for _, text := range []string{"x", "x\n"} {
				sameStrings(t, find, padded(strings.ReplaceAll(text, "x", string([]byte{byte(c)}))))
			}
		}
	})
}

func FuzzStrings(f *testing.F) {
	for _, text := range nastyReturns {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, v := range StringsVariants() {
			if cpu.Has(v.ISA) {
				sameStrings(t, v.Func, padded(string(b)))
			}
		}
	})
}

func BenchmarkStrings(b *testing.B) {
	text := padded(strings.Repeat(`{"name": [1, -2.5e3, true, null], "text": "some text that is longer"}`+"\n", 200))
	ends := make([]End, len(text)/BlockBytes)
	for _, v := range StringsVariants() {
		if !cpu.Has(v.ISA) {
			continue
		}
		b.Run("impl="+v.ISA.String(), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, found := v.Func(text, ends, 0); found != (Found{}) {
					b.Fatalf("got %+v", found)
				}
			}
		})
	}
}
