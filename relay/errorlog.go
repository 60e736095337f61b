package relay

import (
	"fmt"
	"sync"
	"time"
)

// errorLogInterval is the minimum time between two reports of one kind: while the target is down,
// every client causes an error.
const errorLogInterval = 5 * time.Second

// errorLog limits the reports of one kind. It reports the first error at once, counts those that
// follow within errorLogInterval, and adds their number to the next report.
type errorLog struct {
	report   func(error)
	reportMu *sync.Mutex // held during report, shared by all kinds

	mu         sync.Mutex
	lastReport time.Time
	suppressed int
	pending    error // the last suppressed error
}

func (c *errorLog) log(err error) {
	if c.report == nil {
		return
	}
	c.mu.Lock()
	if !c.lastReport.IsZero() && time.Since(c.lastReport) < errorLogInterval {
		c.suppressed++
		c.pending = err
		c.mu.Unlock()
		return
	}
	if c.suppressed > 0 {
		err = fmt.Errorf("%w (and %d times more since the last message)", err, c.suppressed)
	}
	c.lastReport, c.suppressed, c.pending = time.Now(), 0, nil
	c.mu.Unlock()
	c.write(err)
}

// flush reports what was suppressed.
func (c *errorLog) flush() {
	c.mu.Lock()
	err, n := c.pending, c.suppressed
	c.suppressed, c.pending = 0, nil
	c.mu.Unlock()
	if n > 0 {
		c.write(fmt.Errorf("%w (%d times since the last message)", err, n))
	}
}

func (c *errorLog) write(err error) {
	c.reportMu.Lock()
	defer c.reportMu.Unlock()
	c.report(err)
}
