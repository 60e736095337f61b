package serve

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// watch records the responses that net/http sends without calling our handler: it refuses malformed
// requests by itself. net/http reports neither these nor the errors of HTTP/2, so watch looks at
// what is written. Outside a call of the handler and the end of its response, net/http writes
// nothing but refusals.
type watch struct {
	client   *client
	handled  atomic.Bool  // the handler has been called for the current request
	partial  atomic.Bool  // some of the next request was read
	line     string       // the request line of the first request, until the handler is called
	headerBy time.Time    // the end of the time for the first header; zero: net/http decides
	coding   fieldFinder  // looks for Transfer-Encoding
	frames   *h2Frames    // nil: not HTTP/2
	streams  int          // of HTTP/2 in progress; guarded by the mu of all streams
	socket                // of HTTP/2
	refused  atomic.Int32 // responses of the handler over HTTP/2 that answeredH2 has yet to see
}

type watchKey struct{}

// watched is a connection that net/http serves.
type watched interface{ watching() *watch }

func (w *watch) watching() *watch { return w }

// withWatch is net/http's ConnContext: serveHTTP finds the watch of its connection there.
func withWatch(ctx context.Context, conn net.Conn) context.Context {
	if t, ok := conn.(*tls.Conn); ok { // before Go 1.27
		conn = t.NetConn()
	}
	return context.WithValue(ctx, watchKey{}, conn.(watched).watching())
}

// handling is called when the handler begins.
func (w *watch) handling() {
	w.headerBy = time.Time{}
	w.line = unknownHTTP1 // net/http may have read later requests already
	w.handled.Store(true)
}

// idle is called when a response is complete and the connection persists.
func (w *watch) idle() {
	w.handled.Store(false)
	w.partial.Store(false)
}

// timeoutResponse is sent when the rest of a header does not arrive in time, in which case net/http
// says nothing.
const timeoutResponse = "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n" +
	"Content-Type: text/plain; charset=utf-8\r\nContent-Length: 20\r\n\r\n408 Request Timeout\n"

// read notes what net/http has read with err, and sends a response if the time for a header is over.
func (w *watch) read(p []byte, err error, to io.Writer) {
	if w.frames == nil {
		w.coding.read(p)
	}
	switch {
	case w.frames != nil || w.handled.Load():
	case len(p) > 0:
		w.partial.Store(true)
		if w.line == "" {
			w.line = requestLine(p)
		}
	case w.partial.Load() && errors.Is(err, os.ErrDeadlineExceeded):
		w.partial.Store(false)
		// An error means that the client is gone.
		_, _ = io.WriteString(to, timeoutResponse)
	}
}

// sent notes what net/http has written.
func (w *watch) sent(p []byte) {
	switch {
	case w.frames != nil:
		w.frames.sent(p)
	case w.handled.Load():
	default:
		if status, body, ok := parseResponse(p); ok {
			w.client.recordRefusal(w.line, status, body)
		}
	}
}

// parseResponse returns the status and the length of the body of a response that was written at
// once. It reports false for anything else, such as a TLS record.
func parseResponse(p []byte) (status int, bodyBytes int64, ok bool) {
	const version = "HTTP/1.x "
	if !bytes.HasPrefix(p, []byte("HTTP/1.")) || len(p) < len(version)+3 {
		return 0, 0, false
	}
	status, err := strconv.Atoi(string(p[len(version) : len(version)+3]))
	if err != nil || status < 200 {
		return 0, 0, false
	}
	_, body, _ := bytes.Cut(p, headerEnd)
	return status, int64(len(body)), true
}

// encrypted is a TLS connection that net/http serves.
type encrypted struct {
	*tls.Conn
	*watch
}

// HandshakeContext is called by net/http.
func (e *encrypted) HandshakeContext(ctx context.Context) error {
	if err := e.Conn.HandshakeContext(ctx); err != nil {
		e.client.server.stats.badHandshakes.Inc()
		return err
	}
	if e.ConnectionState().NegotiatedProtocol == "h2" {
		e.frames = newH2Frames(e.answeredH2, e.failedH2)
	}
	return nil
}

func (e *encrypted) Read(p []byte) (int, error) {
	n, err := e.Conn.Read(p)
	e.watch.read(p[:n], err, e)
	return n, err
}

func (e *encrypted) Write(p []byte) (int, error) {
	e.socket.begin(e.client.server.now())
	n, err := e.Conn.Write(p)
	e.socket.end(e.client.server.now())
	e.watch.sent(p[:n])
	return n, err
}

// refusing is called before the handler responds over HTTP/2, so that answeredH2 knows the response.
func (w *watch) refusing(status int) {
	if refusedByH2(status) {
		w.refused.Add(1)
	}
}

// refusedByH2 reports whether net/http sends the status by itself over HTTP/2.
func refusedByH2(status int) bool {
	return status == http.StatusBadRequest || status == http.StatusRequestHeaderFieldsTooLarge
}

// answeredH2 takes the status of a response over HTTP/2. Which request it is for cannot be seen, but
// each of the handler's is announced by refusing.
func (w *watch) answeredH2(status int, bodyBytes int64) {
	if refusedByH2(status) && w.refused.Add(-1) < 0 {
		w.refused.Add(1)
		w.client.recordRefusal(unknownHTTP2, status, bodyBytes)
	}
}

// failedH2 takes an error that net/http has sent over HTTP/2. It is logged in place of the request,
// which is unknown, with status 0.
func (w *watch) failedH2(frame string, code int) {
	name := h2ErrorName(code)
	w.client.server.stats.countH2Error(frame, name)
	w.client.recordRefusal(frame+" "+name+" HTTP/2.0", 0, 0)
}

const (
	unknownHTTP1   = "- - HTTP/1.1" // the line of a request that was not seen
	unknownHTTP2   = "- - HTTP/2.0"
	requestLineMax = 1 << 10 // bytes of a malformed request's line that are logged
)

// requestLine returns the first line of p, or its beginning.
func requestLine(p []byte) string {
	line, _, _ := bytes.Cut(p[:min(len(p), requestLineMax)], []byte("\n"))
	return string(bytes.TrimSuffix(line, []byte("\r")))
}

// recordRefusal counts and logs a response to a request that no handler has seen.
func (c *client) recordRefusal(line string, status int, bodyBytes int64) {
	if line == "" {
		line = unknownHTTP1
	}
	c.server.recordRefusal(c.remote, line, status, bodyBytes)
}

func (s *Server) recordRefusal(remote, line string, status int, bodyBytes int64) {
	method, rest, _ := strings.Cut(line, " ")
	target, proto := rest, ""
	if i := strings.LastIndexByte(rest, ' '); i >= 0 {
		target, proto = rest[:i], rest[i+1:]
	}
	r := &http.Request{Method: method, RequestURI: target, Proto: proto, RemoteAddr: remote}
	s.note(r, &outcome{began: time.Now(), status: status, bytes: bodyBytes})
}
