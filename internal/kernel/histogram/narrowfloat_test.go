package histogram

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/kernel/compare"
	"github.com/thresh-dev/thresh/internal/kernel/kerneltest"
)

// Floats of 8 and 16 bits, all bit patterns of them and some many times, are counted in the bins in
// which float64 of the same values are counted, which takes another way.
func TestNarrowFloats(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, f kernels) {
		random := rand.New(rand.NewPCG(1, 2))
		for _, name := range namesOf(compare.Type.Narrow) {
			typ := mustType(t, name)
			double := mustType(t, "f64")
			most := typ.Format(min(448, typ.Largest()))
			width := typ.Width()
			all := 1 << (8 * width)
			b := make([]byte, 0, (all+20_000)*width)
			for i := range all + 20_000 {
				raw := uint64(i)
				if i >= all {
					raw = uint64(random.IntN(all))
				}
				b = b[:len(b)+width]
				put(typ, b[len(b)-width:], raw)
			}
			for _, spec := range []Spec{
				{Bins: 16, Low: "-1", High: "1"}, {Bins: 7, Low: "0.1", High: "0.1"}, {Bins: 1000, Low: "-" + most, High: "10"},
				{Width: "0.25", Low: "-3", High: "6"}, {Width: "100", Low: "-" + most, High: most},
				{Width: "0.3", Anchor: "0.125", Low: "-8", High: "8"},
			} {
				for _, stride := range []int{width, 3 * width, 5} {
					spec.Type = typ
					h := mustCompile(t, spec, f)
					c, rest := h.Counter(), h.Counter()
					cut := len(b) / 2 / stride * stride
					mustAdd(t, c, 0, b[:cut], stride)
					mustAdd(t, rest, int64(cut), b[cut:], stride)
					if err := c.Merge(rest); err != nil {
						t.Fatal(err)
					}
					var wide []byte
					for i := 0; i+width <= len(b); i += stride {
						wide = binary.LittleEndian.AppendUint64(wide, math.Float64bits(typ.Value(get(typ, b[i:]))))
					}
					// A bound is rounded to the narrow type.
					exact := spec
					exact.Type = double
					for _, bound := range []*string{&exact.Low, &exact.High, &exact.Anchor} {
						if *bound != "" {
							v, err := typ.ParseFloat(*bound)
							if err != nil {
								t.Fatal(err)
							}
							*bound = formatFloat(v)
						}
					}
					want := mustCompile(t, exact, f).Counter()
					mustAdd(t, want, 0, wide, 8)
					if d := difference(mustResult(t, c), mustResult(t, want)); d != "" {
						t.Fatalf("%+v, stride %d: %s", spec, stride, d)
					}
				}
			}
			zeros := mustCompile(t, Spec{Type: typ, Width: "1"}, f).Counter()
			if err := zeros.AddZeros(5); err != nil {
				t.Fatal(err)
			}
			if r := mustResult(t, zeros); len(r.Bins) != 1 || r.Bins[0] != (answer.Bin{Low: "0", High: "1", Count: 5}) {
				t.Errorf("%s: five zeros are %+v", name, r)
			}
			if _, err := Compile(Spec{Type: typ}); err == nil {
				t.Errorf("%s: a histogram without bins", name)
			}
		}
	})
}

func mustAdd(t *testing.T, c *Counter, off int64, b []byte, stride int) {
	t.Helper()
	if err := c.Add(off, b, stride); err != nil {
		t.Fatal(err)
	}
}
