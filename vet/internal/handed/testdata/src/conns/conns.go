// Package conns has listeners.
package conns

import (
	"crypto/tls"
	"net"

	"lib"
)

type conn struct{ net.Conn }

type byValue struct {
	net.Conn
	name string
}

type literal struct{ net.Listener }

func (l literal) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return &conn{c}, err // want `^\*conn to the caller of Accept, own$`
}

type pointer struct{ *net.TCPListener }

func (l *pointer) Accept() (net.Conn, error) {
	c, err := l.AcceptTCP()
	if err != nil {
		return nil, err
	}
	return byValue{Conn: c}, nil // want `^byValue to the caller of Accept, own$`
}

type local struct{ l *net.UnixListener }

func (l *local) Accept() (c net.Conn, err error) { // want `^\*byValue to the caller of Accept, own$`
	inner, err := l.l.AcceptUnix()
	w := &byValue{}
	w.Conn = inner
	c = w
	return
}

type generic[L net.Listener] struct{ l L }

func (g generic[L]) Accept() (net.Conn, error) {
	var l net.Listener = g.l
	c, err := l.Accept()
	return wrap(c), err // want `^\*passed to the caller of Accept, own$`
}

type passed struct{ net.Conn }

func wrap(c net.Conn) net.Conn { return &passed{c} }

// A listener of another listener of the package.
type second struct{ first literal }

func (s second) Accept() (net.Conn, error) {
	c, err := s.first.accept()
	return &twice{c}, err // want `^\*twice to the caller of Accept, own$`
}

func (l literal) accept() (net.Conn, error) { return l.Listener.Accept() }

type twice struct{ net.Conn }

type foreign struct{ net.Listener }

func (f foreign) Accept() (net.Conn, error) {
	c, err := f.Listener.Accept()
	return lib.Wrap(c), err // want `^\*lib.conn to the caller of Accept, own$`
}

type asserted struct{ net.Listener }

type ofAsserted struct{ net.Conn }

func (a asserted) Accept() (net.Conn, error) {
	c, err := a.Listener.Accept()
	return ofAsserted{net.Conn(c.(*net.TCPConn))}, err // want `^ofAsserted to the caller of Accept, own$`
}

// Nothing was accepted from a listener.

type dialled struct{ address string }

type ofDialled struct{ net.Conn }

func (d dialled) Accept() (net.Conn, error) {
	c, err := net.Dial("tcp", d.address)
	return &ofDialled{c}, err
}

func (d dialled) Addr() net.Addr { return nil }
func (d dialled) Close() error   { return nil }

type foreignDialled struct{ dialled }

func (d foreignDialled) Accept() (net.Conn, error) {
	c, err := net.Dial("tcp", d.address)
	return lib.Wrap(c), err
}

type queue struct{ c chan net.Conn }

type ofQueue struct{ net.Conn }

func (q queue) Accept() (net.Conn, error) { return &ofQueue{<-q.c}, nil }

type encrypted struct {
	net.Listener
	config *tls.Config
}

type ofEncrypted struct{ net.Conn }

func (e encrypted) Accept() (net.Conn, error) {
	c, err := e.Listener.Accept()
	return &ofEncrypted{tls.Server(c, e.config)}, err
}

// The connection as it is.
type bare struct{ net.Listener }

func (b bare) Accept() (net.Conn, error) { return b.Listener.Accept() }

// No Accept of a listener.

type inner struct{ net.Conn }

func Accept(l net.Listener) (net.Conn, error) {
	c, err := l.Accept()
	return &inner{c}, err
}

type handshake struct{ net.Listener }

func (h handshake) Accept(name string) (net.Conn, error) {
	c, err := h.Listener.Accept()
	return &inner{c}, err
}

type other struct{ net.Listener }

func (o other) Next() (net.Conn, error) {
	c, err := o.Listener.Accept()
	return &inner{c}, err
}
