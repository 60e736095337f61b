//go:build !linux

package pread

import "github.com/thresh-dev/thresh/internal/input/source"

// readAt reads up to len(p) bytes at off. At the end of the file it returns 0 and io.EOF.
func readAt(f *source.File, p []byte, off int64) (int, error) {
	n, err := f.ReadAt(p, off)
	if n > 0 {
		return n, nil // the next call returns the error again
	}
	return 0, err
}
