package scan

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/plan"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// TestStates tries every transition: those in the list of state are taken, and no others.
func TestStates(t *testing.T) {
	all := []state{running, draining, stopped, failed, answered}
	taken := map[[2]state]bool{
		{running, draining}: true, {draining, running}: true,
		{running, stopped}: true, {draining, stopped}: true,
		{running, failed}: true, {draining, failed}: true, {stopped, failed}: true,
		{running, answered}: true, {draining, answered}: true, {stopped, answered}: true,
	}
	for _, from := range all {
		for _, to := range all {
			l := newLedger(Job{})
			l.state = from
			l.halt.Store(from >= stopped)
			l.enter(to)
			want := from
			if taken[[2]state{from, to}] {
				want = to
			}
			if l.state != want || l.isStopped() != (want >= stopped) {
				t.Errorf("enter(%d) in state %d: state %d, stopped %v; want state %d", to, from, l.state, l.isStopped(), want)
			}
			// A searcher has ended the scan: its workers must not wait for each other again.
			l = newLedger(Job{})
			l.state = from
			l.halt.Store(true)
			if l.enter(to); !l.isStopped() {
				t.Errorf("enter(%d) in state %d forgets that the scan was ended", to, from)
			}
		}
	}
}

// TestCancelledAfterTheAnswer cancels the context while the last hit wanted is emitted. The answer
// is complete, so the scan succeeds.
func TestCancelledAfterTheAnswer(t *testing.T) {
	data := text(10_000, 6)
	ctx, cancel := context.WithCancel(context.Background())
	var got []int64
	job := newJob(tempFile(t, data), data, "ab", 500, 2, &got)
	job.Limit = 1
	emit := job.Emit
	job.Emit = func(h []answer.Hit) error { cancel(); return emit(h) }
	if res, err := Run(ctx, job); err != nil || !res.Complete || len(got) != 1 {
		t.Errorf("%d hits, complete %v, error %v; want a complete answer", len(got), res.Complete, err)
	}
}

// TestNoPhaseAfterTheAnswer has the answer in the first of several phases, a trial. The scan opens
// no engine for the others.
func TestNoPhaseAfterTheAnswer(t *testing.T) {
	threshold.Shrink(t, 2)
	setSize(t, "plan: trial on uncached bytes", 20_000)
	data := bytes.Repeat([]byte("a"), 400_000)
	for _, limit := range []int64{0, 1} {
		var got []int64
		var opened []string
		job := newJob(tempFile(t, data), data, "a", 100, 0, &got)
		job.Limit, job.Facts.Threads, job.Facts.Want.Engine = limit, 2, plan.Auto
		job.Facts.Keep, job.Facts.Left = true, []source.Region{{Range: job.Range}}
		job.Open = func(name string, _ *source.File, c engine.Config) (engine.Engine, error) {
			opened = append(opened, name)
			return &fake{data: data, config: c, wait: func() {}}, nil
		}
		if _, err := mustEnd(t, job); err != nil || (len(opened) == 1) != (limit == 1) {
			t.Errorf("limit %d: opened %v, error %v", limit, opened, err)
		}
	}
}

// leader holds one block back until another worker has finished and the scan is cancelled.
type leader struct {
	word
	off     int64 // of the block
	stop    *atomic.Bool
	cancel  context.CancelFunc
	once    *sync.Once
	reached chan struct{} // closed when a worker holds the block
	release chan struct{}
}

func (s leader) Search(b engine.Block, yield func(answer.Hit) bool) {
	if b.Off == s.off {
		close(s.reached)
		<-s.release
	}
	s.word.Search(b, yield)
}

func (s leader) Finish() {
	s.once.Do(func() {
		<-s.reached // a worker that is not there yet would end before it
		s.cancel()
		for !s.stop.Load() {
			runtime.Gosched()
		}
		close(s.release)
	})
}

// TestCancelledIsNoAnswer cancels a scan when the second piece is done and the first one is not.
// If a block of the first piece is not searched, the hit in the second piece is neither emitted
// nor the answer, because an earlier hit may exist. If the cancelled worker holds the last block,
// the piece is finished, and the hits of both pieces are emitted.
func TestCancelledIsNoAnswer(t *testing.T) {
	data := bytes.Repeat([]byte("b"), 1000)
	data[60], data[150] = 'a', 'a' // in the second blocks of the first and the second piece
	for _, test := range []struct {
		held, limit int64
		want        []int64
		answered    bool
	}{{0, 0, nil, false}, {0, 1, nil, false}, {50, 0, []int64{60, 150}, false}, {50, 1, []int64{60}, true}} {
		ctx, cancel := context.WithCancel(context.Background())
		var got []int64
		job := newJob(tempFile(t, data), data, "a", 100, 2, &got)
		job.Limit = test.limit
		reached, release, once := make(chan struct{}), make(chan struct{}), new(sync.Once)
		job.Searcher = func(_ func(failure.UnreadError), stop *atomic.Bool) Searcher {
			return leader{word("a"), test.held, stop, cancel, once, reached, release}
		}
		job.Open = func(_ string, _ *source.File, c engine.Config) (engine.Engine, error) {
			return &fake{data: data, config: c, ahead: 1, wait: func() {}}, nil
		}
		res, err := Run(ctx, job)
		if !slices.Equal(got, test.want) || res.Complete != test.answered || errors.Is(err, context.Canceled) == test.answered {
			t.Errorf("%+v: hits %v, complete %v, error %v", test, got, res.Complete, err)
		}
	}
}

// TestWorkEndsWithTheState checks in each state which pieces are handed out and which hits emitted.
func TestWorkEndsWithTheState(t *testing.T) {
	none := func(*ledger) {}
	fail := func(l *ledger) { l.abort(io.ErrClosedPipe); l.fail(io.EOF) }
	for s, want := range map[state]struct {
		enter              func(*ledger)
		piece, goOn, emits bool
	}{
		running:  {none, true, true, true},
		draining: {(*ledger).drain, false, true, true},
		stopped:  {(*ledger).stop, false, false, true},
		failed:   {fail, false, false, false},
		answered: {func(l *ledger) { l.enter(answered) }, false, false, false},
	} {
		emitted := 0
		l := newLedger(Job{Range: source.Range{End: 200}, Emit: func(h []answer.Hit) error { emitted += len(h); return nil }})
		lanes := []*lane{{ranges: []source.Range{{Off: 0, End: 200}}, pieceBytes: 100}}
		l.open(lanes, math.MaxInt64)
		w := &worker{}
		p, _ := l.next(lanes[0], w)
		want.enter(l)
		if l.state != s || s == failed && l.failure != io.ErrClosedPipe {
			t.Errorf("state %d, want %d; error %v", l.state, s, l.failure)
		}
		if l.empty(lanes[0]) == want.piece {
			t.Errorf("state %d: lane empty %v", s, !want.piece)
		}
		if _, ok := l.next(lanes[0], w); ok != want.piece {
			t.Errorf("state %d: piece handed out %v, want %v", s, ok, want.piece)
		}
		if goOn := l.deliver(w, p, []answer.Hit{{Off: 0, Len: 1}}); goOn != want.goOn {
			t.Errorf("state %d: worker goes on %v, want %v", s, goOn, want.goOn)
		}
		if (emitted == 1) != want.emits {
			t.Errorf("state %d: %d hits emitted, want some %v", s, emitted, want.emits)
		}
	}
}

// TestNoTurnIsNotWaitedFor has a worker with hits behind bytes that will not be searched. They are
// not handed out, because the phase drains or the scan has stopped, or another worker holds them
// and has stopped. The worker keeps its hits and does not wait for its turn.
func TestNoTurnIsNotWaitedFor(t *testing.T) {
	for _, test := range []struct {
		state state
		held  bool
	}{{draining, false}, {stopped, false}, {failed, false}, {answered, false}, {stopped, true}, {failed, true}, {answered, true}} {
		s := test.state
		l := newLedger(Job{Range: source.Range{End: 200}, Emit: func([]answer.Hit) error { t.Error("emitted"); return nil }})
		l.pendingMax = 0
		lanes := []*lane{{ranges: []source.Range{{Off: 0, End: 100}}, pieceBytes: 100},
			{ranges: []source.Range{{Off: 100, End: 200}}, pieceBytes: 100}}
		l.open(lanes, math.MaxInt64)
		w := &worker{}
		p, _ := l.next(lanes[1], w)
		if test.held {
			l.next(lanes[0], &worker{})
		}
		l.enter(s)
		done := make(chan bool, 1)
		go func() {
			done <- l.emitEarly(p, []answer.Hit{{Off: 100, Len: 1}})
			l.deliver(w, p, []answer.Hit{{Off: 100, Len: 1}})
			close(done)
		}()
		if taken := waitFor(t, done); taken {
			t.Errorf("state %d: hits were taken before their turn", s)
		}
		waitFor(t, done)
		searching := worker{driver: &driver{ledger: l}, hits: []answer.Hit{{Off: 100, Len: 1}}}
		if goOn := searching.emitEarly(p); goOn == (s >= stopped) || len(searching.hits) != 1 {
			t.Errorf("state %d: the search goes on %v, with %d hits kept", s, goOn, len(searching.hits))
		}
	}
}

func waitFor(t *testing.T, done chan bool) bool {
	t.Helper()
	select {
	case v := <-done:
		return v
	case <-time.After(10 * time.Second):
		t.Fatal("the worker waits")
	}
	panic("unreachable")
}

// failing is an engine whose first reader fails. The others wait until the scan is stopped.
type failing struct {
	*fake
	readers *atomic.Int64
}

func (f failing) Reader() (engine.Reader, error) { return failingReader{f, f.readers.Add(1) == 1}, nil }

type failingReader struct {
	failing
	first bool
}

func (failingReader) Close() error { return nil }

func (r failingReader) Run(next engine.Next, _ engine.Visit) error {
	next()
	if r.first {
		return io.ErrNoProgress
	}
	for !r.config.Stop() {
		time.Sleep(time.Millisecond)
	}
	return nil
}

func TestWorkerErrorStopsTheOthers(t *testing.T) {
	data := text(10_000, 4)
	job := newJob(tempFile(t, data), data, "aba", 500, 3, new([]int64))
	job.Open = func(_ string, _ *source.File, c engine.Config) (engine.Engine, error) {
		return failing{&fake{data: data, config: c}, new(atomic.Int64)}, nil
	}
	if res, err := mustEnd(t, job); !errors.Is(err, io.ErrNoProgress) || res.Complete {
		t.Errorf("error %v, complete %v, want the error of the reader", err, res.Complete)
	}
}
