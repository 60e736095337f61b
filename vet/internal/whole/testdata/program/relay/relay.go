// Package relay joins connections in pairs.
package relay

import (
	"io"
	"net"
)

type peer struct { // want "peer hides ReadFrom and WriteTo of the connection"
	net.Conn
	name string
}

// Relay has the connections that wait for another of their name.
type Relay struct{ waiting map[string]*peer }

// Serve accepts connections.
func (r *Relay) Serve(l net.Listener) error {
	for {
		c, err := l.Accept()
		if err != nil {
			return err
		}
		p := &peer{Conn: c, name: c.RemoteAddr().String()}
		if other := r.waiting[p.name]; other != nil {
			go join(p, other)
		} else {
			r.waiting[p.name] = p
		}
	}
}

func join(a, b *peer) {
	go func() { _, _ = io.Copy(a, b) }()
	_, _ = io.Copy(b, a)
}
