package scan

import (
	"errors"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// hitsMax is how many hits of an unfinished piece a worker collects before it waits for earlier
// pieces. It bounds the memory of a scan however many hits there are.
var hitsMax = threshold.New("scan: hits of an unfinished piece", 1<<15, 1)

// worker collects the hits of the piece that it searches.
type worker struct {
	driver  *driver
	search  Searcher
	hits    []answer.Hit
	found   int64 // hits in this piece, including those already emitted
	hitsMax int   // hits that it collects before it waits for earlier pieces
	kept    int   // hits at the last attempt to emit that failed, see emitEarly
	after   int64 // hits before this offset have been collected
	held    []int64
}

// visit searches one block. If a block of a mapping faulted, the engine visits its readable part
// again; hits that the first visit collected are not collected twice.
func (w *worker) visit(p engine.Piece, b engine.Block, last bool) bool {
	l := w.driver.ledger
	if b.Err != nil {
		e := *b.Err
		e.Len = max(min(e.Len, l.job.Range.End-e.Off), 0)
		l.unread(e)
		if m, ok := w.search.(Misser); ok {
			m.Miss(e)
		}
	} else if b.Len > 0 {
		b = clip(b, l.job.end())
		w.reportCut(b)
		if b.Off < l.bound.Load() {
			w.search.Search(b, func(h answer.Hit) bool { return w.collect(p, h) })
		}
		l.count(int64(b.Len))
	}
	if !last {
		return !l.isStopped() && w.emitBlock(p)
	}
	goOn := l.deliver(w, p, w.hits)
	w.hits, w.found, w.after, w.kept = nil, 0, 0, 0
	job := w.driver.job
	if err := w.driver.neutral.drop(job.File, source.Range{Off: p.Off, End: p.End()}); err != nil {
		l.abort(err)
	}
	return goOn
}

// emitBlock emits the hits of a stream's block at once: the writer may be slow, and the rest of the
// piece may take long to arrive.
func (w *worker) emitBlock(p engine.Piece) bool {
	if len(w.hits) == 0 || w.driver.job.File.Kind != source.Stream {
		return true
	}
	return w.emitEarly(p)
}

// emitEarly emits the hits found in a piece so far. If that cannot happen in this phase, the worker
// keeps them and tries again when it has twice as many. It returns false if the scan has stopped.
func (w *worker) emitEarly(p engine.Piece) bool {
	l := w.driver.ledger
	if l.emitEarly(p, w.hits) {
		w.hits, w.kept = w.hits[:0], 0
	} else {
		w.kept = len(w.hits)
	}
	return !l.isStopped()
}

// collect keeps a hit. It returns false when no later hit of this piece can matter.
func (w *worker) collect(p engine.Piece, h answer.Hit) bool {
	if h.Off < w.after {
		return true
	}
	l := w.driver.ledger
	w.after = h.Off + 1
	w.hits = append(w.hits, h)
	w.found++
	if l.enough(w.found, h) {
		return false
	}
	if len(w.hits) >= max(w.hitsMax, 2*w.kept) && !w.emitEarly(p) {
		return false
	}
	return h.Off < l.bound.Load()
}

// reportCut reports context that is missing because it could not be read. Of a whole range nothing needs to be
// done: the next piece reports the same bytes. But after a part another process reads, and may succeed.
func (w *worker) reportCut(b engine.Block) {
	job := w.driver.ledger.job
	if job.Whole.End <= job.Range.End {
		return
	}
	end := b.Off + int64(len(b.Data))
	want := min(b.Off+int64(b.Len+job.Ahead), job.end())
	if end < want {
		w.driver.ledger.unread(failure.UnreadError{Name: job.File.Name, Off: end, Len: want - end, Err: errCut})
	}
}

// errCut is the cause of an UnreadError after a part.
var errCut = errors.New("hits at the end of this part reach into bytes that could not be read")

// clip removes the part of a block's context that lies after the range to be scanned.
func clip(b engine.Block, end int64) engine.Block {
	if behind := b.Off + int64(len(b.Data)) - end; behind > 0 {
		b.Data = b.Data[:int64(len(b.Data))-behind]
	}
	return b
}
