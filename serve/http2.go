package serve

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/thresh-dev/thresh/zerocopy"
)

// net/http speaks HTTP/2. What it refuses by itself, before the handler is called, is not in the access log: net/http
// does not report it. It counts errors that reset a stream or end a connection (HTTP2Config.CountError).

// serveHTTP2 is the handler of HTTP/2.
func (s *Server) serveHTTP2(w http.ResponseWriter, r *http.Request) {
	on := r.Context().Value(securedKey{}).(*secured) // by withSecured
	t := &http2Writer{ResponseWriter: w, head: r.Method == http.MethodHead, ctx: r.Context()}
	on.client.identify(r)
	if t.stream = s.streams.begin(w, on); t.stream != nil {
		defer t.stream.end()
	}
	o := outcome{began: time.Now()}
	s.stats.inFlight.Add(1)
	defer func() {
		o.status, o.bytes = t.status, t.sent
		s.countTLS(t.sent)
		s.record(r, &o)
	}()
	if s.o.HSTS != "" {
		w.Header().Set("Strict-Transport-Security", s.o.HSTS)
	}
	switch {
	case t.stream == nil:
		w.Header().Set("Retry-After", "1")
		t.WriteHeader(http.StatusServiceUnavailable) // a body would need room in the client's window
		return
	case listBytes(r) > headerBytesMax:
		writeStatus(t, r, tooLong.status)
	default:
		s.serveLimited(t, r, &o, on.client, t) // the connection carries requests of many clients
	}
	if t.status == 0 {
		t.status = http.StatusOK
	}
	if t.sent > 0 {
		t.stream.finish()
	}
}

// listBytes is the size of a header as HTTP/2 counts it (RFC 9113, section 6.5.2).
func listBytes(r *http.Request) int {
	const perField = 32
	n := len(r.Method) + len(r.RequestURI) + len(r.Host) + 3*perField
	for name, values := range r.Header {
		for _, value := range values {
			n += len(name) + len(value) + perField
		}
	}
	return n
}

// countTLS counts the bytes of a body that was sent over TLS.
func (s *Server) countTLS(sent int64) {
	s.stats.tls.Add(sent)
	if sent > replyBodyBytes {
		s.logCopied("TLS: bodies are encrypted in memory")
	}
}

// http2Writer records the status and the bytes of a response over HTTP/2.
type http2Writer struct {
	http.ResponseWriter
	head   bool // the request is HEAD
	status int
	sent   int64
	stream *stream         // nil: there are too many, and the response has no body
	ctx    context.Context // of the request
	rate   zerocopy.Hook   // the limit of the client's address; nil: none
}

// limitBy applies the limit of an address.
func (t *http2Writer) limitBy(rate zerocopy.Hook) { t.rate = rate }

func (t *http2Writer) WriteHeader(status int) {
	if t.status == 0 && status >= 200 {
		t.status = status
	}
	t.ResponseWriter.WriteHeader(status)
}

func (t *http2Writer) Write(p []byte) (n int, err error) {
	if t.rate == nil || len(p) == 0 {
		return t.write(p)
	}
	for n < len(p) {
		allowed, err := t.stream.await(t.ctx, t.rate, int64(len(p)-n))
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

func (t *http2Writer) write(p []byte) (int, error) {
	if t.status == 0 {
		t.status = http.StatusOK
	}
	n, err := t.stream.write(p)
	if !t.head { // net/http accepts a body of a response to HEAD, and drops it
		t.sent += int64(n)
	}
	return n, err
}

func (t *http2Writer) ReadFrom(r io.Reader) (int64, error) {
	buffer := t.stream.streams.buffers.Get().(*[streamPiece]byte)
	defer t.stream.streams.buffers.Put(buffer)
	return io.CopyBuffer(struct{ io.Writer }{t}, r, buffer[:])
}

// Unwrap is used by http.ResponseController.
func (t *http2Writer) Unwrap() http.ResponseWriter { return t.ResponseWriter }

type securedKey struct{}

// withSecured is net/http's ConnContext: serveHTTP2 finds the connection of a request there.
func withSecured(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, securedKey{}, below(conn))
}

// below returns what is below the TLS of a connection that was handed over.
func below(conn net.Conn) *secured { return conn.(*tls.Conn).NetConn().(*secured) }

// connState is net/http's callback for the connections that were handed over.
func (s *Server) connState(conn net.Conn, state http.ConnState) {
	switch c := below(conn).client; state {
	case http.StateActive:
		c.markBusy()
	case http.StateIdle:
		c.markWaiting()
	case http.StateClosed, http.StateHijacked:
		s.release(c)
	}
}

// http2Log passes what net/http logs to ErrorLog. Clients can cause these errors at will, so they are throttled,
// all but panics.
type http2Log struct {
	slog.Handler
	server *Server
}

// Enabled reports true.
func (http2Log) Enabled(context.Context, slog.Level) bool { return true }

// Handle reports a message.
func (l http2Log) Handle(_ context.Context, r slog.Record) error {
	if strings.Contains(r.Message, "panic serving") {
		l.server.o.ErrorLog(errors.New(r.Message))
	} else {
		l.server.clientErrors.Add(errors.New(r.Message))
	}
	return nil
}

// handoverListener is the listener on which net/http accepts connections of HTTP/2.
type handoverListener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newHandoverListener() *handoverListener {
	return &handoverListener{conns: make(chan net.Conn), closed: make(chan struct{})}
}

func (h *handoverListener) put(conn net.Conn) bool {
	select {
	case h.conns <- conn:
		return true
	case <-h.closed:
		return false
	}
}

// Accept returns the next connection.
func (h *handoverListener) Accept() (net.Conn, error) {
	select {
	case conn := <-h.conns:
		return conn, nil
	case <-h.closed:
		return nil, net.ErrClosed
	}
}

// Close ends Accept.
func (h *handoverListener) Close() error {
	h.once.Do(func() { close(h.closed) })
	return nil
}

// Addr returns a placeholder address.
func (h *handoverListener) Addr() net.Addr { return &net.UnixAddr{Name: "handovers", Net: "unix"} }
