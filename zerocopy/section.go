package zerocopy

import (
	"fmt"
	"io"
	"os"
)

// Semaphore bounds how many system calls that may wait for a disk run at once; its capacity is
// the bound. A nil Semaphore sets no bound.
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

// Section is a range of an open file with its own cursor. It neither uses nor moves the file's
// offset, so any number of sections, each in its own goroutine, can share one open file. A single
// Section is not safe for concurrent use, except for ReadAt and Size.
type Section struct {
	file   *os.File
	off, n int64
	pos    int64
	disk   Semaphore
	by     Method // how its last bytes were sent
}

// NewSection returns the section of n bytes of f that begins at offset off. System calls that may
// wait for the disk acquire disk first, unless it is nil. A negative n counts as 0. The section
// does not close f. NewSection panics if f is nil.
func NewSection(f *os.File, off, n int64, disk Semaphore) *Section {
	if f == nil {
		panic("zerocopy.NewSection: the file is nil")
	}
	return &Section{file: f, off: off, n: max(n, 0), disk: disk}
}

// Size returns the length of the section in bytes.
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
		err = nil // the next Read returns it
	}
	return n, err
}

// ReadAt reads at an offset relative to the start of the section. It does not use the cursor. A negative offset is an
// error that wraps os.ErrInvalid.
func (s *Section) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, fmt.Errorf("read in a section of %s: %w: offset %d", s.file.Name(), os.ErrInvalid, off)
	}
	if off >= s.n {
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

// Seek moves the cursor. A position after the end is allowed: reads return io.EOF there. A
// negative position is an error that wraps os.ErrInvalid.
func (s *Section) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekStart:
	case io.SeekCurrent:
		offset += s.pos
	case io.SeekEnd:
		offset += s.n
	default:
		return 0, fmt.Errorf("seek in a section of %s: invalid whence %d", s.file.Name(), whence)
	}
	if offset < 0 {
		return 0, fmt.Errorf("seek in a section of %s: %w: offset %d", s.file.Name(), os.ErrInvalid, offset)
	}
	s.pos = offset
	return offset, nil
}

// WriteTo sends the rest of the section to w on the fastest path.
func (s *Section) WriteTo(w io.Writer) (int64, error) {
	r, err := transferAll(w, s, true)
	return r.Total(), err
}
