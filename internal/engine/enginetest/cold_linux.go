package enginetest

import (
	"io"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// Cold writes a file's dirty pages to storage and removes the file from the page cache.
func Cold(b *testing.B, f *os.File) {
	b.Helper()
	if err := unix.Fsync(int(f.Fd())); err != nil {
		b.Fatal(err)
	}
	if err := unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED); err != nil {
		b.Fatal(err)
	}
}

// coldCopy reads a file from storage into the page cache. Pages that were written are in small
// folios, and those that readahead brings in are in large ones.
func coldCopy(b *testing.B, name string) {
	b.Helper()
	f, err := os.Open(name)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	Cold(b, f)
	if _, err := io.Copy(io.Discard, f); err != nil {
		b.Fatal(err)
	}
}
