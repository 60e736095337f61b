// Package kerneltest runs the tests of a kernel family against each of its forms.
package kerneltest

import (
	"os"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/cpu"
	"github.com/thresh-dev/thresh/internal/kernel"
)

// Run calls test in a subtest for every variant, named after its instruction set. A
// variant that cannot run here is skipped, unless THRESH_REQUIRE (names separated by
// commas) demands it: then its subtest fails, so that a machine which silently lost an
// instruction set cannot pass.
func Run[F any](t *testing.T, variants []kernel.Variant[F], test func(t *testing.T, f F)) {
	t.Helper()
	for _, v := range variants {
		t.Run(v.ISA.String(), func(t *testing.T) {
			if !cpu.Has(v.ISA) {
				if required(v.ISA) {
					t.Fatalf("THRESH_REQUIRE names %v, which cannot run here", v.ISA)
				}
				t.Skipf("%v cannot run here", v.ISA)
			}
			test(t, v.Func)
		})
	}
}

func required(isa cpu.ISA) bool {
	for name := range strings.SplitSeq(os.Getenv("THRESH_REQUIRE"), ",") {
		if name == isa.String() {
			return true
		}
	}
	return false
}
