package pread

import (
	"github.com/thresh-dev/thresh/internal/input/source"
	"golang.org/x/sys/unix"
)

// readAt reads up to len(p) bytes at off. At the end of the file it returns 0 and no error. It
// calls pread(2) directly, because os.File takes a lock around each read.
func readAt(f *source.File, p []byte, off int64) (int, error) {
	if f.OS() == nil {
		return f.ReadAt(p, off)
	}
	for {
		n, err := unix.Pread(f.FD(), p, off)
		if err != unix.EINTR {
			return max(n, 0), err
		}
	}
}
