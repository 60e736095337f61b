package scan

import (
	"bytes"
	"sync/atomic"
	"time"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/plan"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// Searcher finds hits in blocks for one worker.
type Searcher interface {
	// Search calls yield for each hit that begins in the block's own bytes, in ascending
	// order, until yield returns false. A searcher that counts yields nothing and keeps a sum.
	// It adds a block to the sum only when it has read all it needs of the block, because a
	// block may be searched twice: see engine.Visit.
	Search(b engine.Block, yield func(answer.Hit) bool)
}

// Finisher is a Searcher with work to do when its worker, or a phase, ends.
type Finisher interface{ Finish() }

// Misser is a Searcher that needs to know about unreadable ranges. Miss is called at the point
// where Search would have been called for the range.
type Misser interface{ Miss(failure.UnreadError) }

// NewSearcher returns the searcher of one worker. A long search checks stop from time to time
// and returns when it is true. A searcher that cannot search a range of the input reports the
// range to lost.
type NewSearcher func(lost func(failure.UnreadError), stop *atomic.Bool) Searcher

// Job is one input and what to look for in it.
type Job struct {
	File  *source.File
	Range source.Range // End is math.MaxInt64 for a stream without a length
	// Whole is set if Range is a part of a search that others make elsewhere: hits that begin in Range may
	// end after it, in Whole. The zero Range means that Range is all.
	Whole     source.Range
	Searcher  NewSearcher
	Ahead     int  // bytes of context that a search needs after a piece
	SkipHoles bool // no hit can lie in a hole
	Disjoint  bool // of overlapping hits only the first counts, from the start of the range on
	Limit     int64
	Facts     plan.Facts // what is known; the bytes of Range that are not in Left are holes
	// Opening, if not nil, is searched before Facts are known. Then Prepare sets Facts and Neutral for
	// the rest of the range, unless the opening has the answer.
	Opening *plan.Opening
	Prepare func(job *Job, rest source.Range) error
	// Hole, if not nil, is called for each skipped range, one call at a time. A value that
	// begins in a skipped range ends before the next written byte.
	Hole     func(source.Range)
	Neutral  bool // leave the page cache as it was found
	Open     OpenEngine
	Emit     func([]answer.Hit) error // receives the hits in ascending order; one call at a time
	Progress *atomic.Int64            // bytes scanned or skipped so far; may be nil
	// Settled, if it is not nil, is called as the frontier moves on, between calls of Emit: all before an offset was
	// scanned, skipped, or is unread. Skipped and unread are what is new since the last call.
	Settled func(off, skipped int64, unread []failure.UnreadError) error
}

// end returns where the bytes end that may belong to hits.
func (j *Job) end() int64 { return max(j.Range.End, j.Whole.End) }

// OpenEngine opens the named engine for a file. The caller supplies it, so this package depends
// on the engine contract and not on the engines.
type OpenEngine func(name string, f *source.File, c engine.Config) (engine.Engine, error)

// Result describes a finished scan.
type Result struct {
	Hits     int64
	Scanned  int64 // bytes that a kernel looked at
	Skipped  int64 // bytes of holes that were not searched
	Unread   []failure.UnreadError
	Complete bool // false if the answer may lack unread bytes, or the scan failed or was cancelled
	Lanes    []LaneUse
	Reasons  []string
	Worked   time.Duration   // from their first to their last piece, all workers
	Blocked  time.Duration   // time in Emit, all workers
	Waited   time.Duration   // time that a stream's readers waited for its writer
	Prepared time.Duration   // time in Prepare
	Network  *engine.Network // of a remote object; nil otherwise
}

// LaneUse describes one engine's share of a scan.
type LaneUse struct {
	Engine  string
	Workers int
	Bytes   int64
	Time    time.Duration
	Config  engine.Config
}

// extentsMax bounds how many written ranges of a sparse file are listed before the scan. The
// rest of the file counts as one range, and its holes are skipped during the scan.
var extentsMax = threshold.New("scan: ranges of a sparse file listed before the scan", 4096, 1)

// Regions returns the parts of r to scan, in ascending order, and which of them are in the page
// cache. With skipHoles it leaves out the holes of a sparse file, except for the ahead bytes
// before the next written byte, where a hit may begin. Unknown says why the state of the page
// cache is not known; everything then counts as cached.
func Regions(f *source.File, r source.Range, skipHoles bool, ahead int) (
	left []source.Region, unknown string, err error) {
	if f.Kind == source.Stream {
		return []source.Region{{Range: r}}, "", nil
	}
	extents := []source.Range{r}
	if skipHoles {
		if extents, err = written(f, r, int64(ahead)); err != nil {
			return nil, "", err
		}
	}
	for _, e := range extents {
		found, err := f.Residency(e)
		if err != nil {
			unknown = err.Error()
			found = []source.Region{{Range: e, Cached: true}}
		}
		left = append(left, found...)
	}
	return left, unknown, nil
}

// written lists the ranges of r that hold data, each with the context before it.
func written(f *source.File, r source.Range, ahead int64) (extents []source.Range, err error) {
	most := extentsMax.Get()
	for off := r.Off; off < r.End; {
		if len(extents) == most {
			return append(extents, source.Range{Off: off, End: r.End}), nil
		}
		data, err := f.NextData(off, r.End)
		if err != nil {
			return nil, err
		}
		if data.Len() == 0 {
			break
		}
		data.Off = max(data.Off-ahead, off)
		extents = append(extents, data)
		off = data.End
	}
	return extents, nil
}

// Traits are the properties of a question that matter for planning its scan.
type Traits struct {
	Kernel    string // for receipts: the family and the instruction set
	AheadOf   func(source.Kind) int
	Ahead     int   // bytes of context that a search needs after a block, if AheadOf is nil
	Worker    int64 // memory of one searcher in bytes
	Base      int64 // memory that the program needs besides, see plan.Facts
	Width     int64 // of a typed value in bytes, 0 for other questions
	Stride    int64
	Lines     bool   // whole lines are searched
	Text      bool   // the question is about text
	SkipHoles bool   // holes need not be searched
	Disjoint  bool   // of overlapping hits only the first counts
	Example   []byte // typical input; nil if Sample is to make it up
	InOrder   bool   // blocks are begun in file order, each a piece of its own
}

// Context returns how many bytes of context a search needs after a block.
func (t *Traits) Context(kind source.Kind) int {
	if t.AheadOf != nil {
		return t.AheadOf(kind)
	}
	return t.Ahead
}

// Trailing returns how many bytes at the end of a range of n bytes do not make a whole value.
func (t *Traits) Trailing(n int64) int64 {
	if t.Width == 0 || n == 0 {
		return 0
	}
	if n < t.Width {
		return n
	}
	if t.Stride > t.Width {
		return 0 // bytes after the last value are part of its gap, not of a value
	}
	return (n - t.Width) % t.Stride
}

// Sample returns n bytes of typical input with few hits: zeros if the question skips holes and
// is not about text, otherwise Example, repeated, or lines of a log.
func (t *Traits) Sample(n int) []byte {
	if t.SkipHoles && !t.Text {
		return make([]byte, n)
	}
	if len(t.Example) > 0 {
		return bytes.Repeat(t.Example, n/len(t.Example)+1)[:n]
	}
	line := []byte("2026-01-02T03:04:05.678Z INFO  served GET /static/app.js in 12 ms\n")
	return bytes.Repeat(line, n/len(line)+1)[:n]
}
