package serve

import (
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/thresh-dev/thresh/zerocopy"
)

// client is an accepted connection.
type client struct {
	server   *Server
	binding  *binding
	conn     *zerocopy.Conn
	pace     *pace
	peer     net.Addr    // of the connection, or as the PROXY header says
	remote   string      // peer as in net/http, address and port
	proxied  bool        // peer is a trusted proxy, and requests are those of others
	visitor  *visitor    // that the connection counts for; nil: none
	rate     addressRate // of that, or of the request in progress
	state    atomic.Int32
	since    atomic.Int64 // when it became idle or waiting, by the server's clock
	headerBy time.Time    // the end of the time for the header that is being read
	released atomic.Bool
}

// The states of a client. Shutdown closes the idle ones, and leaves those of net/http to net/http.
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

// handOver hands the connection over to net/http, with the bytes read so far in front. from is the
// client's state, unless it was closed.
func (c *client) handOver(read []byte, from int32) {
	c.pace.shared = true
	c.since.Store(c.server.now())
	c.state.CompareAndSwap(from, waiting) // from here on net/http tracks the state
	h := &handedOver{Conn: c.conn, watch: &watch{client: c, headerBy: c.headerBy}, prefix: read}
	if !c.server.handovers.put(c.server.encrypt(h)) {
		_ = h.Close() // the server is shutting down
		c.server.release(c)
	}
}

// handedOver is a connection that net/http serves.
type handedOver struct {
	*zerocopy.Conn
	*watch
	prefix []byte
}

func (h *handedOver) Read(p []byte) (n int, err error) {
	if len(h.prefix) == 0 {
		n, err = h.Conn.Read(p)
	} else {
		n = copy(p, h.prefix)
		if h.prefix = h.prefix[n:]; len(h.prefix) == 0 {
			h.prefix = nil
		}
	}
	if !h.client.binding.encrypted { // otherwise encrypted.Read sees what it means
		h.watch.read(p[:n], err, h)
	}
	return n, err
}

// Write is also called by crypto/tls. The only response among its writes is net/http's to a client
// that does not speak TLS.
func (h *handedOver) Write(p []byte) (int, error) {
	n, err := h.client.Write(p)
	if h.frames == nil { // encrypted.Write sees the frames
		h.watch.sent(p[:n])
	}
	return n, err
}

// SetReadDeadline also applies the deadline that the first header had before the hand-over, when
// its time began.
func (h *handedOver) SetReadDeadline(t time.Time) error {
	return h.Conn.SetReadDeadline(h.readBy(t))
}

func (h *handedOver) readBy(t time.Time) time.Time {
	if by := h.headerBy; !by.IsZero() && t.After(by) {
		return by
	}
	return t
}

// RemoteAddr returns the address of the client.
func (h *handedOver) RemoteAddr() net.Addr { return h.client.peer }

func (h *handedOver) ReadFrom(r io.Reader) (int64, error) {
	result, err := h.client.send(r)
	return result.Total(), err
}

// connState is net/http's callback for the connections that were handed over.
func (s *Server) connState(conn net.Conn, state http.ConnState) {
	if t, ok := conn.(*tls.Conn); ok {
		conn = t.NetConn()
	}
	c, ok := conn.(watched)
	if !ok {
		return
	}
	switch w := c.watching(); state {
	case http.StateActive:
		w.client.markBusy()
	case http.StateIdle:
		w.idle()
		w.client.markWaiting()
	case http.StateClosed, http.StateHijacked:
		s.release(w.client)
	}
}

// handoverListener is the listener on which net/http accepts them.
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
