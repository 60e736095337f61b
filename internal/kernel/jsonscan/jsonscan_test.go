package jsonscan

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/cpu"
	"github.com/thresh-dev/thresh/internal/kernel/kerneltest"
)

// nasty are texts whose quotes, backslashes and words lie where a kernel may go wrong.
var nasty = []string{
	strings.Repeat(" \n\t\r", 50),
	strings.Repeat(`"`, 201),
	strings.Repeat("{}[]:,", 40),
	strings.Repeat("1", 200),
	strings.Repeat("1 ", 100),
	strings.Repeat(`"a"1"b"`, 40),
	`"` + strings.Repeat(`\`, 200) + `" 1`,
	`"` + strings.Repeat(`\\\"`, 50) + `" 1`,
	`"` + strings.Repeat("x", 61) + `\\" "` + strings.Repeat("x", 62) + `\"\\\" , 12`,
	"\"a\x1f\"", "\"\\\x01\"", "1\\2", "a\x0c\x1ab", "\"é\"", "\x80", "\x00\x01",
	strings.Repeat("\x0b\x09\x20\x0d\x8a\xa0\x3a\x1a\x2c\x0c", 30),
	strings.Repeat(`{"name": [1, -2.5e3, true, null], "x": "a\"b\\"}, `, 10),
}

// all is what a kernel says, in memory of its own.
type all struct {
	begins  []uint16
	escaped []uint64
	end     State
	found   Found
}

func run(mark Func, b []byte, at State) (a all) {
	a.begins, a.escaped = make([]uint16, len(b)+BlockBytes), make([]uint64, len(b)/BlockBytes)
	n, end, found := mark(b, a.begins, a.escaped, at)
	a.begins, a.end, a.found = a.begins[:n], end, found
	return a
}

func (a all) same(b all) bool {
	if a.found.Foul || b.found.Foul {
		return a.found.Foul == b.found.Foul
	}
	return a.end == b.end && a.found == b.found && slices.Equal(a.begins, b.begins) && slices.Equal(a.escaped, b.escaped)
}

// padded is the text, white space behind it up to a whole number of blocks.
func padded(text string) []byte {
	return []byte(text + strings.Repeat(" ", (BlockBytes-len(text)%BlockBytes)%BlockBytes))
}

var states = []State{{}, {InString: true}, {InString: true, Escaped: true}, {InWord: true}}

// Every nasty at every place in a block, from every state.
func TestEveryPlace(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, mark Func) {
		for _, text := range nasty {
			for shift := range BlockBytes {
				b := padded(strings.Repeat("x", shift) + text)
				for _, at := range states {
					if got, want := run(mark, b, at), run(markPlain, b, at); !got.same(want) {
						t.Fatalf("%q from %+v:\ngot  %+v\nwant %+v", b, at, got, want)
					}
				}
			}
		}
	})
}

// In two calls a kernel says what it says in one.
func TestSplit(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, mark Func) {
		for _, text := range nasty {
			b := padded(text + text)
			want := run(markPlain, b, State{})
			for cut := 0; cut <= len(b); cut += BlockBytes {
				first := run(mark, b[:cut], State{})
				second := run(mark, b[cut:], first.end)
				if first.found.Foul != want.found.Foul && second.found.Foul != want.found.Foul {
					t.Fatalf("%q, cut at %d: got %+v and %+v, want %+v", b, cut, first, second, want)
				}
				n := len(first.begins)
				if !want.found.Foul && (n+len(second.begins) != len(want.begins) || second.end != want.end) {
					t.Fatalf("%q, cut at %d: got %+v and %+v, want %+v", b, cut, first, second, want)
				}
			}
		}
	})
}

// Random bytes between guard pages: each text once begins and once ends at memory that must not be
// touched. What the kernel may write to is guarded too.
func TestRandomGuarded(t *testing.T) {
	const longest = 5 * BlockBytes
	kerneltest.Run(t, variants, func(t *testing.T, mark Func) {
		head, tail := kerneltest.Guarded(t, longest)
		random := rand.New(rand.NewPCG(1, 2))
		for range 3000 {
			n := random.IntN(longest/BlockBytes+1) * BlockBytes
			letters := `"\{}[]:, 1ae` + "\n\t"
			if random.IntN(4) == 0 {
				letters += "\x01\x1a\x0c\x80\xff\x00"
			}
			quiet := random.IntN(20)
			for _, b := range [][]byte{head[:n], tail[longest-n:]} {
				for i := range b {
					b[i] = 'x'
					if random.IntN(quiet+1) == 0 {
						b[i] = letters[random.IntN(len(letters))]
					}
				}
				at := states[random.IntN(len(states))]
				if got, want := run(mark, b, at), run(markPlain, b, at); !got.same(want) {
					t.Fatalf("%q from %+v:\ngot  %+v\nwant %+v", b, at, got, want)
				}
			}
		}
	})
}

// The definition itself, on a text that one can read.
func TestPlain(t *testing.T) {
	text := `{"a\"b": [1, -2e3,true ], "c":"" }x"y"z`
	want := []uint16{0, 1, 7, 9, 10, 11, 13, 17, 18, 23, 24, 26, 29, 30, 33, 34, 35, 38}
	got := run(markPlain, padded(text), State{})
	if !slices.Equal(got.begins, want) || got.escaped[0] != 1<<4 || !got.found.Escapes || got.found.Foul || got.found.Wide {
		t.Errorf("got %+v", got)
	}
}

func TestBestIsAllowed(t *testing.T) {
	if best := Best(); !cpu.Has(best.ISA) {
		t.Errorf("Best is %v, which may not run here", best.ISA)
	}
}

func TestNoAllocation(t *testing.T) {
	b := padded(nasty[len(nasty)-1])
	begins, escaped := make([]uint16, len(b)+BlockBytes), make([]uint64, len(b)/BlockBytes)
	kerneltest.Run(t, variants, func(t *testing.T, mark Func) {
		if n := testing.AllocsPerRun(10, func() { mark(b, begins, escaped, State{}) }); n != 0 {
			t.Errorf("%v allocations a call", n)
		}
	})
}

func FuzzMark(f *testing.F) {
	for _, text := range nasty {
		f.Add([]byte(text), uint8(0))
	}
	f.Fuzz(func(t *testing.T, b []byte, state uint8) {
		if len(b) > PieceBytes-BlockBytes {
			return
		}
		b = padded(string(b))
		at := states[int(state)%len(states)]
		want := run(markPlain, b, at)
		for _, v := range variants {
			if cpu.Has(v.ISA) {
				if got := run(v.Func, b, at); !got.same(want) {
					t.Fatalf("%v:\ngot  %+v\nwant %+v", v.ISA, got, want)
				}
			}
		}
	})
}

func BenchmarkMark(b *testing.B) {
	text := padded(strings.Repeat("{\n  \"name\": [1, -2.5e3, true, null],\n  \"text\": \"some text that is longer\"\n},\n", 200))
	begins, escaped := make([]uint16, len(text)+BlockBytes), make([]uint64, len(text)/BlockBytes)
	for _, v := range variants {
		if !cpu.Has(v.ISA) {
			continue
		}
		b.Run("impl="+v.ISA.String(), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if n, _, _ := v.Func(text, begins, escaped, State{}); n != 200*18 {
					b.Fatalf("%d words", n)
				}
			}
		})
	}
}
