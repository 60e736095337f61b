package simd

import (
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel/minify"
	"github.com/thresh-dev/thresh/lab/gen"
)

func input(t *testing.T) Input {
	t.Helper()
	var text bytes.Buffer
	if err := gen.JSON(&text, 100_000, 1); err != nil {
		t.Fatal(err)
	}
	in := Input{JSON: text.Bytes()[:text.Len()/blockBytes*blockBytes], Zeros: make([]byte, 4096), Divisor: 5}
	random := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		in.Numbers = append(in.Numbers, random.Uint32())
	}
	in.Zeros[0], in.Zeros[31], in.Zeros[4095] = 1, 128, 255
	return in
}

// All variants of a task that can run give the same answer.
func TestVariantsAgree(t *testing.T) {
	in := input(t)
	answers, plain := map[string]uint64{}, make([]byte, len(in.JSON))
	n, _ := minify.Variants()[len(minify.Variants())-1].Func.Minify(plain, in.JSON, minify.State{})
	answers["minify"] = uint64(n)
	for _, v := range Variants() {
		if (v.New == nil) != (v.Unavailable != "") {
			t.Fatalf("%s: unavailable %q, but New is nil: %v", v.ID(), v.Unavailable, v.New == nil)
		}
		if v.New == nil {
			continue
		}
		run, size := v.New(in)
		answer := run()
		want, known := answers[v.Task]
		if known && answer != want || size == 0 {
			t.Errorf("%s: %d, want %d; of %d bytes", v.ID(), answer, want, size)
		}
		answers[v.Task] = answer
	}
}

// A register counts if any single byte is not zero, and its neighbours do not.
func TestRegistersThatAreNotZero(t *testing.T) {
	b := make([]byte, 5*16)
	required := strings.Split(os.Getenv("THRESH_REQUIRE"), ",")
	for _, v := range nonzeroVariants() {
		if v.New == nil {
			if slices.Contains(required, v.Method) {
				t.Errorf("THRESH_REQUIRE names %s, but %s cannot run: %s", v.Method, v.ID(), v.Unavailable)
			}
			continue
		}
		run, _ := v.New(Input{Zeros: b})
		for i := range b {
			b[i] = 1 << (i % 8)
			if got := run(); got != 1 {
				t.Errorf("%s: byte %d is not zero: %d registers, want 1", v.ID(), i, got)
			}
			b[i] = 0
		}
		if got := run(); got != 0 {
			t.Errorf("%s: %d registers, want 0: all are zero", v.ID(), got)
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
	for _, src := range [][]byte{input(t).JSON, bytes.Repeat([]byte(`" \\\" \" \\" `+"\n"), 640)} {
		want, got := make([]byte, len(src)), make([]byte, len(src)+blockBytes)
		n, _ := minify.Variants()[len(minify.Variants())-1].Func.Minify(want, src, minify.State{})
		m := minifyBy(compressToRegister, got, src)
		if !bytes.Equal(got[:m], want[:n]) {
			t.Errorf("%.50q...: wrong bytes; %d of them, want %d", src, m, n)
		}
	}
}

func TestDividers(t *testing.T) {
	numbers := []uint32{0, 1, 2, 3, 4, 5, 6, 7, 1<<31 - 1, 1 << 31, 1<<31 + 1, math.MaxUint32 - 1, math.MaxUint32}
	numbers = append(numbers, input(t).Numbers...)
	want, got := make([]uint32, len(numbers)), make([]uint32, len(numbers))
	for _, d := range []uint32{2, 3, 4, 5, 6, 7, 641, 1 << 31, math.MaxUint32} {
		divideAtRunTime(want, numbers, d)
		for name, divide := range map[string]divider{
			"constants": divideByConstants, "reciprocal": divideByReciprocal, "vectors": divideByVectors,
		} {
			if divide(got, numbers, d); !slices.Equal(got, want) {
				t.Errorf("by %d, %s: wrong quotients", d, name)
			}
		}
	}
}

func TestUnsignedBySigned(t *testing.T) {
	for x := math.MinInt8; x <= math.MaxInt8; x++ {
		for y := math.MinInt8; y <= math.MaxInt8; y++ {
			below(t, int8(x), int8(y), math.MinInt8, uint8(x) < uint8(y))
		}
	}
	edges := []int64{0, 1, 2, -1, -2, math.MaxInt64, math.MinInt64, math.MaxInt64 - 1, math.MinInt64 + 1,
		math.MaxInt32, math.MinInt32, math.MaxInt32 - 1, math.MinInt32 + 1,
		math.MaxInt16, math.MinInt16, math.MaxInt16 - 1, math.MinInt16 + 1}
	for x := math.MinInt16; x <= math.MaxInt16; x++ {
		for _, y := range edges {
			below(t, int16(x), int16(y), math.MinInt16, uint16(x) < uint16(y))
		}
	}
	for _, x := range edges {
		for _, y := range edges {
			below(t, int32(x), int32(y), math.MinInt32, uint32(x) < uint32(y))
			below(t, x, y, math.MinInt64, uint64(x) < uint64(y))
		}
	}
}

func below[T signed](t *testing.T, x, y, least T, want bool) {
	t.Helper()
	if BelowByAdding(x, y, least) != want || BelowByFlipping(x, y, least) != want || x+least != x^least {
		t.Fatalf("%d below %d without signs: want %v, or sum and exclusive or differ", x, y, want)
	}
}
