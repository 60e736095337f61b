// Package spill keeps what does not fit into memory in temporary files. A file has no name
// where the system allows that, so that nothing is left behind when the process dies.
package spill

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// File is a temporary file. ReadAt may be called concurrently.
type File struct {
	*os.File
	named bool // the file still has its name, and goes when it is closed
	end   int64
}

// New creates a temporary file in a folder, or in the system's own if dir is empty. The
// pattern is that of os.CreateTemp, and what says in an error what the file is for.
func New(dir, pattern, what string) (*File, error) {
	f, err := os.CreateTemp(dir, pattern)
	if err != nil {
		return nil, fmt.Errorf("spill %s: %w", what, err)
	}
	// Not every system removes a file that is open; there Close does.
	return &File{File: f, named: os.Remove(f.Name()) != nil}, nil
}

// Append writes b behind what was appended before, and returns where it begins.
func (f *File) Append(b []byte) (off int64, err error) {
	off = f.end
	if _, err := f.WriteAt(b, off); err != nil {
		return 0, f.Failed("spill to", err)
	}
	f.end += int64(len(b))
	return off, nil
}

// ReadBack fills b with what was written at off.
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

// Failed returns an error that names the file, and says what to do if that is known.
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
