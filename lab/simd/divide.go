package simd

import (
	"math/bits"
	"math/rand/v2"

	"github.com/thresh-dev/thresh/internal/kernel/divide"
	"github.com/thresh-dev/thresh/lab"
)

// The post: a loop that divides by a parameter is slow; it is fast if the compiler knows the divisor.
// So have a loop for each constant divisor from 2 to 6, and divide normally by others. Constants
// win; the post gives no figures. Go has no templates: each loop is written out. We added a reciprocal
// that is computed once, and the product's own kernel, which does that for a vector at a time.

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

const wantQuotients = "65536 bytes, SHA-256 756b35ca73a9e7b6"

func divideVariants() []lab.Variant {
	variants := []lab.Variant{
		divideVariant("simd/divide", "divide by a parameter", divideAtRunTime),
		divideVariant("simd/divide-constants", "a loop for each divisor from 2 to 6", divideByConstants),
		divideVariant("simd/divide-reciprocal", "multiply by a reciprocal, computed once", divideByReciprocal),
		divideVariant("simd/divide-vectors", "the same with vectors: this project's kernel", divideByVectors),
	}
	variants[0].Published = []lab.Published{{Text: "slow"}}
	variants[1].Published = []lab.Published{{Text: "constant divisors win"}}
	return variants
}

func divideVariant(id, what string, divide divider) lab.Variant {
	return variant(id, what, wantQuotients, nothing, func() (work, error) {
		const divisor = 5
		numbers, quotients := make([]uint32, 16<<10), make([]uint32, 16<<10)
		random := rand.New(rand.NewPCG(1, 2))
		for i := range numbers {
			numbers[i] = random.Uint32()
		}
		return work{
			once: func() { divide(quotients, numbers, divisor) }, bytes: 4 * len(numbers),
			answer: func() string { return digest(littleEndian(quotients)) },
		}, nil
	})
}
