package histogram

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/kernel/kerneltest"
)

// mostly returns values of which a share of percent is one that is usual.
func mostly(r *rand.Rand, b []byte, width, percent int) {
	usual := [2]byte{byte(r.Uint32()), byte(r.Uint32())}
	for at := 0; at+width <= len(b); at += width {
		for i := range width {
			b[at+i] = usual[i]
			if r.IntN(100) >= percent && r.IntN(3) > 0 { // of two bytes, often only one differs
				b[at+i] = byte(r.Uint32())
			}
		}
	}
}

// TestOthers compares the kernel with its twin, over sections flush against pages that fault.
func TestOthers(t *testing.T) {
	table := newCompaction()
	head, tail := kerneltest.Guarded(t, sectionBytes)
	kerneltest.Run(t, variants, func(t *testing.T, f kernels) {
		r := rand.New(rand.NewPCG(9, 10))
		for round := range 200 {
			width, b := 1+round%2, [][]byte{head, tail}[round/2%2]
			mostly(r, b, width, r.IntN(101))
			at := r.IntN(sectionBytes/2) * 2
			usual := uint16(b[at]) | uint16(b[at+1])<<8
			if width == 1 {
				usual &= 0xff
			}
			var got, want struct {
				list   others
				canary [64]byte
			}
			n, wanted := f.others(&got.list, b, usual, width, table), othersPlain(&want.list, b, usual, width, table)
			if n != wanted || !bytes.Equal(got.list[:n], want.list[:n]) || got.canary != want.canary {
				t.Fatalf("%d values other than %#x, width %d: %d bytes, want %d", len(b)/width, usual, width, n, wanted)
			}
		}
	})
}

// TestUsual counts columns in which nearly all values are the same, in some sections at least.
func TestUsual(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, f kernels) {
		r := rand.New(rand.NewPCG(11, 12))
		for _, name := range []string{"u8", "i8", "u16", "i16be"} {
			typ := mustType(t, name)
			b := make([]byte, 11*sectionBytes+2*r.IntN(sectionBytes/2))
			for at, percent := range []int{100, 99, 90, 75, 63, 62, 50, 10, 0, 90, 100} {
				mostly(r, b[at*sectionBytes:][:sectionBytes], typ.Width(), percent)
			}
			want := map[string]uint64{}
			for at := 0; at+typ.Width() <= len(b); at += typ.Width() {
				want[number(typ.String(), b[at:])]++
			}
			h, err := compile(Spec{Type: typ}, kernel.Variant[kernels]{Func: f})
			if err != nil {
				t.Fatal(err)
			}
			c := h.Counter()
			if err := c.Add(0, b, typ.Width()); err != nil {
				t.Fatal(err)
			}
			got, err := c.Result()
			if err != nil {
				t.Fatal(err)
			}
			sum := uint64(0)
			for _, bin := range got.Bins {
				if sum += bin.Count; bin.Count != want[bin.Low] {
					t.Fatalf("%s: %d values %s, want %d", name, bin.Count, bin.Low, want[bin.Low])
				}
			}
			if sum != uint64(len(b)/typ.Width()) {
				t.Fatalf("%s: %d values of %d", name, sum, len(b)/typ.Width())
			}
		}
	})
}

// number returns the first value as text.
func number(name string, b []byte) string {
	switch name {
	case "u8":
		return fmt.Sprint(b[0])
	case "i8":
		return fmt.Sprint(int8(b[0]))
	case "u16":
		return fmt.Sprint(uint16(b[0]) | uint16(b[1])<<8)
	}
	return fmt.Sprint(int16(uint16(b[1]) | uint16(b[0])<<8))
}

// TestUsualValue asks for sections with one value in just enough of the places that are sampled, and
// in one too few.
func TestUsualValue(t *testing.T) {
	for _, width := range []int{1, 2} {
		b := make([]byte, sectionBytes)
		for i := range b {
			b[i] = byte(i/262 + 1) // another in each sample
		}
		for i := 6; i < 16; i++ {
			if _, ok := usualValue(b, width); ok {
				t.Errorf("width %d: a value is usual in %d samples", width, i-6)
			}
			clear(b[i*262:][:2])
		}
		if v, ok := usualValue(b, width); !ok || v != 0 {
			t.Errorf("width %d: got %d, %v", width, v, ok)
		}
		if _, ok := usualValue(b[:sectionBytes-2], width); ok {
			t.Errorf("width %d: a section that is not whole has a usual value", width)
		}
	}
}
