package serve

import (
	"fmt"
	"sync"
	"time"
)

const (
	clientErrorInterval = time.Second      // between two reports of errors that clients can cause at will
	shortageInterval    = 10 * time.Second // between two reports that descriptors are short
)

// throttle reports at most one error per interval. The next report says how many were left out, and
// comes even if no further error does.
type throttle struct {
	report   func(error)
	interval time.Duration

	mu      sync.Mutex
	timer   *time.Timer // runs for an interval after each report
	latest  error       // of those left out
	leftOut int
}

func newThrottle(interval time.Duration, report func(error)) *throttle {
	return &throttle{report: report, interval: interval}
}

func (t *throttle) add(err error) {
	t.mu.Lock()
	if t.timer != nil {
		t.latest = err
		t.leftOut++
		t.mu.Unlock()
		return
	}
	t.timer = time.AfterFunc(t.interval, t.next)
	t.mu.Unlock()
	t.report(err)
}

// next reports what was left out in the last interval, and begins another one if that was anything.
func (t *throttle) next() {
	t.mu.Lock()
	err := t.take()
	t.timer = nil
	if err != nil {
		t.timer = time.AfterFunc(t.interval, t.next)
	}
	t.mu.Unlock()
	if err != nil {
		t.report(err)
	}
}

// take returns the latest error that was left out, with the number of the others, or nil.
func (t *throttle) take() error {
	err := t.latest
	if t.leftOut > 1 {
		err = fmt.Errorf("%w (and %d more such errors in the last %v)", err, t.leftOut-1, t.interval)
	}
	t.latest, t.leftOut = nil, 0
	return err
}

// close reports what was left out so far.
func (t *throttle) close() {
	t.mu.Lock()
	if t.timer != nil {
		t.timer.Stop()
		t.timer = nil
	}
	err := t.take()
	t.mu.Unlock()
	if err != nil {
		t.report(err)
	}
}
