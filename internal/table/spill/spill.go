// Package spill writes data that does not fit in memory to temporary files. Where the system
// allows it, a file is unlinked at once, so that nothing is left if the process dies.
package spill

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync/atomic"
	"syscall"

	"github.com/thresh-dev/thresh/internal/fault"
)

// Dir is where temporary files are made.
type Dir struct {
	Name    string        // "" for the system's temporary folder
	Written *atomic.Int64 // bytes that were written to files in it; nil if they are not counted
}

// File is a temporary file. ReadAt may be called concurrently.
type File struct {
	*os.File
	dir   Dir
	named bool // the file still has its name, and Close must remove it
	end   int64
}

// New creates a temporary file in a folder. The pattern is that of os.CreateTemp; what names the data in error
// messages.
func New(dir Dir, pattern, what string) (*File, error) {
	err := fault.Err(fault.CreateTemp)
	var f *os.File
	if err == nil {
		f, err = os.CreateTemp(dir.Name, pattern)
	}
	if err != nil {
		return nil, fmt.Errorf("spill %s: %w", what, err)
	}
	// Not every system can remove an open file. If this one cannot, Close removes it.
	return &File{File: f, dir: dir, named: os.Remove(f.Name()) != nil}, nil
}

// WriteAt writes b at an offset. After an error, any part of b may have been written.
func (f *File) WriteAt(b []byte, off int64) (int, error) {
	n, err := fault.Write(fault.WriteTemp, b, func(b []byte) (int, error) { return f.File.WriteAt(b, off) })
	if f.dir.Written != nil {
		f.dir.Written.Add(int64(n))
	}
	return n, err
}

// ReadAt reads what was written at an offset.
func (f *File) ReadAt(b []byte, off int64) (int, error) {
	if err := fault.Err(fault.ReadTemp); err != nil {
		return 0, err
	}
	return f.File.ReadAt(b, off)
}

// Append writes b at the end, and returns the offset where b begins.
func (f *File) Append(b []byte) (off int64, err error) {
	off = f.end
	if _, err := f.WriteAt(b, off); err != nil {
		return 0, f.Failed("spill to", err)
	}
	f.end += int64(len(b))
	return off, nil
}

// Writer appends to a file, in writes of many pages.
type Writer struct {
	file *File
	buf  []byte
}

// Writer returns a writer whose buffer has so many bytes. While it is in use, nothing else may append.
func (f *File) Writer(bytes int) *Writer { return &Writer{f, make([]byte, 0, bytes)} }

// End returns the offset of the next byte.
func (w *Writer) End() int64 { return w.file.end + int64(len(w.buf)) }

// Write appends b.
func (w *Writer) Write(b []byte) error {
	for len(b) > 0 {
		// Up to the next multiple of the buffer's size in the file: then no page is written twice.
		room := cap(w.buf) - int(w.End()%int64(cap(w.buf)))
		n := min(len(b), room)
		w.buf = append(w.buf, b[:n]...)
		b = b[n:]
		if n == room {
			if err := w.Flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// Flush writes what is in the buffer.
func (w *Writer) Flush() error {
	_, err := w.file.Append(w.buf)
	w.buf = w.buf[:0]
	return err
}

// ReadBack fills b with the bytes at off.
func (f *File) ReadBack(b []byte, off int64) error {
	if _, err := f.ReadAt(b, off); err != nil {
		return f.Failed(fmt.Sprintf("read back at %d what was spilled to", off), err)
	}
	return nil
}

// End returns how many bytes were appended.
func (f *File) End() int64 { return f.end }

// Close closes and removes the file.
func (f *File) Close() error {
	err := f.File.Close()
	if f.named {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}

// Failed returns an error that names the file, with advice if the disk or the quota is full.
func (f *File) Failed(verb string, err error) error {
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		err = path.Err
	}
	advice := ""
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EFBIG) || errors.Is(err, syscall.EDQUOT) {
		advice = "; free some or set TMPDIR"
	}
	return fmt.Errorf("%s %s: %w%s", verb, f.Name(), err, advice)
}
