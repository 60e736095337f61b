package words

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/kernel/kerneltest"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
	"github.com/thresh-dev/thresh/internal/test/rounds"
)

// nasty are characters, and bytes that are none.
var nasty = []string{
	"a", "z", "~", "!", " ", "\t", "\n", "\v", "\f", "\r", "\b", "\x0e", "\x1f", "\x00", "\x7f", "é", "€", "😀", "\u0080", "\u0085",
	"\u00a0", "\u00ad", "\u1680", "\u1fff", "\u2000", "\u2007", "\u200a", "\u200b", "\u2028", "\u202f", "\u205f", "\u2060", "\u3000", "\u3001",
	"\ud7ff", "\ue000", "\uffff", "\u0378", "\U0003fffd", "\U00040000", "\U000e0001", "\U000e01ef", "\U000f0000", "\U0010ffff",
	"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc3", "\xe0\x80\x80", "\xe0\x9f\xbf", "\xe2\x82", "\xe2\x80", "\xed\xa0\x80", "\xed\xbf\xbf",
	"\xf0\x80\x80\x80", "\xf0\x8f\xbf\xbf", "\xf0\x9f\x98", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xf7\xbf\xbf\xbf", "\xf8\x87\x80\x80\x80",
	"\xf8\x88\x80\x80\x80", "\xfb\xbf\xbf\xbf", "\xfc\x83\xbf\xbf\xbf\xbf", "\xfc\x84\x80\x80\x80\x80", "\xfd\xbf\xbf\xbf\xbf\xbf", "\xfe", "\xff",
}

// spaces lists the white space of wc.
const spaces = "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u2060\u3000"

// long are the forms of UTF-8 beyond Unicode: the first two bytes from and to, and the length.
var long = []struct {
	from, to string
	n        int
}{
	{"\xf4\x90", "\xf4\xbf", 4}, {"\xf5\x80", "\xf7\xbf", 4}, {"\xf8\x88", "\xf8\xbf", 5}, {"\xf9\x80", "\xfb\xbf", 5},
	{"\xfc\x84", "\xfc\xbf", 6}, {"\xfd\x80", "\xfd\xbf", 6},
}

// longForm returns the length of such a character at the start of b; 0 if there is none.
func longForm(b []byte) int {
	for _, f := range long {
		if len(b) >= f.n && string(b[:2]) >= f.from && string(b[:2]) <= f.to && !slices.ContainsFunc(b[1:f.n], func(c byte) bool { return c < 0x80 || c > 0xbf }) {
			return f.n
		}
	}
	return 0
}

// wanted returns the right answer by the standard library's decoder and tables.
func wanted(b []byte, inside bool) Walk {
	w := Walk{Inside: inside}
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			if n = longForm(b); n > 0 {
				w.Chars++
			}
			b = b[max(n, 1):]
			continue
		}
		w.Chars++
		switch {
		case strings.ContainsRune(spaces, r):
			w.Inside = false
			if r == '\n' {
				w.Lines++
			}
		case unicode.IsGraphic(r) || unicode.In(r, unicode.Cf, unicode.Co):
			if !w.Inside {
				w.Words++
			}
			w.Inside = true
		}
		b = b[n:]
	}
	return w
}

// random returns a text of nasty parts, in stretches of ASCII and of others.
func random(r *rand.Rand, n int) (b []byte) {
	for len(b) < n {
		few := nasty
		if r.IntN(2) == 0 {
			few = nasty[:15]
		}
		for range r.IntN(150) {
			b = append(b, few[r.IntN(len(few))]...)
		}
		b = append(b, strings.Repeat(nasty[r.IntN(len(nasty))], r.IntN(200))...)
	}
	return b[:n]
}

func check(t *testing.T, walk Func, b []byte) {
	t.Helper()
	for _, inside := range []bool{false, true} {
		if got, want := walk(b, inside), wanted(b, inside); got != want {
			t.Fatalf("%q, inside %v: got %+v, want %+v", b, inside, got, want)
		}
	}
}

// Every code point, alone and between letters.
func TestEveryChar(t *testing.T) {
	kerneltest.Run(t, variants[len(variants)-1:], func(t *testing.T, walk Func) {
		for r := rune(0); r <= unicode.MaxRune; r++ {
			b := []byte("a" + string(r) + "b " + string(r))
			if got, want := walk(b, false), wanted(b, false); got != want {
				t.Fatalf("U+%04X: got %+v, want %+v", r, got, want)
			}
		}
	})
}

// Every nasty sequence at every place around the border between two blocks, whole and cut.
func TestEveryPlace(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, walk Func) {
		for _, around := range []string{strings.Repeat("a", 70), strings.Repeat(" ", 70), strings.Repeat("\x00", 70)} {
			for _, word := range nasty {
				for i := 50; i <= len(around); i++ {
					check(t, walk, []byte(around[:i]+word+around[i:]))
					check(t, walk, []byte(around[:i]+word))
				}
			}
		}
	})
}

// All pairs of bytes that matter, and their neighbours, across the border between two blocks.
func TestAllSmall(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, walk Func) {
		b := []byte(strings.Repeat("a", 130))
		var matter []byte
		for _, c := range "\x00\t\r\x1f !\x7e\x7f\u0080\u008f\u0090\u009f\u00a0\u00bf\u00c1\u00c2\u00df\u00e0\u00e2\u00ed\u00ef\u00f0\u00f4\u00f7\u00fc\u00fe" {
			matter = append(matter, byte(c-1), byte(c), byte(c+1))
		}
		for _, c0 := range matter {
			for _, c1 := range matter {
				b[63], b[64] = c0, c1
				check(t, walk, b)
			}
		}
	})
}

// Every length between guard pages: each slice begins once and ends once at memory that must not be
// touched.
func TestEveryLength(t *testing.T) {
	const longest = 5*64 + 1
	kerneltest.Run(t, variants, func(t *testing.T, walk Func) {
		head, tail := kerneltest.Guarded(t, longest)
		r := rand.New(rand.NewPCG(1, 2))
		for range rounds.Of(10) {
			copy(head, random(r, longest))
			copy(tail, random(r, longest))
			for n := range longest + 1 {
				check(t, walk, head[:n])
				check(t, walk, tail[longest-n:])
			}
		}
	})
}

// However a text is cut, the summaries compose to that of the whole, whichever two are composed first.
func TestEverySplit(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, walk Func) {
		k := Kernel{kernel.Variant[Func]{Func: walk}}
		r := rand.New(rand.NewPCG(3, 4))
		part := func(b []byte, from, to int) Summary { return k.Summarize(b[from : to+Boundary(b[to:])]) }
		for range rounds.Of(10) {
			b := random(r, 80)
			want := [2]Walk{wanted(b, false), wanted(b, true)}
			for i := range len(b) + 1 {
				for j := i; j <= len(b); j += 1 + (j-i)/3 {
					first, middle, last := part(b, 0, i), part(b, i, j), part(b, j, len(b))
					for _, got := range []Summary{first.Then(middle).Then(last), first.Then(middle.Then(last))} {
						for s, w := range want {
							after := (s == 1) != got.turns[s]
							if (Walk{got.Lines, got.Chars, got.Words(s == 1), after}) != w {
								t.Fatalf("%q, cut at %d and %d: got %+v, want %+v", b, i, j, got, w)
							}
						}
					}
				}
			}
		}
	})
}

// A Kernel takes a long text in parts: nasty sequences around the border between two, and texts of
// which no byte tells whether a word goes on.
func TestParts(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, walk Func) {
		k := Kernel{kernel.Variant[Func]{Func: walk}}
		for _, around := range []string{"a", "\x01", " ", "é"} {
			text := strings.Repeat(around, (partBytes+100)/len(around))
			for _, shift := range []int{0, 1, 3, 6} {
				for _, word := range nasty {
					b := []byte(text)
					copy(b[partBytes-shift:], word)
					got := k.Summarize(b)
					for s, inside := range []bool{false, true} {
						w := wanted(b, inside)
						if (Walk{got.Lines, got.Chars, got.Words(inside), inside != got.turns[s]}) != w {
							t.Fatalf("% x at %d among %q: got %+v, want %+v", word, partBytes-shift, around, got, w)
						}
					}
				}
			}
		}
	})
}

func TestZeros(t *testing.T) {
	for _, n := range []int{0, 1, 63, 64, 65, 5000} {
		if got, want := Zeros(int64(n)), Best().Summarize(make([]byte, n)); got != want {
			t.Errorf("%d: got %+v, want %+v", n, got, want)
		}
	}
}

func TestBestIsAllowed(t *testing.T) {
	if best := Best(); !cpu.Has(best.ISA) || best.Func([]byte("a b"), false).Words != 2 {
		t.Errorf("Best is %v, which cannot run here or is wrong", best.ISA)
	}
}

func FuzzWalk(f *testing.F) {
	for _, text := range nasty {
		f.Add([]byte(strings.Repeat("a", 63) + text + strings.Repeat(" b", 64)))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, v := range variants {
			if cpu.Has(v.ISA) {
				check(t, v.Func, b)
			}
		}
	})
}

func BenchmarkWalk(b *testing.B) {
	for name, text := range map[string]string{"ascii": "The quick brown fox jumps over the lazy dog.\n",
		"cyrillic": "Съешь ещё этих мягких французских булок, да выпей же чаю.\n", "control": "\x00\x01\x02a \x00\n"} {
		data := []byte(strings.Repeat(text, 6000))
		for _, v := range variants {
			if !cpu.Has(v.ISA) {
				continue
			}
			b.Run("text="+name+"/isa="+v.ISA.String(), func(b *testing.B) {
				k := Kernel{v}
				b.SetBytes(int64(len(data)))
				for b.Loop() {
					if k.Summarize(data).Lines != 6000 {
						b.Fatal("wrong")
					}
				}
			})
		}
	}
}
