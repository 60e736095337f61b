package wall

import (
	"context"
	"errors"
	"os"
	"runtime/debug"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh/internal/input/source"
)

// cacheLine is the stride of touching: one access per line moves every byte out of memory and costs
// the processor next to nothing.
const cacheLine = 64

// probeMapped maps the region once and sets Populate, then Touch. If the file cannot be mapped, it
// sets neither.
func probeMapped(ctx context.Context, each time.Duration, p *Probes, f *source.File, region source.Range,
	workers int) error {
	// A mapping must begin at a page.
	before := region.Off % int64(os.Getpagesize())
	start := time.Now()
	all, err := unix.Mmap(f.FD(), region.Off-before, int(region.Len()+before), unix.PROT_READ,
		unix.MAP_SHARED)
	if err != nil {
		return nil
	}
	defer func() {
		if err := unix.Munmap(all); err != nil {
			panic("thresh: bug: munmap: " + err.Error())
		}
	}()
	err = unix.Madvise(all, unix.MADV_POPULATE_READ)
	if err == nil {
		p.Populate = perSecond(int64(len(all)), time.Since(start))
	} // otherwise a kernel before 5.14, or a sandbox
	var sum atomic.Uint64 // keeps the compiler from omitting the loads
	p.Touch, err = rate(ctx, each, workers, region, func(_ int, piece source.Range) error {
		at := piece.Off - region.Off + before
		or, err := touch(all[at : at+piece.Len()])
		sum.Or(or)
		return readError(f, piece, err)
	})
	return err
}

// touch reads a word of every cache line of b. It returns an error for a page that the file no
// longer has.
func touch(b []byte) (or uint64, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if fault := recover(); fault != nil {
			if _, ok := fault.(interface{ Addr() uintptr }); !ok {
				panic(fault)
			}
			err = errors.New("the file shrank while it was mapped")
		}
	}()
	lines := unsafe.Slice((*[cacheLine / 8]uint64)(unsafe.Pointer(unsafe.SliceData(b))),
		len(b)/cacheLine)
	for i := range lines {
		or |= lines[i][0]
	}
	return or, nil
}
