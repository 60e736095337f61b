package relay

import (
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// ending says how a connection ended.
type ending uint8

const (
	endDone    ending = iota // both sides ended their streams
	endDial                  // the target could not be reached
	endFailure               // one side was reset or failed
	endIdle                  // no byte passed for IdleTimeout
	endStop                  // Shutdown closed it
	endHeader                // the client sent no valid PROXY header
	endings
)

// String returns the ending's name in the metrics.
func (e ending) String() string {
	return [endings]string{"done", "dial", "failure", "idle", "stop", "header"}[e]
}

// pair holds a client's connection and the one to the target.
type pair struct {
	client, target     net.Conn
	toTarget, toClient direction

	sources atomic.Int32 // that have ended their streams

	mu    sync.Mutex
	ended bool
	how   ending
	timer *time.Timer
}

// relay forwards bytes in both directions until both sources have ended or one direction fails.
func (p *pair) relay(r *Relay) ending {
	lead, clientBytes, err := p.lead(&r.proxying)
	if err != nil {
		p.refuse(r, err)
		return p.how
	}
	target, err := r.dial()
	if err != nil {
		if r.dialCtx.Err() != nil {
			p.end(endStop)
			return p.how
		}
		r.metrics.dialFailures.Inc()
		if op, ok := errors.AsType[*net.OpError](err); ok {
			err = op.Err
		}
		r.dialLog.Add(fmt.Errorf("relay to %s: %w: the client was turned away; "+
			"check that the target runs and can be reached", r.target, err))
		p.end(endDial)
		return p.how
	}
	p.toTarget.init(target, p.client, r, &r.metrics.toTarget)
	p.toClient.init(p.client, target, r, &r.metrics.toClient)
	if !p.connect(target) {
		return p.how
	}
	if err := p.sendLead(r, lead, clientBytes); err != nil {
		p.end(endFailure)
		return p.how
	}
	p.watchIdle(r.idle)
	var other sync.WaitGroup
	other.Go(func() { p.pass(&p.toClient) })
	p.pass(&p.toTarget)
	other.Wait()
	return p.how
}

// dial connects to the target. If descriptors are short, it retries for up to DialTimeout:
// meanwhile the client waits, like those not yet accepted.
func (r *Relay) dial() (net.Conn, error) {
	began := time.Now()
	for pause := pauseMin; ; pause = min(2*pause, pauseMax) {
		c, err := r.dialer.DialContext(r.dialCtx, r.network, r.addr)
		if err == nil || !isShortage(err) || time.Since(began) > r.dialer.Timeout {
			return c, err
		}
		r.shortageLog.Add(fmt.Errorf("relay to %s: %w", r.target, shortageError(err)))
		select {
		case <-r.dialCtx.Done():
			return nil, r.dialCtx.Err()
		case <-time.After(pause):
		}
	}
}

// connect stores the connection to the target. It reports false if the pair has ended meanwhile.
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

// pass runs one direction until the pair has ended. After the end of its source the other direction
// continues. After an error the whole pair ends, because no side has asked for half a connection.
func (p *pair) pass(d *direction) {
	err := d.run()
	if err == nil && p.sources.Add(1) == 2 {
		p.end(endDone)
		return
	}
	if err == nil {
		err = d.watchSource()
	}
	if err != nil {
		settle(p.client, p.target)
		p.end(endFailure)
	}
}

// end closes both connections, once. Unless both streams have ended, it resets them: a side that read
// a clean end would take a cut transfer for a whole one.
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
	// The connections are done; their errors have no receiver.
	for _, c := range []net.Conn{p.client, p.target} {
		if c == nil {
			continue
		}
		if l, ok := c.(interface{ SetLinger(seconds int) error }); ok && how != endDone {
			_ = l.SetLinger(0)
		}
		c.Close()
	}
}

// idleChecks is how often the progress is checked within IdleTimeout.
const idleChecks = 4

// watchIdle ends the pair if no byte passed for the idle time, or up to a quarter longer. Looking
// at a counter from time to time costs the transfer nothing; deadlines would cost two calls for
// every step.
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
