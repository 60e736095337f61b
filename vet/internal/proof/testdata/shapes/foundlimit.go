package main

import (
	"io"
	"net"
	"net/http"
	"sync"
)

// After golang.org/x/net@v0.62.0/netutil/listen.go: a listener accepts so many connections at a time, and
// closing one makes room for the next.

type slotListener struct {
	net.Listener
	slots chan struct{}
	done  chan struct{}
	once  sync.Once
}

func (l *slotListener) acquire() bool {
	select {
	case <-l.done:
		return false
	case l.slots <- struct{}{}:
		return true
	}
}

func (l *slotListener) Accept() (net.Conn, error) {
	if !l.acquire() {
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.slots
		return nil, err
	}
	return &slotConn{Conn: c, release: func() { <-l.slots }}, nil
}

func (l *slotListener) Close() error {
	l.once.Do(func() { close(l.done) })
	return l.Listener.Close()
}

type slotConn struct { // want connwrapper
	net.Conn
	once    sync.Once
	release func()
}

func (c *slotConn) Close() error {
	err := c.Conn.Close()
	c.once.Do(c.release)
	return err
}

func limitFlagged(l net.Listener, name string) error {
	limited := &slotListener{Listener: l, slots: make(chan struct{}, 8), done: make(chan struct{})}
	return http.Serve(limited, fileHandler(name))
}

type slotListenerFixed struct{ slotListener }

func (l *slotListenerFixed) Accept() (net.Conn, error) {
	if !l.acquire() {
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.slots
		return nil, err
	}
	return &slotConnFixed{Conn: c, release: func() { <-l.slots }}, nil
}

type slotConnFixed struct {
	net.Conn
	once    sync.Once
	release func()
}

func (c *slotConnFixed) Close() error {
	err := c.Conn.Close()
	c.once.Do(c.release)
	return err
}

func (c *slotConnFixed) ReadFrom(r io.Reader) (int64, error) { return io.Copy(c.Conn, r) }
func (c *slotConnFixed) WriteTo(w io.Writer) (int64, error)  { return io.Copy(w, c.Conn) }

func limitFixed(l net.Listener, name string) error {
	limited := &slotListenerFixed{slotListener{Listener: l, slots: make(chan struct{}, 8), done: make(chan struct{})}}
	return http.Serve(limited, fileHandler(name))
}
