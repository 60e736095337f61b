package thresh

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh/internal/source"
)

// TestNeutralLeavesThePageCacheAsItWas scans a file of which one half is cached, with each
// way to read, and looks at the page cache before and after.
func TestNeutralLeavesThePageCacheAsItWas(t *testing.T) {
	const half = 16 << 20
	// The temporary folder may be in memory, where nothing can leave the page cache.
	folder, err := os.MkdirTemp(".", ".neutral-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	name := filepath.Join(folder, "file")
	if err := os.WriteFile(name, bytes.Repeat([]byte("x"), 2*half), 0o600); err != nil {
		t.Fatal(err)
	}
	in := open(t, name)
	defer in.Close()
	cached := func(r source.Range) int64 {
		n, err := in.file.CachedBytes(r)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	first, second := source.Range{End: half}, source.Range{Off: half, End: 2 * half}
	for _, e := range engines(t, name) {
		if err := in.file.OS().Sync(); err != nil {
			t.Fatal(err)
		}
		if err := unix.Fadvise(in.file.FD(), half, half, unix.FADV_DONTNEED); err != nil {
			t.Fatal(err)
		}
		if cached(second) > 0 || cached(first) < half {
			t.Skipf("the page cache cannot be set up here: %d and %d bytes are in it", cached(first), cached(second))
		}
		search(t, in, must(t)(Text("y")), Options{Engine: e, Cache: CacheNeutral})
		if a, b := cached(first), cached(second); a < half || b > 0 {
			t.Errorf("%s: %d and %d bytes are cached afterwards, %d and none were before", e, a, b, half)
		}
		if e != "uring" && e != "auto" {
			search(t, in, must(t)(Text("y")), Options{Engine: e, Cache: CacheKeep})
			if b := cached(second); b < half {
				t.Errorf("%s: only %d bytes are cached although they were to be kept", e, b)
			}
		}
	}
}
