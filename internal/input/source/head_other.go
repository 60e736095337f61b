//go:build !linux

package source

import (
	"io"
	"io/fs"
)

// hasBlocks returns true: generated files, which have no blocks, exist only on Linux.
func hasBlocks(fs.FileInfo) bool { return true }

// Head reads the first bytes of a regular file, at most len(b).
func (f *File) Head(b []byte) (n int, brought Range, err error) {
	n, err = f.ReadAt(b[:min(int64(len(b)), f.Bytes)], 0)
	if err == io.EOF {
		err = nil // the file shrank
	}
	return n, Range{}, err
}
