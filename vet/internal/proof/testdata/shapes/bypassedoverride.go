package main

import (
	"io"
	"net"
	"os"
)

type meteredConn struct { // want bypassedoverride
	*net.TCPConn
}

func (c *meteredConn) Write(p []byte) (int, error) {
	n, err := c.TCPConn.Write(p)
	counted.Add(int64(n))
	return n, err
}

func bypassedFlagged(c *net.TCPConn, f *os.File) error {
	_, err := io.Copy(&meteredConn{c}, f)
	return err
}

// meteredFixed does not embed the *net.TCPConn: os.File would find its SyscallConn, and go round ReadFrom.
type meteredFixed struct {
	net.Conn
}

func (c *meteredFixed) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	counted.Add(int64(n))
	return n, err
}

func (c *meteredFixed) ReadFrom(r io.Reader) (int64, error) {
	n, err := io.Copy(c.Conn, r)
	counted.Add(n)
	return n, err
}

func (c *meteredFixed) WriteTo(w io.Writer) (int64, error) { return io.Copy(w, c.Conn) }

func bypassedFixed(c *net.TCPConn, f *os.File) error {
	_, err := io.Copy(&meteredFixed{c}, f)
	return err
}
