// Package throttle keeps errors that clients can cause at will from filling a log.
package throttle

import (
	"fmt"
	"sync"
	"time"
)

// Errors reports at most one error per interval. The next report says how many were left out, and
// comes even if no further error does.
type Errors struct {
	report   func(error)
	interval time.Duration

	mu      sync.Mutex
	timer   *time.Timer // runs for an interval after each report
	latest  error       // of those left out
	leftOut int
}

// New returns a throttle that passes errors to report.
func New(interval time.Duration, report func(error)) *Errors {
	return &Errors{report: report, interval: interval}
}

// Add reports an error now, or counts it for the next report.
func (t *Errors) Add(err error) {
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
func (t *Errors) next() {
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
func (t *Errors) take() error {
	err := t.latest
	if t.leftOut > 1 {
		err = fmt.Errorf("%w (and %d more such errors in the last %v)", err, t.leftOut-1, t.interval)
	}
	t.latest, t.leftOut = nil, 0
	return err
}

// Close reports what was left out so far.
func (t *Errors) Close() {
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
