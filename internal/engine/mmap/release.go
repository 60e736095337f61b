//go:build unix

package mmap

import (
	"runtime"
	"sync"

	"github.com/thresh-dev/thresh/internal/threshold"
	"golang.org/x/sys/unix"
)

// releaseBytesMin is the least part of a mapping that one core releases.
var releaseBytesMin = threshold.NewMultiple("mmap: bytes that one core releases", 16<<20, 64<<10, 64<<10)

// release takes the pages out of a mapping that is about to be unmapped, each core its share. The pages
// stay in the page cache. An error does no harm: unmapping takes out what is left.
func release(data []byte) {
	share := releaseBytesMin.Get()
	parts := min(len(data)/share, runtime.GOMAXPROCS(0))
	if parts < 2 {
		return
	}
	share *= len(data) / parts / share
	var wg sync.WaitGroup
	for i := range parts {
		part := data[i*share:]
		if i < parts-1 {
			part = part[:share]
		}
		wg.Go(func() { _ = unix.Madvise(part, unix.MADV_DONTNEED) })
	}
	wg.Wait()
}
