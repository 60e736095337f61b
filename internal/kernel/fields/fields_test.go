package fields

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/kernel/kerneltest"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
	"github.com/thresh-dev/thresh/internal/test/rounds"
)

var dialects = func() (all []Dialect) {
	for _, delim := range []byte(",;|\t\x00\xff") {
		all = append(all, Dialect{Delim: delim, Quote: '"'}, Dialect{Delim: delim, Quote: '"', Quoted: true})
	}
	return append(all, Dialect{Delim: ',', Quote: '\'', Quoted: true})
}()

// nasty are texts with separators and quotes where a kernel may go wrong; commas and quotes are
// replaced by those of a dialect.
var nasty = []string{
	"",
	strings.Repeat("\n", 300),
	strings.Repeat(",", 300),
	strings.Repeat(`"`, 301),
	strings.Repeat("\"\n", 150),
	strings.Repeat("\",", 150),
	strings.Repeat("a,\"b\"\"\n\"\"c\"\n", 20),
	strings.Repeat("\"a\r\nb\",\"c\"\r\n", 30),
	strings.Repeat("\"a\"\rx,\"b\"\r,\"c\"\r\r\n\"d\"\r\"e\"\n", 20),
	strings.Repeat("a\"b\",\"c\"d\n,\"\"\"\",\"\"x\n\"", 21),
	strings.Repeat("x", 63) + "\n\"" + strings.Repeat("\n", 63) + "\"\n",
	strings.Repeat("x", 62) + "\"\"\n" + strings.Repeat("y", 62) + "\"\n\n",
	strings.Repeat("x", 60) + ",\"\"\r\n" + strings.Repeat("y", 59) + ",\"\"\rz\n",
	strings.Repeat("x", 61) + ",\"\r\n\"" + strings.Repeat("y", 60) + ",\"\"z,\n",
	strings.Repeat("\x0b\x09\x21\x23\x8a\xa2\x2b\x2d\x7c\x3b\n\",", 30),
}

// in returns text in the dialect's own bytes, with slack that is full of them.
func (d Dialect) in(text string) []byte {
	own := func(s string) []byte {
		b := []byte(s)
		for i := range b {
			switch b[i] {
			case ',':
				b[i] = d.Delim
			case '"':
				b[i] = d.Quote
			}
		}
		return b
	}
	b := append(own(text), own(strings.Repeat("\",\r\n", records.SlackBytes/4))...)
	return b[:len(text)]
}

// random returns n bytes of text in d's own bytes; about one in rare is special.
func (d Dialect) random(r *rand.Rand, n, rare int) []byte {
	b := d.in(strings.Repeat("x", n))
	for i := range b {
		if r.IntN(rare) == 0 {
			b[i] = d.in(",,,\n\"\"\"\"\r")[r.IntN(9)]
		} else if r.IntN(4) == 0 {
			b[i] = byte(r.IntN(256))
		}
	}
	return b
}

// same returns how two structures of a text of n bytes differ, or nil.
func (c *Chunk) same(want *Chunk, n int) error {
	switch words := (n + 63) / 64; {
	case c.Delims != want.Delims:
		return fmt.Errorf("delimiters\n got %x\nwant %x", c.Delims[:words+1], want.Delims[:words+1])
	case c.Feeds != want.Feeds:
		return fmt.Errorf("line feeds\n got %x\nwant %x", c.Feeds[:words+1], want.Feeds[:words+1])
	case c.Bad != want.Bad || c.bad != want.bad:
		return fmt.Errorf("bad bytes (any: %v, %v)\n got %x\nwant %x", c.bad, want.bad, c.Bad[:words+1], want.Bad[:words+1])
	case !slices.Equal(c.Before[:words+1], want.Before[:words+1]):
		return fmt.Errorf("separators before\n got %d\nwant %d", c.Before[:words+1], want.Before[:words+1])
	case !slices.Equal(c.places[:want.Before[words]], want.places[:want.Before[words]]):
		return fmt.Errorf("the list of places\n got %d\nwant %d", c.places[:want.Before[words]], want.places[:want.Before[words]])
	}
	return nil
}

var states = []State{AtField, InField, InQuotes, AfterQuote, AfterReturn}

// check compares mark with the definition, on chunks that still hold earlier results.
func check(t *testing.T, mark Func, c, want *Chunk, text []byte, d Dialect, s State) {
	t.Helper()
	if !d.Quoted && s > InField {
		s = InField
	}
	wantState := markBytes(want, text, d, s)
	state := mark(c, text, d, s)
	if err := c.same(want, len(text)); err != nil {
		t.Fatalf("%q, %+v, %+v: %v", text, d, s, err)
	}
	if state != wantState {
		t.Fatalf("%q, %+v, %+v: state %+v, want %+v", text, d, s, state, wantState)
	}
}

func TestNasty(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, mark Func) {
		c, want := new(Chunk), new(Chunk)
		for _, d := range dialects {
			for _, s := range states {
				for _, text := range nasty {
					for _, skip := range []int{0, 1, 2, 63} {
						check(t, mark, c, want, d.in(text[min(skip, len(text)):]), d, s)
					}
				}
			}
		}
	})
}

// Every length up to some words, and those around a chunk's.
func TestEveryLength(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, mark Func) {
		c, want := new(Chunk), new(Chunk)
		r := rand.New(rand.NewPCG(1, 2))
		for n := range 301 {
			for i := n % rounds.Every(1); i < len(dialects); i += rounds.Every(1) {
				d := dialects[i]
				check(t, mark, c, want, d.random(r, n, 1+r.IntN(10)), d, states[(n+i)%len(states)])
			}
		}
		for n := ChunkBytes - 65; n <= ChunkBytes; n++ {
			d := dialects[n%len(dialects)]
			check(t, mark, c, want, d.random(r, n, 1+n%3*10), d, states[n%len(states)])
		}
		for _, full := range []string{",", "\n"} { // the list of places is full
			check(t, mark, c, want, dialects[1].in(strings.Repeat(full, ChunkBytes)), dialects[1], AtField)
		}
	})
}

func TestRandom(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, mark Func) {
		c, want := new(Chunk), new(Chunk)
		r := rand.New(rand.NewPCG(3, 4))
		for i := range rounds.Of(3000) {
			d := dialects[i%len(dialects)]
			check(t, mark, c, want, d.random(r, r.IntN(1000), 1+r.IntN(60)), d, states[r.IntN(len(states))])
		}
	})
}

// A Func may read to the end of the slack, where memory ends here, and nothing before the text.
func TestGuardPages(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, mark Func) {
		const longest = 200
		head, tail := kerneltest.Guarded(t, longest+records.SlackBytes)
		c, want := new(Chunk), new(Chunk)
		r := rand.New(rand.NewPCG(5, 6))
		d := dialects[1]
		copy(head, d.random(r, len(head), 3))
		copy(tail, d.random(r, len(tail), 3))
		for n := range longest + 1 {
			check(t, mark, c, want, head[:n], d, AtField)
			check(t, mark, c, want, tail[longest-n:][:n], d, AtField)
		}
	})
}

// However a text is cut in two, the pieces give the bits of the whole.
func TestEverySplit(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, mark Func) {
		c, want := new(Chunk), new(Chunk)
		for _, d := range dialects[:2] {
			for _, text := range nasty {
				b := d.in(text)
				wantState := markBytes(want, b, d, AtField)
				for cut := range len(b) + 1 {
					first := mark(c, b[:cut:cut+records.SlackBytes], d, AtField)
					whole := *c
					state := mark(c, b[cut:], d, first)
					for i := cut; i < len(b); i++ {
						word, bit := (i-cut)/64, (i-cut)%64
						whole.Delims[i/64] |= c.Delims[word] >> bit & 1 << (i % 64)
						whole.Feeds[i/64] |= c.Feeds[word] >> bit & 1 << (i % 64)
						whole.Bad[i/64] |= c.Bad[word] >> bit & 1 << (i % 64)
					}
					if whole.Delims != want.Delims || whole.Feeds != want.Feeds || whole.Bad != want.Bad {
						t.Fatalf("%q cut at %d, %+v: pieces differ from the whole", b, cut, d)
					}
					if state != wantState {
						t.Fatalf("%q cut at %d, %+v: state %+v, want %+v", b, cut, d, state, wantState)
					}
				}
			}
		}
	})
}

// Examples of bytes out of place; each is marked with ^ below it.
func TestBad(t *testing.T) {
	d := Dialect{Delim: ',', Quote: '"', Quoted: true}
	for _, pair := range [][2]string{
		{`"a","b""c",""` + "\n", "              "},
		{"\"a\"\r\n\"b\"\r\n\r\n", "            "},
		{`"a"`, "   "},
		{"\"a\"\r", "    "},
		{`a"b",c`, " ^ ^  "},
		{`"a"b,"c" ,d`, "   ^    ^  "},
		{`"a"b"c"` + "\n", "   ^^ ^ "},
		{"\"a\"\rx\n", "    ^ "},
		{"\"a\"\r,b\n", "    ^  "},
		{"\"a\"\r\r\n", "    ^ "},
		{"\"a\"\r\"b\"\n", "    ^ ^ "},
		{` "a"` + "\n", " ^ ^ "},
		{"a\r\"b\"", "  ^ ^"},
	} {
		text, marks := pair[0], pair[1]
		c := new(Chunk)
		markBytes(c, d.in(text), d, AtField)
		for i := range text {
			if got, want := c.Bad[0]>>i&1 == 1, marks[i] == '^'; got != want {
				t.Errorf("%q: byte %d out of place: %v, want %v", text, i, got, want)
			}
		}
		for from := range len(text) + 1 {
			for to := from; to <= len(text); to++ {
				want := strings.IndexByte(marks[from:to], '^')
				if at, ok := c.FirstBad(uint32(from), uint32(to)); ok != (want >= 0) || ok && int(at) != from+want {
					t.Errorf("%q[%d:%d]: %d, %v, want %d", text, from, to, at, ok, want)
				}
			}
		}
	}
}

func TestBestIsAllowed(t *testing.T) {
	best := Best()
	if !cpu.Has(best.ISA) {
		t.Errorf("Best is %v, which cannot run here", best.ISA)
	}
	c, d := new(Chunk), Dialect{Delim: ',', Quote: '"', Quoted: true}
	best.Func(c, d.in("a,\"b\n,c\"x\nd\n"), d, AtField)
	if c.Delims[0] != 1<<1 || c.Feeds[0] != 1<<9|1<<11 || c.Bad[0] != 1<<8 || c.Before[1] != 3 {
		t.Errorf("Best says %b, %b, %b, %d", c.Delims[0], c.Feeds[0], c.Bad[0], c.Before[1])
	}
}

func TestNoAllocation(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, mark Func) {
		c, d := new(Chunk), dialects[1]
		text := d.in(nasty[6])
		if n := testing.AllocsPerRun(10, func() { mark(c, text, d, AtField) }); n != 0 {
			t.Errorf("%v allocations a call", n)
		}
	})
}

// FuzzMark compares every variant with the definition, from every state.
func FuzzMark(f *testing.F) {
	for i, text := range nasty {
		f.Add([]byte(text), uint8(i), uint8(i))
	}
	f.Fuzz(func(t *testing.T, b []byte, dialect, state uint8) {
		if len(b) > ChunkBytes {
			return
		}
		d, s := dialects[int(dialect)%len(dialects)], states[int(state)%len(states)]
		for _, v := range variants {
			if cpu.Has(v.ISA) {
				check(t, v.Func, new(Chunk), new(Chunk), d.in(string(b)), d, s)
			}
		}
	})
}

// markBytes reads one byte after the other: it defines what is right.
func markBytes(c *Chunk, text []byte, d Dialect, s State) State {
	c.reset(len(text))
	clear(c.Delims[:])
	clear(c.Feeds[:])
	separators := uint32(0)
	for i, b := range text {
		word, bit := i/64, uint64(1)<<(i%64)
		if i%64 == 0 {
			c.Before[word] = separators
		}
		var bad bool
		if s, bad = d.Next(s, b); bad {
			c.Bad[word] |= bit
			c.bad = true
		}
		if s != AtField {
			continue
		}
		c.places[separators] = uint16(i)
		separators++
		if b == '\n' {
			c.Feeds[word] |= bit
		} else {
			c.Delims[word] |= bit
		}
	}
	c.Before[c.words] = separators
	return s
}
