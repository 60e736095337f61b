// Package anon allocates the engines' buffers: anonymous memory outside the Go heap. The garbage
// collector does not scan or move it, the kernel may write to it while the goroutine does other
// work, and it uses huge pages if the kernel has them.
package anon

import (
	"fmt"

	"golang.org/x/sys/unix"
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
	bytes = (max(bytes, 1) + grain - 1) / grain * grain
	m, err := unix.Mmap(-1, 0, bytes, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("map a buffer of %d bytes: %w", bytes, err)
	}
	if huge {
		// A kernel without huge pages or a sandbox may refuse this advice. Small pages work too,
		// but slower.
		_ = unix.Madvise(m, unix.MADV_HUGEPAGE)
	}
	return m, nil
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

// Discard gives the memory of m back to the system until it is used again. Its content is then
// undefined. M must be whole pages. This is only advice: if the system refuses, nothing happens.
func Discard(m []byte) {
	if len(m) > 0 {
		_ = unix.Madvise(m, unix.MADV_DONTNEED)
	}
}
