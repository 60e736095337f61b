package connwrapper

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"io"
	"net"
	"os"

	"connlib"
)

// Encrypted: a copy in any case.
type tlsConn struct{ *tls.Conn }

type tlsListener struct {
	net.Listener
	config *tls.Config
}

func (l tlsListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return tlsConn{tls.Server(c, l.config)}, nil
}

// Obfuscated.
type xorConn struct {
	net.Conn
	key byte
}

func (x *xorConn) Read(p []byte) (int, error) {
	n, err := x.Conn.Read(p)
	for i := range p[:n] {
		p[i] ^= x.key
	}
	return n, err
}

type xorListener struct{ net.Listener }

func (l xorListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return &xorConn{Conn: c}, err
}

// Peeked bytes come first.
type peekConn struct {
	net.Conn
	r *bufio.Reader
}

func (p *peekConn) Read(b []byte) (int, error) { return p.r.Read(b) }

type peekListener struct{ net.Listener }

func (l peekListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return &peekConn{c, bufio.NewReader(c)}, err
}

// Both methods are there.
type proxyConn struct {
	net.Conn
	source net.Addr
}

func (p *proxyConn) RemoteAddr() net.Addr                { return p.source }
func (p *proxyConn) ReadFrom(r io.Reader) (int64, error) { return io.Copy(p.Conn, r) }
func (p *proxyConn) WriteTo(w io.Writer) (int64, error)  { return io.Copy(w, p.Conn) }
func (l proxyListener) Accept() (c net.Conn, err error) {
	c, err = l.Listener.Accept()
	return &proxyConn{Conn: c}, err
}

type proxyListener struct{ net.Listener }

// A server writes to what it accepts: WriteTo is nothing that it asks for.
type onlyReadFrom struct{ net.Conn }

func (o onlyReadFrom) ReadFrom(r io.Reader) (int64, error) { return io.Copy(o.Conn, r) }

type readFromListener struct{ net.Listener }

func (l readFromListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return onlyReadFrom{c}, err
}

// A struct that embeds the connection itself has its methods.
type tcpConn struct{ *net.TCPConn }

func (t tcpConn) Close() error { return t.TCPConn.CloseWrite() }

type tcpListener struct{ *net.TCPListener }

func (l tcpListener) Accept() (net.Conn, error) {
	c, err := l.AcceptTCP()
	return tcpConn{c}, err
}

// Streams of a multiplexer, and pipes, are no sockets.
type streamConn struct{ connlib.Stream }

type streamListener struct{ c chan connlib.Stream }

func (l streamListener) Accept() (net.Conn, error) { return streamConn{<-l.c}, nil }

type pipeConn struct{ net.Conn }

type pipeListener struct{ c chan net.Conn }

func (l pipeListener) Accept() (net.Conn, error) {
	client, server := net.Pipe()
	l.c <- client
	return &pipeConn{server}, nil
}

func pipeCopy(f *os.File) {
	client, _ := net.Pipe()
	io.Copy(pipeConn{client}, f)
}

type sessionListener struct{ open func() net.Conn }

func (l sessionListener) Accept() (net.Conn, error) { return connlib.Watch(l.open(), func() {}), nil }

type udpConn struct{ *net.UDPConn }

func udpCopy(c *net.UDPConn, f *os.File) { io.Copy(udpConn{c}, f) }

// Nothing that is copied is a file or a socket.
type texts struct{ net.Conn }

func text(c net.Conn) {
	io.Copy(texts{c}, bytes.NewReader([]byte("hello")))
	io.Copy(new(bytes.Buffer), texts{c})
}

// A form of it has ReadFrom.
type plain struct{ net.Conn }

type plainReaderFrom struct {
	*plain
	io.ReaderFrom
}

type pickListener struct{ net.Listener }

func (l pickListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if rf, ok := c.(io.ReaderFrom); ok {
		return plainReaderFrom{&plain{c}, rf}, err
	}
	return &plain{c}, err
}

// Hidden on purpose.
type bareListener struct{ net.Listener }

func (l bareListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return struct{ net.Conn }{c}, err
}

//thresh:ignore connwrapper what is sent is small
type ignored struct{ net.Conn }

type ignoredListener struct{ net.Listener }

func (l ignoredListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return ignored{c}, err
}

// Neither accepted nor copied.
type unused struct{ net.Conn }

func (u unused) greet() { u.Write([]byte("hello")) }

// A TLS connection inside: all bytes are encrypted in memory.
type encryptedConn struct{ net.Conn }

type stateConn struct{ net.Conn }

func (s stateConn) ConnectionState() tls.ConnectionState { return tls.ConnectionState{} }

type encryptedListener struct{ net.Listener }

func (l encryptedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return encryptedConn{stateConn{c}}, nil
}

// Named after TLS: what the listener inside accepts is encrypted already.
type tlsStateConn struct{ net.Conn }

type stateListener struct{ net.Listener }

func (l stateListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return tlsStateConn{c}, nil
}
