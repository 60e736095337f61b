package source

import (
	"io"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// hasBlocks reports whether the file system has given a file any room.
func hasBlocks(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return !ok || stat.Blocks > 0
}

// Head reads the first bytes of a regular file, as many as there are. Where they are not in
// the page cache it reads no further ahead, and returns the range that came in.
func (f *File) Head(b []byte) (n int, brought Range, err error) {
	b = b[:min(int64(len(b)), f.Bytes)]
	head := Range{0, int64(len(b))}
	// What is unknown about the page cache does not keep anything from being read.
	if cached, err := f.CachedBytes(head); err == nil && cached < head.Len() && head.Len() > 0 {
		brought = Range{0, int64(os.Getpagesize())}
		// Both are advice: without it more is read than is needed, and stays.
		_ = unix.Fadvise(f.FD(), 0, 0, unix.FADV_RANDOM)
		defer func() { _ = unix.Fadvise(f.FD(), 0, 0, unix.FADV_NORMAL) }()
	}
	n, err = f.ReadAt(b, 0)
	if err == io.EOF {
		err = nil // it shrank
	}
	return n, brought, err
}
