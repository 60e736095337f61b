// Package connaccept has listeners.
package connaccept

import (
	"crypto/tls"
	"net"

	"connaccept/lib"
)

type conn struct{ net.Conn } // want `^conn hides ReadFrom`

type byValue struct { // want `^byValue hides ReadFrom`
	net.Conn
	name string
}

type literal struct{ net.Listener }

func (l literal) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return &conn{c}, err
}

type pointer struct{ *net.TCPListener }

func (l *pointer) Accept() (net.Conn, error) {
	c, err := l.AcceptTCP()
	if err != nil {
		return nil, err
	}
	return byValue{Conn: c}, nil
}

type local struct{ l *net.UnixListener }

func (l *local) Accept() (c net.Conn, err error) {
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
	return wrap(c), err
}

type passed struct{ net.Conn } // want `^passed hides ReadFrom`

func wrap(c net.Conn) net.Conn { return &passed{c} }

// A listener of another listener of the package.
type second struct{ first literal }

func (s second) Accept() (net.Conn, error) {
	c, err := s.first.accept()
	return &twice{c}, err
}

func (l literal) accept() (net.Conn, error) { return l.Listener.Accept() }

type twice struct{ net.Conn } // want `^twice hides ReadFrom`

type foreign struct{ net.Listener }

func (f foreign) Accept() (net.Conn, error) {
	c, err := f.Listener.Accept()
	return lib.Wrap(c), err // want `conn hides ReadFrom`
}

type asserted struct{ net.Listener }

type ofAsserted struct{ net.Conn } // want `^ofAsserted hides ReadFrom`

func (a asserted) Accept() (net.Conn, error) {
	c, err := a.Listener.Accept()
	return ofAsserted{net.Conn(c.(*net.TCPConn))}, err
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
