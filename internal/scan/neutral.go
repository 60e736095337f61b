package scan

import (
	"sort"
	"time"

	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// neutral leaves the page cache as it was found. It records which pages were missing before the
// scan, and afterwards drops those pages and no others.
type neutral struct{ uncached []source.Range }

// rememberStepBytes is a multiple of every page size.
var rememberStepBytes = threshold.NewMultiple("scan: page cache query", 1<<30, 64<<10, 64<<10)

const (
	// fragmentsMax bounds the memory for files whose pages are cached in patches. When that
	// many fragments are recorded, only those of at least fragmentBytesMin are added; smaller
	// ones stay in the cache after the scan.
	fragmentsMax      = 1 << 20
	fragmentBytesMin  = 64 << 10
	readaheadBytesMax = 32 << 20 // the most that the kernel may have read beyond the last piece
)

// remember records the uncached ranges of r before anything is read.
func (n *neutral) remember(f *source.File, r source.Range) error {
	if f.Kind == source.Stream {
		return nil // a stream's bytes are not in the page cache
	}
	stepBytes := int64(rememberStepBytes.Get())
	for off := r.Off; off < r.End; off += stepBytes {
		step := source.Range{Off: off, End: min(off+stepBytes, r.End)}
		missing, err := f.Uncached(step)
		if err != nil {
			return err
		}
		for _, m := range missing {
			last := len(n.uncached) - 1
			switch {
			case last >= 0 && n.uncached[last].End >= m.Off:
				n.uncached[last].End = m.End
			case len(n.uncached) < fragmentsMax || m.Len() >= fragmentBytesMin:
				n.uncached = append(n.uncached, m)
			}
		}
	}
	return nil
}

// drop removes the pages that reading r added to the page cache.
func (n *neutral) drop(f *source.File, r source.Range) error {
	i := sort.Search(len(n.uncached), func(i int) bool { return n.uncached[i].End > r.Off })
	for ; i < len(n.uncached) && n.uncached[i].Off < r.End; i++ {
		u := n.uncached[i]
		if err := f.Drop(source.Range{Off: max(u.Off, r.Off), End: min(u.End, r.End)}); err != nil {
			return err
		}
	}
	return nil
}

// restore drops what drop could not, after the engines have removed their mappings: pages read
// ahead by the kernel, and pages that straddle pieces. Pages that the kernel is still reading
// cannot be dropped; restore waits for them, but not for long.
func (n *neutral) restore(f *source.File, reached source.Range) error {
	if len(n.uncached) == 0 {
		return nil
	}
	reached.End += readaheadBytesMax
	for try := range restoreTries {
		time.Sleep(time.Duration(try) * time.Millisecond)
		if err := n.drop(f, reached); err != nil {
			return err
		}
		if left, err := n.left(f, reached); err != nil || !left {
			break // if the page cache cannot be queried, one attempt must do
		}
	}
	n.uncached = nil
	return nil
}

const restoreTries = 8

// left reports whether the page cache has pages of the range that it did not have before.
func (n *neutral) left(f *source.File, r source.Range) (bool, error) {
	for _, u := range n.uncached {
		both := source.Range{Off: max(u.Off, r.Off), End: min(u.End, r.End)}
		if both.Len() <= 0 {
			continue
		}
		if cached, err := f.CachedBytes(both); err != nil || cached > 0 {
			return cached > 0, err
		}
	}
	return false, nil
}
