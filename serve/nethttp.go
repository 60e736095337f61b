package serve

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/thresh-dev/thresh/zerocopy"
)

// serveHTTP is the handler of the connections that were handed over to net/http.
func (s *Server) serveHTTP(w http.ResponseWriter, r *http.Request) {
	t := &trackedWriter{ResponseWriter: w, head: r.Method == http.MethodHead, refusing: func(int) {}, ctx: r.Context()}
	watch := r.Context().Value(watchKey{}).(*watch) // by withWatch
	watch.client.identify(r)
	by := limited(watch.client)
	overH2 := watch.frames != nil // a request over HTTP/1 may say HTTP/2.0, too: the client's preface
	if overH2 {
		by = t // the connection carries requests of many clients
		t.refusing = watch.refusing
		if t.stream = s.streams.begin(w, watch); t.stream != nil {
			defer t.stream.end()
		}
	} else {
		watch.handling()
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
	if r.TLS != nil && s.o.HSTS != "" {
		w.Header().Set("Strict-Transport-Security", s.o.HSTS)
	}
	if r.ContentLength != 0 {
		s.refuseBody(w, r, o.began)
	}
	switch {
	case overH2 && t.stream == nil:
		w.Header().Set("Retry-After", "1")
		t.WriteHeader(http.StatusServiceUnavailable) // a body would need room in the client's window
		return
	case watch.isAmbiguous(r):
		w.Header().Set("Connection", "close")
		writeStatus(t, r, http.StatusBadRequest)
		return
	}
	s.serveLimited(t, r, &o, watch.client, by)
	if t.status == 0 {
		t.status = http.StatusOK
	}
	if t.stream != nil && t.sent > 0 {
		t.stream.finish()
	}
}

// refuseBody prepares for a request body, which this server never reads. net/http reads it, but only
// behind the response, so that the client need not send it first, and in a bounded time. A chunked
// body also closes the connection: the request may have had a length as well, and a proxy may have
// used that one (RFC 9112, section 6.1).
func (s *Server) refuseBody(w http.ResponseWriter, r *http.Request, began time.Time) {
	if len(r.TransferEncoding) > 0 {
		w.Header().Set("Connection", "close")
	}
	control := http.NewResponseController(w)
	deadline := began.Add(s.o.HeaderTimeout)
	for _, err := range []error{control.EnableFullDuplex(), control.SetReadDeadline(deadline)} {
		if err != nil && !errors.Is(err, http.ErrNotSupported) {
			panic(http.ErrAbortHandler)
		}
	}
}

// trackedWriter records the status and the bytes of a net/http response. It forwards ReadFrom and
// so keeps the fast path.
type trackedWriter struct {
	http.ResponseWriter
	head     bool             // the request is HEAD
	refusing func(status int) // called before the header is sent
	status   int
	sent     int64
	stream   *stream // of HTTP/2; nil: the connection's deadline suffices

	ctx  context.Context // of the request
	rate zerocopy.Hook   // the limit of the client's address, where the connection cannot apply it; nil: none
}

// limitBy applies the limit of an address.
func (t *trackedWriter) limitBy(rate zerocopy.Hook) { t.rate = rate }

func (t *trackedWriter) WriteHeader(status int) {
	if t.status == 0 && status >= 200 {
		t.status = status
		t.refusing(status)
	}
	t.ResponseWriter.WriteHeader(status)
}

func (t *trackedWriter) Write(p []byte) (n int, err error) {
	if t.rate == nil || len(p) == 0 {
		return t.write(p)
	}
	for n < len(p) {
		allowed, err := t.await(int64(len(p) - n))
		if err != nil {
			return n, err
		}
		sent, err := t.write(p[n : n+int(allowed)])
		t.rate.After(int64(sent), zerocopy.ByCopy)
		if n += sent; err != nil {
			return n, err
		}
	}
	return n, nil
}

// await waits until the address's rate allows some of want bytes.
func (t *trackedWriter) await(want int64) (int64, error) {
	if t.stream != nil {
		return t.stream.await(t.ctx, t.rate, want)
	}
	return t.rate.Before(t.ctx, want)
}

func (t *trackedWriter) write(p []byte) (n int, err error) {
	if t.status == 0 {
		t.status = http.StatusOK
	}
	if t.stream != nil {
		n, err = t.stream.write(p)
	} else {
		n, err = t.ResponseWriter.Write(p)
	}
	t.count(int64(n))
	return n, err
}

func (t *trackedWriter) ReadFrom(r io.Reader) (n int64, err error) {
	from, ok := t.ResponseWriter.(io.ReaderFrom)
	if t.stream != nil {
		buffer := t.stream.streams.buffers.Get().(*[streamPiece]byte)
		defer t.stream.streams.buffers.Put(buffer)
		return io.CopyBuffer(struct{ io.Writer }{t}, r, buffer[:])
	}
	if !ok || t.rate != nil {
		return io.Copy(struct{ io.Writer }{t}, r)
	}
	if t.status == 0 {
		t.status = http.StatusOK
	}
	n, err = from.ReadFrom(r)
	t.count(n)
	return n, err
}

// count counts bytes of the body. net/http accepts those of a response to HEAD, and drops them.
func (t *trackedWriter) count(n int64) {
	if !t.head {
		t.sent += n
	}
}

// Unwrap is used by http.ResponseController.
func (t *trackedWriter) Unwrap() http.ResponseWriter { return t.ResponseWriter }

// errorLogHandler passes what net/http logs to our ErrorLog.
//
// Clients can cause these errors at will, so they are throttled, all but panics.
type errorLogHandler struct {
	clients *throttle
	panics  func(error)
}

// Enabled reports true.
func (errorLogHandler) Enabled(context.Context, slog.Level) bool { return true }

// Handle reports a message of net/http.
func (c errorLogHandler) Handle(_ context.Context, r slog.Record) error {
	switch {
	case strings.Contains(r.Message, "TLS handshake error"): // counted when it happens
	case strings.Contains(r.Message, "panic serving"):
		c.panics(errors.New(r.Message))
	default:
		c.clients.add(errors.New(r.Message))
	}
	return nil
}

// WithAttrs returns c: there are no attributes.
func (c errorLogHandler) WithAttrs([]slog.Attr) slog.Handler { return c }

// WithGroup returns c.
func (c errorLogHandler) WithGroup(string) slog.Handler { return c }
