package enginetest

import (
	"io"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// Cold takes a file out of the page cache, after writing what of it is dirty.
func Cold(b *testing.B, f *os.File) {
	b.Helper()
	if err := unix.Fsync(int(f.Fd())); err != nil {
		b.Fatal(err)
	}
	if err := unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED); err != nil {
		b.Fatal(err)
	}
}

// coldCopy reads a file from storage into the page cache. Pages that were written lie in
// small folios, those that readahead brings in lie in large ones.
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
