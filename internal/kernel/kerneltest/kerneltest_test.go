package kerneltest

import (
	"testing"

	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

func TestMissing(t *testing.T) {
	has, hasNot := "plain", "neon"
	if cpu.Has(cpu.NEON) {
		has, hasNot = "neon,plain", "avx2"
	}
	for names, fails := range map[string]bool{"": false, has: false, hasNot: true, "plain," + hasNot: true, "sse9": true} {
		if err := missing(names); (err != nil) != fails {
			t.Errorf("%q: error %v, want one: %v", names, err, fails)
		}
	}
}
