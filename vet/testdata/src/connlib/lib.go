// Package connlib has connections that others use.
package connlib

import "net"

// Conn watches.
type Conn struct {
	net.Conn
	OnClose func()
}

// Close calls OnClose.
func (c *Conn) Close() error {
	c.OnClose()
	return c.Conn.Close()
}

// Watch returns a Conn.
func Watch(c net.Conn, f func()) net.Conn { return &Conn{c, f} }

// Stream is a connection inside of another.
type Stream interface {
	net.Conn
	ID() uint32
}
