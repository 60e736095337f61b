//go:build unix

package mmap

import (
	"runtime"
	"sync"
	"time"

	"github.com/thresh-dev/thresh/internal/threshold"
	"golang.org/x/sys/unix"
)

// releaseBytesMin is the least part of a mapping that one core releases.
var releaseBytesMin = threshold.NewMultiple("mmap: bytes that one core releases", 16<<20, 64<<10, 64<<10)

// releaseNanosPerKiB is how long it must take to release a KiB for other cores to help. Pages of large
// folios are released together, 16 MiB in 25 us, which is less than it takes to wake a core; single
// pages take 700 us.
const releaseNanosPerKiB = 10

// release takes the pages out of a mapping that is about to be unmapped, each core its share. The pages
// stay in the page cache. An error does no harm: unmapping takes out what is left.
func release(data []byte) {
	share := releaseBytesMin.Get()
	if len(data) < 3*share {
		return
	}
	began := time.Now()
	_ = unix.Madvise(data[:share], unix.MADV_DONTNEED)
	if took := time.Since(began); took.Nanoseconds() < int64(share>>10)*releaseNanosPerKiB {
		return
	}
	releaseByAll(data[share:], share)
}

// releaseByAll has each core release a part of at least share bytes.
func releaseByAll(data []byte, share int) {
	parts := max(min(len(data)/share, runtime.GOMAXPROCS(0)), 1)
	share = len(data) / parts / share * share
	var wg sync.WaitGroup
	for i := range parts - 1 {
		wg.Go(func() { _ = unix.Madvise(data[i*share:][:share], unix.MADV_DONTNEED) })
	}
	_ = unix.Madvise(data[(parts-1)*share:], unix.MADV_DONTNEED)
	wg.Wait()
}
