package main

import (
	"io"
	"net"
)

// statConn counts what a connection reads and writes.
type statConn struct { // want connwrapper
	net.Conn
	in, out int64
}

func (c *statConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.in += int64(n)
	return n, err
}

func (c *statConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.out += int64(n)
	return n, err
}

func relayedFlagged(dst, src *net.TCPConn) error {
	_, err := io.Copy(&statConn{Conn: dst}, src)
	return err
}

type statConnFixed struct {
	net.Conn
	in, out int64
}

func (c *statConnFixed) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.in += int64(n)
	return n, err
}

func (c *statConnFixed) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.out += int64(n)
	return n, err
}

func (c *statConnFixed) ReadFrom(r io.Reader) (int64, error) {
	n, err := io.Copy(c.Conn, r)
	c.out += n
	return n, err
}

func (c *statConnFixed) WriteTo(w io.Writer) (int64, error) {
	n, err := io.Copy(w, c.Conn)
	c.in += n
	return n, err
}

func relayedFixed(dst, src *net.TCPConn) error {
	_, err := io.Copy(&statConnFixed{Conn: dst}, src)
	return err
}
