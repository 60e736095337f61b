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

// largeReads asks the kernel to read uncached bytes of a mapping in huge pages, whatever the read-ahead
// of the device is. A piece then takes one fault and one or two requests, and later mappings of the
// file take one fault for 2 MiB. Kernels and file systems without huge pages in the page cache ignore
// it or return an error, and read as they would have.
func largeReads(mapping []byte) { _ = unix.Madvise(mapping, unix.MADV_HUGEPAGE) }
