//go:build !linux

package pread

import "github.com/thresh-dev/thresh/internal/input/source"

// readAt reads some bytes at off; 0 and io.EOF mean the end of the file.
func readAt(f *source.File, p []byte, off int64) (int, error) {
	n, err := f.ReadAt(p, off)
	if n > 0 {
		return n, nil // a later call meets the error again
	}
	return 0, err
}
