// Package tls has wrappers that may hold a TLS connection, by name or by what is put into them.
package tls

import (
	"net"

	"connsecret/tlslib"
)

type TLSConn struct{ net.Conn }

type startTlsConn struct{ *byEmbedding }

type byEmbedding struct{ net.Conn } // want `^byEmbedding hides ReadFrom`

type l1 struct{ net.Listener }

func (l l1) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return &TLSConn{c}, err
}

// The package's name says nothing about its types.
type plain struct{ net.Conn } // want `^plain hides ReadFrom`

type l2 struct{ net.Listener }

func (l l2) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return &plain{c}, err
}

type l3 struct{ net.Listener }

func (l l3) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return tlslib.Plain(c), err // want `^\*connsecret/tlslib.plain hides ReadFrom`
	}
	return tlslib.Secret(c), err
}

// session has ConnectionState, as *tls.Conn does.
type session struct{ net.Conn }

func (s *session) ConnectionState() int { return 0 }

type promoted struct{ *session }

type holdsSession struct{ net.Conn }

type l4 struct{ net.Listener }

func (l l4) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if c, ok := c.(*session); ok {
		return &holdsSession{c}, err
	}
	if c, ok := c.(*promoted); ok {
		return holdsSession{Conn: c}, err
	}
	return nil, err
}

// A field of that name is no method.
type stateful struct {
	net.Conn
	ConnectionState int
}

type holdsStateful struct{ net.Conn } // want `^holdsStateful hides ReadFrom`

type l5 struct{ net.Listener }

func (l l5) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if c, ok := c.(*stateful); ok {
		return &holdsStateful{c}, err
	}
	return nil, err
}

type l6 struct{ net.Listener }

func (l l6) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return &byEmbedding{c}, err
}

type l7 struct{ net.Listener }

func (l l7) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return startTlsConn{&byEmbedding{c}}, err
}
