package scan

import (
	"bytes"
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
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
		}
	}
}

// leader holds the first block back until another worker has finished and the scan is cancelled.
type leader struct {
	word
	stop    *atomic.Bool
	cancel  context.CancelFunc
	once    *sync.Once
	release chan struct{}
}

func (s leader) Search(b engine.Block, yield func(Hit) bool) {
	if b.Off == 0 {
		<-s.release
	}
	s.word.Search(b, yield)
}

func (s leader) Finish() {
	s.once.Do(func() {
		s.cancel()
		for !s.stop.Load() {
			runtime.Gosched()
		}
		close(s.release)
	})
}

// TestCancelledIsNoAnswer cancels a scan when a later piece is done and the first one is not: a
// hit of the later piece is neither emitted nor the answer, since an earlier one may exist.
func TestCancelledIsNoAnswer(t *testing.T) {
	data := bytes.Repeat([]byte("b"), 1000)
	data[60], data[150] = 'a', 'a' // in the second blocks of the first and the second piece
	for _, limit := range []int64{0, 1} {
		ctx, cancel := context.WithCancel(context.Background())
		var got []int64
		job := newJob(tempFile(t, data), data, "a", 100, 2, &got)
		job.Limit = limit
		release, once := make(chan struct{}), new(sync.Once)
		job.Searcher = func(_ func(engine.UnreadError), stop *atomic.Bool) Searcher {
			return leader{word("a"), stop, cancel, once, release}
		}
		job.Open = func(_ string, _ *source.File, c engine.Config) (engine.Engine, error) {
			return &fake{data: data, config: c, ahead: 1, wait: func() {}}, nil
		}
		res, err := Run(ctx, job)
		if !errors.Is(err, context.Canceled) || res.Complete || len(got) > 0 {
			t.Errorf("limit %d: hits %v, complete %v, error %v; want no hits and a cancelled scan", limit, got, res.Complete, err)
		}
	}
}
