package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/vet/internal/proof"
)

// otherwise are the shapes whose fix changes something else than the way of the bytes.
var otherwise = map[string]bool{
	"bypassedoverride": true, "doublecount": true, "foundtee": true, "ignoredbuffer": true, "stalledstdout": true,
}

// TestFixShapes mends the shapes of package proof, and runs what was mended under strace: the bytes stay in the kernel.
func TestFixShapes(t *testing.T) {
	const fileBytes = 1 << 20
	from, err := filepath.Abs("../../internal/proof/testdata/shapes")
	if err != nil {
		t.Fatal(err)
	}
	module(t, map[string]string{"data": strings.Repeat("x", fileBytes)})
	if err := os.CopyFS(".", os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	found, _, err := program(t, "--json")
	if !errors.Is(err, errFound) {
		t.Fatal(err)
	}
	var fixed []string
	for line := range strings.Lines(found) {
		var f finding
		if err := json.Unmarshal([]byte(line), &f); err != nil {
			t.Fatal(err)
		}
		if name := strings.TrimSuffix(f.File, ".go"); f.Fixable && !otherwise[name] {
			fixed = append(fixed, name)
		}
	}
	if _, errs, err := program(t, "--fix"); err != nil && !errors.Is(err, errFound) {
		t.Fatalf("%v\n%s", err, errs)
	}
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", "mended", ".").CombinedOutput(); err != nil {
		t.Fatalf("what was mended does not compile: %v\n%s", err, out)
	}
	if len(fixed) < 8 {
		t.Errorf("only %q have a fix", fixed)
	}
	for _, name := range fixed {
		o, err := proof.Run{Program: "./mended", Shape: name, Variant: proof.Flagged, File: "data", Trace: true}.Do(t.Context())
		if err != nil || o.Bytes < fileBytes || o.Calls.Kept() < fileBytes*3/4 {
			t.Errorf("%s: %d bytes, %v: %v", name, o.Bytes, o.Calls, err)
		}
	}
	t.Log(fixed)
}
