package source

import (
	"os"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh/internal/test/pagecache"
)

// uncachedFile returns an open file of the given number of pages, none of them in the page cache.
// It lies on the disk of the tests, because files of a file system in memory cannot be dropped.
func uncachedFile(t *testing.T, pages int) *File {
	t.Helper()
	f, err := os.CreateTemp(".", ".residency-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Remove(f.Name()) })
	if _, err := f.Write(make([]byte, pages*os.Getpagesize())); err != nil {
		t.Fatal(err)
	}
	if err := f.Sync(); err != nil {
		t.Fatal(err)
	}
	in, err := FromOS(f.Name(), f)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close() })
	if err := in.Drop(Range{0, in.Bytes}); err != nil {
		t.Fatal(err)
	}
	if n, err := in.CachedBytes(Range{0, in.Bytes}); err != nil || n > 0 {
		pagecache.Unusable(t, "%d bytes stay in it: this file system keeps files in memory; error %v", n, err)
	}
	if err := unix.Fadvise(in.FD(), 0, 0, unix.FADV_RANDOM); err != nil {
		t.Fatal(err)
	}
	return in
}

// Uncached ranges are whole pages, wherever the queried range begins.
func TestUncachedOfUnalignedRanges(t *testing.T) {
	const pages = 12
	in := uncachedFile(t, pages)
	page := int64(os.Getpagesize())
	cached := []int64{2, 3, 7}
	for _, p := range cached {
		if _, err := in.OS().ReadAt(make([]byte, 1), p*page); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := in.CachedBytes(Range{0, in.Bytes}); err != nil || n != int64(len(cached))*page {
		pagecache.Unusable(t, "%d bytes are in it, want %d pages; error %v", n, len(cached), err)
	}
	for from := int64(0); from < pages; from++ {
		for to := from + 1; to <= pages; to++ {
			for _, shift := range []int64{0, 1, 100, page - 1} {
				r := Range{min(from*page+shift, to*page-1), max(to*page-shift, from*page+shift+1)}
				r.End = min(r.End, in.Bytes)
				got, err := in.Uncached(r)
				if err != nil {
					t.Fatal(err)
				}
				var missing []int64
				for _, u := range got {
					for off := u.Off / page * page; off < u.End; off += page {
						missing = append(missing, off/page)
					}
					if whole := u == r; !whole && (u.Off%page != 0 || u.End%page != 0) {
						t.Errorf("%v: %v are not whole pages", r, u)
					}
				}
				var want []int64
				for p := r.Off / page; p*page < r.End; p++ {
					if !slices.Contains(cached, p) {
						want = append(want, p)
					}
				}
				if !slices.Equal(missing, want) {
					t.Errorf("%v: pages %v are missing, want %v", r, missing, want)
				}
			}
		}
	}
}

// Head brings in one page, returns it as the range, and reads all its bytes.
func TestHeadBringsInOnePage(t *testing.T) {
	in := uncachedFile(t, 100)
	page := int64(os.Getpagesize())
	n, brought, err := in.Head(make([]byte, 64))
	if err != nil || n != 64 || brought != (Range{0, page}) {
		t.Fatalf("%d bytes, brought %v, error %v", n, brought, err)
	}
	if cached, err := in.CachedBytes(Range{0, in.Bytes}); err != nil || cached > page {
		t.Errorf("%d bytes are in the page cache, error %v", cached, err)
	}
	if _, brought, err := in.Head(make([]byte, 64)); err != nil || brought.Len() > 0 {
		t.Errorf("a second look: brought %v, error %v", brought, err)
	}
	if err := in.Drop(brought); err != nil {
		t.Fatal(err)
	}
	if cached, err := in.CachedBytes(Range{0, in.Bytes}); err != nil || cached > 0 {
		t.Errorf("after it was dropped: %d bytes are in the page cache, error %v", cached, err)
	}
}

// Files that are generated when they are read are streams. Other files keep their size, even if
// they have no blocks.
func TestSizesThatAreWrong(t *testing.T) {
	for _, name := range []string{"/proc/self/status", "/sys/kernel/mm/transparent_hugepage/enabled"} {
		if _, err := os.Stat(name); err != nil {
			continue
		}
		in, err := Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if in.Kind != Stream || in.Bytes != -1 {
			t.Errorf("%s: %v of %d bytes, want a stream", name, in.Kind, in.Bytes)
		}
		in.Close()
	}
	for _, size := range []int64{0, 1, 4095, 4096, claimedMax, claimedMax + 1, 1 << 30} {
		name := write(t, nil)
		if err := os.Truncate(name, size); err != nil {
			t.Fatal(err)
		}
		in, err := Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if in.Kind != Regular || in.Bytes != size {
			t.Errorf("a hole of %d bytes: %v of %d bytes", size, in.Kind, in.Bytes)
		}
		in.Close()
	}
}
