package relay

import (
	"fmt"
	"sync"
	"time"
)

// quietTime lies between two complaints of one kind: a target that is down fails as often
// as clients come.
const errorLogInterval = 5 * time.Second

// complaints of one kind. The first is told at once, those that follow within the quiet
// time are counted, and the next after it says how many they were.
type errorLog struct {
	report   func(error)
	reportMu *sync.Mutex // held while telling, by all kinds

	mu         sync.Mutex
	lastReport time.Time
	suppressed int
	pending    error // the last of the untold
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

// flush tells what was kept back.
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
