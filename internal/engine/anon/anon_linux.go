// Package anon gives engines their buffers: anonymous memory outside the Go heap. The
// garbage collector does not see it, the kernel may write into it while a goroutine is
// elsewhere, and it lies in huge pages where the kernel has some.
package anon

import (
	"fmt"

	"golang.org/x/sys/unix"
)

const hugePageBytes = 2 << 20

// Map returns at least the given number of zero bytes, page aligned. Buffers of a huge
// page or more are whole huge pages, so that one entry of the TLB reaches all of it.
// Give it back with Unmap.
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
		// Advice only: a kernel without huge pages and a sandbox refuse it, and small pages do
		// as well, slower.
		_ = unix.Madvise(m, unix.MADV_HUGEPAGE)
	}
	return m, nil
}

// Unmap gives back what Map returned. Nothing may use it any more.
func Unmap(m []byte) error {
	if m == nil {
		return nil
	}
	if err := unix.Munmap(m); err != nil {
		return fmt.Errorf("unmap a buffer of %d bytes: %w", len(m), err)
	}
	return nil
}

// Discard gives the memory behind m back to the system until it is used again. What it holds
// then is undefined. M is whole pages. This is advice: where it is denied, the memory stays.
func Discard(m []byte) {
	if len(m) > 0 {
		_ = unix.Madvise(m, unix.MADV_DONTNEED)
	}
}
