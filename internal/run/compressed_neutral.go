package run

import (
	"fmt"

	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// neutralFile reads a compressed file once and in order, and drops the pages that this brought
// into the page cache.
type neutralFile struct {
	file     *source.File
	uncached []source.Range // before reading, ascending; what has been dropped is removed
}

var (
	// The page cache is examined in steps of this size, because the answer takes a byte a page.
	cacheStepBytes = threshold.New("compressed: look at the page cache", 1<<30, 4096)
	// Pages are dropped this far behind the reader, so that there are few at any time.
	dropEveryBytes = threshold.New("compressed: bytes read before pages are dropped", 16<<20, 1)
)

// newNeutralFile examines the page cache before anything is read.
func newNeutralFile(f *source.File) (*neutralFile, error) {
	n := &neutralFile{file: f}
	step := int64(cacheStepBytes.Get())
	for off := int64(0); off < f.Bytes; off += step {
		missing, err := f.Uncached(source.Range{Off: off, End: min(off+step, f.Bytes)})
		if err != nil {
			return nil, fmt.Errorf("cache-neutral reading: %w", err)
		}
		n.uncached = append(n.uncached, missing...)
	}
	return n, nil
}

// ReadAt reads, and drops pages that lie far enough behind.
func (n *neutralFile) ReadAt(p []byte, off int64) (int, error) {
	got, err := n.file.ReadAt(p, off)
	behind := int64(dropEveryBytes.Get())
	if len(n.uncached) > 0 && off-n.uncached[0].Off >= 2*behind {
		if err := n.drop(off - behind); err != nil {
			return got, err
		}
	}
	return got, err
}

// drop drops the pages before end.
func (n *neutralFile) drop(end int64) error {
	for len(n.uncached) > 0 && n.uncached[0].Off < end {
		first := &n.uncached[0]
		done := source.Range{Off: first.Off, End: min(first.End, end)}
		if err := n.file.Drop(done); err != nil {
			return err
		}
		if first.Off = done.End; first.Off == first.End {
			n.uncached = n.uncached[1:]
		}
	}
	return nil
}

// Close drops the remaining pages, including those that the system read ahead.
func (n *neutralFile) Close() error { return n.drop(n.file.Bytes) }
