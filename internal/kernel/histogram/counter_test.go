package histogram

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/kernel/kerneltest"
)

// faulting calls Add on bytes that end in a guard page, and reports whether reading them panicked,
// as with a mapping of a file that shrank.
func faulting(t *testing.T, c *Counter, off int64, b []byte, stride int) (panicked bool) {
	t.Helper()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { panicked = recover() != nil }()
	if err := c.Add(off, b, stride); err != nil {
		t.Error(err)
	}
	return false
}

// A call that a panic ended continues where it stopped, and whatever could be read is counted once,
// wherever the fault and however often.
func TestPanicAndAgain(t *testing.T) {
	const readable = 100_000
	for _, name := range typeNames {
		typ := mustType(t, name)
		s := Spec{Type: typ, Low: "0", High: "100", Bins: 20}
		h, err := Compile(s)
		if err != nil {
			t.Fatal(err)
		}
		_, b := kerneltest.Guarded(t, readable)
		beyond := guardAfter(b)
		if beyond == nil {
			t.Skip("no guard pages here")
		}
		for i := range b {
			b[i] = byte(i % 91)
		}
		for _, stride := range []int{typ.Width(), 1, 24, 5000} {
			c := h.Counter()
			for range 3 { // the third fails like the second
				if !faulting(t, c, 7<<40, beyond, stride) {
					t.Fatalf("%s: reading a guard page did not panic", name)
				}
			}
			for _, shorter := range [][]byte{beyond[:readable+1000], b[:readable-1], b} {
				if !c.underWay && len(shorter) > 0 {
					break
				}
				faulting(t, c, 7<<40, shorter, stride)
			}
			whole := h.Counter()
			if err := whole.Add(0, b[:readable-1], stride); err != nil {
				t.Fatal(err)
			}
			if d := difference(mustResult(t, c), mustResult(t, whole)); d != "" {
				t.Fatalf("%s, every %d: %s", name, stride, d)
			}
			if err := c.Add(7<<40, b[:readable-1], stride); err != nil {
				t.Fatal(err)
			}
			if err := whole.Add(0, b[:readable-1], stride); err != nil {
				t.Fatal(err)
			}
			if d := difference(mustResult(t, c), mustResult(t, whole)); d != "" {
				t.Fatalf("%s, every %d, a new call at the same place: %s", name, stride, d)
			}
		}
	}
}

// After a panic, a call with another offset starts from its beginning.
func TestPanicAndElsewhere(t *testing.T) {
	h := mustCompile(t, Spec{Type: mustType(t, "u8")}, variants[len(variants)-1].Func)
	_, b := kerneltest.Guarded(t, 20_000)
	beyond := guardAfter(b)
	if beyond == nil {
		t.Skip("no guard pages here")
	}
	c := h.Counter()
	if !faulting(t, c, 0, beyond, 1) {
		t.Fatal("reading a guard page did not panic")
	}
	before := mustResult(t, c).Bins[0].Count
	if before == 0 || before > 20_000 {
		t.Fatalf("%d of 20000 readable bytes counted", before)
	}
	if err := c.Add(1, b, 1); err != nil {
		t.Fatal(err)
	}
	if got := mustResult(t, c).Bins[0].Count; got != before+20_000 {
		t.Errorf("%d counted, want %d", got, before+20_000)
	}
}

// The merged counters of several workers equal one counter of everything.
func TestMerge(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, f kernels) {
		random := rand.New(rand.NewPCG(1, 7))
		for _, name := range typeNames {
			typ := mustType(t, name)
			h := mustCompile(t, Spec{Type: typ, Low: "0", High: "100", Bins: 60}, f)
			b := column(random, typ, 20_000, 3)
			whole, merged := h.Counter(), h.Counter()
			if err := whole.Add(0, b, typ.Width()); err != nil {
				t.Fatal(err)
			}
			for part := range slices.Chunk(b, 3000*typ.Width()) {
				c := h.Counter()
				if err := c.Add(0, part, typ.Width()); err != nil {
					t.Fatal(err)
				}
				if err := merged.Merge(c); err != nil {
					t.Fatal(err)
				}
			}
			if err := merged.Merge(h.Counter()); err != nil {
				t.Fatal(err)
			}
			if d := difference(mustResult(t, merged), mustResult(t, whole)); d != "" {
				t.Fatalf("%s: %s", name, d)
			}
		}
	})
}

func TestMergeOfOtherHistogramPanics(t *testing.T) {
	typ := mustType(t, "u8")
	a := mustCompile(t, Spec{Type: typ}, kernel.Choose(variants).Func)
	b := mustCompile(t, Spec{Type: typ}, kernel.Choose(variants).Func)
	defer func() {
		if recover() == nil {
			t.Error("must panic")
		}
	}()
	_ = a.Counter().Merge(b.Counter())
}

func TestStridePanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a stride of 0 must panic")
		}
	}()
	_ = mustCompile(t, Spec{Type: mustType(t, "u8")}, kernel.Choose(variants).Func).Counter().Add(0, make([]byte, 8), 0)
}

// Holes count as the zeros that they read as.
func TestAddZeros(t *testing.T) {
	for _, name := range typeNames {
		typ := mustType(t, name)
		for _, limits := range [][2]string{{"", ""}, {"-5", "-1"}, {"1", "9"}, {"-3", "4"}} {
			s := Spec{Type: typ, Width: "7", Low: limits[0], High: limits[1]}
			if !typ.Signed() && strings.HasPrefix(s.Low, "-") {
				continue
			}
			h, err := Compile(s)
			if err != nil {
				t.Fatal(err)
			}
			read, holes := h.Counter(), h.Counter()
			if err := read.Add(0, make([]byte, 1000*typ.Width()), typ.Width()); err != nil {
				t.Fatal(err)
			}
			for _, n := range []uint64{0, 999, 1} {
				if err := holes.AddZeros(n); err != nil {
					t.Fatal(err)
				}
			}
			if d := difference(mustResult(t, holes), mustResult(t, read)); d != "" {
				t.Errorf("%s %v: %s", name, limits, d)
			}
		}
	}
}

// A window holds its maximum of bins and no more, in whatever way values arrive, and the width
// named by the error suffices.
func TestBound(t *testing.T) {
	value := map[string]func(c *Counter, v uint64) error{
		"Add": func(c *Counter, v uint64) error {
			typ := c.h.typ
			if typ.Float() {
				v = math.Float64bits(float64(int64(v)))
			}
			b := make([]byte, typ.Width())
			put(typ, b, v)
			return c.Add(0, b, typ.Width())
		},
	}
	value["Merge"] = func(c *Counter, v uint64) error {
		other := c.h.Counter()
		if err := value["Add"](other, v); err != nil {
			return err
		}
		return c.Merge(other)
	}
	for way, add := range value {
		for _, name := range []string{"i32", "i64", "f64", "i64be"} {
			s := Spec{Type: mustType(t, name), Width: "10", BinsMost: 100}
			h := mustCompile(t, s, kernel.Choose(variants).Func)
			for _, test := range []struct {
				from, to int64
				fits     bool
			}{
				{0, 999, true}, {0, 1000, false}, {999, 0, true}, {999, -1, false}, {-500, 499, true},
				{-500, 500, false}, {5, 1 << 30, false}, {-1 << 31, 1<<31 - 1, false}, {-1 << 31, -1<<31 + 900, true},
			} {
				c := h.Counter()
				if err := add(c, uint64(test.from)); err != nil {
					t.Fatal(err)
				}
				err := add(c, uint64(test.to))
				if (err == nil) != test.fits {
					t.Fatalf("%s %s from %d to %d: error %v, want one: %v", way, name, test.from, test.to, err, !test.fits)
				}
				if err == nil {
					continue
				}
				var width string
				at := strings.Index(err.Error(), "a width of ")
				if _, scanErr := fmt.Sscanf(err.Error()[at:], "a width of %s", &width); scanErr != nil {
					t.Fatal(scanErr)
				}
				s.Width = width
				wider := mustCompile(t, s, kernel.Choose(variants).Func).Counter()
				s.Width = "10"
				for _, v := range []int64{test.from, test.to} {
					if err := add(wider, uint64(v)); err != nil {
						t.Fatalf("%s %s from %d to %d: not even with the width it said: %v", way, name, test.from, test.to, err)
					}
				}
			}
		}
	}
}

func TestBoundOfNarrowTypes(t *testing.T) {
	h := mustCompile(t, Spec{Type: mustType(t, "u16"), BinsMost: 10}, kernel.Choose(variants).Func)
	c := h.Counter()
	if err := c.Add(0, []byte{0, 0, 0, 1}, 2); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Result(); err == nil || !strings.Contains(err.Error(), "value 256 is too far") {
		t.Errorf("error %v", err)
	}
}

// The error names the value.
func TestTooFarNamesTheValue(t *testing.T) {
	for _, test := range []struct {
		typ  string
		bits []uint64
		want string
	}{
		{"i64", []uint64{5, 6, 1 << 40}, "value 1099511627776 is too far"},
		{"i32be", []uint64{5, 6, math.MaxUint32 - 1<<29}, "value -536870913 is too far"},
		{"f64", []uint64{0, math.Float64bits(-1e9)}, "value -1000000000 is too far"},
		{"f64", []uint64{0, math.Float64bits(1e300)}, "value 1e+300 lies more than 2^50 bins"},
	} {
		typ := mustType(t, test.typ)
		h := mustCompile(t, Spec{Type: typ, Width: "1"}, kernel.Choose(variants).Func)
		b := make([]byte, len(test.bits)*typ.Width())
		for i, raw := range test.bits {
			put(typ, b[i*typ.Width():], raw)
		}
		c := h.Counter()
		if err := c.Add(0, b[:typ.Width()], typ.Width()); err != nil {
			t.Fatal(err)
		}
		if err := c.Add(0, b, typ.Width()); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s %#x: error %v, want %q in it", test.typ, test.bits, err, test.want)
		}
	}
}

// Counters of 32 bits are emptied before they overflow.
func TestLanesAreEmptiedInTime(t *testing.T) {
	typ := mustType(t, "u32")
	c := mustCompile(t, Spec{Type: typ, Width: "1"}, kernel.Choose(variants).Func).Counter()
	b := make([]byte, 4*chunkWide)
	for i := range chunkWide {
		put(typ, b[4*i:], uint64(i%2))
	}
	if err := c.Add(0, b, 4); err != nil {
		t.Fatal(err)
	}
	// As if this many zeros had been counted, by bad luck all in one lane.
	c.window.flush()
	c.window.lanes[laneCount*int(0-c.window.start)], c.window.pending = math.MaxUint32-10, math.MaxUint32-10
	if err := c.Add(0, b, 4); err != nil {
		t.Fatal(err)
	}
	if got := mustResult(t, c).Bins[0].Count; got != math.MaxUint32-10+chunkWide {
		t.Errorf("%d zeros counted, want %d", got, uint64(math.MaxUint32-10+chunkWide))
	}

	bytes := mustCompile(t, Spec{Type: mustType(t, "u8")}, kernel.Choose(variants).Func).Counter()
	bytes.narrow.bytes[0][0], bytes.narrow.pending = math.MaxUint32-10, math.MaxUint32-10
	if err := bytes.Add(0, make([]byte, 4096), 1); err != nil {
		t.Fatal(err)
	}
	if got := mustResult(t, bytes).Bins[0].Count; got != math.MaxUint32-10+4096 {
		t.Errorf("%d bytes counted, want %d", got, uint64(math.MaxUint32-10+4096))
	}
}

func TestAddAllocatesNothing(t *testing.T) {
	for _, name := range typeNames {
		typ := mustType(t, name)
		c := mustCompile(t, Spec{Type: typ, Low: "0", High: "100", Bins: 50}, kernel.Choose(variants).Func).Counter()
		b := column(rand.New(rand.NewPCG(1, 1)), typ, 5000, 3)
		if n := testing.AllocsPerRun(10, func() {
			if err := c.Add(0, b, typ.Width()); err != nil {
				t.Error(err)
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations a call", name, n)
		}
	}
}
