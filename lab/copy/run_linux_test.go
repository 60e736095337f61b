package copy

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// random makes a file of size bytes that nothing compresses or guesses.
func random(t *testing.T, size int) string {
	t.Helper()
	b := make([]byte, size)
	rand.NewChaCha8([32]byte{1}).Read(b)
	path := filepath.Join(t.TempDir(), "random bytes.bin")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// descriptors returns what this process has open, but for what is opened to look.
func descriptors(t *testing.T) (open []string) {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		to, err := os.Readlink("/proc/self/fd/" + e.Name())
		if err == nil && !strings.HasSuffix(to, "/fd") {
			open = append(open, e.Name()+" "+to)
		}
	}
	return open
}

// TestPath holds each server to the path that it claims, by the system calls that it makes,
// and to the bytes of the file.
func TestPath(t *testing.T) {
	const size = 4 << 20
	file := random(t, size)
	_, terr := Tracer()
	before := descriptors(t)
	for _, v := range Variants() {
		t.Run(v.ID, func(t *testing.T) {
			o, err := v.Run(t.Context(), Options{File: file, Transfers: 2, Trace: terr == nil, Verify: true})
			if err != nil {
				t.Fatal(err)
			}
			if want := 2 * (size - v.asks.skipped()); o.Bytes != want {
				t.Errorf("%d bytes, want %d", o.Bytes, want)
			}
			if o.Path() != v.Path {
				t.Errorf("went by %s, want %s: %+v", o.Path(), v.Path, o)
			}
			if o.Calls != nil {
				t.Logf("%+v", *o.Calls)
			}
		})
	}
	if after := descriptors(t); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("open before %q and after %q", before, after)
	}
}
