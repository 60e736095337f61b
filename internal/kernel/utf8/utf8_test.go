package utf8

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/kernel/kerneltest"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
	"github.com/thresh-dev/thresh/internal/test/rounds"
)

// nasty are characters, and bytes that are none.
var nasty = []string{
	"a", "é", "€", "😀", "\u007f", "\u0080", "\u07ff", "\u0800", "\ud7ff", "\ue000", "\uffff", "\U00010000", "\U0010ffff",
	"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc3", "\xe0\x80\x80", "\xe0\x9f\xbf", "\xe2\x82", "\xed\xa0\x80", "\xed\xbf\xbf",
	"\xf0\x80\x80\x80", "\xf0\x8f\xbf\xbf", "\xf0\x9f\x98", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xf8\x88\x80\x80\x80", "\xfe", "\xff",
	"\xe2\x28\xa1", "\xf0\x28\x8c\xbc", "\xf0\x90\x28\xbc", "\xc3\xa9\xa9", "\xe2\x82\xac\xac", "\xf0\x9f\x98\x80\x80",
}

// Every nasty sequence at every place of a text of several blocks, in ASCII and among other
// characters.
func TestEveryPlace(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, valid Func) {
		for _, around := range []string{strings.Repeat("a", 700), strings.Repeat("é", 100), strings.Repeat("😀", 50)} {
			for _, word := range nasty {
				for i := 0; i <= len(around); i++ {
					for _, b := range [][]byte{[]byte(around[:i] + word + around[i:]), []byte(around[:i] + word)} {
						if got, want := valid(b), utf8.Valid(b); got != want {
							t.Fatalf("%q: got %v", b, got)
						}
					}
				}
			}
		}
	})
}

// All pairs of bytes, and all triples and quadruples of those that matter, across the border
// between two blocks.
func TestAllSmall(t *testing.T) {
	matter := []byte{'a', 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xed, 0xef, 0xf0, 0xf1, 0xf4, 0xf5, 0xff}
	kerneltest.Run(t, variants, func(t *testing.T, valid Func) {
		b := []byte(strings.Repeat("a", 192))
		check := func(at int, word ...byte) {
			copy(b[at:], word)
			if got, want := valid(b), utf8.Valid(word); got != want {
				t.Fatalf("% x at %d: got %v", word, at, got)
			}
			copy(b[at:], "aaaa")
		}
		for i := range 256 {
			for j := range 256 {
				check(63, byte(i), byte(j))
			}
		}
		for _, c0 := range matter {
			for _, c1 := range matter {
				for _, c2 := range matter {
					check(62, c0, c1, c2)
					for _, c3 := range matter {
						check(125, c0, c1, c2, c3)
					}
				}
			}
		}
	})
}

// Every length between guard pages: each slice begins once and ends once at memory that must not be
// touched.
func TestEveryLength(t *testing.T) {
	const longest = 5*64 + 1
	kerneltest.Run(t, variants, func(t *testing.T, valid Func) {
		head, tail := kerneltest.Guarded(t, longest)
		text := []byte(strings.Repeat("aé€😀", 40))[:longest]
		copy(head, text)
		copy(tail, text)
		for n := range longest + 1 {
			for _, b := range [][]byte{head[:n], tail[longest-n:]} {
				if got, want := valid(b), utf8.Valid(b); got != want {
					t.Fatalf("%q: got %v", b, got)
				}
			}
		}
	})
}

// However a text is cut, pieces that end at Whole give the same result as the whole.
func TestEverySplit(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, valid Func) {
		random := rand.New(rand.NewPCG(1, 2))
		for range rounds.Of(200) {
			var b []byte
			for len(b) < 150 {
				b = append(b, nasty[random.IntN(13)]...)
			}
			if random.IntN(2) == 0 {
				b = append(b, nasty[random.IntN(len(nasty))]...)
			}
			for cut := range len(b) + 1 {
				whole := Whole(b[:cut])
				if cut-whole > 3 {
					t.Fatalf("%q: Whole leaves %d bytes", b[:cut], cut-whole)
				}
				if got, want := valid(b[:whole]) && valid(b[whole:]), utf8.Valid(b); got != want {
					t.Fatalf("%q, cut at %d: got %v", b, whole, got)
				}
			}
		}
	})
}

// A Kernel takes a long text in pieces: every nasty sequence around the border between two.
func TestPieces(t *testing.T) {
	text := []byte(strings.Repeat("aé€😀", 3*pieceBytes/10))
	kerneltest.Run(t, variants, func(t *testing.T, valid Func) {
		k := Kernel{kernel.Variant[Func]{Func: valid}}
		for shift := range 4 {
			if b := text[10*shift+shift:]; k.Valid(b) != utf8.Valid(b) {
				t.Fatalf("cut at %d: got %v", 11*shift, k.Valid(b))
			}
			for _, word := range nasty {
				b := bytes.Clone(text)
				copy(b[pieceBytes-shift:], word)
				if got, want := k.Valid(b), utf8.Valid(b); got != want {
					t.Fatalf("% x at %d: got %v", word, pieceBytes-shift, got)
				}
			}
		}
	})
}

func TestBestIsAllowed(t *testing.T) {
	if best := Best(); !cpu.Has(best.ISA) || !best.Func([]byte("é")) || best.Func([]byte("\xc3")) {
		t.Errorf("Best is %v, which cannot run here or is wrong", best.ISA)
	}
}

func FuzzValid(f *testing.F) {
	for _, text := range nasty {
		f.Add([]byte(strings.Repeat("é", 31) + text + strings.Repeat("a", 64)))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, v := range variants {
			if cpu.Has(v.ISA) && v.Func(b) != utf8.Valid(b) {
				t.Fatalf("%v: got %v", v.ISA, v.Func(b))
			}
		}
	})
}

func BenchmarkValid(b *testing.B) {
	text := []byte(strings.Repeat("漢字かな交じり文 and ASCII, which is more, ", 300))
	for _, v := range variants {
		if !cpu.Has(v.ISA) {
			continue
		}
		b.Run("impl="+v.ISA.String(), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if !v.Func(text) {
					b.Fatal("refused")
				}
			}
		})
	}
}
