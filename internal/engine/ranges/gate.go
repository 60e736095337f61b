package ranges

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// How many ranges at once are best depends on the way to the server: on one machine a few suffice; where packets
// are lost far away, each connection is slow, and many are many times as fast. The gate climbs: it measures the
// rate for some round trips, lets twice as many in, and goes on while that is clearly faster. If not, it looks
// once further, because a single step can be bad luck, and then goes back to the best. It climbs again if the rate
// falls later. A server that asks for fewer requests gets half as many, and no more than that from then on.
//
// Near servers are as fast as the processors let them be. More connections than a few only take time from the
// others there, and so does every step, so the climb begins low and ends at the first one that was not faster.
//
// A worker leaves the gate a round trip before its answer ends, so that the next request is on its way meanwhile.
//
// A range is as long as a connection takes for many round trips, so that waiting for answers costs little, and
// long enough for what a request costs both processors. Towards the end ranges become shorter, so that no
// connection is left alone with a long one.

var (
	rangeBytesMin   = threshold.New("ranges: shortest range", 256<<10, 1)
	rangeBytesStart = threshold.New("ranges: range before anything is known", 1<<20, 1)
	rangeBytesNear  = threshold.New("ranges: the same of a near server", 16<<20, 1)
)

const (
	latencyNear   = 2 * time.Millisecond  // below which a server is near
	windowMin     = 80 * time.Millisecond // the least time that a rate is measured over
	roundTrips    = 6                     // of a window, and half as many before it
	faster        = 1.12                  // how many times as fast more connections must be
	fallen        = 0.5                   // the share of the best rate below which the climb begins again
	fallsMax      = 5                     // windows in a row
	rangeTrips    = 48                    // round trips that a range should last
	rangeTripsMin = 2                     // at least, towards the end
	rangeTime     = 50 * time.Millisecond // that a range should last at least
	shareOfRest   = 2                     // a range is at most 1/(2 × connections) of what is left
)

// gate decides how many workers request ranges at once.
type gate struct {
	object source.Object
	most   int
	piece  int // the longest range
	near   bool

	mu      sync.Mutex
	latency time.Duration // when it was last looked at
	changed sync.Cond
	closed  bool
	limit   int // workers that may be inside
	inside  int

	bytes     int64 // received
	throttled int64 // requests for fewer, as far as they were heeded

	climb
}

// climb is the search for the best limit.
type climb struct {
	began      time.Time // of the window
	beganBytes int64
	warm       bool // the window measures; before that the connections get up to speed
	best       int
	bestRate   float64
	misses     int // steps in a row that were not faster
	settled    bool
	falls      int
	tried      []string
	rate       float64 // of the last window
}

func newGate(o source.Object, most, piece int) *gate {
	g := &gate{object: o, most: most, piece: piece}
	g.changed.L = &g.mu
	latency, throttled := o.Traffic()
	g.throttled = throttled
	g.near = latency < latencyNear
	switch {
	case g.near:
		g.limit = 2
	case latency < 10*time.Millisecond:
		g.limit = 8
	case latency < 30*time.Millisecond:
		g.limit = 16
	default:
		g.limit = 64 // a step takes half a second there
	}
	g.limit = min(g.limit, most)
	return g
}

// enter waits until one more worker may request a range. It returns false when the scan is over.
func (g *gate) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.inside >= g.limit && !g.closed {
		g.changed.Wait()
	}
	if !g.closed {
		g.inside++
	}
	return !g.closed
}

func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.inside--
	g.changed.Signal()
}

func (g *gate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
	g.changed.Broadcast()
}

// received counts bytes of an answer of which so many are missing yet. It reports whether these are on their way:
// no more than a connection brings in a round trip.
func (g *gate) received(n int, missing int64) (last bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.bytes += int64(n)
	return missing <= int64(g.roundTripBytes())
}

// roundTripBytes is what a connection brings in a round trip. g.mu is held.
func (g *gate) roundTripBytes() float64 { return g.rate / float64(g.limit) * g.latency.Seconds() }

// look measures the rate, and changes the limit.
func (g *gate) look(now time.Time) {
	latency, throttled := g.object.Traffic()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.latency = latency
	if throttled > g.throttled {
		g.throttled = throttled
		g.most = max(g.limit/2, 1)
		g.settled, g.best, g.bestRate = true, g.most, 0
		g.set(g.most, now)
		return
	}
	if g.began.IsZero() {
		if g.bytes > 0 {
			g.restart(now)
		}
		return
	}
	window := max(windowMin, roundTrips*latency)
	took := now.Sub(g.began)
	if !g.warm {
		if took >= window/2 {
			g.restart(now)
			g.warm = true
		}
		return
	}
	if took < window {
		return
	}
	g.rate = float64(g.bytes-g.beganBytes) / took.Seconds()
	g.restart(now)
	if g.rate == 0 {
		return // all answers wait: no number of connections is to blame
	}
	if g.settled {
		g.watchFall(now)
		return
	}
	if len(g.tried) < triedMax {
		g.tried = append(g.tried, fmt.Sprintf("%d: %.3g MB/s", g.limit, g.rate/1e6))
	}
	if g.rate > faster*g.bestRate {
		g.best, g.bestRate, g.misses = g.limit, g.rate, 0
	} else {
		g.misses++
	}
	next := min(2*g.limit, g.most)
	if g.misses > 1 || g.near && g.misses > 0 || next == g.limit {
		g.settled, next = true, g.best
	}
	g.set(next, now)
}

// triedMax is how many steps a receipt lists.
const triedMax = 12

// watchFall begins the climb again if the rate stays far below the best.
func (g *gate) watchFall(now time.Time) {
	g.bestRate = max(g.bestRate, g.rate)
	if g.falls++; g.rate > fallen*g.bestRate {
		g.falls = 0
	}
	if g.falls >= fallsMax {
		g.climb = climb{tried: g.tried, rate: g.rate}
		g.set(g.limit, now)
	}
}

func (g *gate) restart(now time.Time) { g.began, g.beganBytes = now, g.bytes }

// set changes the limit. g.mu is held.
func (g *gate) set(limit int, now time.Time) {
	if limit != g.limit {
		g.warm = false
	}
	g.limit = limit
	g.restart(now)
	g.changed.Broadcast()
}

// pieceBytes returns the length of the next range.
func (g *gate) pieceBytes(left int64) int {
	latency, _ := g.object.Traffic()
	g.mu.Lock()
	defer g.mu.Unlock()
	n := int64(rangeBytesStart.Get())
	if g.near {
		n = int64(rangeBytesNear.Get())
	}
	if g.rate > 0 {
		want := int64(g.rate / float64(g.limit) * max(rangeTrips*latency, rangeTime).Seconds())
		for n < want {
			n *= 2
		}
	}
	n = min(n, int64(g.piece))
	least := max(int64(rangeBytesMin.Get()), int64(rangeTripsMin*g.roundTripBytes()))
	for n/2 >= least && n > left/int64(shareOfRest*g.limit) {
		n /= 2
	}
	return int(max(n, 1))
}

func (g *gate) network() engine.Network {
	latency, throttled := g.object.Traffic()
	g.mu.Lock()
	defer g.mu.Unlock()
	n := engine.Network{Connections: g.limit, Latency: latency, Throttled: throttled}
	if len(g.tried) > 1 {
		n.Reason = fmt.Sprintf("ranges: %d at once: tried %s", g.limit, strings.Join(g.tried, ", "))
	}
	return n
}
