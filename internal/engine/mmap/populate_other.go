//go:build unix && !linux

package mmap

import "golang.org/x/sys/unix"

// populate asks for the pages to be read soon, which is what this system offers. The visit
// faults them in, and finds out which cannot be read.
func populate(pages []byte) {
	if len(pages) > 0 {
		_ = unix.Madvise(pages, unix.MADV_WILLNEED)
	}
}
