package jsonscan

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel/kerneltest"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
	"github.com/thresh-dev/thresh/internal/test/rounds"
)

// nastyLines are texts with what numbers are made of and its neighbours, besides the nasty ones.
var nastyLines = append([]string{strings.Repeat("\"\n", 100), strings.Repeat("\"a\"\n\"b\n", 30), strings.Repeat("\n", 130),
	strings.Repeat("-0.19e+8E9/:", 30), strings.Repeat("\x0a\x2a\x8a\x10\x30\xb0\x0e\x2f\xae\x0d\x8d\x0b\xab\x45\x65\xe5\xc5", 20)}, nasty...)

// linesBytes reads lines byte by byte: it defines what is right.
func linesBytes(b []byte, lines []Line, at State) (end State, found Found) {
	blocks := make([]Block, len(lines))
	end, found = markBytes(b, blocks, at)
	for i, c := range b {
		m, bit := &lines[i/BlockBytes], uint64(1)<<(i%BlockBytes)
		if i%BlockBytes == 0 {
			*m = Line{Block: blocks[i/BlockBytes]}
		}
		for _, set := range []struct {
			mask *uint64
			of   string
		}{{&m.Feeds, "\n"}, {&m.Digits, "0123456789"}, {&m.Zeros, "0"}, {&m.Points, "."}, {&m.Minuses, "-"}, {&m.Pluses, "+"},
			{&m.Exponents, "eE"}} {
			if strings.IndexByte(set.of, c) >= 0 {
				*set.mask |= bit
			}
		}
	}
	return end, found
}

// sameLines compares a kernel with the definition.
func sameLines(t *testing.T, mark LinesFunc, b []byte, at State) {
	t.Helper()
	got, want := make([]Line, len(b)/BlockBytes), make([]Line, len(b)/BlockBytes)
	end, found := mark(b, got, at)
	wantEnd, wantFound := linesBytes(b, want, at)
	for i := range got { // Curly means nothing for other bytes than brackets
		got[i].Curly &= got[i].Open | got[i].Close
		want[i].Curly &= want[i].Open | want[i].Close
	}
	if end != wantEnd || found != wantFound || !slices.Equal(got, want) {
		t.Fatalf("%q from %+v:\ngot  %+v %+v %x\nwant %+v %+v %x", b, at, end, found, got, wantEnd, wantFound, want)
	}
}

func TestLinesEveryPlace(t *testing.T) {
	kerneltest.Run(t, LinesVariants(), func(t *testing.T, mark LinesFunc) {
		for _, text := range nastyLines {
			for shift := range BlockBytes {
				for _, at := range states {
					sameLines(t, mark, padded(strings.Repeat("x", shift)+text), at)
				}
			}
		}
	})
}

// TestLinesByte: every byte is in the masks that it belongs to.
func TestLinesByte(t *testing.T) {
	kerneltest.Run(t, LinesVariants(), func(t *testing.T, mark LinesFunc) {
		for c := range 256 {
			for _, at := range states {
				sameLines(t, mark, []byte(strings.Repeat(string([]byte{byte(c)}), BlockBytes)), at)
			}
		}
	})
}

// Random bytes between guard pages, as in TestRandomGuarded.
func TestLinesRandomGuarded(t *testing.T) {
	const longest = 5 * BlockBytes
	kerneltest.Run(t, LinesVariants(), func(t *testing.T, mark LinesFunc) {
		head, tail := kerneltest.Guarded(t, longest)
		random := rand.New(rand.NewPCG(1, 2))
		for range rounds.Of(3000) {
			n := random.IntN(longest/BlockBytes+1) * BlockBytes
			letters := `"\{}[]:, 1ae` + "\n\t-.0E+"
			if random.IntN(4) == 0 {
				letters += "\x01\x1a\x0c\x80\xff\x00/\x0e"
			}
			quiet := random.IntN(20)
			for _, b := range [][]byte{head[:n], tail[longest-n:]} {
				for i := range b {
					b[i] = 'x'
					if random.IntN(quiet+1) == 0 {
						b[i] = letters[random.IntN(len(letters))]
					}
				}
				sameLines(t, mark, b, states[random.IntN(len(states))])
			}
		}
	})
}

func TestBestLinesIsAllowed(t *testing.T) {
	if best := BestLines(); !cpu.Has(best.ISA) {
		t.Errorf("BestLines is %v, which cannot run here", best.ISA)
	}
}

func FuzzLines(f *testing.F) {
	for _, text := range nastyLines {
		f.Add([]byte(text), uint8(0))
	}
	f.Fuzz(func(t *testing.T, b []byte, state uint8) {
		for _, v := range LinesVariants() {
			if cpu.Has(v.ISA) {
				sameLines(t, v.Func, padded(string(b)), states[int(state)%len(states)])
			}
		}
	})
}

func BenchmarkLines(b *testing.B) {
	text := padded(strings.Repeat(`{"name": [1, -2.5e3, true, null], "text": "some text that is longer"}`+" ", 50))
	lines := make([]Line, len(text)/BlockBytes)
	for _, v := range LinesVariants() {
		if !cpu.Has(v.ISA) {
			continue
		}
		b.Run("impl="+v.ISA.String(), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if end, found := v.Func(text, lines, State{}); end.InString || found != (Found{}) {
					b.Fatalf("got %+v, %+v", end, found)
				}
			}
		})
	}
}
