package count

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/kernel/pattern"
	"github.com/thresh-dev/thresh/internal/scan"
)

// TestDisjoint cuts repetitive texts into random blocks and compares with bytes.Count, which
// also counts the first of overlapping occurrences.
func TestDisjoint(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, text := range []string{"aa", "aba", "aaaa", "abab", "abaab", "\x00\x00\x00"} {
		p, err := pattern.Literal([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		for range 300 {
			data := make([]byte, r.IntN(40))
			for i := range data {
				data[i] = text[r.IntN(len(text))]
				if r.IntN(20) == 0 {
					data[i] = 'x'
				}
			}
			want := int64(bytes.Count(data, []byte(text)))
			for range 10 {
				if got := cut(p, data, r); got != want {
					t.Fatalf("%q in %q: %d, want %d", text, data, got, want)
				}
			}
		}
	}
}

// cut counts in blocks of random lengths, in random order.
func cut(p *pattern.Pattern, data []byte, r *rand.Rand) int64 {
	order := scan.NewOrder[reaches]()
	var blocks []source.Range
	for off := 0; off < len(data); {
		n := min(1+r.IntN(12), len(data)-off)
		blocks = append(blocks, source.Range{Off: int64(off), End: int64(off + n)})
		off += n
	}
	for _, i := range r.Perm(len(blocks)) {
		b := blocks[i]
		end := min(int(b.End)+p.Len()-1, len(data))
		order.Add(b, (&disjoint{all: eachOf(p), longest: p.Len()}).walk(data[b.Off:end], int(b.Len())))
	}
	result := Result{reaches: order}
	countReaches(&result)
	return result.Count
}

// TestHolesOfDisjoint compares the summary of a hole with that of the zeros in it.
func TestHolesOfDisjoint(t *testing.T) {
	for _, text := range []string{"\x00\x00", "\x00\x00\x00\x00\x00", "\x01\x00\x01"} {
		p, err := pattern.Literal([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		for n := 1; n < 20; n++ {
			for after := range p.Len() { // zeros of the context, up to the end of the input
				zeros := make([]byte, n+after)
				d := &disjoint{all: eachOf(p), longest: p.Len(), zeros: p.FitsZeros(), order: scan.NewOrder[reaches](),
					end: int64(n + after)}
				d.hole(source.Range{End: int64(n)})
				want := d.walk(zeros, n)
				got := d.order.Stretches()[0]
				for reach := range p.Len() {
					one, other := stepOf(got, reach), stepOf(want, reach)
					if one.N != other.N || one.Over != other.Over {
						t.Errorf("%q, %d zeros and %d of context, reach %d: %+v, want %+v", text, n, after, reach, one, other)
					}
				}
			}
		}
	}
}

func stepOf(r reaches, reach int) Step {
	for _, s := range r {
		if s.Reach >= reach {
			return s
		}
	}
	panic("no step for this reach")
}

// FuzzDisjoint counts any text in any data, cut at one offset, and compares with bytes.Count.
func FuzzDisjoint(f *testing.F) {
	f.Add([]byte("aa"), []byte("aaaaa"), uint8(3))
	f.Add([]byte("aba"), []byte("ababababa"), uint8(4))
	f.Fuzz(func(t *testing.T, text, data []byte, at uint8) {
		if len(text) == 0 || len(text) > 64 || len(data) == 0 {
			return
		}
		p, err := pattern.Literal(text)
		if err != nil {
			t.Fatal(err)
		}
		order := scan.NewOrder[reaches]()
		split := int(at) % len(data)
		for _, b := range []source.Range{{Off: int64(split), End: int64(len(data))}, {Off: 0, End: int64(split)}} {
			if b.Len() > 0 {
				end := min(int(b.End)+p.Len()-1, len(data))
				order.Add(b, (&disjoint{all: eachOf(p), longest: p.Len()}).walk(data[b.Off:end], int(b.Len())))
			}
		}
		result := Result{reaches: order}
		countReaches(&result)
		if want := int64(bytes.Count(data, text)); result.Count != want {
			t.Errorf("%q in %q cut at %d: %d, want %d", text, data, split, result.Count, want)
		}
	})
}
