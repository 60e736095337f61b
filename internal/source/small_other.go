//go:build !linux

package source

import (
	"errors"
	"io"
	"os"
)

// ReadSmall reads a regular file whole. It returns ErrNotSmall for one that is larger than
// buf, and for all that is no regular file.
func ReadSmall(name string, buf []byte) (data []byte, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > int64(len(buf)) {
		return nil, ErrNotSmall
	}
	n, err := io.ReadFull(f, buf[:info.Size()])
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil // the file shrank
	}
	return buf[:n], err
}
