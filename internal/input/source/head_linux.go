package source

import (
	"io"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// hasBlocks reports whether the file system has allocated any blocks for a file.
func hasBlocks(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return !ok || stat.Blocks > 0
}

// Head reads the first bytes of a regular file, at most len(b). If they are not in the page cache,
// it turns off readahead, and returns the range that the read brought into the page cache.
func (f *File) Head(b []byte) (n int, brought Range, err error) {
	b = b[:min(int64(len(b)), f.Bytes)]
	head := Range{0, int64(len(b))}
	// If the page cache cannot be queried, the bytes are read all the same.
	if cached, err := f.CachedBytes(head); err == nil && cached < head.Len() && head.Len() > 0 {
		brought = Range{0, int64(os.Getpagesize())}
		// Errors are ignored: without the advice, the kernel only reads and keeps more.
		_ = unix.Fadvise(f.FD(), 0, 0, unix.FADV_RANDOM)
		defer func() { _ = unix.Fadvise(f.FD(), 0, 0, unix.FADV_NORMAL) }()
	}
	n, err = f.ReadAt(b, 0)
	if err == io.EOF {
		err = nil // the file shrank
	}
	return n, brought, err
}
