package main

import (
	"os"
	"strings"
	"testing"
	"time"
)

// TestUpToDate: the program is not measured if a source is newer, but for tests and what it is not made of.
func TestUpToDate(t *testing.T) {
	t.Chdir(t.TempDir())
	built := time.Now().Add(-time.Hour)
	if err := upToDate(ownProgram, "."); err == nil {
		t.Error("no error without a program")
	}
	for _, file := range []string{ownProgram, "other", "go.mod", "internal/a_test.go", "lab/go.mod", "lab/cmd/thresh-lab/b.go", "lab/c.go", ".git/d.go",
		"internal/testdata/e.go", "internal/old.go", "internal/f.go", "internal/g.s"} {
		if at := strings.LastIndexByte(file, '/'); at > 0 {
			if err := os.MkdirAll(file[:at], 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if file == ownProgram || file == "internal/old.go" {
			if err := os.Chtimes(file, built, built); err != nil {
				t.Fatal(err)
			}
		}
		newer := file == "internal/f.go" || file == "internal/g.s"
		if err := upToDate(ownProgram, "."); newer != (err != nil) || newer && !strings.Contains(err.Error(), file+" has changed") {
			t.Errorf("%s is newer: %v", file, err)
		}
		if err := upToDate("other", "."); err != nil && file != ownProgram {
			t.Errorf("another program: %v", err)
		}
		if newer {
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
		}
	}
}
