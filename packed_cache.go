package thresh

import (
	"fmt"

	"github.com/thresh-dev/thresh/internal/source"
)

// neutralFile reads a compressed file once and in order, and takes the pages out of the
// page cache again that it brought in.
type neutralFile struct {
	file     *source.File
	uncached []source.Range // before the reading, ascending; what has been dropped is cut off
}

const (
	// The page cache is asked about that much at a time: a byte a page comes back.
	cacheStepBytes = 1 << 30
	// Pages are dropped that far behind the reading, so that they are few at any time.
	dropEveryBytes = 16 << 20
)

// newNeutralFile looks at the page cache before anything is read.
func newNeutralFile(f *source.File) (*neutralFile, error) {
	n := &neutralFile{file: f}
	for off := int64(0); off < f.Bytes; off += cacheStepBytes {
		missing, err := f.Uncached(source.Range{Off: off, End: min(off+cacheStepBytes, f.Bytes)})
		if err != nil {
			return nil, fmt.Errorf("cache-neutral reading: %w", err)
		}
		n.uncached = append(n.uncached, missing...)
	}
	return n, nil
}

// ReadAt reads, and drops what lies far enough behind.
func (n *neutralFile) ReadAt(p []byte, off int64) (int, error) {
	got, err := n.file.OS().ReadAt(p, off)
	if len(n.uncached) > 0 && off-n.uncached[0].Off >= 2*dropEveryBytes {
		if err := n.drop(off - dropEveryBytes); err != nil {
			return got, err
		}
	}
	return got, err
}

// drop gives back what lies before end.
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

// Close gives back what is left, what was read ahead of the last read among it.
func (n *neutralFile) Close() error { return n.drop(n.file.Bytes) }
