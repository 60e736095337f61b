package scan

import (
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// hitsMax is how many hits a worker holds back while it waits for the pieces before its
// own. With it the memory of a scan is bounded however many hits there are.
var hitsMax = threshold.New("scan: hits of a piece in hand", 1<<15, 1)

// worker collects the hits of the piece that it is looking at.
type worker struct {
	driver *driver
	search Searcher
	hits   []Hit
	found  int64 // hits in this piece, those delivered included
	most   int   // hits that it holds back
	kept   int   // of them, those whose turn does not come in this phase
	after  int64 // hits before this offset have been collected already
	held   []int64
}

// visit searches one block. A block of a mapping that faulted is visited once more, as far
// as it can be read: the hits that the first visit collected are not collected again.
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
		b = clip(b, l.job.Range.End)
		if b.Off < l.bound.Load() {
			w.search.Search(b, func(h Hit) bool { return w.collect(p, h) })
		}
		l.count(int64(b.Len))
	}
	if !last {
		return !l.isStopped() && w.hasten(p)
	}
	goOn := l.deliver(w, p, w.hits)
	w.hits, w.found, w.after, w.kept = nil, 0, 0, 0
	job := w.driver.job
	if err := w.driver.neutral.drop(job.File, source.Range{Off: p.Off, End: p.End()}); err != nil {
		l.abort(err)
	}
	return goOn
}

// hasten passes on at once what a block of a stream held: the writer may be slow, and the
// piece long in coming.
func (w *worker) hasten(p engine.Piece) bool {
	if len(w.hits) == 0 || w.driver.job.File.Kind != source.Stream {
		return true
	}
	return w.advance(p)
}

// advance passes on what was found in a piece so far. Where the turn of the piece does not
// come in this phase it is kept, and tried again when it is twice as much.
func (w *worker) advance(p engine.Piece) bool {
	l := w.driver.ledger
	if l.advance(p, w.hits) {
		w.hits, w.kept = w.hits[:0], 0
	} else {
		w.kept = len(w.hits)
	}
	return !l.isStopped()
}

// collect keeps a hit. It returns false when no later hit of this piece can matter.
func (w *worker) collect(p engine.Piece, h Hit) bool {
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
	if len(w.hits) >= max(w.most, 2*w.kept) && !w.advance(p) {
		return false
	}
	return h.Off < l.bound.Load()
}

// clip takes from a block the context that lies behind the range to be scanned.
func clip(b engine.Block, end int64) engine.Block {
	if behind := b.Off + int64(len(b.Data)) - end; behind > 0 {
		b.Data = b.Data[:int64(len(b.Data))-behind]
	}
	return b
}
