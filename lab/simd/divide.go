package simd

import (
	"math/bits"

	"github.com/thresh-dev/thresh/internal/kernel/divide"
)

// The post: a loop that divides by a parameter is slow; it is fast if the compiler knows the divisor.
// So have a loop for each constant divisor from 2 to 6, and divide normally by others. Constants
// win; the post gives no figures. We added a reciprocal that is computed once, and the product's own
// kernel, which does that for a vector at a time.

// divider divides each number by d.
type divider func(quotients, numbers []uint32, d uint32)

func divideAtRunTime(quotients, numbers []uint32, d uint32) {
	for i, n := range numbers {
		quotients[i] = n / d
	}
}

func divideByConstants(quotients, numbers []uint32, d uint32) {
	switch d {
	case 2:
		for i, n := range numbers {
			quotients[i] = n / 2
		}
	case 3:
		for i, n := range numbers {
			quotients[i] = n / 3
		}
	case 4:
		for i, n := range numbers {
			quotients[i] = n / 4
		}
	case 5:
		for i, n := range numbers {
			quotients[i] = n / 5
		}
	case 6:
		for i, n := range numbers {
			quotients[i] = n / 6
		}
	default:
		divideAtRunTime(quotients, numbers, d)
	}
}

// divideByReciprocal multiplies by 2^64/d, rounded up. That has so many more bits than the numbers
// that the upper half of the product is the quotient, for every d from 2 on.
func divideByReciprocal(quotients, numbers []uint32, d uint32) {
	reciprocal := ^uint64(0)/uint64(d) + 1
	for i, n := range numbers {
		quotient, _ := bits.Mul64(reciprocal, uint64(n))
		quotients[i] = uint32(quotient)
	}
}

func divideByVectors(quotients, numbers []uint32, d uint32) {
	divide.New32(d).Divide(quotients, numbers)
}

func divideVariants() []Variant {
	variant := func(method, published string, divide divider) Variant {
		return Variant{
			Task: "divide", Method: method, Published: published,
			New: func(in Input) (func() uint64, int) {
				quotients := make([]uint32, len(in.Numbers))
				once := func() uint64 {
					divide(quotients, in.Numbers, in.Divisor)
					return uint64(quotients[len(quotients)-1])
				}
				return once, 4 * len(in.Numbers)
			},
		}
	}
	return []Variant{
		variant("run-time", "slow", divideAtRunTime), variant("constants", "wins", divideByConstants),
		variant("reciprocal", "-", divideByReciprocal), variant("vectors", "-", divideByVectors),
	}
}
