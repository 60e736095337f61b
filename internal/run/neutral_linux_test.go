package run

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/test/pagecache"
	"github.com/thresh-dev/thresh/options"
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
		if !pagecache.Tried(func() bool {
			_, err := in.file.OS().ReadAt(make([]byte, half), 0)
			if err := errors.Join(err, in.file.OS().Sync(), unix.Fadvise(in.file.FD(), half, half, unix.FADV_DONTNEED)); err != nil {
				t.Fatal(err)
			}
			return cached(second) == 0 && cached(first) == half
		}) {
			pagecache.Unusable(t, "%d and %d bytes are in it", cached(first), cached(second))
		}
		search(t, in, must(t)(Text("y")), Options{Run: options.Run{Engine: options.Engine(e), Cache: options.CacheNeutral}})
		if a, b := cached(first), cached(second); a < half || b > 0 {
			t.Errorf("%s: %d and %d bytes are cached afterwards, %d and none were before", e, a, b, half)
		}
		if e != "uring" {
			search(t, in, must(t)(Text("y")), Options{Run: options.Run{Engine: options.Engine(e), Cache: options.CacheKeep}})
			if b := cached(second); b < half {
				t.Errorf("%s: only %d bytes are cached although they were to be kept", e, b)
			}
		}
	}
}

// A compressed file's pages go out again too, and those that were cached before stay.
func TestNeutralOfPackedFiles(t *testing.T) {
	folder, err := os.MkdirTemp(".", ".neutral-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	content := make([]byte, 4<<20)
	rand.NewChaCha8([32]byte{}).Read(content)
	for _, from := range pack(t, content, 3) {
		packed, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(folder, filepath.Base(from))
		if err := os.WriteFile(name, packed, 0o600); err != nil {
			t.Fatal(err)
		}
		in := opened(t, name)
		file := in.compressed.file
		first, second := source.Range{End: 1 << 20}, source.Range{Off: 1 << 20, End: file.Bytes}
		cacheFirst(t, name, first.Len()) // dropping the second part alone fails in large folios
		cached := func(r source.Range) int64 {
			n, err := file.CachedBytes(r)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		if cached(second) > 0 || cached(first) < first.Len() {
			pagecache.Unusable(t, "%d and %d bytes are in it", cached(first), cached(second))
		}
		search(t, in, must(t)(Text("nowhere to be found")), Options{Run: options.Run{Cache: options.CacheNeutral}})
		if a, b := cached(first), cached(second); a < first.Len() || b > 0 {
			t.Errorf("%s: %d and %d bytes are cached afterwards, %d and none were before", name, a, b, first.Len())
		}
		search(t, in, must(t)(Text("nowhere to be found")), Options{Run: options.Run{Cache: options.CacheKeep}})
		if b := cached(second); b < second.Len() {
			t.Errorf("%s: %d bytes are cached although they were to be kept", name, b)
		}
	}
}

// TestNeutralOfFileThatSeemsCached: of some steps only those pages are cached that source.Residency asks for
// first. Such steps count as cached; what the run brings into them must leave again all the same.
func TestNeutralOfFileThatSeemsCached(t *testing.T) {
	const step, steps = 2 << 20, 8
	folder, err := os.MkdirTemp(".", ".neutral-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	name := filepath.Join(folder, "file")
	if err := os.WriteFile(name, bytes.Repeat([]byte("x"), step*steps), 0o600); err != nil {
		t.Fatal(err)
	}
	in := open(t, name)
	defer in.Close()
	whole := source.Range{End: step * steps}
	for _, e := range engines(t, name) {
		var before []int64
		if !pagecache.Tried(func() bool {
			err := errors.Join(in.file.OS().Sync(), in.file.Drop(whole), unix.Fadvise(in.file.FD(), 0, 0, unix.FADV_RANDOM))
			for probe := int64(1); probe < 8*steps && err == nil; probe += 2 {
				_, err = in.file.OS().ReadAt(make([]byte, 1), probe*step/8)
			}
			if err := errors.Join(err, unix.Fadvise(in.file.FD(), 0, 0, unix.FADV_NORMAL)); err != nil {
				t.Fatal(err)
			}
			before = cachedPages(t, in.file, whole)
			return len(before) == 4*steps
		}) {
			pagecache.Unusable(t, "%d pages are in it, want %d", len(before), 4*steps)
		}
		regions, err := in.file.Residency(whole)
		if err != nil || len(regions) != 1 || !regions[0].Cached {
			t.Fatalf("%v, error %v: this test needs a file that seems to be cached", regions, err)
		}
		search(t, in, must(t)(Text("y")), Options{Run: options.Run{Engine: options.Engine(e), Cache: options.CacheNeutral}})
		if after := cachedPages(t, in.file, whole); !slices.Equal(after, before) {
			t.Errorf("%s: %d pages are cached afterwards, %d were before", e, len(after), len(before))
		}
	}
}

// cachedPages returns the offsets of the pages that are in the page cache.
func cachedPages(t *testing.T, f *source.File, r source.Range) (pages []int64) {
	t.Helper()
	const page = 4 << 10
	for off := r.Off; off < r.End; off += page {
		n, err := f.CachedBytes(source.Range{Off: off, End: off + 1})
		if err != nil {
			t.Fatal(err)
		}
		if n > 0 {
			pages = append(pages, off)
		}
	}
	return pages
}
