// Package tunnel has connections whose bytes are counted.
package tunnel

import (
	"io"
	"net"
)

// Stream is what is relayed.
type Stream interface{ Join(net.Conn) error }

type counted struct { // want "counted hides ReadFrom and WriteTo of the connection"
	net.Conn
	n *int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	*c.n += int64(n)
	return n, err
}

// Count counts what is read.
func Count(c net.Conn, n *int64) net.Conn { return &counted{c, n} }

// Relay is a Stream.
type Relay struct{ To net.Conn }

// Join copies both ways.
func (r *Relay) Join(c net.Conn) error {
	go io.Copy(c, r.To)
	_, err := io.Copy(r.To, c)
	return err
}
