package readahead

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// cold returns a file of zeros that is not in the page cache.
func cold(t *testing.T, size int64) *os.File {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "f"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if _, err := f.Write(make([]byte, size)); err != nil {
		t.Fatal(err)
	}
	if Begin(f, size) {
		t.Error("a file that was just written is read")
	}
	if err := f.Sync(); err != nil {
		t.Fatal(err)
	}
	if err := unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED); err != nil {
		t.Fatal(err)
	}
	if cachedPages(t, f, size) > 0 {
		t.Skip("files stay in the page cache here")
	}
	return f
}

func cachedPages(t *testing.T, f *os.File, size int64) int64 {
	t.Helper()
	var stat unix.Cachestat_t
	switch err := unix.Cachestat(uint(f.Fd()), &unix.CachestatRange{Len: uint64(size)}, &stat, 0); err {
	case nil:
	case unix.ENOSYS:
		t.Skip("this kernel does not tell what is cached")
	default:
		t.Fatal(err)
	}
	return int64(stat.Cache)
}

// TestBegin: what is missing is read, at least the first MiB, at most the first 4, and once. Without
// huge pages it would be as much as the device's read-ahead.
func TestBegin(t *testing.T) {
	for _, size := range []int64{1, 4096, 1 << 20, 1<<20 + 1, mappedBytesMax + 1, 9 << 20} {
		f := cold(t, size)
		if !Begin(f, size) {
			t.Fatalf("a file of %d bytes that is not cached is not read", size)
		}
		pageBytes := int64(os.Getpagesize())
		least, most := (min(size, 1<<20)+pageBytes-1)/pageBytes, mappedBytesMax/pageBytes
		got := cachedPages(t, f, size)
		if size > 1<<20 && got*pageBytes <= 512<<10 {
			t.Skipf("%d pages of a file of %d bytes are being read: large pages are turned off here", got, size)
		}
		if got < least || got > most {
			t.Errorf("%d pages of a file of %d bytes are being read, want %d to %d", got, size, least, most)
		}
		if Begin(f, size) {
			t.Errorf("a file of %d bytes is read again", size)
		}
		if maps, err := os.ReadFile("/proc/self/maps"); err != nil || bytes.Contains(maps, []byte(f.Name())) {
			t.Errorf("a file of %d bytes is still mapped: %v", size, err)
		}
	}
}

// TestBeginNothing: no bytes, a file that has become shorter, and a closed file are not read, and raise no
// signal.
func TestBeginNothing(t *testing.T) {
	f := cold(t, 1<<20)
	if Begin(f, 0) || Begin(f, -1) {
		t.Error("no bytes are read")
	}
	if err := f.Truncate(0); err != nil {
		t.Fatal(err)
	}
	if Begin(f, 1<<20) {
		t.Error("an empty file is read")
	}
	f.Close()
	if Begin(f, 1<<20) {
		t.Error("a closed file is read")
	}
}
