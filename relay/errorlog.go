package relay

import (
	"fmt"
	"sync"
	"time"
)

// quietTime lies between two complaints of one kind: a target that is down fails as often
// as clients come.
const quietTime = 5 * time.Second

// complaints of one kind. The first is told at once, those that follow within the quiet
// time are counted, and the next after it says how many they were.
type complaints struct {
	tell  func(error)
	speak *sync.Mutex // held while telling, by all kinds

	mu      sync.Mutex
	told    time.Time
	untold  int
	pending error // the last of the untold
}

func (c *complaints) complain(err error) {
	if c.tell == nil {
		return
	}
	c.mu.Lock()
	if !c.told.IsZero() && time.Since(c.told) < quietTime {
		c.untold++
		c.pending = err
		c.mu.Unlock()
		return
	}
	if c.untold > 0 {
		err = fmt.Errorf("%w (and %d times more since the last message)", err, c.untold)
	}
	c.told, c.untold, c.pending = time.Now(), 0, nil
	c.mu.Unlock()
	c.say(err)
}

// flush tells what was kept back.
func (c *complaints) flush() {
	c.mu.Lock()
	err, n := c.pending, c.untold
	c.untold, c.pending = 0, nil
	c.mu.Unlock()
	if n > 0 {
		c.say(fmt.Errorf("%w (%d times since the last message)", err, n))
	}
}

func (c *complaints) say(err error) {
	c.speak.Lock()
	defer c.speak.Unlock()
	c.tell(err)
}
