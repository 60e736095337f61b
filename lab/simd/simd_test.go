package simd

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel/minify"
	"github.com/thresh-dev/thresh/lab"
)

// TestExperiment runs every variant that can run here.
func TestExperiment(t *testing.T) {
	e, seen := Experiment(), map[string]bool{}
	for _, v := range e.Variants {
		if seen[v.ID] || !strings.HasPrefix(v.ID, "simd/") || v.What == "" || len(v.Settings) == 0 {
			t.Errorf("variant %q is a duplicate, or incomplete", v.ID)
		}
		seen[v.ID] = true
		if why := v.Missing(); why != "" {
			if _, isa, _ := strings.Cut(v.ID, "-"); slices.Contains(strings.Split(os.Getenv("THRESH_REQUIRE"), ","), isa) {
				t.Errorf("THRESH_REQUIRE names %s, but %s cannot run: %s", isa, v.ID, why)
			}
			continue
		}
		o, err := v.Run(t.Context(), lab.Task{Variant: v.ID})
		if err != nil || o.Answer != v.Want(lab.Setting{}) {
			t.Errorf("%s: answer %q, want %q; error %v", v.ID, o.Answer, v.Want(lab.Setting{}), err)
		}
		if rate := e.Metric.Of(o); rate <= 0 || o.Bytes <= 0 || o.Items <= 0 {
			t.Errorf("%s: %g GB/s, %+v", v.ID, rate, o)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Variants[len(e.Variants)-1].Run(ctx, lab.Task{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
}

// TestAnswers compares the answers that variants must give with those of the plain twins.
func TestAnswers(t *testing.T) {
	src, err := document()
	if err != nil {
		t.Fatal(err)
	}
	if got := digest(minifiedPlainly(src)); got != wantMinified {
		t.Errorf("minified: %q", got)
	}
	if n := countPlain(registers()); !strings.HasPrefix(wantRegisters, strconv.Itoa(n)+" ") {
		t.Errorf("%d registers are not all zeros", n)
	}
}

func minifiedPlainly(src []byte) []byte {
	dst := make([]byte, len(src))
	n, _ := minify.Variants()[len(minify.Variants())-1].Func.Minify(dst, src, minify.State{})
	return dst[:n]
}

// A register counts if any single byte is not zero, and its neighbours do not.
func TestRegistersThatAreNotZero(t *testing.T) {
	counts := map[string]func(b []byte) int{"plain": countPlain, "neon": countNEON, "sve": sveCounter()}
	b := make([]byte, 5*registerBytes)
	for name, count := range counts {
		if count == nil {
			continue
		}
		for i := range b {
			b[i] = 1 << (i % 8)
			if got := count(b); got != 1 {
				t.Errorf("%s: byte %d is not zero: %d registers, want 1", name, i, got)
			}
			b[i] = 0
		}
		if got := count(b); got != 0 {
			t.Errorf("%s: %d registers, want 0: all are zero", name, got)
		}
	}
}

func TestCompressors(t *testing.T) {
	if why := noCompress(); why != "" {
		t.Skip(why)
	}
	random := rand.New(rand.NewPCG(3, 4))
	src, keeps := make([]byte, 40*blockBytes), make([]uint64, 40)
	for i := range src {
		src[i] = byte(random.Uint32())
	}
	for i := range keeps {
		keeps[i] = random.Uint64() & random.Uint64()
	}
	keeps[3], keeps[4] = 0, math.MaxUint64
	want, got := make([]byte, len(src)), make([]byte, len(src)+blockBytes)
	want = want[:compressPlain(want, src, keeps)]
	for name, compress := range map[string]compressor{"memory": compressToMemory, "register": compressToRegister} {
		if n := compress(&got[0], &src[0], &keeps[0], len(keeps)); !bytes.Equal(got[:n], want) {
			t.Errorf("compressed to %s: wrong bytes; %d of them, want %d", name, n, len(want))
		}
	}
}

func TestMinifyByEqualsTheProduct(t *testing.T) {
	if why := noCompress(); why != "" {
		t.Skip(why)
	}
	document, err := document()
	if err != nil {
		t.Fatal(err)
	}
	for _, src := range [][]byte{document, bytes.Repeat([]byte(`" \\\" \" \\" `+"\n"), 640)} {
		want, got := minifiedPlainly(src), make([]byte, len(src)+blockBytes)
		if m := minifyBy(compressToRegister, got, src); !bytes.Equal(got[:m], want) {
			t.Errorf("%.50q...: wrong bytes; %d of them, want %d", src, m, len(want))
		}
	}
}

func TestDividers(t *testing.T) {
	numbers := []uint32{0, 1, 2, 3, 4, 5, 6, 7, 1<<31 - 1, 1 << 31, 1<<31 + 1, math.MaxUint32 - 1, math.MaxUint32}
	random := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		numbers = append(numbers, random.Uint32())
	}
	want, got := make([]uint32, len(numbers)), make([]uint32, len(numbers))
	for _, d := range []uint32{2, 3, 4, 5, 6, 7, 641, 1 << 31, math.MaxUint32} {
		for i, n := range numbers {
			want[i] = n / d
		}
		for name, divide := range map[string]divider{"run-time": divideAtRunTime,
			"constants": divideByConstants, "reciprocal": divideByReciprocal, "vectors": divideByVectors,
		} {
			if divide(got, numbers, d); !slices.Equal(got, want) {
				t.Errorf("by %d, %s: wrong quotients", d, name)
			}
		}
	}
}

// TestCheckNoticesWrongComparisons breaks one width after the other, at one value each.
func TestCheckNoticesWrongComparisons(t *testing.T) {
	right := comparer{belowByFlipping[int8], belowByFlipping[int16], belowByFlipping[int32], belowByFlipping[int64]}
	if compared, wrong := right.check(); wrong != 0 {
		t.Fatalf("%d of %d comparisons are wrong", wrong, compared)
	}
	eight, sixteen, wide, widest := right, right, right, right
	eight.below8 = func(x, y, least int8) bool { return x != 77 && belowByAdding(x, y, least) }
	sixteen.below16 = func(x, y, least int16) bool { return x != -777 && belowByAdding(x, y, least) }
	wide.below32 = func(x, y, least int32) bool { return x != math.MinInt32 && belowByAdding(x, y, least) }
	widest.below64 = func(x, y, _ int64) bool { return x < y }
	for i, c := range []comparer{eight, sixteen, wide, widest} {
		if _, wrong := c.check(); wrong == 0 {
			t.Errorf("comparer %d: nothing is wrong", i)
		}
	}
}
