package stats

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"runtime/debug"
	"testing"

	"github.com/thresh-dev/thresh/internal/cpu"
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/kernel/compare"
	"github.com/thresh-dev/thresh/internal/kernel/kerneltest"
)

var typeNames = []string{"i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f32", "f64",
	"i16be", "u16be", "i32be", "u32be", "i64be", "u64be", "f32be", "f64be"}

func typeOf(t testing.TB, name string) compare.Type {
	t.Helper()
	typ, err := compare.ParseType(name)
	if err != nil {
		t.Fatal(err)
	}
	return typ
}

// figures is a summary as text.
type figures struct {
	n, nan              int64
	min, max, sum, mean string
}

func figuresOf(s *Summary) figures {
	return figures{s.N(), s.NaN(), s.Min(), s.Max(), s.Sum(), s.Mean()}
}

// oracle computes all figures with numbers of any length.
func oracle(t compare.Type, b []byte, stride int) (f figures) {
	sum := new(big.Rat)
	var least, most *big.Rat
	infinite := 0.0 // the sum of what is infinite
	specials, lowest, highest := int64(0), false, false
	for ; len(b) >= t.Width(); b = b[min(stride, len(b)):] {
		f.n++
		v, special := valueOf(t, b)
		switch {
		case math.IsNaN(special):
			f.nan++
			continue
		case special != 0:
			infinite += special
			specials++
			lowest, highest = lowest || special < 0, highest || special > 0
			continue
		}
		sum.Add(sum, v)
		if least == nil || v.Cmp(least) < 0 {
			least = v
		}
		if most == nil || v.Cmp(most) > 0 {
			most = v
		}
	}
	if f.n == f.nan {
		return f
	}
	text := func(v *big.Rat, bits int) string {
		if v.IsInt() && !t.Float() {
			return v.Num().String()
		}
		x, _ := v.Float64()
		return compare.FormatFloat(x, bits)
	}
	if least == nil { // nothing but infinities
		least, most = new(big.Rat), new(big.Rat)
	}
	f.min, f.max, f.sum = text(least, 8*t.Width()), text(most, 8*t.Width()), text(sum, 64)
	mean, _ := sum.Quo(sum, big.NewRat(f.n-f.nan, 1)).Float64()
	f.mean = compare.FormatFloat(mean, 64)
	if finite := f.n - f.nan - specials; lowest {
		f.min = "-Inf"
		if finite == 0 && !highest {
			f.max = "-Inf"
		}
	} else if highest && finite == 0 {
		f.min = "+Inf"
	}
	if highest {
		f.max = "+Inf"
	}
	if infinite != 0 { // NaN too, of both
		f.sum = compare.FormatFloat(infinite, 64)
		f.mean = f.sum
	}
	return f
}

// valueOf returns a value, or what is no number.
func valueOf(t compare.Type, b []byte) (v *big.Rat, special float64) {
	var o binary.ByteOrder = binary.LittleEndian
	if t.BigEndian() {
		o = binary.BigEndian
	}
	var bits uint64
	switch t.Width() {
	case 1:
		bits = uint64(b[0])
	case 2:
		bits = uint64(o.Uint16(b))
	case 4:
		bits = uint64(o.Uint32(b))
	default:
		bits = o.Uint64(b)
	}
	float := math.Float64frombits(bits)
	if t.Width() == 4 {
		float = float64(math.Float32frombits(uint32(bits)))
	}
	shift := 64 - 8*t.Width()
	switch {
	case t.Float() && (math.IsNaN(float) || math.IsInf(float, 0)):
		return nil, float
	case t.Float():
		return new(big.Rat).SetFloat64(float), 0
	case t.Signed():
		return new(big.Rat).SetInt64(int64(bits<<shift) >> shift), 0
	}
	return new(big.Rat).SetInt(new(big.Int).SetUint64(bits)), 0
}

// fill makes values: plain numbers, and some of all magnitudes.
func fill(t compare.Type, b []byte, r *rand.Rand, wild bool) {
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	if !t.Float() {
		return
	}
	var o binary.ByteOrder = binary.LittleEndian
	if t.BigEndian() {
		o = binary.BigEndian
	}
	for i := 0; i+t.Width() <= len(b); i += t.Width() {
		v := r.NormFloat64() * 1000
		switch {
		case wild && r.IntN(4) == 0:
			v = math.Ldexp(r.NormFloat64(), r.IntN(2000)-1000)
		case wild && r.IntN(8) == 0:
			v = math.NaN()
		case r.IntN(8) == 0:
			v = math.Copysign(0, r.NormFloat64())
		}
		if t.Width() == 4 {
			x := float32(v)
			if math.IsInf(float64(x), 0) {
				x = math.MaxFloat32
			}
			o.PutUint32(b[i:], math.Float32bits(x))
			continue
		}
		o.PutUint64(b[i:], math.Float64bits(v))
	}
}

// Every type over lengths around those of vectors, at the edges of guarded memory.
func TestAgainstOracle(t *testing.T) {
	const longest = 64*2 + 9
	r := rand.New(rand.NewPCG(1, 2))
	kerneltest.Run(t, variants, func(t *testing.T, form kernels) {
		for _, name := range typeNames {
			typ := typeOf(t, name)
			k := &Kernel{typ, kernel.Variant[kernels]{Func: form}}
			head, tail := kerneltest.Guarded(t, longest)
			for n := range longest + 1 {
				for _, b := range [][]byte{head[:n], tail[longest-n:]} {
					fill(typ, b, r, n%2 == 0)
					var s Summary
					k.Add(&s, b, typ.Width())
					if got, want := figuresOf(&s), oracle(typ, b, typ.Width()); got != want {
						t.Fatalf("%s, %d bytes: %+v, want %+v", name, n, got, want)
					}
				}
			}
		}
	})
}

// Long inputs in parts, at any stride, merged in any order.
func TestParts(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	kerneltest.Run(t, variants, func(t *testing.T, form kernels) {
		for _, name := range typeNames {
			typ := typeOf(t, name)
			k := &Kernel{typ, kernel.Variant[kernels]{Func: form}}
			for round := range 4 {
				b := make([]byte, 3*blockValues*8+r.IntN(9000))
				fill(typ, b, r, round%2 == 0)
				stride := []int{typ.Width(), typ.Width(), 1 + r.IntN(20), 1 << 40}[round]
				want := oracle(typ, b, stride)
				var whole Summary
				k.Add(&whole, b, stride)
				if got := figuresOf(&whole); got != want {
					t.Fatalf("%s every %d bytes: %+v, want %+v", name, stride, got, want)
				}
				if stride != typ.Width() {
					continue
				}
				summaries := make([]Summary, 3)
				for len(b) >= typ.Width() {
					n := min((1+r.IntN(3000))*typ.Width(), len(b)/typ.Width()*typ.Width())
					k.Add(&summaries[r.IntN(3)], b[:n], stride)
					b = b[n:]
				}
				var merged Summary
				for _, i := range r.Perm(3) {
					merged.Merge(&summaries[i])
				}
				if got := figuresOf(&merged); got != want {
					t.Fatalf("%s in parts: %+v, want %+v", name, got, want)
				}
			}
		}
	})
}

// Extreme values, where lanes and roundings would give way first.
func TestExtremes(t *testing.T) {
	for _, test := range []struct {
		typ    string
		values []float64
		n      int
		want   figures
	}{
		{"f64", []float64{1, math.Inf(1)}, 1, figures{2, 0, "1", "+Inf", "+Inf", "+Inf"}},
		{"f64", []float64{math.Inf(-1), math.Inf(1)}, 1, figures{2, 0, "-Inf", "+Inf", "NaN", "NaN"}},
		{"f64", []float64{math.NaN()}, 5, figures{n: 5, nan: 5}},
		{"f64", []float64{math.MaxFloat64, -math.MaxFloat64, 1}, 300,
			figures{900, 0, "-1.7976931348623157e+308", "1.7976931348623157e+308", "300", "0.3333333333333333"}},
		{"f64", []float64{math.SmallestNonzeroFloat64}, 1000, figures{1000, 0, "5e-324", "5e-324", "4.94e-321", "5e-324"}},
		{"f64", []float64{1e16, 1, -1e16}, 512, figures{1536, 0, "-10000000000000000", "10000000000000000", "512", "0.3333333333333333"}},
		{"f64", []float64{math.Copysign(0, -1), 0}, 9, figures{18, 0, "0", "0", "0", "0"}},
		{"f32", []float64{0.1}, 10, figures{10, 0, "0.1", "0.1", "1.0000000149011612", "0.10000000149011612"}},
	} {
		typ := typeOf(t, test.typ)
		var b []byte
		for range test.n {
			for _, v := range test.values {
				if typ.Width() == 4 {
					b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v)))
				} else {
					b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
				}
			}
		}
		kerneltest.Run(t, variants, func(t *testing.T, form kernels) {
			k := &Kernel{typ, kernel.Variant[kernels]{Func: form}}
			var s Summary
			k.Add(&s, b, typ.Width())
			if got := figuresOf(&s); got != test.want {
				t.Errorf("%s of %g: %+v, want %+v", test.typ, test.values, got, test.want)
			}
		})
	}
}

// The highest integers, so many that 64 bits and lanes of 32 overflow.
func TestSumsDoNotOverflow(t *testing.T) {
	for _, name := range []string{"u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64"} {
		typ := typeOf(t, name)
		b := make([]byte, 10<<20)
		for i := range b {
			b[i] = 0xff
			if typ.Signed() { // the lowest
				b[i] = 0
				if i%typ.Width() == typ.Width()-1 {
					b[i] = 0x80
				}
			}
		}
		n := int64(len(b) / typ.Width())
		v, _ := valueOf(typ, b)
		want := v.Mul(v, big.NewRat(n, 1)).Num().String()
		kerneltest.Run(t, variants, func(t *testing.T, form kernels) {
			k := &Kernel{typ, kernel.Variant[kernels]{Func: form}}
			var s Summary
			k.Add(&s, b, typ.Width())
			if got := s.Sum(); got != want {
				t.Errorf("%s: %s, want %s", name, got, want)
			}
		})
	}
}

func TestAddZeros(t *testing.T) {
	for _, name := range typeNames {
		typ := typeOf(t, name)
		var zeros, read Summary
		zeros.AddZeros(typ, 100)
		For(typ).Add(&read, make([]byte, 100*typ.Width()), typ.Width())
		if got, want := figuresOf(&zeros), figuresOf(&read); got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}

// A panic in the middle of Add leaves the summary as it was.
func TestPanicChangesNothing(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	for _, name := range typeNames {
		typ := typeOf(t, name)
		k := For(typ)
		var s Summary
		k.Add(&s, []byte("0123456789abcdef"), typ.Width())
		want := figuresOf(&s)
		_, tail := kerneltest.Guarded(t, 8192)
		beyond := behind(tail)
		if beyond == nil {
			t.Skip("no memory that cannot be read here")
		}
		for _, stride := range []int{typ.Width(), 3} {
			if !panics(func() { k.Add(&s, beyond, stride) }) {
				t.Fatalf("%s: no panic behind the end of memory", name)
			}
			if got := figuresOf(&s); got != want {
				t.Errorf("%s: %+v after a panic, want %+v", name, got, want)
			}
		}
	}
}

func panics(f func()) (yes bool) {
	defer func() { yes = recover() != nil }()
	f()
	return false
}

func FuzzAdd(f *testing.F) {
	f.Add([]byte("0123456789abcdef0123456789abcdef"), uint8(0), uint8(0))
	f.Fuzz(func(t *testing.T, b []byte, typ, stride uint8) {
		ty := typeOf(t, typeNames[int(typ)%len(typeNames)])
		step := int(stride)
		if step == 0 {
			step = ty.Width()
		}
		want := Summary{}
		(&Kernel{ty, kernel.Variant[kernels]{Func: plain}}).Add(&want, b, step)
		for _, v := range variants {
			if !cpu.Has(v.ISA) {
				continue
			}
			var s Summary
			(&Kernel{ty, v}).Add(&s, b, step)
			if got, want := figuresOf(&s), figuresOf(&want); got != want {
				t.Errorf("%v, %v: %+v, want %+v", ty, v.ISA, got, want)
			}
		}
	})
}

func BenchmarkAdd(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, name := range []string{"u8", "i16", "i32", "i32be", "u64", "f32", "f32be", "f64"} {
		typ := typeOf(b, name)
		data := make([]byte, 128<<10)
		fill(typ, data, r, false)
		for _, v := range variants {
			b.Run(fmt.Sprintf("type=%s/isa=%v", name, v.ISA), func(b *testing.B) {
				if !cpu.Has(v.ISA) {
					b.Skipf("%v cannot run here", v.ISA)
				}
				k := &Kernel{typ, v}
				var s Summary
				b.SetBytes(int64(len(data)))
				for b.Loop() {
					k.Add(&s, data, typ.Width())
				}
			})
		}
	}
}
