package scan

import (
	"sync/atomic"
	"time"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/plan"
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
