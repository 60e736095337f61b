package jsonscan

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel/kerneltest"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
	"github.com/thresh-dev/thresh/internal/test/rounds"
)

// nasty are texts with quotes, backslashes and word borders where a kernel may go wrong.
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

// all is the result of a kernel, in memory of its own.
type all struct {
	blocks []Block
	end    State
	found  Found
}

func run(mark Func, b []byte, at State) (a all) {
	a.blocks = make([]Block, len(b)/BlockBytes)
	a.end, a.found = mark(b, a.blocks, at)
	return a
}

func (a all) same(b all) bool {
	return a.end == b.end && a.found == b.found && slices.Equal(a.blocks, b.blocks)
}

// padded is the text padded with white space to a whole number of blocks.
func padded(text string) []byte {
	return []byte(text + strings.Repeat(" ", (BlockBytes-len(text)%BlockBytes)%BlockBytes))
}

var states = []State{{}, {InString: true}, {Escaped: true}, {InString: true, Escaped: true}}

// Every nasty text at every place in a block, from every state.
func TestEveryPlace(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, mark Func) {
		for _, text := range nasty {
			for shift := range BlockBytes {
				b := padded(strings.Repeat("x", shift) + text)
				for _, at := range states {
					if got, want := run(mark, b, at), run(markBytes, b, at); !got.same(want) {
						t.Fatalf("%q from %+v:\ngot  %+v\nwant %+v", b, at, got, want)
					}
				}
			}
		}
	})
}

// In two calls a kernel gives the same result as in one.
func TestSplit(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, mark Func) {
		for _, text := range nasty {
			b := padded(text + text)
			want := run(markBytes, b, State{})
			for cut := 0; cut <= len(b); cut += BlockBytes {
				first := run(mark, b[:cut], State{})
				second := run(mark, b[cut:], first.end)
				both := all{slices.Concat(first.blocks, second.blocks), second.end, Found{
					first.found.Invalid || second.found.Invalid,
					first.found.NonASCII || second.found.NonASCII, first.found.Escapes || second.found.Escapes,
				}}
				if !both.same(want) {
					t.Fatalf("%q, cut at %d: got %+v, want %+v", b, cut, both, want)
				}
			}
		}
	})
}

// Random bytes between guard pages: each text begins once and ends once at memory that must not be
// touched. The output is guarded too.
func TestRandomGuarded(t *testing.T) {
	const longest = 5 * BlockBytes
	kerneltest.Run(t, variants, func(t *testing.T, mark Func) {
		head, tail := kerneltest.Guarded(t, longest)
		random := rand.New(rand.NewPCG(1, 2))
		for range rounds.Of(3000) {
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
				if got, want := run(mark, b, at), run(markBytes, b, at); !got.same(want) {
					t.Fatalf("%q from %+v:\ngot  %+v\nwant %+v", b, at, got, want)
				}
			}
		}
	})
}

// The definition itself, on a readable text: a 1 stands under each byte that a mask contains.
func TestPlain(t *testing.T) {
	text := `{"a\"b": [1, -2],"":"c d" }x"y"\" `
	got := run(markBytes, padded(text), State{}).blocks[0]
	for _, test := range []struct {
		name string
		mask uint64
		want string
	}{
		{"quotes", got.Quotes, ` 1    1          11 1   1   1 1`},
		{"inside", got.Inside, ` 11111           1  1111    11`},
		{"white", got.White, `        1   1         1  1       1`},
		{"escaped", got.Escaped, `    1                           1`},
		{"open", got.Open, `1        1`},
		{"close", got.Close, `               1          1`},
		{"colon", got.Colon, `       1           1`},
		{"comma", got.Comma, `           1    1`},
	} {
		want := uint64(0)
		for i, c := range test.want {
			if c == '1' {
				want |= 1 << i
			}
		}
		if test.name == "white" { // the padding
			want |= ^uint64(0) << len(text)
		}
		if test.mask != want {
			t.Errorf("%s of\n%s\n%s, got\n%b (reversed)", test.name, text, test.want, bits.Reverse64(test.mask))
		}
	}
	if brackets := got.Open | got.Close; got.Curly&brackets != 1|1<<26 {
		t.Errorf("braces among the brackets: %b", got.Curly&brackets)
	}
}

func TestBestIsAllowed(t *testing.T) {
	if best := Best(); !cpu.Has(best.ISA) {
		t.Errorf("Best is %v, which cannot run here", best.ISA)
	}
}

func TestNoAllocation(t *testing.T) {
	b := padded(nasty[len(nasty)-1])
	blocks := make([]Block, len(b)/BlockBytes)
	kerneltest.Run(t, variants, func(t *testing.T, mark Func) {
		if n := testing.AllocsPerRun(10, func() { mark(b, blocks, State{}) }); n != 0 {
			t.Errorf("%v allocations a call", n)
		}
	})
}

func FuzzMark(f *testing.F) {
	for _, text := range nasty {
		f.Add([]byte(text), uint8(0))
	}
	f.Fuzz(func(t *testing.T, b []byte, state uint8) {
		b = padded(string(b))
		at := states[int(state)%len(states)]
		want := run(markBytes, b, at)
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
	blocks := make([]Block, len(text)/BlockBytes)
	for _, v := range variants {
		if !cpu.Has(v.ISA) {
			continue
		}
		b.Run("impl="+v.ISA.String(), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if end, found := v.Func(text, blocks, State{}); end.InString || found != (Found{}) {
					b.Fatalf("got %+v, %+v", end, found)
				}
			}
		})
	}
}

// markBytes reads the text byte by byte: it defines what is right.
func markBytes(b []byte, blocks []Block, at State) (end State, found Found) {
	for i, c := range b {
		m, bit := &blocks[i/BlockBytes], uint64(1)<<(i%BlockBytes)
		if i%BlockBytes == 0 {
			*m = Block{}
		}
		quote := c == '"' && !at.Escaped
		if quote {
			m.Quotes |= bit
			at.InString = !at.InString
		}
		if at.InString {
			m.Inside |= bit
		}
		if at.Escaped {
			m.Escaped |= bit
			found.Escapes = true
		}
		outside := !at.InString && !quote
		if c == ' ' || c == '\t' || c == '\n' || c == '\r' {
			m.White |= bit
		}
		if outside {
			m.mark(c, bit)
		}
		if c&0x20 != 0 {
			m.Curly |= bit
		}
		found.NonASCII = found.NonASCII || c > 0x7f
		found.Invalid = found.Invalid || at.InString && c < 0x20 || !at.InString && c == '\\'
		at.Escaped = c == '\\' && !at.Escaped
	}
	return at, found
}

// mark marks a byte outside strings.
func (m *Block) mark(c byte, bit uint64) {
	switch c {
	case '{', '[':
		m.Open |= bit
	case '}', ']':
		m.Close |= bit
	case ':':
		m.Colon |= bit
	case ',':
		m.Comma |= bit
	}
}
