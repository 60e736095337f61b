// wrapper: a connection that reads a header first, and then hands the inner one through
package seed

import (
	"bufio"
	"io"
	"net"
	"strings"
)

type headerListener struct{ net.Listener }

func (l headerListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &headerConn{Conn: c, br: bufio.NewReader(c)}, nil
}

type headerConn struct {
	net.Conn
	br     *bufio.Reader
	source string
}

func (c *headerConn) header() error {
	if c.source != "" {
		return nil
	}
	line, err := c.br.ReadString('\n')
	c.source = strings.TrimSpace(line)
	return err
}

func (c *headerConn) Read(p []byte) (int, error) {
	if err := c.header(); err != nil {
		return 0, err
	}
	return c.br.Read(p)
}

func (c *headerConn) ReadFrom(r io.Reader) (int64, error) { return io.Copy(c.Conn, r) }

func (c *headerConn) WriteTo(w io.Writer) (int64, error) {
	if err := c.header(); err != nil {
		return 0, err
	}
	return c.br.WriteTo(w)
}
