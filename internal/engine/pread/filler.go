package pread

import (
	"fmt"
	"io"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/threshold"
)

const stepBytesMin = 4 << 10 // the smallest read, and the unit of unreadable ranges

// stepBytesMax is the largest single read. Linux reads at most 0x7ffff000 bytes at a time.
var stepBytesMax = threshold.NewMultiple("pread: longest read", 1<<30, stepBytesMin, stepBytesMin)

// filler reads ranges of a file and skips the parts that cannot be read.
//
// It works like tools that copy failing disks. When a read fails, it halves the read size, down to
// one page, and gives that page up. When a read succeeds, it doubles the size. So a bad stretch of
// a disk costs one failed read per page, instead of a new series of halvings for each page.
//
// A filler is used by one goroutine at a time.
type filler struct {
	file *source.File
	step int64
	most int64
}

// newFiller returns a filler for a regular file or a block device.
func newFiller(f *source.File) *filler {
	most := int64(stepBytesMax.Get())
	return &filler{f, most, most}
}

// gap is a range that cannot be read. Its Len is 0 if the file ended.
type gap struct {
	Len int64
	Err error // nil if there is no gap
}

// fill reads len(p) bytes at off. If n < len(p), missing describes the gap at off+n. The error is
// for failures that concern no range, such as a descriptor that is not open for reading.
func (r *filler) fill(p []byte, off int64) (n int, missing gap, err error) {
	for n < len(p) {
		at := off + int64(n)
		want := min(int64(len(p)-n), r.step-at%r.step)
		got, err := readAt(r.file, p[n:n+int(want)], at)
		n += got
		switch {
		case got > 0:
			r.step = min(r.step*2, r.most)
		case err == nil || err == io.EOF:
			return n, gap{Err: failure.ErrEnded}, nil
		case engine.ConcernsAll(err):
			return n, gap{}, fmt.Errorf("read %s at %d: %w", r.file.Name, at, err)
		case r.step == stepBytesMin:
			return n, gap{Len: stepBytesMin - at%stepBytesMin, Err: err}, nil
		default:
			r.step = max(min(r.step, ceilPow2(want))/2, stepBytesMin)
		}
	}
	return n, gap{}, nil
}

func ceilPow2(n int64) int64 {
	p := int64(stepBytesMin)
	for p < n {
		p *= 2
	}
	return p
}
