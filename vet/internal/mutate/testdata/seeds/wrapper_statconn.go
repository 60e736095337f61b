// wrapper: a connection of a proxy that counts both ways
package seed

import (
	"io"
	"net"
	"sync/atomic"
)

type statConn struct {
	net.Conn
	in, out *atomic.Int64
}

func (c *statConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.in.Add(int64(n))
	return n, err
}

func (c *statConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.out.Add(int64(n))
	return n, err
}

func (c *statConn) ReadFrom(r io.Reader) (int64, error) {
	n, err := io.Copy(c.Conn, r)
	c.out.Add(n)
	return n, err
}

func (c *statConn) WriteTo(w io.Writer) (int64, error) {
	n, err := io.Copy(w, c.Conn)
	c.in.Add(n)
	return n, err
}

type proxy struct{ in, out atomic.Int64 }

func (p *proxy) relay(client net.Conn, upstream string) error {
	server, err := net.Dial("tcp", upstream)
	if err != nil {
		return err
	}
	defer server.Close()
	counted := &statConn{server, &p.in, &p.out}
	go io.Copy(counted, client)
	_, err = io.Copy(client, counted)
	return err
}
