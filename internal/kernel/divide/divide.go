// Package divide divides slices of unsigned integers by a divisor that is known only at run time.
//
// A processor divides one number at a time and slowly, and no vector unit divides integers. But a
// quotient is a product with the reciprocal: Granlund and Montgomery, Division by Invariant
// Integers using Multiplication (1994), show how many bits of the reciprocal make it exact. With s
// = floor(log2(d)) and numbers of w bits
//
//	n / d = high(n*m) >> s    m = floor(2^(w+s)/d) + 1, high being the upper w bits
//
// for all n if m is too large by at most 2^s/d, which is known before the first division. Otherwise
// m needs one bit more, w+1 in all. Its top bit is always 1, so high(n*m) is n plus the product
// with the other bits. That sum may need w+1 bits too, so it is halved without carrying:
//
//	t = high(n*m)             m = floor(2^(w+s+1)/d) + 1, without its top bit
//	n / d = ((n-t)>>1 + t) >> s
//
// A power of two is a shift. So there are three ways to divide. The divisor decides which one
// applies, and a kernel divides a whole slice in one way. Separate loops for common constant
// divisors would gain nothing: a compiler that knows the divisor generates the same product, one
// number at a time.
package divide

import (
	"math/bits"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// divider is the signature of a kernel, for one way to divide: dst[i] becomes the quotient of
// src[i]. dst has the length of src; it is src or does not overlap it. Shifting ignores the
// reciprocal. It returns how many values it has divided: whole vectors, or all for the plain
// variant.
type divider[T uint32 | uint64] = func(dst, src []T, reciprocal T, shift uint8) (done int)

type (
	divider32 = divider[uint32]
	divider64 = divider[uint64]
)

// way is a way to divide.
type way uint8

const (
	byShift  way = iota // powers of two
	byFit               // the reciprocal fits the width of the numbers
	byExcess            // the reciprocal has one bit more
	ways
)

// dividers are the kernels of an instruction set, indexed by way.
type dividers struct {
	of32 [ways]divider32
	of64 [ways]divider64
}

// variants holds the variants of the kernels, best first.
var variants = append(vectorVariants(), kernel.Variant[dividers]{ISA: cpu.Plain, Func: plain})

var plain = dividers{
	of32: [ways]divider32{shift32Plain, fit32Plain, excess32Plain},
	of64: [ways]divider64{shift64Plain, fit64Plain, excess64Plain},
}

const (
	// shortValues is the number of values from which a vector variant repays its set-up. It is at
	// least the largest number of lanes in a vector, so that each call divides some.
	shortValues = 16

	// pieceValues bounds the values of a call, because the scheduler cannot interrupt a kernel.
	pieceValues = 64 << 10
)

// divide lets the vectors divide as much as they can, and the plain variant the rest.
func divide[T uint32 | uint64](vectors, plain divider[T], dst, src []T, reciprocal T, shift uint8) {
	dst = dst[:len(src)]
	for len(src) >= shortValues {
		n := min(len(src), pieceValues)
		done := vectors(dst[:n], src[:n], reciprocal, shift)
		dst, src = dst[done:], src[done:]
	}
	plain(dst, src, reciprocal, shift)
}

// By32 divides 32-bit numbers by one divisor. It is immutable and safe for concurrent use.
type By32 struct {
	reciprocal uint32
	shift      uint8
	kernel     kernel.Variant[divider32]
	plain      divider32 // for less than a vector
}

// New32 returns the By32 that divides by d. It panics if d is 0. It chooses the instruction set;
// call it once per job.
func New32(d uint32) *By32 { return new32(d, kernel.Choose(variants)) }

func new32(d uint32, v kernel.Variant[dividers]) *By32 {
	if d == 0 {
		panic("thresh: bug: division by zero")
	}
	s := uint8(bits.Len32(d) - 1)
	way, m := byShift, uint32(0)
	if d&(d-1) != 0 {
		power := uint64(1) << (32 + s)
		way, m = byFit, uint32(power/uint64(d))+1
		if rest := uint32(power % uint64(d)); d-rest > 1<<s {
			// One more bit of the quotient; the top bit is shifted out.
			way, m = byExcess, uint32((power/uint64(d))<<1)+carry(uint64(rest)<<1 >= uint64(d))+1
		}
	}
	return &By32{m, s, kernel.Variant[divider32]{ISA: v.ISA, Func: v.Func.of32[way]}, plain.of32[way]}
}

// Divide sets dst[i] to the quotient of src[i], rounded down. dst is src, or does not overlap it
// and is at least as long; Divide panics if dst is shorter.
func (b *By32) Divide(dst, src []uint32) {
	divide(b.kernel.Func, b.plain, dst, src, b.reciprocal, b.shift)
}

// ISA returns the instruction set that Divide uses.
func (b *By32) ISA() cpu.ISA { return b.kernel.ISA }

// By64 divides 64-bit numbers by one divisor. It is immutable and safe for concurrent use.
type By64 struct {
	reciprocal uint64
	shift      uint8
	kernel     kernel.Variant[divider64]
	plain      divider64 // for less than a vector
}

// New64 returns the By64 that divides by d. It panics if d is 0. It chooses the instruction set;
// call it once per job.
func New64(d uint64) *By64 { return new64(d, kernel.Choose(variants)) }

func new64(d uint64, v kernel.Variant[dividers]) *By64 {
	if d == 0 {
		panic("thresh: bug: division by zero")
	}
	s := uint8(bits.Len64(d) - 1)
	way, m := byShift, uint64(0)
	if d&(d-1) != 0 {
		quotient, rest := bits.Div64(1<<s, 0, d)
		way, m = byFit, quotient+1
		if d-rest > 1<<s {
			double, over := bits.Add64(rest, rest, 0)
			way, m = byExcess, quotient<<1+uint64(carry(over != 0 || double >= d))+1
		}
	}
	return &By64{m, s, kernel.Variant[divider64]{ISA: v.ISA, Func: v.Func.of64[way]}, plain.of64[way]}
}

// Divide sets dst[i] to the quotient of src[i], rounded down. dst is src, or does not overlap it
// and is at least as long; Divide panics if dst is shorter.
func (b *By64) Divide(dst, src []uint64) {
	divide(b.kernel.Func, b.plain, dst, src, b.reciprocal, b.shift)
}

// ISA returns the instruction set that Divide uses.
func (b *By64) ISA() cpu.ISA { return b.kernel.ISA }

func carry(set bool) uint32 {
	if set {
		return 1
	}
	return 0
}
