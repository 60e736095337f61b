package ranges

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// road is a network on which a number of connections brings so many bytes per second. Its clock is the test's.
type road struct {
	object
	now  time.Time
	rate func(connections int) float64
}

// drive lets the gate look at the road for so many ticks.
func (r *road) drive(g *gate, ticks int) {
	for range ticks {
		r.now = r.now.Add(stopEvery)
		g.received(int(r.rate(g.limit)*stopEvery.Seconds()), 1<<40)
		g.look(r.now)
	}
}

func newRoad(latency time.Duration, rate func(int) float64) (*road, *gate) {
	r := &road{now: time.Unix(1, 0), rate: rate}
	r.latency = latency
	return r, newGate(r, 64, 32<<20)
}

// upTo is a road on which each connection brings one MB/s, until there are most of them.
func upTo(most int) func(int) float64 {
	return func(connections int) float64 { return 1e6 * float64(min(connections, most)) }
}

// TestClimb lets the gate find the number of connections on roads of all widths.
func TestClimb(t *testing.T) {
	for _, latency := range []time.Duration{0, 5 * time.Millisecond, 20 * time.Millisecond, 100 * time.Millisecond} {
		for _, most := range []int{1, 4, 10, 16, 40, 64, 1000} {
			r, g := newRoad(latency, upTo(most))
			began := g.limit
			r.drive(g, 1000)
			// A doubling must pay, and no more connections than that are left in.
			want := began
			for want < min(most, 64) && float64(min(2*want, most)) > faster*float64(min(want, most)) {
				want = min(2*want, 64)
			}
			if g.limit != want || !g.settled {
				t.Errorf("latency %s, %d connections pay: %d of them, settled %v, tried %v", latency, most, g.limit, g.settled, g.tried)
			}
		}
	}
}

// TestStalledWindow begins with answers that wait: the gate neither settles nor closes.
func TestStalledWindow(t *testing.T) {
	r, g := newRoad(0, upTo(64))
	g.received(1, 1<<40)
	fast := r.rate
	r.rate = func(int) float64 { return 0 }
	r.drive(g, 100)
	if g.settled || g.limit < 2 {
		t.Fatalf("%d connections, settled %v", g.limit, g.settled)
	}
	r.rate = fast
	r.drive(g, 1000)
	if g.limit != 64 {
		t.Errorf("%d connections", g.limit)
	}
}

// TestThrottled halves the connections each time that the server asks for it, down to one, and never lets more in.
func TestThrottled(t *testing.T) {
	r, g := newRoad(0, upTo(64))
	r.drive(g, 1000)
	for _, want := range []int{32, 16, 8, 4, 2, 1, 1} {
		r.throttled++
		r.drive(g, 500)
		if g.limit != want {
			t.Errorf("%d connections, want %d", g.limit, want)
		}
	}
	if n := g.network(); n.Throttled != 7 || n.Connections != 1 {
		t.Errorf("%+v", n)
	}
}

// TestFall climbs again when the road has changed.
func TestFall(t *testing.T) {
	r, g := newRoad(0, upTo(4))
	r.drive(g, 1000)
	if g.limit != 4 {
		t.Fatalf("%d connections", g.limit)
	}
	r.rate = func(connections int) float64 { return 0.3e6 * float64(connections) }
	r.drive(g, 1000)
	if g.limit != 64 {
		t.Errorf("%d connections after the fall, tried %v", g.limit, g.tried)
	}
}

// TestPieceBytes sizes ranges: longer on long ways, never longer than the plan's, shorter towards the end.
func TestPieceBytes(t *testing.T) {
	const far = int64(1) << 40
	_, g := newRoad(0, upTo(4))
	if n := g.pieceBytes(far); n != rangeBytesNear.Get() {
		t.Errorf("%d bytes of a near server before anything is known", n)
	}
	r, g := newRoad(0, upTo(4))
	r.drive(g, 1000)
	// 1 MB/s for 50 ms are less than the least.
	if n := g.pieceBytes(far); n != rangeBytesNear.Get() {
		t.Errorf("%d bytes of a near server at 1 MB/s", n)
	}
	r, g = newRoad(5*time.Millisecond, func(n int) float64 { return 100e6 * float64(n) })
	if n := g.pieceBytes(far); n != rangeBytesStart.Get() {
		t.Errorf("%d bytes before anything is known", n)
	}
	r.drive(g, 1000)
	// 100 MB/s for 48 round trips of 5 ms are 24 MB.
	if n := g.pieceBytes(far); n != 32<<20 {
		t.Errorf("%d bytes at 100 MB/s and 5 ms", n)
	}
	r, g = newRoad(100*time.Millisecond, upTo(64))
	r.drive(g, 1000)
	// 1 MB/s for 48 round trips of 0.1 s are 4.8 MB.
	if n := g.pieceBytes(far); n != 8<<20 {
		t.Errorf("%d bytes at 1 MB/s and 100 ms", n)
	}
	last := g.pieceBytes(far)
	for left := int64(2 << 30); left > 0; left /= 3 {
		n := g.pieceBytes(left)
		if n > last || n < 1 || n < rangeBytesMin.Get() || n > rangeBytesMin.Get() && int64(n) > left/int64(shareOfRest*g.limit) {
			t.Errorf("%d bytes of %d that are left, before that %d", n, left, last)
		}
		last = n
	}
	small := newGate(r, 64, 1000)
	if n := small.pieceBytes(far); n != 1000 {
		t.Errorf("%d bytes of a plan's 1000", n)
	}
}

// TestLast lets a worker go when no more is missing than a connection brings in a round trip.
func TestLast(t *testing.T) {
	r, g := newRoad(100*time.Millisecond, upTo(64))
	if g.received(1, 1) || !g.received(1, 0) {
		t.Error("before anything is known only the end is the end")
	}
	r.drive(g, 1000) // 1 MB/s for each
	if g.received(1, 100_100) || !g.received(1, 99_900) {
		t.Error("it is not 100,000 bytes")
	}
}

// TestEnter lets no more in than the limit, and all go home when it closes.
func TestEnter(t *testing.T) {
	_, g := newRoad(0, upTo(4))
	g.limit = 3
	var inside, most, entered atomic.Int64
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for g.enter() {
				n := inside.Add(1)
				for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
				}
				entered.Add(1)
				inside.Add(-1)
				g.leave()
				if entered.Load() > 5000 {
					g.close()
				}
			}
		})
	}
	wg.Wait()
	if most.Load() > 3 || g.inside != 0 || g.enter() {
		t.Errorf("%d were inside at once, %d still are", most.Load(), g.inside)
	}
}
