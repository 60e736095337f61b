package histogram

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
)

// TestState adds the states of two counters, in both orders: the result is that of one counter. Damaged ones are
// errors.
func TestState(t *testing.T) {
	for _, s := range []Spec{{Type: mustType(t, "u8")}, {Type: mustType(t, "f32"), Low: "0", High: "100", Bins: 20},
		{Type: mustType(t, "i64"), Width: "10000000000000000"}} {
		h, err := Compile(s)
		if err != nil {
			t.Fatal(err)
		}
		b := column(rand.New(rand.NewPCG(1, 2)), s.Type, 4000, 0)
		whole, a, z := h.Counter(), h.Counter(), h.Counter()
		width := s.Type.Width()
		half := len(b) / 2
		for _, err := range []error{whole.Add(0, b, width), a.Add(0, b[:half], width), z.Add(0, b[half:], width)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		for _, order := range [][]*Counter{{a, z}, {z, a}} {
			sum := h.Counter()
			for _, c := range order {
				if err := sum.AddState(c.State()); err != nil {
					t.Fatal(err)
				}
			}
			if got, want := mustResult(t, sum), mustResult(t, whole); !reflect.DeepEqual(got, want) {
				t.Errorf("%+v: %+v instead of %+v", s, got, want)
			}
		}
		for _, first := range []uint64{1, 1 << 40, math.MaxUint64} {
			damaged := &State{First: first, Counts: make([]uint64, 1<<21)}
			if err := h.Counter().AddState(damaged); err == nil {
				t.Errorf("%+v: %d bins from %d on are added", s, len(damaged.Counts), first)
			}
		}
		if err := h.Counter().AddState(&State{First: math.MaxUint64, Counts: []uint64{1, 1}}); err == nil {
			t.Errorf("%+v: bins beyond the last place are added", s)
		}
	}
}
