// Package kerneltest runs the tests of a kernel family against each of its forms.
package kerneltest

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// Run calls test in a subtest for every variant, named after its instruction set. A
// variant that cannot run here is skipped. But the test fails when an instruction set that
// THRESH_REQUIRE (names separated by commas) demands cannot run, whether the family has such
// a form or not: a machine or a build which silently lost one cannot pass.
func Run[F any](t *testing.T, variants []kernel.Variant[F], test func(t *testing.T, f F)) {
	t.Helper()
	if err := missing(os.Getenv("THRESH_REQUIRE")); err != nil {
		t.Error(err)
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

// missing returns which of the names cannot run here, or are none.
func missing(names string) error {
	for name := range strings.SplitSeq(names, ",") {
		if name == "" || name == engine {
			continue
		}
		isa, err := cpu.Parse(name)
		switch {
		case err != nil:
			return fmt.Errorf("THRESH_REQUIRE: %w", err)
		case !cpu.Has(isa):
			return fmt.Errorf("THRESH_REQUIRE names %v, which cannot run here", isa)
		}
	}
	return nil
}
