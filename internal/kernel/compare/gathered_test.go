package compare

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel/kerneltest"
	"github.com/thresh-dev/thresh/question"
)

// TestGathered asks for every stride and for numbers of values around those at which values are
// gathered, and at which another block begins, flush against pages that fault. Every value is tested
// by itself as well.
func TestGathered(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, name := range []string{"u8", "i16be", "u32", "f32", "i64be", "f64"} {
		typ := mustType(t, name)
		w := typ.width
		p, err := Compile(typ, []question.Condition{{Op: question.Greater, Value: "100"}})
		if err != nil {
			t.Fatal(err)
		}
		block := blockBytes / w
		for _, stride := range []int{1, 2, 3, 5, 6, 7, 11, 12, 13, 16, 17, 24, 32, 33, 64, 100} {
			for _, values := range []int{gatheredLeast, gatheredLeast + 1, 3*gatheredLeast - 1, 3 * gatheredLeast, 3*gatheredLeast + 1,
				block - 1, block, block + 1, 2*block + gatheredLeast + 1} {
				head, tail := kerneltest.Guarded(t, (values-1)*stride+w+r.IntN(min(stride, 3)))
				for _, b := range [][]byte{head, tail} {
					checkGathered(t, p, b, stride, r)
				}
			}
		}
	}
}

func checkGathered(t *testing.T, p *Predicate, b []byte, stride int, r *rand.Rand) {
	t.Helper()
	for i := range b {
		b[i] = 0
		if r.IntN(8) == 0 {
			b[i] = byte(r.Uint32())
		}
	}
	want, first := 0, -1
	for at := 0; at+p.typ.width <= len(b); at += stride {
		if p.Fits(b[at:]) {
			if want++; first < 0 {
				first = at
			}
		}
	}
	name := fmt.Sprintf("%v, stride %d, length %d", p.typ, stride, len(b))
	if got := p.CountStride(b, stride); got != want {
		t.Fatalf("%s: got %d, want %d", name, got, want)
	}
	if got := p.IndexStride(b, stride); got != first {
		t.Fatalf("%s: found at %d, want %d", name, got, first)
	}
	// A single value that fits, anywhere.
	clear(b)
	last := (len(b) - p.typ.width) / stride
	at := (last - r.IntN(min(last+1, 40))) * stride
	for i := range p.typ.width {
		b[at+i] = 0x72
	}
	for first = max(0, at-p.typ.width) / stride * stride; !p.Fits(b[first:]); first += stride {
	}
	if got := p.IndexStride(b, stride); got != first {
		t.Fatalf("%s: one at %d is found at %d", name, first, got)
	}
}
