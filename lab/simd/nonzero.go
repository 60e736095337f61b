package simd

import (
	"fmt"
	"math/rand/v2"

	"github.com/thresh-dev/thresh/lab"
)

// The post: to test whether a NEON register is not all zeros, take the maximum of its four 32-bit
// lanes: three instructions. SVE compares the lanes with zero and tests the predicate: two. It counts
// instructions, and gives no times.

const registerBytes = 16

const wantRegisters = "2058 of 4096 registers are not all zeros"

// nonzeroVariants count the 16-byte registers that are not all zeros. The plain one, which is not in
// the post, says what portable code would take.
func nonzeroVariants() []lab.Variant {
	variants := []lab.Variant{
		nonzeroVariant("simd/nonzero-neon", "the maximum of the lanes is not zero (NEON)", "needs arm64", countNEON),
		nonzeroVariant("simd/nonzero-sve", "compare lanes, test the predicate (SVE)", "needs arm64 with SVE",
			sveCounter()),
		nonzeroVariant("simd/nonzero-plain", "compare 16 bytes in Go", "", countPlain),
	}
	variants[0].Published = []lab.Published{{Text: "3 instructions"}}
	variants[1].Published = []lab.Published{{Text: "2 instructions"}}
	return variants
}

// nonzeroVariant returns a variant that needs something unless there is a count.
func nonzeroVariant(id, what, needs string, count func(b []byte) int) lab.Variant {
	missing := nothing
	if count == nil {
		missing = func() string { return needs }
	}
	return variant(id, what, wantRegisters, missing, func() (work, error) {
		b, n := registers(), 0
		return work{
			once: func() { n = count(b) }, bytes: len(b),
			answer: func() string { return fmt.Sprintf("%d of %d registers are not all zeros", n, len(b)/registerBytes) },
		}, nil
	})
}

// registers returns 4096 registers. In about half of them one bit is set.
func registers() []byte {
	b := make([]byte, 4096*registerBytes)
	random := rand.New(rand.NewPCG(5, 6))
	for r := 0; r < len(b); r += registerBytes {
		if random.IntN(2) == 0 {
			b[r+random.IntN(registerBytes)] = 1 << random.IntN(8)
		}
	}
	return b
}

func countPlain(b []byte) (n int) {
	for ; len(b) >= registerBytes; b = b[registerBytes:] {
		if [registerBytes]byte(b) != ([registerBytes]byte{}) {
			n++
		}
	}
	return n
}
