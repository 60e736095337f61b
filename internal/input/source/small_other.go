//go:build !linux

package source

import (
	"errors"
	"io"
	"os"
)

// SmallReader reads small files whole. It is for one goroutine at a time.
type SmallReader struct {
	buf  []byte
	head [headBytes]byte
}

// NewSmallReader returns a reader of files of up to bytesMax bytes.
func NewSmallReader(bytesMax int) *SmallReader { return &SmallReader{buf: make([]byte, bytesMax)} }

// Close does nothing.
func (r *SmallReader) Close() {}

// Read returns the bytes of a regular file. They are valid until the next Read. It returns
// ErrNotSmall for a file that is too large, together with its first bytes, and for anything that is
// not a regular file.
func (r *SmallReader) Read(name string) (data []byte, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, ErrNotSmall
	}
	if info.Size() > int64(len(r.buf)) {
		n, _ := f.ReadAt(r.head[:], 0) // the scan will meet an error again and report it
		return r.head[:n], ErrNotSmall
	}
	n, err := io.ReadFull(f, r.buf[:info.Size()])
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil // the file shrank
	}
	return r.buf[:n], err
}
