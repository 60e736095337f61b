package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"time"
)

// outcome is what the log and the figures tell of an answer.
type outcome struct {
	began  time.Time
	took   time.Duration
	status int   // 0 where the client went before the answer
	bytes  int64 // of the body, as the connection took them
	user   string
	client string // address without port
}

// answer runs the handler behind the check of users.
func (s *Server) serveAuthorized(w http.ResponseWriter, r *http.Request, o *outcome) {
	if s.users != nil {
		name, password, given := r.BasicAuth()
		switch s.users.check(r.Context(), name, password, given) {
		case allowed:
			o.user = name
		case denied:
			w.Header().Set("WWW-Authenticate", `Basic realm="thresh", charset="UTF-8"`)
			http.Error(w, "name and password are needed", http.StatusUnauthorized)
			return
		case overloaded:
			w.Header().Set("Retry-After", "2")
			http.Error(w, "too many passwords are being checked", http.StatusServiceUnavailable)
			return
		}
	}
	s.handler.ServeHTTP(w, r)
}

// finish counts an answer and writes it to the log.
func (s *Server) record(r *http.Request, o *outcome) {
	o.took = time.Since(o.began)
	s.stats.inFlight.Add(-1)
	s.stats.countRequest(r.Method, o)
	if s.log != nil {
		o.client = addressOnly(r.RemoteAddr)
		s.log.add(r, o)
	}
}

// addressOnly cuts the port off.
func addressOnly(remote string) string {
	if i := strings.LastIndexByte(remote, ':'); i >= 0 {
		remote = remote[:i]
	}
	return strings.Trim(remote, "[]")
}

// complainOfFiles leaves out what clients do: they go away all the time, and the access log
// tells how much they took.
func (s *Server) logServerError(err error) {
	for _, gone := range []error{
		syscall.ECONNRESET, syscall.EPIPE, syscall.ETIMEDOUT, os.ErrDeadlineExceeded, net.ErrClosed, context.Canceled,
	} {
		if errors.Is(err, gone) {
			return
		}
	}
	s.o.ErrorLog(err)
}

// detour says once for each reason that a body went through memory.
func (s *Server) logCopied(reason string) {
	s.mu.Lock()
	told := s.copyReasons[reason]
	s.copyReasons[reason] = true
	s.mu.Unlock()
	if !told {
		s.o.ErrorLog(fmt.Errorf("a response was copied, and not sent inside the kernel: %s", reason))
	}
}

// serveHTTP answers what net/http was handed.
func (s *Server) serveHTTP(w http.ResponseWriter, r *http.Request) {
	t := &trackedWriter{ResponseWriter: w}
	if r.ProtoMajor == 2 {
		t.wait = s.o.SendTimeout
	}
	o := outcome{began: time.Now()}
	s.stats.inFlight.Add(1)
	defer func() {
		o.status, o.bytes = t.status, t.sent
		if r.TLS != nil {
			s.stats.tls.Add(t.sent)
		}
		if r.TLS != nil && t.sent > replyBodyBytes {
			s.logCopied("TLS: bodies are encrypted in memory")
		}
		s.record(r, &o)
	}()
	if r.ContentLength != 0 {
		s.refuseBody(w, r, o.began)
	}
	s.serveAuthorized(t, r, &o)
	if t.status == 0 {
		t.status = http.StatusOK
	}
}

// refuseBody sees to the body of a request, which nobody here reads. What net/http reads of
// it afterwards is to come soon. In chunks it closes the connection: a length may have stood
// beside, and somebody in between may have gone by that (RFC 9112, section 6.1).
func (s *Server) refuseBody(w http.ResponseWriter, r *http.Request, began time.Time) {
	if len(r.TransferEncoding) > 0 {
		w.Header().Set("Connection", "close")
	}
	err := http.NewResponseController(w).SetReadDeadline(began.Add(s.o.HeaderTimeout))
	if err != nil && !errors.Is(err, http.ErrNotSupported) {
		panic(http.ErrAbortHandler)
	}
}

// tracked is a response of net/http whose status and bytes are looked at. It forwards
// ReadFrom, and with that the path.
type trackedWriter struct {
	http.ResponseWriter
	status int
	sent   int64

	// A stream of HTTP/2 can stand still while its connection is at work, so it has a
	// deadline of its own, set anew when it has lost a sixteenth.
	wait time.Duration // 0: the connection's deadline is enough
	set  time.Time
}

func (t *trackedWriter) WriteHeader(status int) {
	if t.status == 0 && status >= 200 {
		t.status = status
	}
	t.ResponseWriter.WriteHeader(status)
}

func (t *trackedWriter) Write(p []byte) (int, error) {
	if t.status == 0 {
		t.status = http.StatusOK
	}
	if t.wait > 0 {
		if now := time.Now(); now.Sub(t.set) >= t.wait/deadlineFraction {
			t.set = now
			if err := http.NewResponseController(t.ResponseWriter).SetWriteDeadline(now.Add(t.wait)); err != nil {
				return 0, err
			}
		}
	}
	n, err := t.ResponseWriter.Write(p)
	t.sent += int64(n)
	return n, err
}

func (t *trackedWriter) ReadFrom(r io.Reader) (n int64, err error) {
	from, ok := t.ResponseWriter.(io.ReaderFrom)
	if !ok || t.wait > 0 {
		return io.Copy(struct{ io.Writer }{t}, r)
	}
	if t.status == 0 {
		t.status = http.StatusOK
	}
	n, err = from.ReadFrom(r)
	t.sent += n
	return n, err
}

// Unwrap is for http.ResponseController.
func (t *trackedWriter) Unwrap() http.ResponseWriter { return t.ResponseWriter }

// complaints makes the complaints of net/http ours.
type errorLogHandler func(error)

// Enabled reports true.
func (errorLogHandler) Enabled(context.Context, slog.Level) bool { return true }

// Handle complains of what net/http logs.
func (c errorLogHandler) Handle(_ context.Context, r slog.Record) error {
	// What clients do wrong at a handshake is no trouble of the server's.
	if !strings.Contains(r.Message, "TLS handshake error") {
		c(errors.New(r.Message))
	}
	return nil
}

// WithAttrs returns c: there are no attributes.
func (c errorLogHandler) WithAttrs([]slog.Attr) slog.Handler { return c }

// WithGroup returns c.
func (c errorLogHandler) WithGroup(string) slog.Handler { return c }
