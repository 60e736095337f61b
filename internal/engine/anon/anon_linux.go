// Package anon allocates the engines' buffers: anonymous memory outside the Go heap. The garbage
// collector does not scan or move it, the kernel may write to it while the goroutine does other
// work, and it uses huge pages if the kernel has them.
package anon

import (
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh/internal/fault"
)

const hugePageBytes = 2 << 20

// Map returns at least the given number of zero bytes, page aligned. A buffer of a quarter of a
// huge page or more is rounded up to whole huge pages, each of which needs only one TLB entry.
// Release it with Unmap.
func Map(bytes int) ([]byte, error) {
	grain := unix.Getpagesize()
	huge := bytes >= hugePageBytes/4
	if huge {
		grain = hugePageBytes
	}
	m, err := MapSmall((max(bytes, 1) + grain - 1) / grain * grain)
	if err == nil && huge {
		Huge(m)
	}
	return m, err
}

// MapSmall is Map without huge pages: for memory of which often little is used, as the first touch of a
// huge page fills all of it with zeros.
func MapSmall(bytes int) ([]byte, error) {
	page := unix.Getpagesize()
	bytes = (max(bytes, 1) + page - 1) / page * page
	err := fault.Err(fault.Map)
	var m []byte
	if err == nil {
		m, err = unix.Mmap(-1, 0, bytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	}
	if err != nil {
		return nil, fmt.Errorf("map a buffer of %d bytes: %w", bytes, err)
	}
	return m, nil
}

// Huge lets the parts of MapSmall's memory that have not been used yet have huge pages. This is only advice:
// a kernel without huge pages or a sandbox may refuse it. Small pages work too, but slower.
func Huge(m []byte) {
	if len(m) > 0 {
		_ = unix.Madvise(m, unix.MADV_HUGEPAGE)
	}
}

// Unmap releases memory that Map returned. It must not be used afterwards.
func Unmap(m []byte) error {
	if m == nil {
		return nil
	}
	if err := unix.Munmap(m); err != nil {
		return fmt.Errorf("unmap a buffer of %d bytes: %w", len(m), err)
	}
	return nil
}

// Discard gives the whole pages of m, whose first byte must be that of a page, back to the system until they are
// used again. Their content is then undefined. This is only advice: if the system refuses, nothing happens.
func Discard(m []byte) {
	// The system would round up, and take what follows m.
	if m = m[:len(m)&^(unix.Getpagesize()-1)]; len(m) > 0 {
		_ = unix.Madvise(m, unix.MADV_DONTNEED)
	}
}
