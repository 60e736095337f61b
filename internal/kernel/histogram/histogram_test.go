package histogram

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel/compare"
	"github.com/thresh-dev/thresh/internal/kernel/kerneltest"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
	"github.com/thresh-dev/thresh/internal/test/rounds"
)

// column returns values of a type: about a third random within some range, a third next to its
// edges and to multiples of width, a third in runs.
func column(random *rand.Rand, t compare.Type, n int, width uint64) []byte {
	b := make([]byte, n*t.Width())
	scale := random.IntN(8*t.Width()) + 1
	var raw uint64
	for i := range n {
		switch random.IntN(12) {
		case 0, 1, 2, 3:
			raw = random.Uint64() >> (64 - scale)
		case 4:
			raw = width*(random.Uint64()%100) - 2 + random.Uint64()%5
		case 5:
			raw = -raw
		case 6:
			raw = math.MaxUint64 - random.Uint64()%3
		case 7:
			raw = 1<<(8*t.Width()-1) - 1 + random.Uint64()%3
		}
		put(t, b[i*t.Width():], raw)
	}
	return b
}

// Integers of all types, byte orders and strides, in all kinds of widths, with and without limits
// and anchors, compared with the twin.
func TestIntegers(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, f kernels) {
		random := rand.New(rand.NewPCG(5, 6))
		for _, name := range typeNames {
			typ := mustType(t, name)
			if typ.Float() {
				continue
			}
			most := uint64(math.MaxUint64) >> (64 - 8*typ.Width())
			least := most / 200 // no narrower, because the twin is slow
			for round := range 14 {
				widths := []uint64{1, 2, 7, 10, 97, 1000, 1 << random.IntN(63), most, most - 1, most / 2, most/2 + 1,
					most/2 + 2, math.MaxUint64, random.Uint64()}
				width := max(least, widths[round%len(widths)]+least)
				if round%len(widths) < 6 && least < 100 {
					width = widths[round%len(widths)]
				}
				s := Spec{Type: typ, Width: strconv.FormatUint(width, 10)}
				if random.IntN(3) == 0 {
					s.Anchor = strconv.FormatInt(int64(random.Uint64())>>random.IntN(63), 10)
				}
				if random.IntN(3) == 0 {
					limit(random, &s)
				}
				b := column(random, typ, 100+random.IntN(1200), width)
				checkCount(t, s, f, b, strides(random, typ))
			}
		}
	})
}

// limit sets limits in order, sometimes with a number of bins.
func limit(random *rand.Rand, s *Spec) {
	unused := 64 - 8*s.Type.Width()
	low := whole(s.Type, random.Uint64()>>unused)
	high := whole(s.Type, random.Uint64()>>unused)
	if low.Cmp(high) > 0 {
		low, high = high, low
	}
	s.Low, s.High = low.String(), high.String()
	switch random.IntN(4) {
	case 0:
		s.Low = ""
	case 1:
		s.High = ""
	case 2:
		s.Width, s.Anchor, s.Bins = "", "", 1+random.IntN(2000)
	}
}

func strides(random *rand.Rand, t compare.Type) []int {
	return []int{t.Width(), 1 << 62, 1 + random.IntN(40), 1}
}

func checkCount(t *testing.T, s Spec, f kernels, b []byte, strides []int) {
	t.Helper()
	h := mustCompile(t, s, f)
	for _, stride := range strides {
		if stride < s.Type.Width() {
			b = b[:min(len(b), 700)] // overlapping values are so many that the twin is slow
		}
		c := h.Counter()
		if err := c.Add(0, b, stride); err != nil {
			t.Fatalf("%+v: %v", s, err)
		}
		if d := difference(mustResult(t, c), naive(t, s, b, stride)); d != "" {
			t.Fatalf("%+v, %d bytes every %d: %s", s, len(b), stride, d)
		}
	}
}

// Narrow bins over values that lie close together, somewhere in the range of the type.
func TestNarrowBinsSomewhere(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, f kernels) {
		random := rand.New(rand.NewPCG(7, 8))
		for _, name := range []string{"i32", "u32be", "i64", "u64", "i64be"} {
			typ := mustType(t, name)
			for _, width := range []uint64{1, 3, 10, 1000, 1 << 20, 1<<31 - 1, 1 << 32} {
				for _, spread := range []uint64{1, 300, 5000} {
					// A center next to the lowest value, the highest, zero, or anywhere.
					center := []uint64{0, math.MaxUint64, 1 << (8*typ.Width() - 1), random.Uint64()}[random.IntN(4)]
					b := make([]byte, 1500*typ.Width())
					half := width * spread / 2
					for i := 0; i < len(b); i += typ.Width() {
						raw := center + random.Uint64()%(2*half+1) - half
						if typ.Width() == 4 && half > 1<<31 {
							raw = random.Uint64()
						}
						put(typ, b[i:], raw)
					}
					s := Spec{Type: typ, Width: strconv.FormatUint(width, 10), BinsMost: math.MaxInt}
					if wraps(typ, b) {
						continue // from one end of the range to the other
					}
					checkCount(t, s, f, b, []int{typ.Width(), 2 * typ.Width()})
				}
			}
		}
	})
}

// wraps reports whether values lie in both outer quarters of the type's range.
func wraps(t compare.Type, b []byte) bool {
	var low, high bool
	for i := 0; i < len(b); i += t.Width() {
		raw := get(t, b[i:]) << (64 - 8*t.Width())
		if t.Signed() {
			raw ^= 1 << 63
		}
		low = low || raw>>62 == 0
		high = high || raw>>62 == 3
	}
	return low && high
}

// Floats around all edges of a grid: each edge, the numbers next to it, and values outside every
// bin.
func TestFloatEdges(t *testing.T) {
	specs := []Spec{
		{Width: "1"}, {Width: "0.1"}, {Width: "0.1", Anchor: "0.05"}, {Width: "1e-3", Low: "-1", High: "1"},
		{Width: "3", Anchor: "1e15"}, {Width: "0.125", Anchor: "1e15"}, {Width: "1e300"}, {Width: "1e-300"},
		{Bins: 10, Low: "0", High: "1"}, {Bins: 7, Low: "-1", High: "0.3"}, {Bins: 1, Low: "2", High: "5"},
		{Bins: 1000, Low: "-1e-5", High: "1e-5"}, {Bins: 33, Low: "1e15", High: "1000000000000100"},
		{Bins: 800, Low: "1e15", High: "1000000000000100"}, {Bins: 3, Low: "-8e307", High: "8e307"},
		{Bins: 49, Low: "0", High: "49"}, {Bins: 6, Low: "0.1", High: "0.7"}, {Width: "0.7", Low: "-3.5"},
	}
	kerneltest.Run(t, variants, func(t *testing.T, f kernels) {
		for _, name := range []string{"f32", "f32be", "f64", "f64be"} {
			typ := mustType(t, name)
			for _, s := range specs {
				if s.Type = typ; typ.Width() == 4 {
					// Such values lie 2^26 apart at 1e15, and values that far from 0 have no bin.
					far := strings.NewReplacer("1000000000000100", "1e15", "1e15", "1e6", "1e300", "1e30", "1e-300", "1e-30",
						"8e307", "8e37")
					s.Low, s.High, s.Anchor, s.Width = far.Replace(s.Low), far.Replace(s.High), far.Replace(s.Anchor), far.Replace(s.Width)
				}
				checkCount(t, s, f, aroundEdges(typ, mustCompile(t, s, f)), []int{typ.Width(), 3 * typ.Width()})
			}
		}
	})
}

func aroundEdges(typ compare.Type, h *Histogram) (b []byte) {
	add := func(v float64) {
		var value [8]byte
		if typ.Width() == 4 {
			put(typ, value[:], uint64(math.Float32bits(float32(v))))
		} else {
			put(typ, value[:], math.Float64bits(v))
		}
		b = append(b, value[:typ.Width()]...)
	}
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), h.grid.low, h.grid.high} {
		if limit := math.Abs(v); !math.IsInf(h.grid.last, 1) || limit != math.MaxFloat64 && limit != math.MaxFloat32 {
			add(v)
		}
	}
	for k := -50; k < 1010; k++ {
		if k > 60 && math.IsInf(h.grid.last, 1) {
			break
		}
		edge := h.grid.anchor + float64(float64(k)*h.grid.width)
		if typ.Width() == 4 && math.IsInf(float64(float32(edge)), 0) {
			continue
		}
		for _, v := range []float64{edge, math.Nextafter(edge, math.Inf(1)), math.Nextafter(edge, math.Inf(-1)),
			edge + h.grid.width/2, -edge} {
			if math.Abs(v-h.grid.anchor) < 5000*h.grid.width || !math.IsInf(h.grid.last, 1) {
				add(v)
			}
		}
	}
	return b
}

func TestRandomFloats(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, f kernels) {
		random := rand.New(rand.NewPCG(9, 10))
		for range rounds.Of(200) {
			typ := mustType(t, []string{"f32", "f32be", "f64", "f64be"}[random.IntN(4)])
			low, span := random.NormFloat64()*100, random.ExpFloat64()
			s := Spec{Type: typ, Bins: 1 + random.IntN(500), Low: formatFloat(low), High: formatFloat(low + span)}
			b := make([]byte, 0, 8*2000)
			for range 1000 + random.IntN(1000) {
				v := low + span*(random.Float64()*1.2-0.1)
				raw := math.Float64bits(v)
				if typ.Width() == 4 {
					raw = uint64(math.Float32bits(float32(v)))
				}
				if random.IntN(500) == 0 {
					raw = math.MaxUint64 // NaN
				}
				b = append(b, make([]byte, typ.Width())...)
				put(typ, b[len(b)-typ.Width():], raw)
			}
			checkCount(t, s, f, b, strides(random, typ)[:1])
		}
	})
}

// Every length, at the end of a guarded page and at its start: nothing is read outside.
func TestEveryLength(t *testing.T) {
	const longest = 600
	kerneltest.Run(t, variants, func(t *testing.T, f kernels) {
		head, tail := kerneltest.Guarded(t, longest)
		for _, name := range []string{"u8", "i16be", "i32", "u32be", "u64", "f32", "f64be"} {
			typ := mustType(t, name)
			s := Spec{Type: typ, Width: "3", Low: "0", High: "120"}
			h := mustCompile(t, s, f)
			for n := 0; n <= longest; n += 1 + n/150*6*rounds.Every(1) {
				for _, b := range [][]byte{head[:n], tail[longest-n:]} {
					clear(b)
					for i := 0; i+typ.Width() <= n; i += typ.Width() {
						v := uint64(i % 260 / 2)
						switch {
						case typ.Float() && typ.Width() == 4:
							v = uint64(math.Float32bits(float32(v)))
						case typ.Float():
							v = math.Float64bits(float64(v))
						case typ.Width() == 1:
							v %= 256
						}
						put(typ, b[i:], v)
					}
					for _, stride := range []int{typ.Width(), 5} {
						if stride == 5 && n%50 != 0 {
							continue
						}
						c := h.Counter()
						if err := c.Add(0, b, stride); err != nil {
							t.Fatal(err)
						}
						if typ.Float() && stride == 5 {
							continue // overlapping bytes can make any number
						}
						if d := difference(mustResult(t, c), naive(t, s, b, stride)); d != "" {
							t.Fatalf("%s, length %d, stride %d: %s", name, n, stride, d)
						}
					}
				}
			}
		}
	})
}

// Blocks of a single value among others, at all places of a chunk.
func TestRuns(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, f kernels) {
		random := rand.New(rand.NewPCG(11, 12))
		for _, name := range []string{"u8", "i8", "u16", "i16be", "u32", "f64"} {
			typ := mustType(t, name)
			s := Spec{Type: typ, Width: "1", BinsMost: 1 << 20}
			for range rounds.Of(6) {
				b := make([]byte, 3*chunkBytes+random.IntN(chunkBytes))
				for i := 0; i < len(b); {
					n, v := random.IntN(300), random.Uint64()%200
					if typ.Float() {
						v = math.Float64bits(float64(v))
					}
					for ; n > 0 && i+typ.Width() <= len(b); n-- {
						put(typ, b[i:], v)
						i += typ.Width()
					}
					if i+typ.Width() > len(b) {
						break
					}
				}
				checkCount(t, s, f, b, []int{typ.Width()})
			}
		}
	})
}

func TestCompileErrors(t *testing.T) {
	tests := []struct {
		typ  string
		spec Spec
		want string // part of the error
	}{
		{"u32", Spec{}, "give the width"},
		{"u32", Spec{Width: "1", Bins: 3}, "not both"},
		{"u32", Spec{Bins: 3, Low: "1"}, "needs the lowest and the highest"},
		{"u32", Spec{Bins: 3, Low: "1", High: "2", Anchor: "1"}, "no other anchor"},
		{"u32", Spec{Bins: -3, Low: "1", High: "2"}, "-3 bins"},
		{"u32", Spec{Bins: 1<<20 + 1, Low: "1", High: "2"}, "1048577 bins; there may be 1 to 1048576"},
		{"u32", Spec{Width: "1", BinsMost: -1}, "at most -1 bins"},
		{"u32", Spec{Width: "0"}, "not above 0"},
		{"u32", Spec{Width: "-7"}, "not above 0"},
		{"u32", Spec{Width: "1.5"}, `"1.5" is not a whole number`},
		{"u32", Spec{Width: "ten"}, `"ten" is not a whole number`},
		{"u32", Spec{Width: "--1"}, "is not a whole number"},
		{"u32", Spec{Width: "1", Low: "-1"}, "value -1 does not fit u32 (0 to 4294967295)"},
		{"i16", Spec{Width: "1", High: "32768"}, "does not fit i16 (-32768 to 32767)"},
		{"i16", Spec{Width: "1", High: "x"}, `"x" is not a whole number`},
		{"i16", Spec{Width: "1", Anchor: "x"}, `"x" is not a whole number`},
		{"i16", Spec{Width: "1", Low: "5", High: "4"}, "no value is between 5 and 4"},
		{"f32", Spec{}, "give the width"},
		{"f32", Spec{Width: "0"}, "not above 0"},
		{"f32", Spec{Width: "-0.5"}, "not above 0"},
		{"f32", Spec{Width: "inf"}, `"inf" is not a finite number`},
		{"f32", Spec{Width: "1", Low: "nan"}, `"nan" is not a finite number`},
		{"f32", Spec{Width: "1", Low: "5", High: "4"}, "no value is between 5 and 4"},
		{"f64", Spec{Bins: 5, Low: "-1e308", High: "1e308"}, "more than the largest number"},
		{"f64", Spec{Bins: 1000, Low: "1e15", High: "1000000000000100"}, "too small: numbers next to 1000000000000100 lie 0.125 apart"},
		{"f64", Spec{Width: "1e-320"}, "too small"},
		{"f64", Spec{Width: "1", Anchor: "1e20"}, "too small"},
	}
	for _, test := range tests {
		test.spec.Type = mustType(t, test.typ)
		_, err := Compile(test.spec)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s %+v: error %v, want %q in it", test.typ, test.spec, err, test.want)
		}
	}
	if _, err := Compile(Spec{Width: "1"}); err == nil {
		t.Error("no type: want an error")
	}
}

func TestChosenFormMayRun(t *testing.T) {
	h, err := Compile(Spec{Type: mustType(t, "u8")})
	if err != nil {
		t.Fatal(err)
	}
	if !cpu.Has(h.ISA()) {
		t.Errorf("compiled for %v, which cannot run here", h.ISA())
	}
}

// FuzzCount compares every variant with the twin, on bytes of any kind.
func FuzzCount(f *testing.F) {
	f.Add([]byte("a column of bytes, or of what they make"), uint8(4), uint64(10), int64(0), uint16(4), uint8(0))
	f.Add(make([]byte, 9000), uint8(7), uint64(1)<<60, int64(-3), uint16(8), uint8(1))
	f.Add([]byte{0, 0, 0xc0, 0x7f, 0, 0, 0x80, 0xff}, uint8(8), uint64(1)<<60, int64(9), uint16(4), uint8(2))
	f.Fuzz(func(t *testing.T, b []byte, typ uint8, width uint64, anchor int64, stride uint16, bins uint8) {
		s := Spec{Type: mustType(t, typeNames[int(typ)%len(typeNames)])}
		most := uint64(math.MaxUint64) >> (64 - 8*s.Type.Width())
		switch {
		case stride == 0:
			return
		case s.Type.Float():
			s.Low, s.High, s.Bins = strconv.FormatInt(anchor>>8, 10), strconv.FormatInt(anchor>>8+int64(width%1e6)+1, 10), int(bins)+1
		case bins > 0 && s.Type.Width() == 8:
			low := min(uint64(anchor), width) & math.MaxInt64
			s.Low, s.High, s.Bins = strconv.FormatUint(low, 10), strconv.FormatUint(max(low, width&math.MaxInt64), 10), int(bins)
		default:
			s.Width, s.Anchor = strconv.FormatUint(max(width, most/4000, 1), 10), strconv.FormatInt(anchor, 10)
		}
		if _, err := Compile(s); s.Type.Float() && err != nil {
			return // bins too narrow for floats
		}
		want := naive(t, s, b, int(stride))
		for _, v := range variants {
			if !cpu.Has(v.ISA) {
				continue
			}
			h, err := compile(s, v)
			if err != nil {
				t.Fatal(err)
			}
			c := h.Counter()
			if err := c.Add(0, b, int(stride)); err != nil {
				t.Fatal(err)
			}
			if d := difference(mustResult(t, c), want); d != "" {
				t.Fatalf("%v %+v, stride %d: %s", v.ISA, s, stride, d)
			}
		}
	})
}

// The table must end with the plain variant, or Choose has no fallback.
func TestPlainIsLast(t *testing.T) {
	if last := variants[len(variants)-1]; last.ISA != cpu.Plain {
		t.Errorf("the last variant is %v", last.ISA)
	}
}

func BenchmarkAdd(b *testing.B) {
	const size = 1 << 20
	random := rand.New(rand.NewPCG(1, 2))
	fill := map[string]func(i int) byte{
		"random": func(int) byte { return byte(random.Uint32()) },
		"equal":  func(int) byte { return 7 },
		"zeros9": func(int) byte {
			if random.IntN(10) > 0 {
				return 0
			}
			return byte(random.Uint32())
		},
		"text": func(i int) byte { return "it was the best of times, it was the worst of times, "[i%53] },
	}
	for _, of := range []string{"random", "equal", "zeros9", "text"} {
		data := kerneltest.HugePages(b, size)
		for i := range data {
			data[i] = fill[of](i)
		}
		benchmark(b, "of="+of, Spec{Type: mustType(b, "u8")}, data)
		benchmark(b, "of="+of, Spec{Type: mustType(b, "i16be")}, data)
	}
	uniform := kerneltest.HugePages(b, size)
	for i := 0; i < size; i += 4 {
		binary.LittleEndian.PutUint32(uniform[i:], random.Uint32N(1_000_000))
	}
	benchmark(b, "of=uniform", Spec{Type: mustType(b, "u32"), Width: "1000"}, uniform)
	for i := 0; i < size; i += 4 {
		if random.IntN(10) > 0 {
			binary.LittleEndian.PutUint32(uniform[i:], 0)
		}
	}
	benchmark(b, "of=zeros9", Spec{Type: mustType(b, "u32"), Width: "1000"}, uniform)
	benchmark(b, "of=limits", Spec{Type: mustType(b, "u32"), Width: "1000", Low: "1"}, uniform)
	for i := 0; i < size; i += 4 {
		binary.BigEndian.PutUint32(uniform[i:], math.Float32bits(random.Float32()))
	}
	benchmark(b, "of=uniform", Spec{Type: mustType(b, "f32be"), Low: "0", High: "1", Bins: 1000}, uniform)
	for i := 0; i < size; i += 8 {
		binary.LittleEndian.PutUint64(uniform[i:], random.Uint64N(1_000_000_000))
	}
	benchmark(b, "of=uniform", Spec{Type: mustType(b, "i64"), Width: "1000000"}, uniform)
	for i := 0; i < size; i += 8 {
		binary.LittleEndian.PutUint64(uniform[i:], math.Float64bits(random.Float64()))
	}
	benchmark(b, "of=uniform", Spec{Type: mustType(b, "f64"), Width: "0.001"}, uniform)
}

func benchmark(b *testing.B, name string, s Spec, data []byte) {
	b.Helper()
	for _, v := range variants {
		if !cpu.Has(v.ISA) {
			continue
		}
		b.Run(fmt.Sprintf("isa=%v/%s/as=%v", v.ISA, name, s.Type), func(b *testing.B) {
			c := mustCompile(b, s, v.Func).Counter()
			b.SetBytes(int64(len(data)))
			n := uint64(0)
			for b.Loop() {
				if err := c.Add(0, data, s.Type.Width()); err != nil {
					b.Fatal(err)
				}
				n += uint64(len(data) / s.Type.Width())
			}
			r := mustResult(b, c)
			for _, bin := range r.Bins {
				n -= bin.Count
			}
			if n -= r.Below + r.Above + r.NaN; n != 0 {
				b.Fatalf("%d values are missing", n)
			}
		})
	}
}
