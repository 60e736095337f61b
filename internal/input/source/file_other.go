//go:build !linux

package source

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

func openFile(name string) (*os.File, error) { return os.Open(name) }

// deviceBytes returns the size of a block device. It seeks to the end. Reads use explicit offsets,
// so the position does not matter.
func deviceBytes(f *os.File) (int64, error) { return f.Seek(0, io.SeekEnd) }

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

// Written returns [off, end). Holes are not queried on this system. To treat everything as data
// is slower but never wrong.
func (f *File) Written(off, end int64) (Range, error) { return Range{off, end}, nil }

// isDense returns false, which makes no difference here.
func isDense(*os.File, fs.FileInfo) bool { return false }

// errNoResidency means that this system cannot report what is in the page cache.
var errNoResidency = errors.ErrUnsupported

// CachedBytes returns errors.ErrUnsupported on this system, except for bytes in memory.
func (f *File) CachedBytes(r Range) (int64, error) {
	if f.f == nil {
		return f.cachedNoFile(r)
	}
	return 0, errNoResidency
}

// Uncached returns errors.ErrUnsupported on this system, except for what is no file.
func (f *File) Uncached(Range) ([]Range, error) {
	if f.f == nil {
		return nil, nil
	}
	return nil, errNoResidency
}

// Drop returns errors.ErrUnsupported on this system.
func (f *File) Drop(Range) error { return errNoResidency }

// list appends the entries of a folder.
func (w *walker) list(path string, _ bool) (err error) {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	found, err := f.ReadDir(-1)
	for _, e := range found {
		w.entries = append(w.entries, Entry{e.Name(), e.Type()})
	}
	return err
}

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

func diskOf(*os.File) (string, bool) { return "", false }
