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
	of32 [ways]divider[uint32]
	of64 [ways]divider[uint64]
}

// variants holds the variants of the kernels, best first.
var variants = append(vectorVariants(), kernel.Variant[dividers]{ISA: cpu.Plain, Func: plain})

var plain = dividers{
	of32: [ways]divider[uint32]{shift32Plain, fit32Plain, excess32Plain},
	of64: [ways]divider[uint64]{shift64Plain, fit64Plain, excess64Plain},
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

// By divides numbers by one divisor. It is immutable and safe for concurrent use.
type By[T uint32 | uint64] struct {
	reciprocal T
	shift      uint8
	kernel     divider[T]
	plain      divider[T] // for less than a vector
}

// New32 returns the By that divides by d. It panics if d is 0. It chooses the instruction set;
// call it once per job.
func New32(d uint32) *By[uint32] { return new32(d, kernel.Choose(variants)) }

// New64 is New32 for 64 bits.
func New64(d uint64) *By[uint64] { return new64(d, kernel.Choose(variants)) }

func new32(d uint32, v kernel.Variant[dividers]) *By[uint32] {
	return newBy(d, 32, v.Func.of32, plain.of32)
}

func new64(d uint64, v kernel.Variant[dividers]) *By[uint64] {
	return newBy(d, 64, v.Func.of64, plain.of64)
}

func newBy[T uint32 | uint64](d T, width int, vectors, plain [ways]divider[T]) *By[T] {
	if d == 0 {
		panic("thresh: bug: division by zero")
	}
	s := bits.Len64(uint64(d)) - 1
	way, m := byShift, T(0)
	if d&(d-1) != 0 {
		high, low := uint64(0), uint64(1)<<(width+s) // 2^(width+s)
		if width == 64 {
			high, low = 1<<s, 0
		}
		quotient, rest := bits.Div64(high, low, uint64(d))
		way, m = byFit, T(quotient)+1
		if uint64(d)-rest > 1<<s {
			// One more bit of the quotient; the top bit is shifted out.
			double, over := bits.Add64(rest, rest, 0)
			way, m = byExcess, T(quotient)<<1+1
			if over != 0 || double >= uint64(d) {
				m++
			}
		}
	}
	return &By[T]{m, uint8(s), vectors[way], plain[way]}
}

// Divide sets dst[i] to the quotient of src[i], rounded down. dst is src, or does not overlap it
// and is at least as long; Divide panics if dst is shorter.
func (b *By[T]) Divide(dst, src []T) { divide(b.kernel, b.plain, dst, src, b.reciprocal, b.shift) }
