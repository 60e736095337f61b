//go:build arm64

package nonzero

import (
	"os"
	"strconv"
	"testing"

	"github.com/thresh-dev/thresh/internal/machine/cpu"
	"golang.org/x/sys/unix"
)

// vectorBytesMask selects the length in the result of PR_SVE_GET_VL; the rest are flags.
const vectorBytesMask = 0xffff

// The kernel must give the same answers for any vector length, so the tests are run with several.
// THRESH_SVE_BITS names the length that this run is for; any other fails.
func TestVectorLength(t *testing.T) {
	want := os.Getenv("THRESH_SVE_BITS")
	if want == "" {
		t.Skip("THRESH_SVE_BITS asks for no length")
	}
	if !cpu.Has(cpu.SVE) {
		t.Fatalf("THRESH_SVE_BITS=%s, and SVE cannot run here", want)
	}
	length, err := unix.PrctlRetInt(unix.PR_SVE_GET_VL, 0, 0, 0, 0)
	if err != nil {
		t.Fatalf("ask for the length of a vector: %v", err)
	}
	if got := strconv.Itoa(length & vectorBytesMask * 8); got != want {
		t.Errorf("a vector has %s bits, THRESH_SVE_BITS=%s", got, want)
	}
}
