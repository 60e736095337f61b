package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/kernel/compare"
	"github.com/thresh-dev/thresh/internal/kernel/kerneltest"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

func BenchmarkAdd(b *testing.B) {
	for _, v := range variants {
		for _, name := range []string{"u8", "i8", "i16", "u16be", "i32", "i32be", "i64", "u64be", "f32", "f32be", "f64", "f64be"} {
			for _, size := range []int{4 << 10, 256 << 10, 64 << 20} {
				b.Run(fmt.Sprintf("isa=%v/of=%s/size=%d", v.ISA, name, size), func(b *testing.B) {
					typ := mustType(b, name)
					add(b, v, typ, size, typ.Width(), kinds["normal"])
				})
			}
		}
	}
}

func BenchmarkAddStride(b *testing.B) {
	for _, v := range variants {
		for _, name := range []string{"u8", "i32", "f64"} {
			for _, stride := range []int{12, 16, 100} {
				b.Run(fmt.Sprintf("isa=%v/of=%s/stride=%d", v.ISA, name, stride), func(b *testing.B) {
					add(b, v, mustType(b, name), 256<<10, stride, kinds["normal"])
				})
			}
		}
	}
}

// BenchmarkAddFloats uses columns with more than one layer, or with none.
func BenchmarkAddFloats(b *testing.B) {
	for _, v := range variants {
		for _, kind := range []string{"small", "small exponents", "few NaN", "all NaN", "few +Inf", "subnormal", "huge", "finite"} {
			next := floatKinds[kind]
			if next == nil {
				next = kinds[kind]
			}
			for _, name := range []string{"f32", "f64"} {
				b.Run(fmt.Sprintf("isa=%v/of=%s/kind=%s", v.ISA, name, kind), func(b *testing.B) {
					typ := mustType(b, name)
					add(b, v, typ, 256<<10, typ.Width(), next)
				})
			}
		}
	}
}

// add summarizes a column, and checks the sum.
func add(b *testing.B, v kernel.Variant[adder], typ compare.Type, size, stride int,
	next func(*rand.Rand, compare.Type) uint64) {
	b.Helper()
	if !cpu.Has(v.ISA) {
		b.Skipf("%v cannot run here", v.ISA)
	}
	data := kerneltest.HugePages(b, size)
	period := data[:min(size, 256<<10)]
	fill(rand.New(rand.NewPCG(1, 2)), typ, next, period)
	for rest := data[len(period):]; len(rest) > 0; rest = rest[len(period):] {
		copy(rest, period)
	}
	k, one, got, count := newKernel(typ, v), New(typ), New(typ), uint64(0)
	k.Add(one, data, stride)
	b.SetBytes(int64(size))
	for b.Loop() {
		k.Add(got, data, stride)
		count++
	}
	if got.N() != count*one.N() || got.MaxText() != one.MaxText() {
		b.Fatalf("got %+v, want %d times %+v", said(got), count, said(one))
	}
	if mean := one.MeanText(); mean != got.MeanText() && !math.IsInf(one.all.floats.Round(), 0) {
		b.Fatalf("the mean of equal parts is %s, of one %s", got.MeanText(), mean)
	}
}
