// Package kerneltest runs a kernel family's tests against each of its variants.
package kerneltest

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// Run calls test in a subtest for every variant, named after its instruction set. It skips a
// variant that cannot run on this machine. But it fails the test if THRESH_REQUIRE (names separated
// by commas) lists an instruction set that cannot run here, whether or not the family has a variant
// for it: a machine or a build that silently lost one must not pass.
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

// Longest returns a length that covers two blocks of the widest variant, and one byte. The widest takes
// so many bytes at a time on amd64, and so many on arm64.
func Longest(amd64Bytes, arm64Bytes int) int {
	if runtime.GOARCH == "arm64" {
		return 2*arm64Bytes + 1
	}
	return 2*amd64Bytes + 1
}

// engine is the one name in THRESH_REQUIRE that is not an instruction set. The engine's own tests
// check it.
const engine = "uring"

// missing returns an error if one of the names cannot run here or is unknown.
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
