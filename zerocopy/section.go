package zerocopy

import (
	"fmt"
	"io"
	"os"
)

// Semaphore bounds how many system calls that may wait for a disk run at once; its capacity is
// the bound.
type Semaphore chan struct{}

func (g Semaphore) acquire() {
	if g != nil {
		g <- struct{}{}
	}
}

func (g Semaphore) release() {
	if g != nil {
		<-g
	}
}

// Section is a range of an open file with a cursor of its own. Nothing that it does moves
// the file's offset, so any number of sections may share one open file, each in its own
// goroutine; one section is not safe for concurrent use, but for ReadAt and Size.
type Section struct {
	file   *os.File
	off, n int64
	pos    int64
	disk   Semaphore
}

// NewSection returns the n bytes of f from off on. Calls that may wait for the disk go
// through disk, unless it is nil.
func NewSection(f *os.File, off, n int64, disk Semaphore) *Section {
	return &Section{file: f, off: off, n: max(n, 0), disk: disk}
}

// Size returns the bytes of the section.
func (s *Section) Size() int64 { return s.n }

func (s *Section) remaining() int64 { return max(s.n-s.pos, 0) }

// Read reads from the cursor on.
func (s *Section) Read(p []byte) (int, error) {
	if s.pos >= s.n {
		return 0, io.EOF
	}
	n, err := s.ReadAt(p[:min(int64(len(p)), s.remaining())], s.pos)
	s.pos += int64(n)
	if n > 0 && err == io.EOF {
		err = nil // the next Read says it
	}
	return n, err
}

// ReadAt reads from an offset in the section, whatever the cursor.
func (s *Section) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 || off >= s.n {
		return 0, io.EOF
	}
	whole := int64(len(p)) <= s.n-off
	if !whole {
		p = p[:s.n-off]
	}
	s.disk.acquire()
	n, err := s.file.ReadAt(p, s.off+off)
	s.disk.release()
	if err == nil && !whole {
		err = io.EOF
	}
	return n, err
}

// Seek moves the cursor.
func (s *Section) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekStart:
	case io.SeekCurrent:
		offset += s.pos
	case io.SeekEnd:
		offset += s.n
	default:
		return 0, fmt.Errorf("seek in a section of %s: whence %d is none", s.file.Name(), whence)
	}
	if offset < 0 {
		return 0, fmt.Errorf("seek in a section of %s: %w: offset %d", s.file.Name(), os.ErrInvalid, offset)
	}
	s.pos = offset
	return offset, nil
}

// WriteTo sends what is left to w on the best path.
func (s *Section) WriteTo(w io.Writer) (int64, error) {
	r, err := transferAll(w, s, true)
	return r.Total(), err
}
