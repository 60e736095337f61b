package serve

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/thresh-dev/thresh/zerocopy"
)

// visitors limits what each client address does: open connections, bytes and requests per second.
// An address is remembered while it has connections, and afterwards until its limits are as if it
// had never been here.
type visitors struct {
	connsMax int
	rate     int64   // bytes per second
	requests float64 // per second

	mu   sync.Mutex
	of   map[netip.Addr]*visitor
	idle int // addresses without connections, at most addressesMax
}

// visitor is what is known of an address.
type visitor struct {
	ip    netip.Addr
	conns int               // open connections and, of those through proxies, requests in progress
	rate  *zerocopy.Limiter // nil: no limit

	// The requests so far are within their limit from this time on. So long as it is not further away
	// than it takes a whole burst, another one may come.
	requestsDue time.Time
}

func (l *visitors) configure(o Options) {
	l.connsMax, l.rate, l.requests = max(o.MaxConnsPerIP, 0), max(o.LimitRatePerIP, 0), max(o.LimitRequestsPerIP, 0)
	l.of = map[netip.Addr]*visitor{}
}

// enter counts a connection or a request of ip, and reports false if there are too many. The result
// is nil if nothing is limited.
func (l *visitors) enter(ip netip.Addr) (*visitor, bool) {
	if l.connsMax == 0 && l.rate == 0 && l.requests == 0 || !ip.IsValid() {
		return nil, true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.of[ip]
	switch {
	case a == nil:
		a = &visitor{ip: ip}
		if l.rate > 0 {
			a.rate = zerocopy.NewLimiter(l.rate)
		}
		l.of[ip] = a
	case a.conns == 0:
		l.idle--
	case l.connsMax > 0 && a.conns >= l.connsMax:
		return nil, false
	}
	a.conns++
	return a, true
}

// leave undoes enter.
func (l *visitors) leave(a *visitor) {
	if a == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if a.conns--; a.conns > 0 {
		return
	}
	if a.isIdle(time.Now()) {
		delete(l.of, a.ip)
		return
	}
	if l.idle++; l.idle > addressesMax {
		l.forget()
	}
}

// forget forgets the addresses without connections that are within their limits or, if they are few,
// all without connections.
func (l *visitors) forget() {
	now := time.Now()
	for _, all := range []bool{false, true} {
		for ip, a := range l.of {
			if a.conns == 0 && (all || a.isIdle(now)) {
				delete(l.of, ip)
				l.idle--
			}
		}
		if l.idle <= addressesMax/2 {
			return
		}
	}
}

// isIdle reports whether the limits of bytes and requests are as if a had never been here.
func (a *visitor) isIdle(now time.Time) bool {
	return !a.requestsDue.After(now) && (a.rate == nil || a.rate.Idle())
}

// request counts a request, or returns how long it comes too early. a is nil if nothing is limited.
func (l *visitors) request(a *visitor) time.Duration {
	if a == nil || l.requests == 0 {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	each := time.Duration(float64(time.Second) / l.requests)
	burst := max(time.Second, each)
	now := time.Now()
	if a.requestsDue.Before(now) {
		a.requestsDue = now
	}
	if early := a.requestsDue.Add(each).Sub(now) - burst; early > 0 {
		return early
	}
	a.requestsDue = a.requestsDue.Add(each)
	return 0
}

// peerIP returns the address of a connection, the zero Addr for those without one, such as unix
// sockets.
func peerIP(a net.Addr) netip.Addr {
	tcp, ok := a.(*net.TCPAddr)
	if !ok {
		return netip.Addr{}
	}
	return tcp.AddrPort().Addr().Unmap()
}

// countedIP returns the address to which limits apply, from the text of an address. It is the zero Addr
// for unix sockets and for trusted proxies: these have many clients.
func (s *Server) countedIP(remote string) netip.Addr {
	at, err := netip.ParseAddrPort(remote)
	if err != nil || s.proxies.Trust(at.Addr()) {
		return netip.Addr{}
	}
	return subscriber(at.Addr())
}

// subscriber returns the address that stands for a client. For IPv6 it is the /64, which is what one
// subscriber has.
func subscriber(ip netip.Addr) netip.Addr {
	ip = ip.Unmap().WithZone("")
	if ip.Is6() && !ip.IsLoopback() {
		if p, err := ip.Prefix(64); err == nil {
			return p.Addr()
		}
	}
	return ip
}

// limited is what sends the response to a request, at the rate of its client's address.
type limited interface{ limitBy(zerocopy.Hook) }

// addressRate is a connection's hook for the rate of an address: that of the connection or, if that
// is a proxy's, of the request in progress.
type addressRate struct{ hook atomic.Pointer[countWaits] }

// Before waits for the address's turn.
func (r *addressRate) Before(ctx context.Context, want int64) (int64, error) {
	if hook := r.hook.Load(); hook != nil {
		return hook.Before(ctx, want)
	}
	return want, nil
}

// After returns what was not sent.
func (r *addressRate) After(n int64, m zerocopy.Method) {
	if hook := r.hook.Load(); hook != nil {
		hook.After(n, m)
	}
}

// rateHook returns the hook for a transfer to an address, or nil if its rate is not limited.
func (s *Server) rateHook(a *visitor) zerocopy.Hook {
	if a == nil || a.rate == nil {
		return nil
	}
	return &countWaits{zerocopy.Limit(a.rate), s.stats}
}

// limitBy sets the limit of what the connection sends from now on.
func (c *client) limitBy(hook zerocopy.Hook) {
	counted, _ := hook.(*countWaits)
	c.rate.hook.Store(counted)
}

// serveLimited responds to a request if its address is within its limits, and otherwise says why not.
// A connection from a trusted proxy is not limited itself. It counts as its clients' for as long as
// their requests are in progress.
func (s *Server) serveLimited(w http.ResponseWriter, r *http.Request, o *outcome, c *client, by limited) {
	a := c.visitor
	if c.proxied {
		var welcome bool
		a, welcome = s.visitors.enter(s.countedIP(r.RemoteAddr))
		o.visitor = a
		by.limitBy(s.rateHook(a))
		if !welcome {
			s.stats.crowded.Inc()
			s.refuseRequest(w, r, http.StatusServiceUnavailable, 5*time.Second, "too many requests from your address at once")
			return
		}
	}
	if early := s.visitors.request(a); early > 0 {
		s.stats.early.Inc()
		s.refuseRequest(w, r, http.StatusTooManyRequests, early, "too many requests from your address")
		return
	}
	s.serveRequest(c.binding, w, r, o)
}

// refuseRequest tells the client to try again after some time.
func (s *Server) refuseRequest(w http.ResponseWriter, r *http.Request, status int, wait time.Duration, why string) {
	setCORS(w.Header(), r, s.o.CORS)
	w.Header().Set("Retry-After", strconv.Itoa(int((wait+time.Second-1)/time.Second)))
	http.Error(w, why, status)
}
