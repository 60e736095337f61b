package serve

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/bcrypt"
)

// clock is the time of a test.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func newTestTurns(checks int) (*turns, *clock) {
	c := &clock{time.Unix(1000, 0)}
	t := newTurns(checks)
	t.now = c.now
	return t, c
}

func address(i int) netip.Addr { return netip.AddrFrom4([4]byte{203, 0, byte(i >> 8), byte(i)}) }

// enter starts a request that waits for its turn, and returns when it stands in line.
func enter(t *testing.T, turns *turns, ctx context.Context, ip netip.Addr, all *sync.WaitGroup, got func(authResult)) {
	t.Helper()
	turns.mu.Lock()
	before := turns.waiting
	turns.mu.Unlock()
	all.Go(func() {
		r, _ := turns.take(ctx, ip)
		got(r)
	})
	eventually(t, "the request waits", func() bool {
		turns.mu.Lock()
		defer turns.mu.Unlock()
		return turns.waiting > before
	})
}

// TestTurns: a request from a new address comes next but one, however many requests of others wait.
func TestTurns(t *testing.T) {
	turns, _ := newTestTurns(1)
	if r, _ := turns.take(t.Context(), address(0)); r != allowed {
		t.Fatalf("result %d", r)
	}
	var mu sync.Mutex
	var order []int
	var all sync.WaitGroup
	note := func(who int) func(authResult) {
		return func(r authResult) {
			mu.Lock()
			defer mu.Unlock()
			if r != allowed {
				who = -1
			}
			order = append(order, who)
		}
	}
	for range 60 {
		enter(t, turns, t.Context(), address(1), &all, note(1))
	}
	for range 2 {
		enter(t, turns, t.Context(), address(2), &all, note(2))
	}
	enter(t, turns, t.Context(), address(3), &all, note(3))
	for n := range 63 {
		turns.done()
		eventually(t, "the next turn", func() bool {
			mu.Lock()
			defer mu.Unlock()
			return len(order) == n+1
		})
	}
	all.Wait()
	if want := []int{1, 2, 3, 1, 2, 1, 1}; !slices.Equal(order[:7], want) || slices.Contains(order, -1) {
		t.Errorf("turns of the addresses %v, want %v first", order, want)
	}
	turns.done()
	if turns.free != 1 || turns.waiting != 0 {
		t.Errorf("%d free, %d waiting in the end", turns.free, turns.waiting)
	}
}

// TestTurnsAreBounded: one address fills no more than its line, and many fill no more than all; then
// a new address displaces a request of the longest line.
func TestTurnsAreBounded(t *testing.T) {
	turns, _ := newTestTurns(0)
	ctx, cancel := context.WithCancel(t.Context())
	var mu sync.Mutex
	n := map[authResult]int{}
	note := func(r authResult) {
		mu.Lock()
		defer mu.Unlock()
		n[r]++
	}
	var all sync.WaitGroup
	for i := range waitingMax / waitingPerAddress {
		for range waitingPerAddress {
			all.Go(func() {
				r, _ := turns.take(ctx, address(i))
				note(r)
			})
		}
		eventually(t, "all wait", func() bool {
			turns.mu.Lock()
			defer turns.mu.Unlock()
			return turns.waiting == (i+1)*waitingPerAddress
		})
		if r, _ := turns.take(ctx, address(i)); r != overloaded {
			t.Fatalf("result %d beyond the line", r)
		}
	}
	all.Go(func() {
		r, _ := turns.take(ctx, address(1000))
		note(r)
	})
	eventually(t, "another is displaced", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return n[overloaded] == 1
	})
	cancel()
	all.Wait()
	if n[overloaded] != 1 || n[denied] != waitingMax || turns.waiting != 0 {
		t.Errorf("results %v, %d waiting", n, turns.waiting)
	}
	if turns.done(); turns.free != 1 {
		t.Errorf("%d checks are free", turns.free)
	}
	for range 3 { // lines without a request are no obstacle
		if r, _ := turns.take(t.Context(), address(0)); r != allowed {
			t.Errorf("result %d", r)
		}
		turns.done()
	}
	if len(turns.order) != 0 {
		t.Errorf("%d lines without a request are kept in order", len(turns.order))
	}
}

// TestPauses: an address that fails pauses longer and longer, its waiting requests are refused, and
// others, and it later, are not affected.
func TestPauses(t *testing.T) {
	turns, clock := newTestTurns(1)
	ip := address(1)
	fail := func() {
		t.Helper()
		if r, _ := turns.take(t.Context(), ip); r != allowed {
			t.Fatalf("result %d", r)
		}
		turns.judge(ip, false)
		turns.done()
	}
	for range failuresFree {
		fail()
	}
	for _, want := range []time.Duration{1, 2, 4, 8, 16, 30, 30, 30, 30, 30, 30} {
		fail()
		if r, pause := turns.take(t.Context(), ip); r != paused || pause != want*time.Second {
			t.Errorf("result %d, pause %v, want %v s", r, pause, want)
		}
		if r, _ := turns.take(t.Context(), address(2)); r != allowed {
			t.Errorf("result %d for another address", r)
		}
		turns.done()
		clock.at = clock.at.Add(want * time.Second)
	}
	if r, _ := turns.take(t.Context(), ip); r != allowed {
		t.Fatalf("result %d after the pause", r)
	}
	var all sync.WaitGroup
	for range 3 {
		enter(t, turns, t.Context(), ip, &all, func(r authResult) {
			if r != paused {
				t.Errorf("result %d while the address pauses", r)
			}
		})
	}
	turns.judge(ip, false)
	turns.done()
	all.Wait()
	clock.at = clock.at.Add(pauseMax)
	if r, _ := turns.take(t.Context(), ip); r != allowed {
		t.Fatalf("result %d", r)
	}
	turns.judge(ip, true)
	turns.done()
	fail()
	if r, _ := turns.take(t.Context(), ip); r != allowed {
		t.Errorf("result %d for one failure after a success", r)
	}
}

// TestNoPause: clients behind a proxy on this machine share an address.
func TestNoPause(t *testing.T) {
	for _, ip := range []netip.Addr{{}, netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("127.1.2.3"), new(Server).countedIP("[::1]:80")} {
		turns, _ := newTestTurns(1)
		for range 10 * failuresFree {
			if r, _ := turns.take(t.Context(), ip); r != allowed {
				t.Fatalf("%v: result %d", ip, r)
			}
			turns.judge(ip, false)
			turns.done()
		}
	}
}

// TestAddressesAreBounded: many addresses are forgotten, those that failed last of all.
func TestAddressesAreBounded(t *testing.T) {
	turns, clock := newTestTurns(1)
	visit := func(i int, correct bool) {
		if r, _ := turns.take(t.Context(), address(i)); r != allowed {
			t.Fatalf("result %d", r)
		}
		turns.judge(address(i), correct)
		turns.done()
	}
	for range failuresFree + 1 {
		visit(0, false)
	}
	for i := range 3 * addressesMax {
		visit(i+1, true)
	}
	if n := len(turns.lines); n == 0 || n > addressesMax {
		t.Errorf("%d addresses are remembered", n)
	}
	if r, _ := turns.take(t.Context(), address(0)); r != paused {
		t.Errorf("result %d for an address that failed", r)
	}
	for i := range 3 * addressesMax {
		visit(i+1, false)
		clock.at = clock.at.Add(time.Millisecond)
	}
	if n := len(turns.lines); n == 0 || n > addressesMax {
		t.Errorf("%d addresses that failed are remembered", n)
	}
}

// TestRightOneGetsIn: 60 clients send wrong passwords without end, from one address or from one
// each. A client at another address with the right one is let in after a bounded number of checks.
func TestRightOneGetsIn(t *testing.T) {
	for _, addresses := range []int{1, 60} {
		t.Run(fmt.Sprint(addresses), func(t *testing.T) {
			u := usersOf(t, bcrypt.MinCost)
			ctx, cancel := context.WithCancel(t.Context())
			var all sync.WaitGroup
			for i := range 60 {
				all.Go(func() {
					for n := 0; ctx.Err() == nil; n++ {
						if r, _ := u.check(ctx, address(i%addresses), "user0", fmt.Sprint(i, n)); r == allowed {
							t.Error("a wrong password is allowed")
						}
					}
				})
			}
			eventually(t, "a flood", func() bool { return u.checks.Load() > failuresFree })
			if r, _ := u.check(ctx, address(1000), "user0", "right"); r != allowed {
				t.Errorf("result %d", r)
			}
			cancel()
			all.Wait()
			// An address has its free failures, and pauses double: even in a minute there are few.
			if n := u.checks.Load(); n > int64(addresses*(failuresFree+8)+1) {
				t.Errorf("%d checks", n)
			}
		})
	}
}

// TestSubscribers: the addresses of an IPv6 subscriber count as one.
func TestSubscribers(t *testing.T) {
	for _, c := range [][2]string{
		{"[2001:db8:1:2:3:4:5:6]:80", "2001:db8:1:2::"}, {"[fe80::1%eth0]:80", "fe80::"},
		{"[::ffff:10.0.0.1]:80", "10.0.0.1"}, {"10.0.0.1:80", "10.0.0.1"}, {"[::1]:80", "::1"},
	} {
		if ip := new(Server).countedIP(c[0]); ip.String() != c[1] {
			t.Errorf("%s counts as %s, want %s", c[0], ip, c[1])
		}
	}
	if ip := new(Server).countedIP("@"); ip.IsValid() {
		t.Errorf("a unix socket counts as %s", ip)
	}
}
