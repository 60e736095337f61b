package serve

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"time"
)

// outcome is what the access log and the metrics record of a response.
type outcome struct {
	began  time.Time
	took   time.Duration
	status int   // 0 if the client left before the response
	bytes  int64 // of the body, as accepted by the connection
	user   string
	client string // address without port
}

// serveAuthorized checks the user, then runs the handler.
func (s *Server) serveAuthorized(w http.ResponseWriter, r *http.Request, o *outcome) {
	if s.users != nil {
		name, password, given := r.BasicAuth()
		switch s.users.check(r.Context(), name, password, given) {
		case allowed:
			o.user = name
		case denied:
			w.Header().Set("WWW-Authenticate", `Basic realm="thresh", charset="UTF-8"`)
			http.Error(w, "name and password required", http.StatusUnauthorized)
			return
		case overloaded:
			w.Header().Set("Retry-After", "2")
			http.Error(w, "too many passwords are being checked", http.StatusServiceUnavailable)
			return
		}
	}
	s.handler.ServeHTTP(w, r)
}

// record counts a response and logs it.
func (s *Server) record(r *http.Request, o *outcome) {
	o.took = time.Since(o.began)
	s.stats.inFlight.Add(-1)
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
