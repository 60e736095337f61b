package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestRequiredInstructionSetRuns allows one instruction set at a time, of those that THRESH_REQUIRE
// names and the search for non-zero bytes has a kernel for: the receipt must say that it ran.
func TestRequiredInstructionSetRuns(t *testing.T) {
	name := filepath.Join(t.TempDir(), "zeros")
	if err := os.WriteFile(name, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	required := strings.Split(os.Getenv("THRESH_REQUIRE"), ",")
	for _, isa := range []string{"plain", "neon", "sve", "avx2", "avx512"} {
		if isa != "plain" && !slices.Contains(required, isa) {
			continue
		}
		thresh := exec.Command("thresh", "find", "--nonzero", "--receipt=full", name)
		thresh.Env = append(os.Environ(), "THRESH_ISA="+isa, "XDG_CACHE_HOME="+t.TempDir())
		out, err := thresh.CombinedOutput()
		if thresh.ProcessState == nil || thresh.ProcessState.ExitCode() != 1 {
			t.Errorf("%v: %v, want status 1: nothing found\n%s", thresh, err, out)
		}
		if !regexp.MustCompile(`(?m)^kernel: +nonzero ` + isa + `(,|$)`).Match(out) {
			t.Errorf("THRESH_ISA=%s: the receipt names another kernel: %s", isa, out)
		}
	}
}
