package serve

import (
	"context"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/thresh-dev/thresh/zerocopy"
)

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
