package scan

import (
	"container/heap"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// ledger records which pieces are handed out, and emits the hits of finished pieces in file
// order: it holds them back until all earlier pieces are finished.
//
// The frontier is the lowest offset that is not finished: the lowest piece that a worker holds,
// a lane's cursor, or the start of what other phases scan, whichever is lowest. Hits below it
// are emitted. When too many hits are pending, workers wait, except the one that holds the
// frontier. One worker can always go on, because each lane hands out its pieces in ascending
// order and a worker empties its own lane before it takes from another.
//
// A trial may lie after bytes that are left to a later phase. No worker can then move the
// frontier: when too many hits are pending, the phase drains, and a worker keeps the hits of the
// piece it holds.
type ledger struct {
	job     *Job
	bound   atomic.Int64 // hits at or after this offset do not matter
	scanned atomic.Int64
	halt    atomic.Bool // state is stopped or later, or a searcher ended the scan; workers read it without the lock

	mu         sync.Mutex
	state      state
	moved      sync.Cond // the frontier moved, or the state changed
	lanes      []*lane
	rest       int64   // lowest offset that other phases scan
	held       []int64 // offsets of the pieces handed out and not finished, ascending
	waiting    batches
	pending    int   // hits in waiting
	pendingMax int   // pending hits above which workers wait
	top        int64 // highest offset handed out
	skipped    int64
	emitted    Filter // which hits count, and how many were emitted
	blocked    time.Duration
	failure    error
	unreads    []failure.UnreadError
	settled    int64          // what the job was told of, if it asks for that
	holes      []source.Range // that were skipped after it
}

// pendingMax is how many hits may wait for earlier pieces before workers wait too.
var pendingMax = threshold.New("scan: pending hits", 16<<15, 1)

func newLedger(job Job) *ledger {
	l := &ledger{job: &job, top: job.Range.Off, settled: job.Range.Off,
		pendingMax: min(pendingMax.Get(), max(job.Facts.WaitingHits(), 1)),
		emitted:    Filter{Disjoint: job.Disjoint, Limit: job.Limit, End: job.Range.Off}}
	l.moved.L = &l.mu
	l.bound.Store(math.MaxInt64)
	return l
}

// open begins a phase. Rest is the lowest offset that is left to other phases.
func (l *ledger) open(lanes []*lane, rest int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lanes, l.rest = lanes, rest
	l.enter(running)
}

// close ends a phase after its workers have returned. It emits the hits whose turn has come and
// returns the ranges that were not handed out.
func (l *ledger) close() (left []source.Range) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, lane := range l.lanes {
		for _, r := range lane.ranges {
			if r.Len() > 0 {
				left = append(left, r)
			}
		}
	}
	slices.SortFunc(left, func(a, b source.Range) int { return int(min(max(a.Off-b.Off, -1), 1)) })
	if len(left) > 0 {
		l.rest = min(l.rest, left[0].Off)
	}
	l.lanes = nil
	l.flush()
	return left
}

// next hands the lane's next piece to a worker.
func (l *ledger) next(lane *lane, w *worker) (engine.Piece, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state != running {
		return engine.Piece{}, false
	}
	p, ok, err := lane.next(l.job, l.bound.Load(), l.skip)
	if err != nil {
		l.fail(err)
	}
	if !ok {
		l.flush()
		l.moved.Broadcast()
		return p, false
	}
	at, _ := slices.BinarySearch(l.held, p.Off)
	l.held = slices.Insert(l.held, at, p.Off)
	w.held = append(w.held, p.Off)
	l.top = max(l.top, p.End())
	return p, true
}

// emitEarly emits hits of an unfinished piece. It waits until all earlier pieces are finished. If
// that cannot happen in this phase it returns false, and the worker keeps the hits.
func (l *ledger) emitEarly(p engine.Piece, hits []answer.Hit) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.frontier() < p.Off {
		if l.state >= stopped || l.stuck() {
			return false
		}
		l.moved.Wait()
	}
	l.flush()
	l.emit(hits)
	return true
}

// deliver takes the remaining hits of a finished piece. It returns false if the worker must stop.
func (l *ledger) deliver(w *worker, p engine.Piece, hits []answer.Hit) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := slices.Index(l.held, p.Off); i >= 0 {
		l.held = slices.Delete(l.held, i, i+1)
	}
	if i := slices.Index(w.held, p.Off); i >= 0 {
		w.held = slices.Delete(w.held, i, i+1)
	}
	if len(hits) > 0 {
		heap.Push(&l.waiting, batch{p.Off, hits})
		l.pending += len(hits)
	}
	l.flush()
	if l.pending > l.pendingMax && l.stuck() {
		l.enter(draining)
	}
	l.moved.Broadcast()
	for l.pending > l.pendingMax && l.state < stopped && !l.mayLead(w) {
		l.moved.Wait()
	}
	return l.state < stopped
}

// mayLead reports whether the frontier can move only if this worker goes on: either it holds the
// frontier or no worker does.
func (l *ledger) mayLead(w *worker) bool {
	front := l.frontier()
	return slices.Contains(w.held, front) || !slices.Contains(l.held, front)
}

func (l *ledger) frontier() int64 {
	front := int64(math.MaxInt64)
	if len(l.held) > 0 {
		front = l.held[0]
	}
	for _, lane := range l.lanes {
		if off, ok := lane.cursor(); ok {
			front = min(front, off)
		}
	}
	return min(front, l.rest)
}

// stuck reports whether no worker of this phase can move the frontier: no worker holds it, and
// the piece that begins there will not be handed out.
func (l *ledger) stuck() bool {
	front := l.frontier()
	return !slices.Contains(l.held, front) && (l.state != running || front == l.rest)
}

// flush emits the batches below the frontier.
func (l *ledger) flush() {
	front := l.frontier()
	for len(l.waiting) > 0 && l.waiting[0].off < front {
		b := heap.Pop(&l.waiting).(batch)
		l.pending -= len(b.hits)
		l.emit(b.hits)
	}
	l.settle(front)
}

// emit passes hits to the caller, up to the limit. If only disjoint hits count, it leaves out
// hits that overlap an earlier one.
func (l *ledger) emit(hits []answer.Hit) {
	if l.state >= failed || len(hits) == 0 {
		return
	}
	if hits = l.emitted.Keep(hits); len(hits) == 0 {
		return
	}
	full := l.emitted.Full()
	if full {
		l.bound.Store(min(l.bound.Load(), hits[len(hits)-1].Off+1))
	}
	began := time.Now()
	err := l.job.Emit(hits)
	l.blocked += time.Since(began)
	switch {
	case err != nil:
		l.emitted.Kept -= int64(len(hits))
		l.fail(err)
	case full: // not before: Emit may still read what is around the hit from a stream
		l.enter(answered)
	}
}

// enough reports whether a piece alone has as many hits as wanted, of which h is the last. If
// so, it lowers the bound to h, since no later hit matters. It never reports true where hits
// might be left out because they overlap.
func (l *ledger) enough(found int64, h answer.Hit) bool {
	if l.job.Limit == 0 || found < l.job.Limit || l.job.Disjoint && l.job.Limit > 1 {
		return false
	}
	for {
		bound := l.bound.Load()
		if h.Off+1 >= bound || l.bound.CompareAndSwap(bound, h.Off+1) {
			return true
		}
	}
}

func (l *ledger) empty(lane *lane) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, ok := lane.cursor()
	return !ok || l.state != running
}

func (l *ledger) count(n int64) {
	l.scanned.Add(n)
	l.progress(n)
}

// skip records a hole that does not need to be searched.
func (l *ledger) skip(hole source.Range) {
	if hole.Len() == 0 {
		return
	}
	l.skipped += hole.Len()
	l.progress(hole.Len())
	if l.job.Hole != nil {
		l.job.Hole(hole)
	}
	if l.job.Settled != nil {
		l.holes = append(l.holes, hole)
	}
}

func (l *ledger) progress(n int64) {
	if l.job.Progress != nil && n > 0 {
		l.job.Progress.Add(n)
	}
}

func (l *ledger) unread(e failure.UnreadError) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := len(l.unreads); n > 0 && l.unreads[n-1].Off+l.unreads[n-1].Len == e.Off && l.unreads[n-1].Name == e.Name {
		l.unreads[n-1].Len += e.Len
		return
	}
	l.unreads = append(l.unreads, e)
}

// unreadBefore returns the unread ranges that matter, those that begin before the bound. They
// are in ascending order and joined where they touch.
func (l *ledger) unreadBefore() (out []failure.UnreadError) {
	slices.SortFunc(l.unreads, func(a, b failure.UnreadError) int { return int(min(max(a.Off-b.Off, -1), 1)) })
	for _, u := range l.unreads {
		if u.Off >= l.bound.Load() {
			continue
		}
		// A searcher that reads ahead by itself may have reported the same range.
		if n := len(out); n > 0 && out[n-1].Off+out[n-1].Len >= u.Off && out[n-1].Name == u.Name {
			out[n-1].Len = max(out[n-1].Len, u.Off+u.Len-out[n-1].Off)
			continue
		}
		out = append(out, u)
	}
	return out
}

// reached returns the range that reading may have touched.
func (l *ledger) reached() source.Range {
	l.mu.Lock()
	defer l.mu.Unlock()
	return source.Range{Off: l.job.Range.Off, End: l.top}
}

// batch holds the hits of a finished piece.
type batch struct {
	off  int64
	hits []answer.Hit
}

// batches is a heap with the lowest piece on top.
type batches []batch

func (b batches) Len() int           { return len(b) }
func (b batches) Less(i, j int) bool { return b[i].off < b[j].off }
func (b batches) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }
func (b *batches) Push(x any)        { *b = append(*b, x.(batch)) }
func (b *batches) Pop() any {
	old := *b
	last := old[len(old)-1]
	*b = old[:len(old)-1]
	return last
}
