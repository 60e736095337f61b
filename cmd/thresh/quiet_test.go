package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestQuietFolder: the first match of many files ends a quiet run with status 0, also while other workers are busy.
func TestQuietFolder(t *testing.T) {
	folder := t.TempDir()
	for i := range 300 {
		must(t, os.WriteFile(filepath.Join(folder, fmt.Sprint(i)), []byte("a\n"), 0o600))
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	must(t, err)
	defer null.Close()
	for _, verb := range [][]string{{"find", "--text", "a"}, {"grep", "a"}} {
		for range 200 {
			if status := runHere(append(verb, "-q", "-r", folder), null, null, os.Stderr); status != 0 {
				t.Fatalf("%v: status %d", verb, status)
			}
		}
	}
}
