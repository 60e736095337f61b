package serve

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"syscall"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"github.com/thresh-dev/thresh/internal/net/forwarded"
	"github.com/thresh-dev/thresh/internal/net/proxyproto"
)

// Behind a proxy the address of a connection is not that of the client. Two ways lead to it: what the
// proxy adds to each request (X-Forwarded-For), and what it sends before the first byte of a
// connection (the PROXY protocol). Both are believed of trusted proxies only.

// A PROXY header is read into a buffer for the header of a request.
const _ = uint(inputBytes - proxyproto.HeaderBytesMax)

// trustProxies reads the options about proxies.
func (s *Server) trustProxies() (err error) {
	var wrong string
	if s.proxies, wrong, err = forwarded.Parse(s.o.TrustedProxies); err != nil {
		return optionError("TrustedProxies", wrong, err.Error())
	}
	if s.o.ProxyProtocol && s.proxies.None() {
		return optionError("ProxyProtocol", true, "TrustedProxies must say whose headers are believed")
	}
	return nil
}

// identify sets the address of a request that came through a trusted proxy to that of its client.
func (c *client) identify(r *http.Request) {
	if !c.proxied {
		return
	}
	if at, ok := c.server.proxies.Client(r.Header["X-Forwarded-For"]); ok {
		r.RemoteAddr = at.String()
	}
}

// proxyHeaders counts connections by what came of their PROXY headers.
type proxyHeaders struct {
	client, local, malformed, missing, untrusted *metrics.Counter
}

func newProxyHeaders(set *metrics.Set) proxyHeaders {
	of := func(result string) *metrics.Counter {
		return set.NewCounter(fmt.Sprintf(`thresh_serve_proxy_headers_total{result=%q}`, result))
	}
	return proxyHeaders{of("client"), of("local"), of("malformed"), of("missing"), of("untrusted")}
}

// turnAway resets a connection that may not send a PROXY header.
func (s *Server) turnAway(conn net.Conn) {
	s.stats.proxyHeaders.untrusted.Inc()
	s.clientErrors.Add(fmt.Errorf("a connection from %s was reset: it is not from a trusted proxy, and only these "+
		"can send a PROXY header", conn.RemoteAddr()))
	reset(conn)
}

// reset closes a connection so that the other side does not take it for an orderly end.
func reset(conn net.Conn) {
	if l, ok := conn.(interface{ SetLinger(seconds int) error }); ok {
		_ = l.SetLinger(0) // an orderly end is the next best
	}
	_ = conn.Close() // nothing was sent or promised
}

// serveProxied serves a connection that begins with a PROXY header.
func (c *client) serveProxied() {
	s := c.server
	buf := s.pools.inputs.Get().(*[inputBytes]byte)
	rest, err := c.readProxyHeader(buf[:])
	if err != nil {
		reset(c.conn.NetConn())
	}
	if err == nil && !c.proxied {
		var welcome bool
		if c.visitor, welcome = s.visitors.enter(subscriber(peerIP(c.peer))); !welcome {
			s.sayTooMany(c.conn, c.binding, c.remote)
			err = errCrowded
		}
		c.limitBy(s.rateHook(c.visitor))
	}
	switch {
	case err != nil:
		s.pools.inputs.Put(buf)
		_ = c.conn.Close() // it was refused
		s.release(c)
	case c.binding.encrypted:
		read := append([]byte(nil), rest...)
		s.pools.inputs.Put(buf)
		c.serveTLS(read)
	default:
		c.serve(buf, rest)
	}
}

// errCrowded ends a connection whose address has too many.
var errCrowded = errors.New("too many connections")

// readProxyHeader reads the header and returns what was read after it. A client that the proxy does not
// name is the proxy itself. A unix socket at the proxy has no address here: its path is of another machine.
func (c *client) readProxyHeader(buf []byte) ([]byte, error) {
	s := c.server
	err := c.conn.SetReadDeadline(time.Now().Add(s.o.HeaderTimeout))
	if err != nil {
		return nil, err
	}
	h, rest, err := proxyproto.Read(c.conn, buf)
	if err != nil {
		s.countBadHeader(c.remote, err)
		return nil, err
	}
	switch at := h.Source.(type) {
	case *net.TCPAddr:
		c.peer = at
	case *net.UnixAddr:
		c.peer = &net.UnixAddr{Name: "@", Net: "unix"}
	default:
		s.stats.proxyHeaders.local.Inc()
		return rest, nil
	}
	s.stats.proxyHeaders.client.Inc()
	c.remote = c.peer.String()
	c.proxied = s.proxies.Trust(peerIP(c.peer))
	c.since.Store(s.now())
	return rest, nil
}

// countBadHeader counts and reports why a connection has no PROXY header. Proxies that check whether the
// server lives connect and say nothing, which is no error.
func (s *Server) countBadHeader(peer string, err error) {
	var failed net.Error
	switch {
	case errors.Is(err, net.ErrClosed): // evicted, or the server is shutting down
		return
	case err == io.EOF, errors.Is(err, syscall.ECONNRESET):
		s.stats.proxyHeaders.missing.Inc()
		return
	case err == io.ErrUnexpectedEOF, errors.As(err, &failed):
		s.stats.proxyHeaders.missing.Inc()
	default:
		s.stats.proxyHeaders.malformed.Inc()
	}
	s.clientErrors.Add(fmt.Errorf("a connection from %s was reset: %w", peer, err))
}
