package serve

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// outcome is what the access log and the metrics record of a response.
type outcome struct {
	began  time.Time
	took   time.Duration
	status int   // 0 if the client left before the response, or for an error of HTTP/2
	bytes  int64 // of the body, as accepted by the connection
	user   string
	client string // address without port

	visitor *visitor // that the request counts for until it is recorded; nil: none, or the connection counts
}

// ended returns when the response ended.
func (o *outcome) ended() time.Time { return o.began.Add(o.took) }

// serveRequest checks the host and the user, then runs the handler.
func (s *Server) serveRequest(b *binding, w http.ResponseWriter, r *http.Request, o *outcome) {
	if !s.answers(b, r.Host) {
		s.refuseHost(w, r)
		return
	}
	if b.redirectTo != "" {
		redirect(w, r, b.redirectTo)
		return
	}
	preflight := isPreflight(r) && len(s.o.CORS) > 0 // browsers send it without a password
	if s.users == nil || preflight || s.authorize(w, r, o) {
		s.handler.ServeHTTP(w, r)
	}
}

// authorize reports whether the request has the name and password of a user. Otherwise it has
// responded.
func (s *Server) authorize(w http.ResponseWriter, r *http.Request, o *outcome) bool {
	result, pause := denied, time.Duration(0)
	name, password, given := r.BasicAuth()
	if given {
		result, pause = s.users.check(r.Context(), s.countedIP(r.RemoteAddr), name, password)
	}
	if result == allowed {
		o.user = name
		return true
	}
	setCORS(w.Header(), r, s.o.CORS)
	switch result {
	case paused:
		s.stats.unchecked.Inc()
		w.Header().Set("Retry-After", strconv.Itoa(int((pause+time.Second-1)/time.Second)))
		http.Error(w, "too many wrong passwords from your address", http.StatusTooManyRequests)
	case overloaded:
		s.stats.unchecked.Inc()
		w.Header().Set("Retry-After", "2")
		http.Error(w, "too many passwords are being checked", http.StatusServiceUnavailable)
	default:
		if given {
			s.stats.denied.Inc()
		}
		w.Header().Set("WWW-Authenticate", `Basic realm="thresh", charset="UTF-8"`)
		http.Error(w, "name and password required", http.StatusUnauthorized)
	}
	return false
}

// record counts a response and logs it.
func (s *Server) record(r *http.Request, o *outcome) {
	o.took = time.Since(o.began)
	s.stats.inFlight.Add(-1)
	s.visitors.leave(o.visitor)
	s.note(r, o)
}

// note counts and logs any response that leaves the server.
func (s *Server) note(r *http.Request, o *outcome) {
	s.stats.countRequest(r.Method, o)
	if s.log != nil {
		o.client = addressOnly(r.RemoteAddr)
		s.log.add(r, o)
	}
}

// addressOnly removes the port.
func addressOnly(remote string) string {
	if i := strings.LastIndexByte(remote, ':'); i >= 0 {
		remote = remote[:i]
	}
	return strings.Trim(remote, "[]")
}

// logServerError logs errors except those that clients cause: clients leave all the time, and the
// access log shows how much they took.
func (s *Server) logServerError(err error) {
	for _, clientError := range []error{
		syscall.ECONNRESET, syscall.EPIPE, syscall.ETIMEDOUT, os.ErrDeadlineExceeded, net.ErrClosed, context.Canceled,
	} {
		if errors.Is(err, clientError) {
			return
		}
	}
	if isShortage(err) {
		s.shortages.Add(err)
		return
	}
	s.o.ErrorLog(err)
}

// logCopied logs once for each reason that a body was copied through memory.
func (s *Server) logCopied(reason string) {
	s.mu.Lock()
	logged := s.copyReasons[reason]
	s.copyReasons[reason] = true
	s.mu.Unlock()
	if !logged {
		s.o.ErrorLog(fmt.Errorf("a response was copied instead of sent inside the kernel: %s", reason))
	}
}
