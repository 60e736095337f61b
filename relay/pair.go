package relay

import (
	"errors"
	"fmt"
	"net"
	"sync"
	"time"
)

// How a connection ended.
type ending uint8

const (
	endDone    ending = iota // both sides had said all
	endDial                  // there was no target
	endFailure               // one side was reset, or vanished
	endIdle                  // neither side took anything for too long
	endStop                  // Shutdown did not wait any longer
	endings
)

// String returns the ending as the metrics name it.
func (e ending) String() string { return [endings]string{"done", "dial", "failure", "idle", "stop"}[e] }

// pair is a client's connection and that to the target.
type pair struct {
	client, target     net.Conn
	toTarget, toClient direction

	mu    sync.Mutex
	ended bool
	how   ending
	timer *time.Timer
}

// relay passes bytes both ways until both sides have ended, or one fails.
func (p *pair) relay(r *Relay) ending {
	target, err := r.dial()
	if err != nil {
		if r.dialCtx.Err() != nil {
			p.end(endStop)
			return p.how
		}
		r.metrics.dialFailures.Inc()
		var op *net.OpError
		if errors.As(err, &op) {
			err = op.Err
		}
		r.dialLog.log(fmt.Errorf("relay to %s: %w: the client was turned away; "+
			"see that the target runs and can be reached", r.target, err))
		p.end(endDial)
		return p.how
	}
	p.toTarget.init(target, p.client, r, &r.metrics.toTarget)
	p.toClient.init(p.client, target, r, &r.metrics.toClient)
	if !p.connect(target) {
		return p.how
	}
	p.watchIdle(r.idle)
	var other sync.WaitGroup
	other.Go(func() { p.pass(&p.toClient) })
	p.pass(&p.toTarget)
	other.Wait()
	p.end(endDone)
	return p.how
}

// dial connects to the target. Where descriptors are short it tries again for as long as a
// target has to answer: the client waits, as those do that are not yet accepted.
func (r *Relay) dial() (net.Conn, error) {
	began := time.Now()
	for pause := pauseMin; ; pause = min(2*pause, pauseMax) {
		c, err := r.dialer.DialContext(r.dialCtx, r.network, r.addr)
		if err == nil || !isShortage(err) || time.Since(began) > r.dialer.Timeout {
			return c, err
		}
		r.shortageLog.log(fmt.Errorf("relay to %s: %w", r.target, shortageError(err)))
		select {
		case <-r.dialCtx.Done():
			return nil, r.dialCtx.Err()
		case <-time.After(pause):
		}
	}
}

// connect adds the target, unless the pair has been ended meanwhile.
func (p *pair) connect(target net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		target.Close()
		return false
	}
	p.target = target
	return true
}

// pass runs one direction. When its source ends, so does its destination, and the other
// direction goes on; when it fails, all ends: half a connection is of no use to anybody
// who has not asked for it.
func (p *pair) pass(d *direction) {
	if d.run() != nil {
		p.end(endFailure)
	}
}

// end closes both connections, once. What the kernel has to send it still sends. Closing
// while bytes are unread resets, which is how a reset on one side reaches the other.
func (p *pair) end(how ending) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return
	}
	p.ended, p.how = true, how
	if p.timer != nil {
		p.timer.Stop()
	}
	// There is nobody left to tell of an error.
	p.client.Close()
	if p.target != nil {
		p.target.Close()
	}
}

// looks is how often in an idle time progress is looked for.
const idleChecks = 4

// watch ends the pair when no byte got through for the idle time, or up to a quarter more.
// To look at a counter from time to time costs nothing on the way of the bytes; a deadline
// would cost two calls for each of them.
func (p *pair) watchIdle(idle time.Duration) {
	if idle == 0 {
		return
	}
	pause := max(idle/idleChecks, 1)
	var last int64
	still := 0
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return
	}
	p.timer = time.AfterFunc(pause, func() {
		now := p.toTarget.passed.Load() + p.toClient.passed.Load()
		if still++; now != last {
			last, still = now, 0
		}
		if still == idleChecks {
			p.end(endIdle)
			return
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		if !p.ended {
			p.timer.Reset(pause)
		}
	})
}
