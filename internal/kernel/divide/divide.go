// Package divide divides slices of unsigned integers by a divisor that is only known when
// the program runs.
//
// A processor divides one number at a time and slowly, and no vector unit divides
// integers. But a quotient is a product with the reciprocal: Granlund and Montgomery,
// Division by Invariant Integers using Multiplication (1994), show how many bits of the
// reciprocal make it exact. With s = floor(log2(d)) and numbers of w bits
//
//	n / d = high(n*m) >> s    m = floor(2^(w+s)/d) + 1, high being the upper w bits
//
// for all n where m is too large by at most 2^s/d, which is known before the first
// division. Otherwise m needs one bit more, w+1 in all. Its top bit is always 1, so that
// high(n*m) is n plus the product with the other bits, and the sum, which may need w+1
// bits too, is halved without carrying:
//
//	t = high(n*m)             m = floor(2^(w+s+1)/d) + 1, without its top bit
//	n / d = ((n-t)>>1 + t) >> s
//
// A power of two is a shift. So there are three ways to divide; which one a divisor takes
// is decided when it is made, and a kernel does a whole slice in one way. Loops for constants,
// one for each divisor that may be expected, would be these three again: a compiler that knows
// the divisor makes the same product of it, a number at a time.
package divide

import (
	"math/bits"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// divider is a form of one way to divide: dst[i] becomes the quotient of src[i]. Dst has
// the length of src and is src or does not overlap it. Shifting ignores the reciprocal. It
// returns how many values it has divided: whole vectors, or all for the plain form.
type divider[T uint32 | uint64] = func(dst, src []T, reciprocal T, shift uint8) (done int)

type (
	divider32 = divider[uint32]
	divider64 = divider[uint64]
)

// way is how a divisor is divided by.
type way uint8

const (
	byShift  way = iota // powers of two
	byFit               // the reciprocal fits the numbers' width
	byExcess            // the reciprocal has one bit more
	ways
)

// dividers are the kernels of an instruction set, by way.
type dividers struct {
	of32 [ways]divider32
	of64 [ways]divider64
}

// variants holds the forms of the kernels, best first.
var variants = append(vectorVariants(), kernel.Variant[dividers]{ISA: cpu.Plain, Func: plain})

var plain = dividers{
	of32: [ways]divider32{shift32Plain, fit32Plain, excess32Plain},
	of64: [ways]divider64{shift64Plain, fit64Plain, excess64Plain},
}

const (
	// shortValues is from where on the set-up of a vector form pays, and as many lanes as a
	// vector may have, so that each call divides some.
	shortValues = 16

	// pieceValues bounds the values of a call, as nothing interrupts a kernel.
	pieceValues = 64 << 10
)

// divide has the vectors do what they can, and the plain form the rest.
func divide[T uint32 | uint64](vectors, plain divider[T], dst, src []T, reciprocal T, shift uint8) {
	dst = dst[:len(src)]
	for len(src) >= shortValues {
		n := min(len(src), pieceValues)
		done := vectors(dst[:n], src[:n], reciprocal, shift)
		dst, src = dst[done:], src[done:]
	}
	plain(dst, src, reciprocal, shift)
}

// By32 divides 32-bit numbers by one divisor. It does not change and may be used by many
// goroutines at once.
type By32 struct {
	reciprocal uint32
	shift      uint8
	kernel     kernel.Variant[divider32]
	plain      divider32 // for less than a vector
}

// New32 returns what divides by d. It panics when d is 0. It chooses the instruction set;
// call it once a job.
func New32(d uint32) *By32 { return new32(d, kernel.Choose(variants)) }

func new32(d uint32, v kernel.Variant[dividers]) *By32 {
	if d == 0 {
		panic("thresh: bug: a divisor of zero")
	}
	s := uint8(bits.Len32(d) - 1)
	way, m := byShift, uint32(0)
	if d&(d-1) != 0 {
		power := uint64(1) << (32 + s)
		way, m = byFit, uint32(power/uint64(d))+1
		if rest := uint32(power % uint64(d)); d-rest > 1<<s {
			// The next bit of the quotient, and the top bit lost to the left.
			way, m = byExcess, uint32((power/uint64(d))<<1)+carry(uint64(rest)<<1 >= uint64(d))+1
		}
	}
	return &By32{m, s, kernel.Variant[divider32]{ISA: v.ISA, Func: v.Func.of32[way]}, plain.of32[way]}
}

// Divide sets dst[i] to the quotient of src[i], rounded down. Dst is src, or does not
// overlap it and is at least as long; it panics when dst is shorter.
func (b *By32) Divide(dst, src []uint32) {
	divide(b.kernel.Func, b.plain, dst, src, b.reciprocal, b.shift)
}

// ISA returns the instruction set that Divide runs on.
func (b *By32) ISA() cpu.ISA { return b.kernel.ISA }

// By64 divides 64-bit numbers by one divisor. It does not change and may be used by many
// goroutines at once.
type By64 struct {
	reciprocal uint64
	shift      uint8
	kernel     kernel.Variant[divider64]
	plain      divider64 // for less than a vector
}

// New64 returns what divides by d. It panics when d is 0. It chooses the instruction set;
// call it once a job.
func New64(d uint64) *By64 { return new64(d, kernel.Choose(variants)) }

func new64(d uint64, v kernel.Variant[dividers]) *By64 {
	if d == 0 {
		panic("thresh: bug: a divisor of zero")
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

// Divide sets dst[i] to the quotient of src[i], rounded down. Dst is src, or does not
// overlap it and is at least as long; it panics when dst is shorter.
func (b *By64) Divide(dst, src []uint64) {
	divide(b.kernel.Func, b.plain, dst, src, b.reciprocal, b.shift)
}

// ISA returns the instruction set that Divide runs on.
func (b *By64) ISA() cpu.ISA { return b.kernel.ISA }

func carry(set bool) uint32 {
	if set {
		return 1
	}
	return 0
}
