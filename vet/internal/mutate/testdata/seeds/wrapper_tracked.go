// wrapper: a listener that knows its open connections
package seed

import (
	"io"
	"net"
	"net/http"
	"sync"
)

type trackingListener struct {
	net.Listener
	mu   sync.Mutex
	open map[*trackedConn]bool
}

type trackedConn struct {
	net.Conn
	from *trackingListener
}

func (l *trackingListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	t := &trackedConn{c, l}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open[t] = true
	return t, nil
}

func (c *trackedConn) Close() error {
	c.from.mu.Lock()
	delete(c.from.open, c)
	c.from.mu.Unlock()
	return c.Conn.Close()
}

func (c *trackedConn) ReadFrom(r io.Reader) (int64, error) { return io.Copy(c.Conn, r) }
func (c *trackedConn) WriteTo(w io.Writer) (int64, error)  { return io.Copy(w, c.Conn) }

func run(address string, h http.Handler) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	return http.Serve(&trackingListener{Listener: l, open: map[*trackedConn]bool{}}, h)
}
