package serve

import (
	"context"
	"net/netip"
	"sync"
	"time"
)

const (
	waitingPerAddress = 128              // requests of an address that wait for a check: some seconds of work
	waitingMax        = 2048             // of all addresses
	failuresFree      = 5                // wrong passwords in a row before an address has to pause
	pauseMin          = time.Second      // the first pause, which doubles with every further failure
	pauseMax          = 30 * time.Second // a guess in half a minute is as good as none
	addressesMax      = 4096             // addresses remembered: some 100 bytes each
	failuresKept      = 10 * time.Minute // an address that failed is remembered so long
)

// turns shares the checking of passwords among addresses. Few checks run at once. An address whose
// requests wait has a line, and the lines take turns, so a flood from some addresses delays a
// request from another one by one check of each. An address that keeps failing must pause, and
// what it sends meanwhile is not checked.
type turns struct {
	now func() time.Time

	mu      sync.Mutex
	free    int // checks that may begin at once; above 0 nobody waits
	waiting int // requests in all lines
	lines   map[netip.Addr]*line
	order   []*line // with requests, the next one first; some may have lost theirs
}

// line is what is known of an address.
type line struct {
	waiting  []chan authResult // allowed: it is your turn
	queued   bool              // it is in order
	failures int               // in a row
	pausedTo time.Time
	used     time.Time
}

func newTurns(checks int) *turns {
	return &turns{now: time.Now, free: checks, lines: map[netip.Addr]*line{}}
}

// take waits for the turn of a request. If the result is allowed, done must be called in
// the end. If it is paused, the pause is returned.
func (t *turns) take(ctx context.Context, ip netip.Addr) (authResult, time.Duration) {
	t.mu.Lock()
	l := t.line(ip)
	if pause := l.pausedTo.Sub(t.now()); pause > 0 {
		t.mu.Unlock()
		return paused, pause
	}
	if t.free > 0 {
		t.free--
		t.mu.Unlock()
		return allowed, 0
	}
	if len(l.waiting) >= waitingPerAddress || t.waiting >= waitingMax && !t.displace(len(l.waiting)+1) {
		t.mu.Unlock()
		return overloaded, 0
	}
	turn := make(chan authResult, 1)
	l.waiting = append(l.waiting, turn)
	t.waiting++
	t.queue(l)
	t.mu.Unlock()
	select {
	case r := <-turn:
		return r, pauseMin // if it is paused, this is at least the pause
	case <-ctx.Done():
		t.leave(l, turn)
		return denied, 0
	}
}

// line returns the line of an address. Without an address, clients share one.
func (t *turns) line(ip netip.Addr) *line {
	l := t.lines[ip]
	if l == nil {
		if len(t.lines) >= addressesMax {
			t.forget()
		}
		l = &line{}
		t.lines[ip] = l
	}
	l.used = t.now()
	return l
}

// forget makes room for other addresses: those that have not failed of late or, if there are none,
// all without a request.
func (t *turns) forget() {
	before := len(t.lines)
	for ip, l := range t.lines {
		if len(l.waiting) == 0 && (l.failures == 0 || t.now().Sub(l.used) > failuresKept) {
			delete(t.lines, ip)
		}
	}
	if len(t.lines) < before {
		return
	}
	for ip, l := range t.lines {
		if len(l.waiting) == 0 {
			delete(t.lines, ip)
		}
	}
}

// displace refuses the last request of the longest line, if that is longer than n.
func (t *turns) displace(n int) bool {
	var longest *line
	for _, l := range t.order {
		if longest == nil || len(l.waiting) > len(longest.waiting) {
			longest = l
		}
	}
	if longest == nil || len(longest.waiting) <= n {
		return false
	}
	last := len(longest.waiting) - 1
	longest.waiting[last] <- overloaded
	longest.waiting = longest.waiting[:last]
	t.waiting--
	return true
}

// leave takes a request whose client is gone out of its line.
func (t *turns) leave(l *line, turn chan authResult) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, w := range l.waiting {
		if w == turn {
			l.waiting = append(l.waiting[:i], l.waiting[i+1:]...)
			t.waiting--
			return
		}
	}
	if r := <-turn; r == allowed { // it came at the same time
		t.free++
		t.next()
	}
}

// judge notes the result of a check. Addresses that stand for many clients, such as that of a proxy
// on the same machine, never have to pause.
func (t *turns) judge(ip netip.Addr, correct bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	l := t.line(ip)
	switch {
	case correct:
		l.failures = 0
	case ip.IsValid() && !ip.IsLoopback():
		l.failures++
		t.pause(l)
	}
}

// done ends a turn.
func (t *turns) done() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.free++
	t.next()
}

// pause makes a line wait that has failed too often, and refuses its requests.
func (t *turns) pause(l *line) {
	over := l.failures - failuresFree
	if over <= 0 {
		return
	}
	pause := pauseMax
	if doublings := over - 1; doublings < 8 { // 2^8 s is beyond pauseMax
		pause = min(pauseMin<<doublings, pauseMax)
	}
	l.pausedTo = t.now().Add(pause)
	for _, turn := range l.waiting {
		turn <- paused
	}
	t.waiting -= len(l.waiting)
	l.waiting = nil
}

// next gives the free checks to the lines in turn.
func (t *turns) next() {
	for t.free > 0 && len(t.order) > 0 {
		l := t.order[0]
		t.order, l.queued = t.order[1:], false
		if len(l.waiting) == 0 {
			continue
		}
		l.waiting[0] <- allowed
		l.waiting = l.waiting[1:]
		t.waiting--
		t.free--
		t.queue(l)
	}
}

// queue puts a line behind the others if it has a request.
func (t *turns) queue(l *line) {
	if len(l.waiting) > 0 && !l.queued {
		l.queued = true
		t.order = append(t.order, l)
	}
}
