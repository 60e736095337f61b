package limits

import (
	"fmt"
	"runtime"
	"time"
)

// otherShare is the share of the processors from which on other programs are said to keep the machine
// busy. The kernel's own work for a measurement, such as writing its file, stays below it.
const otherShare = 0.2

// usage is how long processors have worked, up to a moment.
type usage struct {
	at       time.Time
	all, own time.Duration // of all programs, and of this one
	known    bool
}

func (r *run) usage() usage {
	u := usage{at: time.Now(), own: processorTime()}
	u.all, u.known = r.busyTime()
	return u
}

// others returns how many processors other programs used from u to next, 0 if that is unknown.
func (u usage) others(next usage) float64 {
	took := next.at.Sub(u.at)
	if !u.known || !next.known || took <= 0 {
		return 0
	}
	return max(0, float64(next.all-u.all-(next.own-u.own))/float64(took))
}

// idle does nothing for a moment, and returns how many processors other programs used meanwhile.
func (r *run) idle() (float64, error) {
	before := r.usage()
	select {
	case <-r.ctx.Done():
		return 0, r.ctx.Err()
	case <-time.After(r.sizes.idleTime):
	}
	return before.others(r.usage()), nil
}

// busyReason returns why the machine counts as busy, "" if it does not.
func (r *run) busyReason(others float64) string {
	cpus := runtime.NumCPU()
	switch {
	case others >= otherShare*float64(cpus):
		return fmt.Sprintf("other programs used %.1f of %d processors", min(others, float64(cpus)), cpus)
	case r.crowded:
		return "other programs used processors that the measurement wanted"
	}
	return ""
}

// Keep puts better figures of an earlier measurement in the place of those of c: usable ones for noisy
// ones and, if the machine was busy, the better ones. A figure of another machine is never kept.
func (c *Ceilings) Keep(earlier *Ceilings) {
	if earlier == nil || earlier.Format != c.Format || earlier.Identity.differs(c.Identity) != "" {
		return
	}
	was := map[string]*Figure{}
	for _, r := range earlier.rows() {
		was[r.key] = r.figure
	}
	for _, r := range c.rows() {
		old := was[r.key]
		if old == nil || !old.Usable() || !c.doubtful(*r.figure, *old) {
			continue
		}
		*r.figure = *old
		if r.figure.Taken.IsZero() {
			r.figure.Taken = earlier.Taken
		}
		delete(c.Absent, r.key)
		switch r.figure {
		case &c.FaultSmall:
			c.FaultSmallBytes = earlier.FaultSmallBytes
		case &c.DirectRead:
			c.DirectBlockBytes, c.DirectDepth = earlier.DirectBlockBytes, earlier.DirectDepth
		}
	}
}

// Disturbed reports whether other programs kept the machine busy while the figure was measured.
func (c *Ceilings) Disturbed(f Figure) bool { return c.Busy != "" && f.Taken.IsZero() }

// doubtful reports whether an earlier figure tells more about the machine than a new one.
func (c *Ceilings) doubtful(now, earlier Figure) bool {
	switch {
	case now.Samples == 0:
		return c.Busy != ""
	case now.Noisy:
		return true
	case c.Busy == "":
		return false
	case now.Unit == nanoseconds:
		return earlier.Median < now.Median
	}
	return earlier.Median > now.Median
}
