package serve

import (
	"context"
	"net/http/httptest"
	"net/netip"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/thresh-dev/thresh/zerocopy"
)

func newVisitors(o Options) *visitors {
	v := &visitors{}
	v.configure(o)
	return v
}

// numberedIP returns one of many addresses, each of another subscriber.
func numberedIP(n int) netip.Addr {
	return netip.AddrFrom4([4]byte{10, byte(n >> 16), byte(n >> 8), byte(n)})
}

func (v *visitors) mustEnter(t *testing.T, ip netip.Addr) *visitor {
	t.Helper()
	a, ok := v.enter(ip)
	if !ok {
		t.Fatalf("%s may not enter", ip)
	}
	return a
}

// sendFor sends slices as large as allowed, for so long, and returns the bytes.
func sendFor(t *testing.T, hook zerocopy.Hook, d time.Duration) (total int64) {
	for end := time.Now().Add(d); time.Now().Before(end); {
		n, err := hook.Before(context.Background(), 1<<30)
		if err != nil {
			t.Error(err)
		}
		hook.After(n, zerocopy.BySendfile)
		total += n
	}
	return total
}

// TestRateOfAnAddress: its connections share the rate and get equal parts; another address has its own.
func TestRateOfAnAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const rate, conns, seconds = 10 << 20, 5, 20
		const slice = rate / 10
		v := newVisitors(Options{LimitRatePerIP: rate})
		var all sync.WaitGroup
		var sent [conns + 1]int64
		for i := range sent {
			ip := numberedIP(i / conns) // the last one is alone
			all.Go(func() {
				a := v.mustEnter(t, ip)
				sent[i] = sendFor(t, zerocopy.Limit(a.rate), seconds*time.Second)
				v.leave(a)
			})
		}
		all.Wait()
		var total int64
		for _, n := range sent[:conns] {
			total += n
			// The first one has the free slices; those that are under way in the end make a difference of one.
			if n < seconds*rate/conns-3*slice || n > seconds*rate/conns+4*slice {
				t.Errorf("one of %d connections sent %d of %d bytes", conns, n, seconds*rate)
			}
		}
		for _, n := range []int64{total, sent[conns]} {
			if n < seconds*rate-2*slice || n > seconds*rate+(conns+2)*slice {
				t.Errorf("%d bytes in %d seconds at %d a second", n, seconds, rate)
			}
		}
	})
}

// TestRateOutlivesConnections: a client that connects anew for each slice is not faster.
func TestRateOutlivesConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const rate, seconds = 10 << 20, 20
		v := newVisitors(Options{LimitRatePerIP: rate})
		var total int64
		for end := time.Now().Add(seconds * time.Second); time.Now().Before(end); {
			a := v.mustEnter(t, numberedIP(1))
			total += sendFor(t, zerocopy.Limit(a.rate), 1)
			v.leave(a)
		}
		if total > seconds*rate+3*rate/10 {
			t.Errorf("%d bytes in %d seconds at %d a second", total, seconds, rate)
		}
		time.Sleep(time.Second)
		a := v.mustEnter(t, numberedIP(1))
		v.leave(a)
		if len(v.of) != 0 || v.idle != 0 {
			t.Errorf("%d addresses are remembered, %d of them idle", len(v.of), v.idle)
		}
	})
}

// TestRequestsOfAnAddress: so many at once, then so many in each second, and it says when the next may come.
func TestRequestsOfAnAddress(t *testing.T) {
	for _, c := range []struct {
		perSecond       float64
		burst           int
		in, seconds     int // so many in so many seconds, after the burst
		early           time.Duration
		earlyAfterBurst bool
	}{
		{10, 10, 100, 10, 100 * time.Millisecond, true},
		{1, 1, 10, 10, time.Second, true},
		{0.5, 1, 10, 20, 2 * time.Second, true},
		{2.5, 2, 25, 10, 200 * time.Millisecond, true}, // half a request is left
	} {
		synctest.Test(t, func(t *testing.T) {
			v := newVisitors(Options{LimitRequestsPerIP: c.perSecond})
			a := v.mustEnter(t, numberedIP(1))
			other := v.mustEnter(t, numberedIP(2))
			for pause := range 2 {
				burst := 0
				for v.request(a) == 0 {
					burst++
				}
				if early := v.request(a); burst != c.burst || early != c.early {
					t.Errorf("%v a second: %d at once, then %v early, after pause %d", c.perSecond, burst, early, pause)
				}
				time.Sleep(c.early - 1)
				if v.request(a) == 0 {
					t.Errorf("%v a second: one came early", c.perSecond)
				}
				time.Sleep(time.Nanosecond)
				if early := v.request(a); early != 0 {
					t.Errorf("%v a second: the next is still %v early", c.perSecond, early)
				}
				came := 0
				for end := time.Now().Add(time.Duration(c.seconds) * time.Second); ; {
					time.Sleep(10 * time.Millisecond)
					if time.Now().After(end) {
						break
					}
					if v.request(a) == 0 {
						came++
					}
				}
				if came < c.in-1 || came > c.in {
					t.Errorf("%v a second: %d came in %d seconds", c.perSecond, came, c.seconds)
				}
				time.Sleep(time.Minute)
			}
			if early := v.request(other); early != 0 {
				t.Errorf("another address is %v early", early)
			}
			v.leave(a)
			v.leave(other)
		})
	}
}

// TestVisitorsAreBounded: addresses that are gone are forgotten, those with connections never.
func TestVisitorsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newVisitors(Options{LimitRequestsPerIP: 1, MaxConnsPerIP: 1})
		stays := v.mustEnter(t, numberedIP(1<<20))
		v.request(stays)
		for i := range 5 * addressesMax {
			a := v.mustEnter(t, numberedIP(i))
			if early := v.request(a); early != 0 {
				t.Fatalf("a new address is %v early", early)
			}
			v.leave(a)
			if len(v.of) > addressesMax+1 || v.idle != len(v.of)-1 {
				t.Fatalf("%d addresses are remembered, %d of them idle", len(v.of), v.idle)
			}
		}
		// Those within their limits are forgotten first.
		time.Sleep(2 * time.Second)
		late := v.mustEnter(t, numberedIP(1<<21))
		v.request(late)
		v.leave(late)
		for i := range addressesMax {
			a := v.mustEnter(t, numberedIP(1<<22+i))
			v.request(a)
			v.leave(a)
			if i == addressesMax/4 {
				if again := v.mustEnter(t, numberedIP(1<<21)); v.request(again) == 0 {
					t.Error("forgotten before others")
				} else if v.idle != len(v.of)-2 {
					t.Errorf("%d of %d are idle, and 2 are here", v.idle, len(v.of))
				} else {
					v.leave(again)
				}
			}
		}
		if _, ok := v.enter(numberedIP(1 << 20)); ok {
			t.Error("an address with a connection was forgotten")
		}
		v.leave(stays)
	})
}

// TestNoLimits: without limits nothing is remembered, and a unix socket is never limited.
func TestNoLimits(t *testing.T) {
	v := newVisitors(Options{})
	for range 3 {
		if a, ok := v.enter(numberedIP(1)); a != nil || !ok {
			t.Errorf("%v, %v", a, ok)
		}
	}
	v = newVisitors(Options{MaxConnsPerIP: 1, LimitRequestsPerIP: 1, LimitRatePerIP: 1})
	for range 3 {
		if a, ok := v.enter(netip.Addr{}); a != nil || !ok || v.request(a) != 0 {
			t.Errorf("without an address: %v, %v", a, ok)
		}
	}
	v.leave(nil)
	if len(v.of) != 0 {
		t.Errorf("%d are remembered", len(v.of))
	}
}

// asks counts the calls of a hook that allows few bytes at a time.
type asks struct{ before, after, bytes int64 }

func (a *asks) Before(_ context.Context, want int64) (int64, error) {
	a.before++
	return min(want, 3), nil
}

func (a *asks) After(n int64, _ zerocopy.Method) {
	a.after++
	a.bytes += n
}

// TestRateOfAStream: a response over HTTP/2 asks for each part and says how much of it went.
func TestRateOfAStream(t *testing.T) {
	w := httptest.NewRecorder()
	hook := &asks{}
	streams := &streams{server: start(t, nil).Server}
	tracked := &http2Writer{ResponseWriter: w, stream: &stream{streams: streams, out: w}, ctx: t.Context()}
	tracked.limitBy(hook)
	for _, text := range []string{"0123456789", ""} {
		if n, err := tracked.Write([]byte(text)); n != len(text) || err != nil {
			t.Errorf("%d bytes, %v", n, err)
		}
	}
	if w.Body.String() != "0123456789" || hook.before != 4 || hook.after != 4 || hook.bytes != 10 {
		t.Errorf("%q, %+v", w.Body, hook)
	}
}
