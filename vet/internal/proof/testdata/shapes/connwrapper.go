package main

import (
	"io"
	"net"
	"net/http"
	"path/filepath"
	"sync"
)

// limitListener allows so many connections at a time.
type limitListener struct {
	net.Listener
	slots chan struct{}
}

type limitConn struct { // want connwrapper
	net.Conn
	once    sync.Once
	release func()
}

func (l *limitListener) Accept() (net.Conn, error) {
	l.slots <- struct{}{}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.slots
		return nil, err
	}
	return &limitConn{Conn: c, release: func() { <-l.slots }}, nil
}

func (c *limitConn) Close() error {
	err := c.Conn.Close()
	c.once.Do(c.release)
	return err
}

func connFlagged(l net.Listener, name string) error {
	return http.Serve(&limitListener{l, make(chan struct{}, 9)}, http.FileServer(http.Dir(filepath.Dir(name))))
}

type limitListenerFixed struct {
	net.Listener
	slots chan struct{}
}

type limitConnFixed struct {
	net.Conn
	once    sync.Once
	release func()
}

func (l *limitListenerFixed) Accept() (net.Conn, error) {
	l.slots <- struct{}{}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.slots
		return nil, err
	}
	return &limitConnFixed{Conn: c, release: func() { <-l.slots }}, nil
}

func (c *limitConnFixed) Close() error {
	err := c.Conn.Close()
	c.once.Do(c.release)
	return err
}

func (c *limitConnFixed) ReadFrom(r io.Reader) (int64, error) { return io.Copy(c.Conn, r) }
func (c *limitConnFixed) WriteTo(w io.Writer) (int64, error)  { return io.Copy(w, c.Conn) }

func connFixed(l net.Listener, name string) error {
	return http.Serve(&limitListenerFixed{l, make(chan struct{}, 9)}, http.FileServer(http.Dir(filepath.Dir(name))))
}
