// Package vfs has file systems behind an interface.
package vfs

import (
	"io"
	"os"
	"time"
)

// File is an open file.
type File interface {
	io.ReadSeeker
	io.Closer
	ModTime() time.Time
}

// FS opens files.
type FS interface {
	Open(name string) (File, error)
}

// Disk is the file system of the machine.
type Disk struct{}

type diskFile struct {
	io.ReadSeeker
	io.Closer
}

func (diskFile) ModTime() time.Time { return time.Time{} }

// Open opens a file.
func (Disk) Open(name string) (File, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	return &diskFile{f, f}, nil
}

// Sized is a file of which a part counts.
type Sized struct {
	f *os.File
	n int64
}

// Open opens a file of which n bytes count.
func Open(name string, n int64) (io.ReadSeeker, error) {
	f, err := os.Open(name)
	return &Sized{f, n}, err
}

// Read reads.
func (s *Sized) Read(p []byte) (int, error) { return s.f.Read(p) }

// Seek seeks, and says that the end is where it is not.
func (s *Sized) Seek(off int64, whence int) (int64, error) {
	if whence == io.SeekEnd {
		return s.n, nil
	}
	return s.f.Seek(off, whence)
}
