package scan

import (
	"sort"
	"time"

	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// neutral leaves the page cache as it was found: it remembers which pages were not there
// before the scan, and drops those again, and only those.
type neutral struct{ uncached []source.Range }

// rememberStepBytes is a multiple of every size of pages.
var rememberStepBytes = threshold.NewMultiple("scan: look at the page cache", 1<<30, 64<<10, 64<<10)

const (
	// Beyond so many fragments only the larger ones are remembered, so that a file whose
	// pages alternate cannot grow the memory. Small ones then stay in the cache.
	fragmentsMax      = 1 << 20
	fragmentBytesMin  = 64 << 10
	readaheadBytesMax = 32 << 20 // what the kernel may have read beyond the last piece
)

// remember looks at the page cache before anything is read.
func (n *neutral) remember(f *source.File, r source.Range) error {
	if f.Kind == source.Stream {
		return nil // what went through a pipe was never in the page cache
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

// drop gives back what reading r brought in.
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

// restore gives back what is left after the engines have let go of their mappings: what
// was read ahead, and pages that straddle pieces. Pages on which reading ahead is still
// under way cannot be dropped; they are waited for, but not for long.
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
			break // where the page cache cannot be asked, once has to do
		}
	}
	n.uncached = nil
	return nil
}

const restoreTries = 8

// left reports whether pages of the range are in the page cache that were not before.
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
