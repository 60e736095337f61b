package mmap

import "golang.org/x/sys/unix"

// populate faults pages in by one system call. What it cannot do is left to the visit: a
// kernel before 5.14 does not know the advice, and of a page that cannot be read the visit
// finds out where it is.
func populate(pages []byte) {
	if len(pages) > 0 {
		_ = unix.Madvise(pages, unix.MADV_POPULATE_READ)
	}
}
