//go:build unix && !linux

package mmap

import "golang.org/x/sys/unix"

// populate asks the system to read the pages soon; this system has no call that faults them in.
// The visit faults them in, and finds the pages that cannot be read.
func populate(pages []byte) {
	if len(pages) > 0 {
		_ = unix.Madvise(pages, unix.MADV_WILLNEED)
	}
}

// largeReads does nothing: this system has no such advice.
func largeReads([]byte) {}
