// Package client finds the programs that tests look at this project's output with, and drives a browser.
//
// Tests whose program is not installed are skipped, unless THRESH_CLIENTS=require is set, as
// scripts/test.sh does.
package client

import (
	"os"
	"os/exec"
	"testing"
)

// Program returns the path of a program, which Debian has in the package of the last name.
func Program(t *testing.T, name, debian string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err == nil {
		return path
	}
	if os.Getenv("THRESH_CLIENTS") == "require" {
		t.Fatalf("%s is missing: apt-get install %s, or scripts/test-setup.sh", name, debian)
	}
	t.Skipf("%s is not installed", name)
	return ""
}
