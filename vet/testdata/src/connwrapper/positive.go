// Package connwrapper has listeners and relays.
package connwrapper

import (
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"connlib"
)

// A listener that counts the bytes of its connections.
type countListener struct{ net.Listener }

type countConn struct { // want `^countConn hides ReadFrom and WriteTo of the connection .*: add ReadFrom and WriteTo to it, which leave the copy to Conn$`
	net.Conn
	read, written atomic.Int64
}

func (l countListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &countConn{Conn: c}, nil
}

func (c *countConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.read.Add(int64(n))
	return n, err
}

func (c *countConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.written.Add(int64(n))
	return n, err
}

// A listener that limits how many connections are open: only Close is overridden.
type limitListener struct {
	net.Listener
	sem chan struct{}
}

func (l *limitListener) Accept() (net.Conn, error) {
	l.sem <- struct{}{}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.sem
		return nil, err
	}
	return &limitConn{Conn: c, release: func() { <-l.sem }}, nil
}

type limitConn struct { // want `^limitConn hides ReadFrom and WriteTo`
	net.Conn
	once    sync.Once
	release func()
}

func (c *limitConn) Close() error {
	err := c.Conn.Close()
	c.once.Do(c.release)
	return err
}

// Deadlines that are renewed for each call: no mechanical fix.
type idleListener struct{ *net.TCPListener }

func (l idleListener) Accept() (net.Conn, error) {
	c, err := l.AcceptTCP()
	if err != nil {
		return nil, err
	}
	return newIdle(c), nil
}

func newIdle(c *net.TCPConn) net.Conn { return &idleConn{c: c} }

type idleConn struct { // want `^idleConn hides ReadFrom and WriteTo .* or use zerocopy.NewConn with a hook$`
	c *net.TCPConn
}

func (c *idleConn) Read(p []byte) (int, error) {
	if err := c.c.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		return 0, err
	}
	return c.c.Read(p)
}

func (c *idleConn) Write(p []byte) (int, error)        { return c.c.Write(p) }
func (c *idleConn) Close() error                       { return c.c.Close() }
func (c *idleConn) LocalAddr() net.Addr                { return c.c.LocalAddr() }
func (c *idleConn) RemoteAddr() net.Addr               { return c.c.RemoteAddr() }
func (c *idleConn) SetDeadline(t time.Time) error      { return c.c.SetDeadline(t) }
func (c *idleConn) SetReadDeadline(t time.Time) error  { return c.c.SetReadDeadline(t) }
func (c *idleConn) SetWriteDeadline(t time.Time) error { return c.c.SetWriteDeadline(t) }

// A connection with a type parameter.
type taggedListener[T any] struct {
	net.Listener
	tag T
}

func (l *taggedListener[T]) Accept() (c net.Conn, err error) {
	c, err = l.Listener.Accept()
	if err == nil {
		c = &taggedConn[T]{c, l.tag}
	}
	return
}

type taggedConn[T any] struct { // want `^taggedConn hides ReadFrom and WriteTo .* add ReadFrom and WriteTo to it`
	net.Conn
	tag T
}

// With WriteTo, but without ReadFrom.
type halfListener struct{ net.Listener }

func (l halfListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return half{c}, err
}

type half struct{ net.Conn } // want `^half hides ReadFrom of the connection .* add ReadFrom to it, which leaves the copy to Conn$`

func (h half) WriteTo(w io.Writer) (int64, error) { return io.Copy(w, h.Conn) }

// An alias, a local type, another package's connection.
type namedListener struct{ net.Listener }

type shortName = realName

type realName struct{ net.Conn } // want `^realName hides ReadFrom and WriteTo`

func (l namedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return &shortName{c}, err
}

type localListener struct{ net.Listener }

func (l localListener) Accept() (net.Conn, error) {
	type inside struct{ net.Conn } // want `^inside hides ReadFrom and WriteTo .* add methods that forward, or use`
	c, err := l.Listener.Accept()
	return inside{c}, err
}

type foreignListener struct{ net.Listener }

func (l foreignListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return connlib.Watch(c, func() {}), nil // want `^\*connlib.Conn hides ReadFrom and WriteTo`
}

// A relay that counts one side.
type tracked struct { // want `^tracked hides ReadFrom and WriteTo of the connection .* add ReadFrom and WriteTo to it`
	net.Conn
	n int64
}

func (t *tracked) Write(p []byte) (n int, err error) {
	n, err = t.Conn.Write(p)
	t.n += int64(n)
	return
}

func relay(client net.Conn, address string) error {
	backend, err := net.Dial("tcp", address)
	if err != nil {
		return err
	}
	t := &tracked{Conn: backend}
	go io.Copy(t, client)
	_, err = io.Copy(client, t)
	return err
}

// A file to a connection that logs when it is closed.
type logged struct{ net.Conn } // want `^logged hides ReadFrom of the connection .* add ReadFrom to it`

func (l logged) Close() error {
	println("closed")
	return l.Conn.Close()
}

func send(address, name string) error {
	c, err := net.Dial("tcp", address)
	if err != nil {
		return err
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	_, err = io.Copy(logged{c}, f)
	return err
}

func sendForeign(c *net.TCPConn, f *os.File) {
	io.Copy(connlib.Watch(c, nil), f) // want `^\*connlib.Conn hides ReadFrom of`
}

// A connection to a file.
type outer struct{ *embedded }

type embedded struct{ net.Conn } // want `^embedded hides WriteTo of`

func receive(c *net.TCPConn, f *os.File) {
	io.Copy(f, outer{&embedded{c}})
}
