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
// variant that cannot run here is skipped. An instruction set that THRESH_REQUIRE (names
// separated by commas) demands and that cannot run here fails the test, whether there is
// a variant for it or not: a machine which silently lost it cannot pass.
func Run[F any](t *testing.T, variants []kernel.Variant[F], test func(t *testing.T, f F)) {
	t.Helper()
	for _, isa := range required(t) {
		if !cpu.Has(isa) {
			t.Fatalf("THRESH_REQUIRE names %v, which cannot run here", isa)
		}
	}
	for _, v := range variants {
		t.Run(v.ISA.String(), func(t *testing.T) {
			if !cpu.Has(v.ISA) {
				t.Skipf("%v cannot run here", v.ISA)
			}
			test(t, v.Func)
		})
	}
}

// engine is the one name in THRESH_REQUIRE that is no instruction set: its own tests ask
// for it.
const engine = "uring"

// required returns the instruction sets that THRESH_REQUIRE names.
func required(t *testing.T) (sets []cpu.ISA) {
	t.Helper()
	for name := range strings.SplitSeq(os.Getenv("THRESH_REQUIRE"), ",") {
		if name == "" || name == engine {
			continue
		}
		isa, err := cpu.Parse(name)
		if err != nil {
			t.Fatalf("THRESH_REQUIRE: %v", err)
		}
		sets = append(sets, isa)
	}
	return sets
}
