package digits

import (
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/kernel/kerneltest"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
	"github.com/thresh-dev/thresh/internal/test/rounds"
)

const testMax = 256

// column is numbers as a Func takes them, and room behind them, which must stay as it is.
type column struct {
	words  [testMax + 8]uint64
	fields [testMax + 8]records.Span
}

// put puts a text into a column, with bytes after it that may follow it in a file.
func (c *column) put(k int, text string) {
	c.fields[k] = records.Span{Off: uint32(k), Len: uint32(len(text))}
	c.words[k] = binary.LittleEndian.Uint64([]byte(text + "1-.5678\xff")[:wordBytes])
}

func (c *column) parse(f Func, scale, n int) (points uint8, refused bool) {
	s := ScaleOf(scale)
	return f(&c.words[0], &c.fields[0], &s, n)
}

// wanted parses character by character. It refuses what a Scale refuses.
func wanted(text string, scale int) (m int64, before int, ok bool) {
	rest := strings.TrimPrefix(text, "-")
	if len(rest) == 0 || len(text) > wordBytes {
		return 0, 0, false
	}
	decimals := -1
	for i := range len(rest) {
		switch {
		case rest[i] == '.' && decimals < 0 && i < len(rest)-1:
			decimals = 0
		case rest[i] >= '0' && rest[i] <= '9':
			m = m*10 + int64(rest[i]-'0')
			if decimals >= 0 {
				decimals++
			}
		default:
			return 0, 0, false
		}
	}
	if decimals > scale {
		return 0, 0, false
	}
	if decimals >= 0 {
		before = wordBytes - 1 - decimals
	}
	for range scale - max(decimals, 0) {
		m *= 10
	}
	if rest != text {
		m = -m
	}
	return m, before, true
}

func check(t *testing.T, f Func, texts []string, scale int) {
	t.Helper()
	var c column
	const canary = 0x1e << 40
	for k := range c.words {
		c.words[k], c.fields[k] = canary, records.Span{Len: 3}
	}
	for k, text := range texts {
		c.put(k, text)
	}
	points, refused := c.parse(f, scale, len(texts))
	var wantPoints uint8
	wantRefused := false
	for k, text := range texts {
		m, before, ok := wanted(text, scale)
		if ok == (c.words[k] == Refused) {
			t.Fatalf("%q at scale %d: %#x", text, scale, c.words[k])
		}
		wantRefused = wantRefused || !ok
		if !ok {
			continue
		}
		if int64(c.words[k]) != m {
			t.Fatalf("%q at scale %d: %d, want %d", text, scale, int64(c.words[k]), m)
		}
		if before > 0 {
			wantPoints |= 1 << before
		}
	}
	if points != wantPoints || refused != wantRefused {
		t.Fatalf("%q at scale %d: points %#x, refused %v, want %#x, %v", texts, scale, points, refused, wantPoints, wantRefused)
	}
	for k, word := range c.words[len(texts):] {
		if word != canary {
			t.Fatalf("%d numbers: the word %d behind them is %#x", len(texts), k, word)
		}
	}
}

func TestIntegers(t *testing.T) {
	const alphabet = "0123456789.-+/:eE \x00\x1e\x2e\x3f\x80\x9e\xae\xb0\xff"
	kerneltest.Run(t, variants, func(t *testing.T, f Func) {
		r := rand.New(rand.NewPCG(1, 2))
		for _, text := range []string{"", "-", ".", "-.", "5.", ".5", "-.5", "0", "-0", "12345678", "-12345678", "123456789",
			"1.234567", "1.23456", "1234567.", "1.2.3", "..", "0.000001", "99999999", "9.999999", strings.Repeat("1", 200)} {
			for scale := range ScaleMax + 1 {
				check(t, f, []string{text}, scale)
			}
		}
		for range rounds.Of(20_000) {
			texts := make([]string, r.IntN(testMax+1))
			wild := r.IntN(3)
			for k := range texts {
				letters := alphabet[:10]
				if wild > 0 && r.IntN(8) < wild {
					letters = alphabet
				}
				b := make([]byte, 1+r.IntN(9))
				for i := range b {
					b[i] = letters[r.IntN(len(letters))]
				}
				if i := r.IntN(12); i < len(b) {
					b[i] = '.'
				}
				texts[k] = []string{"", "-"}[r.IntN(2)] + string(b)
			}
			check(t, f, texts, r.IntN(ScaleMax+1))
		}
	})
}

// BenchmarkIntegers works on the results of its first call: the time of a variant does not depend
// on the words.
func BenchmarkIntegers(b *testing.B) {
	for _, v := range variants {
		b.Run(v.ISA.String(), func(b *testing.B) {
			if !cpu.Has(v.ISA) {
				b.Skip("not on this machine")
			}
			var c column
			for k := range testMax {
				c.put(k, "-345.12")
			}
			if _, refused := c.parse(v.Func, 2, testMax); refused || int64(c.words[testMax-1]) != -34512 {
				b.Fatalf("-345.12 is %d", int64(c.words[testMax-1]))
			}
			for b.Loop() {
				c.parse(v.Func, 2, testMax)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/testMax, "ns/value")
		})
	}
}
