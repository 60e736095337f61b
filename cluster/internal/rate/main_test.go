package main

import (
	"bytes"
	"strings"
	"testing"
)

// TestMeasure measures a small file: the jobs must count what the library counts.
func TestMeasure(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	var out bytes.Buffer
	if err := measure(t.Context(), &out, 3<<20, 1<<20, 1); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "\n"); n != 5 {
		t.Errorf("%d lines:\n%s", n, &out)
	}
}
