package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestAddressSpace runs the program, linked as make does, with limits from little to plenty of
// address space: it answers, or prints in one line how much it needs.
func TestAddressSpace(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the program starts in the runtime on this architecture, which crashes with a dump")
	}
	program := filepath.Join(t.TempDir(), "thresh")
	build := exec.Command("go", "build", "-ldflags=-E main.entry", "-o", program, ".")
	build.Env = append(build.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	answered := 0
	// The program's own image takes 51 MiB: with less the kernel ends it before its first instruction.
	for mib := uint64(64); mib < 2000; mib += 37 {
		cmd := exec.Command("prlimit", fmt.Sprintf("--as=%d", mib<<20), program, "count", "--lines", "main.go")
		out, err := cmd.CombinedOutput()
		text := string(out)
		switch status := cmd.ProcessState.ExitCode(); {
		case err == nil && status == exitAnswered:
			answered++
		case status != exitUsage || !strings.Contains(text, "the address space is limited") ||
			!strings.Contains(text, "MiB are needed") || strings.Count(text, "\n") != 1:
			t.Errorf("%d MiB: status %d\n%.300s", mib, status, text)
		case mib >= 1000:
			t.Errorf("%d MiB are not enough: %s", mib, text)
		}
	}
	if answered < 15 {
		t.Errorf("answered %d times", answered)
	}
}
