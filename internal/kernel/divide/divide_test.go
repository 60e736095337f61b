package divide

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/kernel/kerneltest"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// divisors are all small ones, and those around which a reciprocal may be off by one bit.
func divisors(widthBits int) (all []uint64) {
	most := uint64(math.MaxUint64) >> (64 - widthBits)
	for d := uint64(1); d <= 70_000; d++ {
		all = append(all, d)
	}
	for k := range widthBits {
		power := uint64(1) << k
		for off := range uint64(5) {
			all = append(all, power+off, power-off, 3*power+off, 3*power-off, most/power-off)
		}
	}
	random := rand.New(rand.NewPCG(1, uint64(widthBits)))
	for range 5000 {
		all = append(all, random.Uint64()&most>>random.IntN(widthBits))
	}
	all = append(all, most, most-1, most/2, most/2+1, most/3, most/3*2)
	return slices.DeleteFunc(all, func(d uint64) bool { return d == 0 || d > most })
}

// numbers are those around which a quotient by d may be off by one.
func numbers(d uint64, widthBits int, random *rand.Rand) (all []uint64) {
	most := uint64(math.MaxUint64) >> (64 - widthBits)
	for _, k := range []uint64{0, 1, 2, 3, most / d, most/d - 1, most / d / 2, random.Uint64() & most / d} {
		all = append(all, k*d-1, k*d, k*d+1)
	}
	all = append(all, most, most-1, most/2, most/2+1, random.Uint64(), random.Uint64())
	shift := random.IntN(widthBits)
	all = append(all, 1<<shift, 1<<shift-1, 1<<shift+1, d*d, d<<1-1, ^d)
	for i := range all {
		all[i] &= most
	}
	return all
}

func TestEveryDivisorClass32(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, f dividers) {
		random := rand.New(rand.NewPCG(3, 4))
		var src, dst []uint32
		for _, d := range divisors(32) {
			src = src[:0]
			for _, n := range numbers(d, 32, random) {
				src = append(src, uint32(n))
			}
			dst = append(dst[:0], src...)
			new32(uint32(d), kernel.Variant[dividers]{Func: f}).Divide(dst, src)
			for i, n := range src {
				if dst[i] != n/uint32(d) {
					t.Fatalf("%d / %d: got %d, want %d", n, d, dst[i], n/uint32(d))
				}
			}
		}
	})
}

func TestEveryDivisorClass64(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, f dividers) {
		random := rand.New(rand.NewPCG(3, 4))
		var dst []uint64
		for _, d := range divisors(64) {
			src := numbers(d, 64, random)
			dst = append(dst[:0], src...)
			new64(d, kernel.Variant[dividers]{Func: f}).Divide(dst, src)
			for i, n := range src {
				if dst[i] != n/d {
					t.Fatalf("%d / %d: got %d, want %d", n, d, dst[i], n/d)
				}
			}
		}
	})
}

// The tests above mean little unless their divisors cover all ways to divide.
func TestEveryWayIsTaken(t *testing.T) {
	seen32, seen64 := [ways]int{}, [ways]int{}
	var spy dividers
	long32, long64 := make([]uint32, shortValues), make([]uint64, shortValues)
	for w := range ways {
		spy.of32[w] = func(_, src []uint32, _ uint32, _ uint8) int { seen32[w]++; return len(src) }
		spy.of64[w] = func(_, src []uint64, _ uint64, _ uint8) int { seen64[w]++; return len(src) }
	}
	for _, d := range divisors(32) {
		new32(uint32(d), kernel.Variant[dividers]{Func: spy}).Divide(long32, long32)
	}
	for _, d := range divisors(64) {
		new64(d, kernel.Variant[dividers]{Func: spy}).Divide(long64, long64)
	}
	for w := range ways {
		if seen32[w] < 30 || seen64[w] < 30 {
			t.Errorf("way %d: %d divisors of 32 bits, %d of 64", w, seen32[w], seen64[w])
		}
	}
}

// Every length up to several vectors, in place and not, with a value after the end that must not
// change.
func TestEveryLength(t *testing.T) {
	const longest = 70
	kerneltest.Run(t, variants, func(t *testing.T, f dividers) {
		for _, d := range []uint64{1, 4, 3, 7, 10, 641, 1<<31 + 1, math.MaxUint32} {
			by32 := new32(uint32(d), kernel.Variant[dividers]{Func: f})
			by64 := new64(d, kernel.Variant[dividers]{Func: f})
			for n := range longest {
				src32, src64 := make([]uint32, n), make([]uint64, n)
				for i := range n {
					src32[i], src64[i] = uint32(i)*0x9e3779b9, uint64(i)*0x9e3779b97f4a7c15
				}
				dst32, dst64 := make([]uint32, n+1), make([]uint64, n+1)
				by32.Divide(dst32, src32)
				by64.Divide(dst64, src64)
				for i := range n {
					if dst32[i] != src32[i]/uint32(d) || dst64[i] != src64[i]/d {
						t.Fatalf("length %d, by %d, value %d is wrong", n, d, i)
					}
				}
				if dst32[n] != 0 || dst64[n] != 0 {
					t.Fatalf("length %d, by %d: written past the end", n, d)
				}
				by32.Divide(src32, src32)
				by64.Divide(src64, src64)
				if !slices.Equal(src32, dst32[:n]) || !slices.Equal(src64, dst64[:n]) {
					t.Fatalf("length %d, by %d: in place is not the same", n, d)
				}
			}
		}
	})
}

// Slices longer than one call of a kernel divides.
func TestPieces(t *testing.T) {
	src32, src64 := make([]uint32, 2*pieceValues+5), make([]uint64, 2*pieceValues+5)
	for i := range src32 {
		src32[i], src64[i] = uint32(i)*0x9e3779b9, uint64(i)*0x9e3779b97f4a7c15
	}
	dst32, dst64 := make([]uint32, len(src32)), make([]uint64, len(src64))
	kerneltest.Run(t, variants, func(t *testing.T, f dividers) {
		for _, d := range []uint64{8, 3, 7} { // a divisor for each way
			clear(dst32)
			clear(dst64)
			new32(uint32(d), kernel.Variant[dividers]{Func: f}).Divide(dst32, src32)
			new64(d, kernel.Variant[dividers]{Func: f}).Divide(dst64, src64)
			for i := range src32 {
				if dst32[i] != src32[i]/uint32(d) || dst64[i] != src64[i]/d {
					t.Fatalf("by %d, value %d is wrong", d, i)
				}
			}
		}
	})
}

func TestZeroPanics(t *testing.T) {
	for name, make := range map[string]func(){
		"New32": func() { New32(0) },
		"New64": func() { New64(0) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s(0) must panic", name)
				}
			}()
			make()
		}()
	}
}

func TestChosenFormMayRun(t *testing.T) {
	if isa := kernel.Choose(variants).ISA; !cpu.Has(isa) {
		t.Errorf("%v cannot run here", isa)
	}
}

// FuzzDivide compares every variant with Go's own division.
func FuzzDivide(f *testing.F) {
	f.Add(uint64(7), uint64(100), uint64(1))
	f.Add(uint64(1)<<63, uint64(math.MaxUint64), uint64(math.MaxUint64))
	f.Add(uint64(math.MaxUint64), uint64(math.MaxUint64)-1, uint64(3))
	f.Fuzz(func(t *testing.T, d, n, step uint64) {
		var src32, dst32 [19]uint32
		var src64, dst64 [19]uint64
		for i := range src64 {
			src64[i], src32[i] = n, uint32(n)
			n += step
		}
		for _, v := range variants {
			if !cpu.Has(v.ISA) {
				continue
			}
			if d := uint32(d); d != 0 {
				new32(d, v).Divide(dst32[:], src32[:])
				for i, n := range src32 {
					if dst32[i] != n/d {
						t.Fatalf("%v: %d / %d: got %d", v.ISA, n, d, dst32[i])
					}
				}
			}
			if d != 0 {
				new64(d, v).Divide(dst64[:], src64[:])
				for i, n := range src64 {
					if dst64[i] != n/d {
						t.Fatalf("%v: %d / %d: got %d", v.ISA, n, d, dst64[i])
					}
				}
			}
		}
	})
}

// BenchmarkConstant divides by a divisor known to the compiler, which multiplies by a reciprocal
// too. It shows what a separate loop per divisor would gain.
func BenchmarkConstant(b *testing.B) {
	const values = 1024
	src, dst := make([]uint32, values), make([]uint32, values)
	for i := range values {
		src[i] = uint32(i+1) * 0x9e3779b9
	}
	for _, c := range []struct {
		by     uint32
		divide func()
	}{
		{1000, func() {
			for i, n := range src {
				dst[i] = n / 1000
			}
		}},
		{7, func() {
			for i, n := range src {
				dst[i] = n / 7
			}
		}},
	} {
		b.Run(fmt.Sprintf("bits=32/by=%d", c.by), func(b *testing.B) {
			b.SetBytes(4 * values)
			for b.Loop() {
				c.divide()
			}
			if got := dst[9]; got != src[9]/c.by {
				b.Fatalf("got %d", got)
			}
		})
	}
}

// BenchmarkDivide divides a buffer in the first-level cache; isa=none is the processor's own
// division.
func BenchmarkDivide(b *testing.B) {
	const values = 1024
	src32, dst32 := make([]uint32, values), make([]uint32, values)
	src64, dst64 := make([]uint64, values), make([]uint64, values)
	for i := range values {
		src64[i] = uint64(i+1) * 0x9e3779b97f4a7c15
		src32[i] = uint32(src64[i] >> 32)
	}
	for _, d := range []uint64{1024, 1000, 7} {
		b.Run(fmt.Sprintf("isa=none/bits=32/by=%d", d), func(b *testing.B) {
			b.SetBytes(4 * values)
			for b.Loop() {
				for i, n := range src32 {
					dst32[i] = n / uint32(d)
				}
			}
		})
		b.Run(fmt.Sprintf("isa=none/bits=64/by=%d", d), func(b *testing.B) {
			b.SetBytes(8 * values)
			for b.Loop() {
				for i, n := range src64 {
					dst64[i] = n / d
				}
			}
		})
		for _, v := range variants {
			if !cpu.Has(v.ISA) {
				continue
			}
			by32, by64 := new32(uint32(d), v), new64(d, v)
			b.Run(fmt.Sprintf("isa=%v/bits=32/by=%d", v.ISA, d), func(b *testing.B) {
				b.SetBytes(4 * values)
				for b.Loop() {
					by32.Divide(dst32, src32)
				}
				if got := dst32[9]; got != src32[9]/uint32(d) {
					b.Fatalf("got %d", got)
				}
			})
			b.Run(fmt.Sprintf("isa=%v/bits=64/by=%d", v.ISA, d), func(b *testing.B) {
				b.SetBytes(8 * values)
				for b.Loop() {
					by64.Divide(dst64, src64)
				}
				if got := dst64[9]; got != src64[9]/d {
					b.Fatalf("got %d", got)
				}
			})
		}
	}
}
