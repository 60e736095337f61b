package serve

import (
	"crypto/tls"
	"net"
	"sync/atomic"
	"time"

	"github.com/thresh-dev/thresh/zerocopy"
)

// client is an accepted connection.
type client struct {
	server   *Server
	binding  *binding
	conn     *zerocopy.Conn
	tls      *tls.Conn // over conn; nil: no TLS
	broken   bool      // the last bytes to the client were not sent
	pace     *pace
	peer     net.Addr    // of the connection, or as the PROXY header says
	remote   string      // peer as in net/http, address and port
	proxied  bool        // peer is a trusted proxy, and requests are those of others
	visitor  *visitor    // that the connection counts for; nil: none
	rate     addressRate // of that, or of the request in progress
	state    atomic.Int32
	since    atomic.Int64 // when it became idle or waiting, by the server's clock
	released atomic.Bool
}

// The states of a client. Shutdown closes the idle ones, and leaves those of HTTP/2 to net/http.
// All but busy ones may be evicted.
const (
	idle    int32 = iota // between two requests
	reading              // a part of a header was read
	waiting              // net/http has it, and no request is in progress
	busy
	ending // closed while it was not busy
)

func (s *Server) newClient(conn net.Conn, a *visitor, proxied bool, b *binding) *client {
	c := &client{server: s, binding: b, peer: conn.RemoteAddr(), visitor: a, proxied: proxied}
	c.since.Store(s.now())
	if c.peer != nil {
		c.remote = c.peer.String()
	}
	c.pace = &pace{conn: conn, wait: s.o.SendTimeout, shared: b.encrypted, stats: s.stats}
	counter := &s.stats.plain
	if b.encrypted {
		counter = &s.stats.encrypted
	}
	hooks := make([]zerocopy.Hook, 0, 4)
	if s.o.LimitRate > 0 {
		hooks = append(hooks, countWaits{zerocopy.Limit(zerocopy.NewLimiter(s.o.LimitRate)), s.stats})
	}
	if s.o.LimitRatePerIP > 0 {
		c.limitBy(s.rateHook(a))
		hooks = append(hooks, &c.rate)
	}
	hooks = append(hooks, c.pace, zerocopy.Count(counter))
	c.conn = zerocopy.NewConn(conn, zerocopy.Hooks{Write: hooks})
	return c
}

// markReading reports false if the client has been closed.
func (c *client) markReading() bool { return c.state.CompareAndSwap(idle, reading) }

// markBusy reports false if the client has been closed.
func (c *client) markBusy() bool {
	return c.state.CompareAndSwap(reading, busy) || c.state.CompareAndSwap(waiting, busy)
}

// markWaiting is called when no request is in progress on a connection of net/http.
func (c *client) markWaiting() {
	c.since.Store(c.server.now())
	c.state.CompareAndSwap(busy, waiting)
}

// markIdle notes that a request ended at that time. It reports false if the server is shutting down.
func (c *client) markIdle(at time.Time) bool {
	c.since.Store(int64(at.Sub(c.server.began)))
	c.state.Store(idle)
	// Shutdown sets closed before it looks at the clients, so at least one of the two sees the
	// other.
	return !c.server.closed.Load()
}

func (c *client) closeIfIdle() {
	if c.state.CompareAndSwap(idle, ending) {
		_ = c.conn.Close() // no request is in progress
	}
}

// read reads what the client sends, decrypted.
func (c *client) read(p []byte) (int, error) {
	if c.tls != nil {
		return c.tls.Read(p)
	}
	return c.conn.Read(p)
}

// Write sends b, encrypted if the client speaks TLS.
func (c *client) Write(b []byte) (int, error) {
	if c.tls != nil {
		return c.tls.Write(b)
	}
	return c.send(b)
}

// close closes the connection. Nothing is under way on it.
func (c *client) close() {
	if c.tls != nil && !c.broken {
		_ = c.tls.Close() // tells the client that this is the end
	}
	_ = c.conn.Close()
}
