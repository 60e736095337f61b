package stats

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/kernel/compare"
	"github.com/thresh-dev/thresh/internal/kernel/kerneltest"
	"github.com/thresh-dev/thresh/internal/kernel/stats/exact"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
	"github.com/thresh-dev/thresh/internal/test/rounds"
)

func kernelOf(t compare.Type, add adder) *Kernel {
	return newKernel(t, kernel.Variant[adder]{Func: add})
}

// same reports whether totals are equal, sums of floats to the last bit of their fractions.
func same(a, b *totals) bool {
	if a.n != b.n || a.nan != b.nan || a.inf != b.inf || a.min != b.min || a.max != b.max || a.ints != b.ints {
		return false
	}
	exactA, finiteA := a.floats.Rat()
	exactB, finiteB := b.floats.Rat()
	if finiteA != finiteB {
		return false
	}
	if finiteA {
		return exactA.Cmp(exactB) == 0
	}
	return compare.FormatFloat(a.floats.Round(), 64) == compare.FormatFloat(b.floats.Round(), 64)
}

// Every kind of column of every type, against numbers of any precision.
func TestAgainstOracle(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, add adder) {
		random := rand.New(rand.NewPCG(1, 2))
		for _, name := range typeNames {
			typ := mustType(t, name)
			k := kernelOf(typ, add)
			for kind, next := range kindsFor(typ) {
				b := make([]byte, (blockValues+300)*typ.Width()+1)
				fill(random, typ, next, b)
				s := New(typ)
				k.Add(s, b, typ.Width())
				if got, want := said(s), wanted(typ, b, typ.Width()); got != want {
					t.Fatalf("%s, %s:\ngot  %+v\nwant %+v", name, kind, got, want)
				}
			}
		}
	})
}

// Every length, at a guard page on either side, against the plain twin.
func TestEveryLength(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, add adder) {
		const longest = 600
		random := rand.New(rand.NewPCG(3, 4))
		head, tail := kerneltest.Guarded(t, longest)
		for _, name := range typeNames {
			typ := mustType(t, name)
			for n := 0; n <= longest; n += 1 + n/200*(rounds.Every(1)-1) {
				for _, b := range [][]byte{head[:n], tail[longest-n:]} {
					fill(random, typ, kinds["normal"], b)
					againstPlain(t, typ, add, b, "%s, length %d", name, n)
				}
			}
		}
	})
}

// Many blocks and pieces, cut anywhere and merged, against the plain twin.
func TestBlocks(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, add adder) {
		random := rand.New(rand.NewPCG(5, 6))
		b := make([]byte, pieceBytes+20_000)
		for _, name := range typeNames {
			typ := mustType(t, name)
			k, plain := kernelOf(typ, add), kernelOf(typ, addPlain)
			for kind, next := range kindsFor(typ) {
				n := random.IntN(len(b)/20) * typ.Width() / 8
				if kind == "any bits" || kind == "highest" {
					n = len(b)
				}
				fill(random, typ, next, b[:n])
				cut := random.IntN(n/typ.Width()+1) * typ.Width()
				got, rest, want := New(typ), New(typ), New(typ)
				k.Add(got, b[:cut], typ.Width())
				k.Add(rest, b[cut:n], typ.Width())
				got.Merge(rest)
				plain.Add(want, b[:n], typ.Width())
				if !same(&got.all, &want.all) {
					t.Fatalf("%s, %s, %d bytes cut at %d:\ngot  %+v\nwant %+v", name, kind, n, cut, said(got), said(want))
				}
			}
		}
	})
}

// A block whose layers must be peeled more and more often, until it is given up.
func TestLayers(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, add adder) {
		random := rand.New(rand.NewPCG(7, 8))
		typ := mustType(t, "f64")
		b := make([]byte, 8*blockValues)
		for top := -1070; top < 1024; top += 61 {
			for spread := 0; spread < 400; spread += 25 {
				fill(random, typ, func(random *rand.Rand, _ compare.Type) uint64 {
					return math.Float64bits(math.Ldexp(random.Float64()+1, top-1-random.IntN(spread+1)))
				}, b)
				againstPlain(t, typ, add, b, "up to 2^%d, spread over 2^%d", top, spread)
			}
		}
	})
}

// Blocks of float32 near the limit up to which float64 additions are exact: all values are greatest
// ones, except one that becomes smaller and smaller, anywhere in a step.
func TestNarrowBlocks(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, add adder) {
		typ := mustType(t, "f32")
		b := make([]byte, 4*blockValues)
		for _, greatest := range []float64{math.MaxFloat32, 0x1.fffffep-100} {
			fill(nil, typ, func(*rand.Rand, compare.Type) uint64 { return fromFloat(typ, greatest) }, b)
			for place := 0; place < 64; place += rounds.Every(1) {
				for down := 15; down < 25; down++ {
					put(typ, b[4*place:], fromFloat(typ, -math.Ldexp(greatest, -down)))
					againstPlain(t, typ, add, b, "%v but %d places below at %d", greatest, down, place)
				}
				put(typ, b[4*place:], fromFloat(typ, greatest))
			}
		}
	})
}

// All values of a type once, which are many more than are summed exactly by float64 additions.
func TestAllNarrowValues(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, add adder) {
		for _, name := range []string{"f16", "bf16", "f16be", "bf16be"} {
			typ := mustType(t, name)
			next := uint64(0)
			b := make([]byte, 2<<16)
			fill(nil, typ, func(*rand.Rand, compare.Type) uint64 { next++; return next - 1 }, b)
			s := New(typ)
			kernelOf(typ, add).Add(s, b, 2)
			if got, want := said(s), wanted(typ, b, 2); got != want || got.n != 1<<16 {
				t.Errorf("%s:\ngot  %+v\nwant %+v", name, got, want)
			}
		}
	})
}

// Blocks of floats of 16 bits whose sums have as many bits as a float32 or a float64, and one more: full
// of the greatest values or of smaller and smaller ones, and among them one much smaller or greater, in
// each place of a step. The block before tells the next one what to expect, so there are three.
func TestNarrowSums(t *testing.T) {
	steps := 1
	if testing.Short() {
		steps = 5 // no divisor of the 8 and 11 bits of a float
	}
	kerneltest.Run(t, variants, func(t *testing.T, add adder) {
		for _, name := range []string{"f16", "bf16", "bf16be"} {
			typ := mustType(t, name)
			n := 3*narrowBlockValues - 31
			b := make([]byte, 2*n)
			for _, greatest := range []float64{typ.Largest(), 1.9999, 0x1p-12} {
				for below := 0; below < 48; below += steps {
					small := math.Ldexp(greatest, -below)
					place := 2*narrowBlockValues + below%32
					for _, values := range [][2]float64{{greatest, -small}, {small, greatest}} {
						fill(nil, typ, func(*rand.Rand, compare.Type) uint64 { return fromFloat(typ, values[0]) }, b)
						for _, at := range []int{below, place - narrowBlockValues, place} {
							put(typ, b[2*at:], fromFloat(typ, values[1]))
						}
						againstPlain(t, typ, add, b, "%s, %v below %v at %d", name, values[1], values[0], place)
					}
				}
			}
		}
	})
}

// Blocks whose second layer is a single value anywhere in a step, after a block of one layer.
func TestOneRemainder(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, add adder) {
		typ := mustType(t, "f64")
		b := make([]byte, 2*8*blockValues)
		whole := func(*rand.Rand, compare.Type) uint64 { return fromFloat(typ, 3) }
		fill(nil, typ, whole, b)
		for place := blockValues; place < blockValues+64; place++ {
			put(typ, b[8*place:], fromFloat(typ, 0x1.0000000000001p0))
			againstPlain(t, typ, add, b, "a remainder at %d", place)
			put(typ, b[8*place:], fromFloat(typ, 3))
		}
	})
}

// Blocks that fill the accumulators of a layer as far as possible: the first one with values up to
// a power of two, the second one with remainders up to half a unit.
func TestFullAccumulators(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, add adder) {
		typ := mustType(t, "f64")
		b := make([]byte, 8*blockValues)
		for below := 1; below < 53; below++ {
			for _, power := range []float64{1, 0x1p-41, 0x1p-42, 0x1p-43} {
				filler := fromFloat(typ, power*(2-math.Ldexp(1, -below)))
				fill(nil, typ, func(*rand.Rand, compare.Type) uint64 { return filler }, b)
				put(typ, b, fromFloat(typ, 1))
				againstPlain(t, typ, add, b, "values 2^-%d below %v", below, 2*power)
			}
		}
	})
}

// againstPlain compares a variant with the plain one.
func againstPlain(t *testing.T, typ compare.Type, add adder, b []byte, format string, args ...any) {
	t.Helper()
	got, want := New(typ), New(typ)
	kernelOf(typ, add).Add(got, b, typ.Width())
	kernelOf(typ, addPlain).Add(want, b, typ.Width())
	if !same(&got.all, &want.all) {
		t.Fatalf(format+":\ngot  %+v\nwant %+v", append(args, said(got), said(want))...)
	}
}

func TestStrides(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, add adder) {
		random := rand.New(rand.NewPCG(9, 10))
		const longest = 9000
		_, tail := kerneltest.Guarded(t, longest)
		for _, name := range typeNames {
			typ := mustType(t, name)
			k := kernelOf(typ, add)
			for _, stride := range []int{1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 100, 8999, 9000, 1 << 40} {
				for _, n := range []int{0, 1, 7, 8, 9, 100, longest} {
					b := tail[longest-n:]
					for i := range b {
						b[i] = byte(random.Uint32())
					}
					got := New(typ)
					k.Add(got, b, stride)
					if got, want := said(got), wanted(typ, b, stride); got != want {
						t.Fatalf("%s, length %d, stride %d:\ngot  %+v\nwant %+v", name, n, stride, got, want)
					}
				}
			}
		}
	})
}

func TestZeros(t *testing.T) {
	for _, name := range typeNames {
		typ := mustType(t, name)
		s, want := New(typ), New(typ)
		s.AddZeros(0)
		if got := said(s); got != (texts{sum: "0"}) {
			t.Errorf("%s: no zeros make %+v", name, got)
		}
		one := make([]byte, typ.Width())
		put(typ, one, fromFloat(typ, 5))
		zeros := make([]byte, 100*typ.Width())
		k := For(typ)
		k.Add(s, one, typ.Width())
		k.Add(want, one, typ.Width())
		s.AddZeros(100)
		k.Add(want, zeros, typ.Width())
		if !same(&s.all, &want.all) {
			t.Errorf("%s: got %+v, want %+v", name, said(s), said(want))
		}
		s.AddZeros(1<<62 - 101)
		if got, want := said(s), (texts{1 << 62, 0, 0, "0", "5", "5", compare.FormatFloat(5*0x1p-62, 64)}); got != want {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
	}
}

// The mean of a sum that is too large for a float64.
func TestMeanOfOverflow(t *testing.T) {
	typ := mustType(t, "f64")
	b := make([]byte, 24)
	for i := range 3 {
		put(typ, b[8*i:], math.Float64bits(math.MaxFloat64))
	}
	s := New(typ)
	For(typ).Add(s, b, 8)
	if s.SumText() != "+Inf" || s.MeanText() != s.MaxText() {
		t.Errorf("got %+v", said(s))
	}
}

// The ranks of floats have the order of the floats.
func TestRank(t *testing.T) {
	inf := math.Inf(1)
	rising := []float64{-inf, -math.MaxFloat64, -1, -math.SmallestNonzeroFloat64, math.Copysign(0, -1), 0,
		math.SmallestNonzeroFloat64, 1, math.MaxFloat64, inf}
	for i, x := range rising {
		if fromRank(rank(x)) != x || math.Signbit(fromRank(rank(x))) != math.Signbit(x) {
			t.Errorf("%v comes back as %v", x, fromRank(rank(x)))
		}
		if i > 0 && rank(rising[i-1]) >= rank(x) {
			t.Errorf("%v is not fromRank below %v", rising[i-1], x)
		}
	}
	nan := math.NaN()
	if rank(nan) <= rank(inf) || rank(math.Copysign(nan, -1)) >= rank(-inf) {
		t.Error("a NaN is fromRank among the numbers")
	}
}

func TestAddPanics(t *testing.T) {
	u8, i8 := mustType(t, "u8"), mustType(t, "i8")
	for name, f := range map[string]func(){
		"a stride of 0":           func() { For(u8).Add(New(u8), make([]byte, 8), 0) },
		"values of another type":  func() { For(u8).Add(New(i8), make([]byte, 8), 1) },
		"summary of another type": func() { New(u8).Merge(New(i8)) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s must panic", name)
				}
			}()
			f()
		}()
	}
}

func TestAddAllocatesNothing(t *testing.T) {
	for _, name := range typeNames {
		typ := mustType(t, name)
		k, s, b := For(typ), New(typ), make([]byte, 20_000)
		if n := testing.AllocsPerRun(20, func() { k.Add(s, b, typ.Width()); k.Add(s, b, 13); s.Merge(s) }); n != 0 {
			t.Errorf("%s: %v allocations a call", name, n)
		}
		if !cpu.Has(k.ISA()) {
			t.Errorf("%v cannot run here", k.ISA())
		}
	}
}

// The table must end with the plain variant, or Choose has no fallback.
func TestPlainIsLast(t *testing.T) {
	if last := variants[len(variants)-1]; last.ISA != cpu.Plain {
		t.Errorf("the last variant is %v", last.ISA)
	}
}

// FuzzAdd compares every variant with numbers of any precision, at any cut. Bytes are repeated so
// that short inputs reach the vectors and the blocks.
func FuzzAdd(f *testing.F) {
	f.Add([]byte("a column of bytes"), uint8(1), uint16(1), uint8(20), uint16(3))
	f.Add([]byte{0, 0, 0, 0, 0, 0, 0xf0, 0x7f, 1, 0, 0, 0, 0, 0, 0xf0, 0xff}, uint8(9), uint16(8), uint8(9), uint16(100))
	f.Add([]byte{0xff, 0xff, 0xff, 0x7f, 0x7f, 0xff, 0xff, 0xff}, uint8(16), uint16(4), uint8(99), uint16(1))
	f.Fuzz(func(t *testing.T, seed []byte, typ uint8, stride uint16, repeat uint8, cut uint16) {
		column := mustType(t, typeNames[int(typ)%len(typeNames)])
		if stride == 0 || len(seed)*int(repeat) > 1<<14 {
			return
		}
		var b []byte
		for range int(repeat) + 1 {
			b = append(b, seed...)
		}
		want := wanted(column, b, int(stride))
		// Two calls see the same values if the cut is at a stride and none crosses it.
		at := int(cut) * int(stride)
		for _, v := range variants {
			if !cpu.Has(v.ISA) {
				continue
			}
			k, s := newKernel(column, v), New(column)
			if int(stride) >= column.Width() && at < len(b) {
				rest := New(column)
				k.Add(s, b[:at], int(stride))
				k.Add(rest, b[at:], int(stride))
				s.Merge(rest)
			} else {
				k.Add(s, b, int(stride))
			}
			if got := said(s); got != want {
				t.Fatalf("%v %v, stride %d:\ngot  %+v\nwant %+v", v.ISA, column, stride, got, want)
			}
		}
	})
}

// A sum of many bytes needs more than 64 bits; the last digit shows whether it is exact.
func TestWideSum(t *testing.T) {
	typ := mustType(t, "u64")
	b := make([]byte, 8*1001)
	fill(nil, typ, kinds["highest"], b)
	s := New(typ)
	For(typ).Add(s, b, 8)
	want := new(big.Int).Mul(new(big.Int).SetUint64(math.MaxUint64), big.NewInt(1001))
	var wide exact.Int
	wide.MulAddUint64(math.MaxUint64, 1001)
	if s.SumText() != want.String() || s.SumText() != wide.String() {
		t.Errorf("got %s, want %v", s.SumText(), want)
	}
}

// Bytes are counted by their values, or added one by one: the sums are the same, at all lengths and
// alignments, whether all bytes occur, few, or one.
func TestAddBytes(t *testing.T) {
	const longest = 300
	random := rand.New(rand.NewPCG(9, 10))
	buffer := make([]byte, pieceBytes)
	for _, name := range []string{"u8", "i8"} {
		typ := mustType(t, name)
		c := kernelOf(typ, addPlain).column
		for n := range longest + 2 {
			if n > longest {
				n = len(buffer) - 7
			}
			few := 1 + random.IntN(256)
			lowest := random.IntN(256)
			for i := range min(n+8, len(buffer)) {
				buffer[i] = byte(lowest + random.IntN(few))
			}
			for start := range 8 {
				got, want := none(), none()
				addBytes(&got, c, buffer[start:][:n])
				addInts[uint8](&want, c, buffer[start:][:n])
				if !same(&got, &want) {
					t.Fatalf("%s, %d bytes:\ngot  %+v\nwant %+v", name, n, got, want)
				}
			}
		}
	}
}
