package serve

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"
)

// serveHTTP is the handler of the connections that were handed over to net/http.
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

// refuseBody prepares for a request body, which this server never reads. It bounds the time in
// which net/http reads it afterwards. A chunked body also closes the connection: the request may
// have had a length as well, and a proxy may have used that one (RFC 9112, section 6.1).
func (s *Server) refuseBody(w http.ResponseWriter, r *http.Request, began time.Time) {
	if len(r.TransferEncoding) > 0 {
		w.Header().Set("Connection", "close")
	}
	err := http.NewResponseController(w).SetReadDeadline(began.Add(s.o.HeaderTimeout))
	if err != nil && !errors.Is(err, http.ErrNotSupported) {
		panic(http.ErrAbortHandler)
	}
}

// trackedWriter records the status and the bytes of a net/http response. It forwards ReadFrom and
// so keeps the fast path.
type trackedWriter struct {
	http.ResponseWriter
	status int
	sent   int64

	// An HTTP/2 stream can stall while its connection is busy, so it has its own deadline, renewed
	// after a sixteenth of its time.
	wait time.Duration // 0: the connection's deadline suffices
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

// Unwrap is used by http.ResponseController.
func (t *trackedWriter) Unwrap() http.ResponseWriter { return t.ResponseWriter }

// errorLogHandler passes what net/http logs to our ErrorLog.
type errorLogHandler func(error)

// Enabled reports true.
func (errorLogHandler) Enabled(context.Context, slog.Level) bool { return true }

// Handle reports a message of net/http.
func (c errorLogHandler) Handle(_ context.Context, r slog.Record) error {
	// Failed handshakes are errors of clients, not of the server.
	if !strings.Contains(r.Message, "TLS handshake error") {
		c(errors.New(r.Message))
	}
	return nil
}

// WithAttrs returns c: there are no attributes.
func (c errorLogHandler) WithAttrs([]slog.Attr) slog.Handler { return c }

// WithGroup returns c.
func (c errorLogHandler) WithGroup(string) slog.Handler { return c }
