package mmap

import "golang.org/x/sys/unix"

// populate faults pages in with one system call. It ignores errors, because the visit faults in the
// pages that are still missing: a kernel before 5.14 does not know this advice, and for a page that
// cannot be read the visit finds the offset.
func populate(pages []byte) {
	if len(pages) > 0 {
		_ = unix.Madvise(pages, unix.MADV_POPULATE_READ)
	}
}
