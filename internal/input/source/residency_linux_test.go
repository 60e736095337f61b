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

// cache leaves the chosen pages of a file in the page cache, and no others.
func cache(t *testing.T, in *File, chosen func(p int64) bool) {
	t.Helper()
	page := int64(os.Getpagesize())
	var n, want int64
	if !pagecache.Tried(func() bool {
		if err := in.Drop(Range{0, in.Bytes}); err != nil {
			t.Fatal(err)
		}
		want = 0
		for p := range in.Bytes / page {
			if !chosen(p) {
				continue
			}
			if _, err := in.OS().ReadAt(make([]byte, 1), p*page); err != nil {
				t.Fatal(err)
			}
			want += page
		}
		var err error
		if n, err = in.CachedBytes(Range{0, in.Bytes}); err != nil {
			t.Fatal(err)
		}
		return n == want
	}) {
		pagecache.Unusable(t, "%d bytes are in it, want %d", n, want)
	}
}

// Uncached ranges are whole pages, wherever the queried range begins.
func TestUncachedOfUnalignedRanges(t *testing.T) {
	const pages = 12
	in := uncachedFile(t, pages)
	page := int64(os.Getpagesize())
	cached := []int64{2, 3, 7}
	cache(t, in, func(p int64) bool { return slices.Contains(cached, p) })
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

// Residency of a step whose probed pages agree is theirs; otherwise it is that of most of its bytes.
func TestResidencyOfProbes(t *testing.T) {
	page := int64(os.Getpagesize())
	step := int64(regionBytesMin.Real())
	pages := int(step / page)
	probes := []int64{1, 3, 5, 7} // eighths of a step
	tests := []struct {
		name   string
		cached func(p int64) bool // whether page p is
		want   bool
	}{
		{"nothing", func(int64) bool { return false }, false},
		{"all", func(int64) bool { return true }, true},
		{"one probe", func(p int64) bool { return p == int64(pages)*probes[2]/8 }, false},
		{"all but one probe", func(p int64) bool { return p != int64(pages)*probes[1]/8 }, true},
		{"the first half", func(p int64) bool { return p < int64(pages)/2 }, false},
		{"15 of 16", func(p int64) bool { return p >= int64(pages)/16 }, true},
		{"14 of 16, with a probe missing", func(p int64) bool { return p < int64(pages)*14/16 }, false},
	}
	in := uncachedFile(t, 2*pages)
	for _, test := range tests {
		cache(t, in, func(p int64) bool { return p < int64(pages) && test.cached(p) })
		regions, err := in.Residency(Range{0, step})
		if err != nil || len(regions) != 1 || regions[0] != (Region{Range{0, step}, test.want}) {
			t.Errorf("%s: %v, error %v, want cached %t", test.name, regions, err, test.want)
		}
	}
}

// A full file in memory is not searched for holes. One with a hole is, and so is one of another file
// system.
func TestDense(t *testing.T) {
	folder, err := os.MkdirTemp("/dev/shm", "thresh-dense-")
	if err != nil {
		t.Skip("no file system in memory: ", err)
	}
	defer os.RemoveAll(folder)
	content := make([]byte, denseBytesMin)
	for _, test := range []struct {
		name  string
		where string
		holes bool
		dense bool
	}{
		{"full", folder, false, true},
		{"with a hole", folder, true, false},
		{"on a disk", ".", false, false},
	} {
		f, err := os.CreateTemp(test.where, ".dense-")
		if err != nil {
			t.Fatal(err)
		}
		defer os.Remove(f.Name())
		written := content
		if test.holes {
			if err := f.Truncate(denseBytesMin); err != nil {
				t.Fatal(err)
			}
			written = content[:denseBytesMin/2]
		}
		if _, err := f.Write(written); err != nil {
			t.Fatal(err)
		}
		in, err := FromOS(f.Name(), f)
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		if in.dense != test.dense {
			t.Errorf("%s: dense %t", test.name, in.dense)
		}
		data, err := in.NextData(0, denseBytesMin)
		if err != nil || data != (Range{0, int64(len(written))}) && test.where == folder {
			t.Errorf("%s: data %v, error %v", test.name, data, err)
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
