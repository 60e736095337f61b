package rows

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/kernel/fields"
	"github.com/thresh-dev/thresh/internal/kernel/kerneltest"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
	"github.com/thresh-dev/thresh/internal/test/rounds"
)

// nasty are inputs with quotes and line feeds where a kernel may go wrong.
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
	"stray":            strings.Repeat("5\" pipe,\"a\nb\"\n", 20),
	"stray, then long": "5\" pipe\n" + strings.Repeat("x", 100) + "\"\n" + strings.Repeat("y\n", 100),
	"after closing":    strings.Repeat("\"a\"b\"\nc\",\"d\"\n", 20),
	"only empty":       strings.Repeat("\"\",\"\"\n", 60),
	"many stray":       strings.Repeat("x\"x\"x\"\"\",\"x\"\n", 20),
	"few stray":        strings.Repeat("x\"y\"\"z,\"a,\nb\"c\"d\n,"+strings.Repeat("e", 44), 9),
	"neighbours":       strings.Repeat("\x0b\x09\x21\x23\x8a\xa2\n\"", 40),
}

var csv = fields.Dialect{Delim: ',', Quote: '"', Quoted: true}

// leads are texts that lead into the states.
var leads = [states]string{fields.AtField: "", fields.InField: "x", fields.InQuotes: `"`}

// ends returns how many records of a text end with a line feed. It goes from field to field: one
// that begins with a quote ends after its last quote, all others at the next separator.
func ends(text []byte) (n int64) {
	for len(text) > 0 {
		if text[0] == '"' {
			text = text[1:]
			for {
				i := bytes.IndexByte(text, '"')
				if i < 0 {
					return n
				}
				if text = text[i+1:]; len(text) == 0 || text[0] != '"' {
					break
				}
				text = text[1:]
			}
		}
		i := bytes.IndexAny(text, ",\n")
		if i < 0 {
			return n
		}
		if text[i] == '\n' {
			n++
		}
		text = text[i+1:]
	}
	return n
}

// wanted returns the right answers for a piece. It puts leads before the piece, and after it probes
// that distinguish the states.
func wanted(b []byte) (s Summary) {
	s.Lines = int64(bytes.Count(b, []byte("\n")))
	for i, lead := range leads {
		text := append([]byte(lead), b...)
		s.feeds[i] = ends(text)
		end := func(probe string) bool { return ends(append(bytes.Clone(text), probe...)) > s.feeds[i] }
		state := fields.AtField // opens a quoted field, which hides the line feed
		switch {
		case !end("\n"):
			state = fields.InQuotes
		case end("\"\n"):
			state = fields.InField
		}
		s.turns[i] = fields.State(i) ^ state
	}
	return s
}

// summarize summarizes a piece with one variant, and checks its lines and quotes.
func summarize(t *testing.T, walk Func, b []byte) (s Summary) {
	t.Helper()
	s.Lines = int64(bytes.Count(b, []byte("\n")))
	for i := range leads {
		w := walk(b, csv, fields.State(i))
		if w.Lines != s.Lines || w.Quotes != (bytes.IndexByte(b, '"') >= 0) {
			t.Fatalf("%q: %+v", b, w)
		}
		s.feeds[i], s.turns[i] = w.Feeds, fields.State(i)^w.After
	}
	return s
}

// Every length between guard pages: each slice begins once and ends once at memory that must not be
// touched. The bytes around a slice are full of quotes and line feeds.
func TestEveryLength(t *testing.T) {
	const longest = 5*64 + 1
	kerneltest.Run(t, variants, func(t *testing.T, walk Func) {
		head, tail := kerneltest.Guarded(t, longest)
		random := rand.New(rand.NewPCG(1, 2))
		for range rounds.Of(10) {
			for i := range longest {
				head[i] = "\"\nxy,"[random.IntN(5)]
				tail[i] = "\"\nxy,"[random.IntN(5)]
			}
			for n := range longest + 1 {
				for _, b := range [][]byte{head[:n], tail[longest-n:]} {
					if got, want := summarize(t, walk, b), wanted(b); got != want {
						t.Fatalf("%q: got %+v, want %+v", b, got, want)
					}
				}
			}
		}
	})
}

// However a text is cut into three, the summaries compose to that of the whole, whichever two are
// composed first.
func TestEverySplit(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, walk Func) {
		for name, text := range nasty {
			b := []byte(text)
			want := wanted(b)
			for i := range len(b) + 1 {
				for j := i; j <= len(b); j += 1 + (j-i)/3 {
					first, middle, last := summarize(t, walk, b[:i]), summarize(t, walk, b[i:j]), summarize(t, walk, b[j:])
					if got := first.Then(middle).Then(last); got != want {
						t.Fatalf("%s, cut at %d and %d: got %+v, want %+v", name, i, j, got, want)
					}
					if got := first.Then(middle.Then(last)); got != want {
						t.Fatalf("%s, cut at %d and %d, composed from the end: got %+v, want %+v",
							name, i, j, got, want)
					}
				}
			}
		}
	})
}

// Every place of a quote in a text of line feeds and of letters, in which it is out of place. It
// crosses all borders of vectors and words at all alignments.
func TestEveryPlaceOfAQuote(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, walk Func) {
		for _, fill := range []string{"\n", "x\n", "x\"\n", "\"\n", "\"x\n", "\"\""} {
			buffer := []byte(strings.Repeat(fill, 64+260)[:64+260])
			for start := range 64 {
				for _, n := range []int{1, 63, 64, 65, 128, 130, 259} {
					b := buffer[start : start+n]
					for i := 0; i < len(b); i += 1 + n/50 {
						before := b[i]
						b[i] = '"'
						if got, want := summarize(t, walk, b), wanted(b); got != want {
							t.Fatalf("%q: start %d, length %d, quote at %d: got %+v, want %+v", fill, start, n, i, got, want)
						}
						b[i] = before
					}
				}
			}
		}
	})
}

func TestRandom(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, walk Func) {
		random := rand.New(rand.NewPCG(3, 4))
		for range rounds.Of(5_000) {
			b := make([]byte, random.IntN(2000))
			rare := 1 + random.IntN(200) // how rare quotes and line feeds are
			for i := range b {
				b[i] = byte(random.IntN(256))
				if random.IntN(rare) == 0 {
					b[i] = "\"\",\n"[random.IntN(4)]
				}
			}
			if got, want := summarize(t, walk, b), wanted(b); got != want {
				t.Fatalf("%q: got %+v, want %+v", b, got, want)
			}
		}
	})
}

// A summary equals the results of each state on its own, at lengths around those at which states
// are compared.
func TestSummarize(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, walk Func) {
		random := rand.New(rand.NewPCG(5, 6))
		for _, n := range []int{0, 1, 63, 64, 65, 66, 127, 128, 129, wordBytes + partBytes - 1, wordBytes + partBytes,
			wordBytes + partBytes + 1, wordBytes + 2*partBytes + 1, 5 * partBytes} {
			for _, mix := range []string{"x", "\n", "\"", "x\n", "\"\n", "\",\n", "x\",\n", "xxxxxxx\n", "xxxxxxxxx,\"\n"} {
				b := make([]byte, n)
				for i := range b {
					b[i] = mix[random.IntN(len(mix))]
				}
				k := Kernel{kernel.Variant[Func]{Func: walk}}
				if got, want := k.Summarize(b, csv), wanted(b); got != want {
					t.Fatalf("%d bytes of %q: got %+v, want %+v", n, mix, got, want)
				}
			}
		}
	})
}

// With another delimiter and another quote, those count, and no others.
func TestDialect(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, walk Func) {
		d := fields.Dialect{Delim: '\t', Quote: '\'', Quoted: true}
		text := []byte(strings.Repeat("a,\"b\n", 30) + strings.Repeat("a\t'b\nc'\n", 30) + strings.Repeat("a,'b\n", 30))
		if w := walk(text, d, fields.AtField); w.Feeds != 90 || w.Lines != 120 || w.After != fields.AtField {
			t.Errorf("%+v", w)
		}
	})
}

// States that differ only in which bytes after them are out of place are equivalent here.
func TestSimpleStates(t *testing.T) {
	s := wanted([]byte("\"\n\"x\n"))
	for state, as := range map[fields.State]fields.State{fields.AfterQuote: fields.AtField, fields.AfterReturn: fields.InField} {
		if s.Feeds(state) != s.Feeds(as) || s.After(state) != s.After(as) {
			t.Errorf("%d: %d, %d, want %d, %d", state, s.Feeds(state), s.After(state), s.Feeds(as), s.After(as))
		}
		for _, text := range []string{"\"\n\"\n", "\n", "x\"\n", ",\"\n\"\n", "\r\"\n", "\r\n\"\n\"\n", "\"\"\n"} {
			if got, want := recordEnds(text, state), recordEnds(text, as); got != want {
				t.Errorf("%q from %d: %s, want %s", text, state, got, want)
			}
			if got, want := recordEnds(text, state), walkPlain([]byte(text), csv, as).Feeds; int64(strings.Count(got, "$")) != want {
				t.Errorf("%q from %d: %s, want %d", text, state, got, want)
			}
		}
	}
}

// recordEnds marks the line feeds that end a record by the definition of the dialect.
func recordEnds(text string, s fields.State) (marks string) {
	for i := range len(text) {
		mark := "."
		if s, _ = csv.Next(s, text[i]); text[i] == '\n' && s == fields.AtField {
			mark = "$"
		}
		marks += mark
	}
	return marks
}

func TestThen(t *testing.T) {
	var none Summary
	some := wanted([]byte("a\n\"b\nc"))
	if got := none.Then(some); got != some {
		t.Errorf("nothing before: %+v", got)
	}
	if got := some.Then(none); got != some {
		t.Errorf("nothing after: %+v", got)
	}
	if got, want := some.Then(some), wanted([]byte("a\n\"b\nca\n\"b\nc")); got != want {
		t.Errorf("twice: got %+v, want %+v", got, want)
	}
}

func TestBestIsAllowed(t *testing.T) {
	best := Best()
	if !cpu.Has(best.ISA) {
		t.Errorf("Best is %v, which cannot run here", best.ISA)
	}
	if got := best.Func([]byte("a,\"b\nc\"\nd\n"), csv, fields.AtField); got.Feeds != 2 || got.Lines != 3 {
		t.Errorf("Best says %+v", got)
	}
}

func TestNoAllocation(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, walk Func) {
		b := []byte(nasty["stray"])
		if n := testing.AllocsPerRun(10, func() { walk(b, csv, fields.AtField) }); n != 0 {
			t.Errorf("%v allocations a call", n)
		}
		k := Kernel{kernel.Variant[Func]{Func: walk}}
		if n := testing.AllocsPerRun(10, func() { k.Summarize(b, csv) }); n != 0 {
			t.Errorf("%v allocations a summary", n)
		}
	})
}

// FuzzSummarize compares every variant with the definition, in one piece and in two.
func FuzzSummarize(f *testing.F) {
	for _, text := range nasty {
		f.Add([]byte(text), uint16(len(text)/2))
	}
	f.Fuzz(func(t *testing.T, b []byte, at uint16) {
		if len(b) > 1<<16 {
			return
		}
		want, cut := wanted(b), min(int(at), len(b))
		for _, v := range variants {
			if !cpu.Has(v.ISA) {
				continue
			}
			if got := summarize(t, v.Func, b); got != want {
				t.Fatalf("%v: got %+v, want %+v", v.ISA, got, want)
			}
			k := Kernel{v}
			if got := k.Summarize(b[:cut], csv).Then(k.Summarize(b[cut:], csv)); got != want {
				t.Fatalf("%v, cut at %d: got %+v, want %+v", v.ISA, cut, got, want)
			}
		}
	})
}
