// Package stats finds the least, the greatest and the sum of the values of a typed column,
// in one pass and exactly.
//
// Integers are looked at as ranks: unsigned numbers in the order of the values, which for
// signed ones takes a flip of the sign bit. So one kernel a width serves both signs, and
// the sum is put right at the end. It is kept in two words that cannot overflow: the sums
// of the lower and of the higher halves of values.
//
// Floats are summed by error-free transformation, after S. M. Rump, T. Ogita and S. Oishi,
// "Accurate floating-point summation, part I" (2008). With sigma a power of two far above
// all numbers of a block,
//
//	q = (sigma + x) - sigma
//
// is x less its lowest bits, exactly; the q of a block add up without rounding, in any
// order and in the lanes of vectors; and r = x - q, exact as well, is what remains for the
// next, smaller sigma. Two rounds leave nothing of ordinary numbers. Their exact sums, and
// what does not fit this scheme, go into a number that is long enough for all: exact.Float.
package stats

import (
	"math"
	"math/bits"

	"github.com/thresh-dev/thresh/internal/cpu"
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/kernel/compare"
)

// blockValues is how many floats are summed at once; what is copied stays in the
// first-level cache. It is a multiple of all vectors.
const blockValues = 512

// whole is what is known of some integers, by their ranks.
type whole struct {
	low, high         uint64 // the least and the greatest
	sumLow, sumHighBy uint64 // sums of the lower 32 bits, and of what is above them
}

// wholeFunc sums up the values of b, back to back, of which there is at least one and at
// most wholeBytesMax bytes. Swap reverses the bytes of each, and bias is flipped in each.
type wholeFunc = func(b []byte, swap bool, bias uint64) whole

// wholeBytesMax bounds a call so that no lane overflows.
const wholeBytesMax = 1 << 30

// kernels are the forms for one instruction set.
type kernels struct {
	whole [4]wholeFunc // of values of 1, 2, 4 and 8 bytes

	// widen32 and widen64 turn the floats of b into those of a block, as many as it has.
	widen32, widen64 func(block []float64, b []byte, swap bool)

	// survey returns the least and the greatest number of a block, +Inf and -Inf where there
	// is none, and how many are NaN. Of zeros with different signs it returns either.
	survey func(block []float64) (low, high float64, nan int)

	// extract returns the sum of all q of a block, which has a multiple of 16 numbers, and
	// leaves the r. Left tells whether any of them is not 0.
	extract func(block []float64, sigma float64) (sum float64, left bool)
}

var variants = append(vectorVariants(), kernel.Variant[kernels]{ISA: cpu.Plain, Func: plain})

// Kernel sums up values of a type. It is immutable and safe for concurrent use.
type Kernel struct {
	typ  compare.Type
	form kernel.Variant[kernels]
}

// For returns the fastest kernel that may run here. Choose once a job, not once a call.
func For(t compare.Type) *Kernel { return &Kernel{t, kernel.Choose(variants)} }

// ISA returns the instruction set of the kernel.
func (k *Kernel) ISA() cpu.ISA { return k.form.ISA }

// Add adds to s the whole values of b, which begin every stride bytes from its start. Stride
// is at least 1, and may be less or more than the width of a value.
//
// If reading b panics, s is as it was before.
func (k *Kernel) Add(s *Summary, b []byte, stride int) {
	width := k.typ.Width()
	if len(b) < width {
		return
	}
	s.begin(k.typ)
	if stride == width {
		k.addDense(&s.next, b[:len(b)/width*width])
	} else {
		k.addSparse(&s.next, b, min(stride, len(b)))
	}
	s.commit()
}

// addSparse copies values next to each other.
func (k *Kernel) addSparse(p *part, b []byte, stride int) {
	var buffer [blockValues * 8]byte
	width, n := k.typ.Width(), 0
	for ; len(b) >= width; b = b[min(stride, len(b)):] {
		n += copy(buffer[n:], b[:width])
		if n == len(buffer) {
			k.addDense(p, buffer[:n])
			n = 0
		}
	}
	if n > 0 {
		k.addDense(p, buffer[:n])
	}
}

func (k *Kernel) addDense(p *part, b []byte) {
	if k.typ.Float() {
		k.addFloats(p, b)
		return
	}
	width := k.typ.Width()
	sum := k.form.Func.whole[bits.TrailingZeros(uint(width))]
	for len(b) > 0 {
		n := min(len(b), wholeBytesMax)
		p.addWhole(sum(b[:n], k.typ.BigEndian(), k.bias()), int64(n/width))
		b = b[n:]
	}
}

// bias turns values into ranks, and back.
func (k *Kernel) bias() uint64 { return biasOf(k.typ) }

func biasOf(t compare.Type) uint64 {
	if t.Signed() && !t.Float() {
		return 1 << (8*t.Width() - 1)
	}
	return 0
}

func (k *Kernel) addFloats(p *part, b []byte) {
	var block [blockValues]float64
	width := k.typ.Width()
	widen := k.form.Func.widen64
	if width == 4 {
		widen = k.form.Func.widen32
	}
	for len(b) > 0 {
		n := min(len(b)/width, blockValues)
		widen(block[:n], b[:n*width], k.typ.BigEndian())
		clear(block[n:])
		k.addBlock(p, &block, n)
		b = b[n*width:]
	}
}

// addBlock adds the first n numbers of a block, behind which are zeros.
func (k *Kernel) addBlock(p *part, block *[blockValues]float64, n int) {
	low, high, nan := k.form.Func.survey(block[:n])
	if nan > 0 {
		for i, v := range block {
			if v != v {
				block[i] = 0
			}
		}
	}
	p.addFloats(low, high, int64(n), int64(nan))
	largest := max(math.Abs(low), math.Abs(high))
	if nan == n || largest == 0 {
		return
	}
	if _, exponent := math.Frexp(largest); exponent <= exponentMax && !math.IsInf(largest, 0) {
		used := block[:(n+15)&^15]
		sigma := exponent + sigmaAbove
		for range rounds {
			sum, left := k.form.Func.extract(used, math.Ldexp(1, max(sigma, sigmaMin)))
			p.sum.Add(sum)
			if !left {
				return
			}
			sigma -= sigmaStep
		}
	}
	for _, v := range block[:n] {
		if v != 0 {
			p.sum.Add(v)
		}
	}
}

const (
	// Sigma is 2^sigmaAbove above all numbers of a block: twice as much as they can add up to.
	sigmaAbove = 10 + 1
	// What remains is 2^53 below sigma, and the next sigma above that.
	sigmaStep = 53 - sigmaAbove
	sigmaMin  = -1021
	// Larger numbers have no sigma.
	exponentMax = 1023 - sigmaAbove - 1
	rounds      = 4
)
