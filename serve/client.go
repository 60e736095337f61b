package serve

import (
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"

	"github.com/thresh-dev/thresh/zerocopy"
)

// client is an accepted connection.
type client struct {
	server   *Server
	conn     *zerocopy.Conn
	pace     *pace
	ip       netip.Addr
	remote   string // address and port, as in net/http
	state    atomic.Int32
	released atomic.Bool
}

// The states of a client. Shutdown closes the idle ones.
const (
	idle int32 = iota
	busy
	ending // closed by Shutdown while idle
)

func (s *Server) newClient(conn net.Conn, ip netip.Addr) *client {
	c := &client{server: s, ip: ip}
	if a := conn.RemoteAddr(); a != nil {
		c.remote = a.String()
	}
	c.pace = &pace{conn: conn, wait: s.o.SendTimeout, shared: s.useTLS, stats: s.stats}
	counter := &s.stats.plain
	if s.useTLS {
		counter = &s.stats.encrypted
	}
	hooks := make([]zerocopy.Hook, 0, 3)
	if s.o.LimitRate > 0 {
		hooks = append(hooks, countWaits{zerocopy.Limit(zerocopy.NewLimiter(s.o.LimitRate)), s.stats})
	}
	hooks = append(hooks, c.pace, zerocopy.Count(counter))
	c.conn = zerocopy.NewConn(conn, zerocopy.Hooks{Write: hooks})
	return c
}

// markBusy reports false if Shutdown has closed the client.
func (c *client) markBusy() bool { return c.state.CompareAndSwap(idle, busy) }

// markIdle reports false if the server is shutting down.
func (c *client) markIdle() bool {
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

// handOver hands the connection over to net/http, with the bytes read so far in front.
func (c *client) handOver(read []byte) {
	c.pace.shared = true
	c.state.Store(busy) // from here on net/http tracks the state
	h := &handedOver{Conn: c.conn, client: c, prefix: read}
	if !c.server.handovers.put(h) {
		_ = h.Close() // the server is shutting down
		c.server.release(c)
	}
}

// handedOver is a connection that net/http serves.
type handedOver struct {
	*zerocopy.Conn
	client *client
	prefix []byte
}

func (h *handedOver) Read(p []byte) (int, error) {
	if len(h.prefix) == 0 {
		return h.Conn.Read(p)
	}
	n := copy(p, h.prefix)
	if h.prefix = h.prefix[n:]; len(h.prefix) == 0 {
		h.prefix = nil
	}
	return n, nil
}

func (h *handedOver) Write(p []byte) (int, error) { return h.client.Write(p) }

func (h *handedOver) ReadFrom(r io.Reader) (int64, error) {
	result, err := h.client.send(r)
	return result.Total(), err
}

// connState is net/http's callback for the connections that were handed over.
func (s *Server) connState(conn net.Conn, state http.ConnState) {
	if state != http.StateClosed && state != http.StateHijacked {
		return
	}
	if t, ok := conn.(*tls.Conn); ok {
		conn = t.NetConn()
	}
	if h, ok := conn.(*handedOver); ok {
		s.release(h.client)
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
