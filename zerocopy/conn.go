package zerocopy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"
)

// Conn is a connection with hooks. It keeps the path in both directions, and half-close.
// What needs the descriptor gets the connection inside from NetConn: there is no SyscallConn,
// through which the standard library would go round the hooks.
type Conn struct {
	inner  net.Conn // a field and not embedded: nothing of it is promoted
	hooks  Hooks
	ctx    context.Context
	cancel context.CancelCauseFunc
}

// NewConn returns c with hooks. Their context ends when the connection is closed.
func NewConn(c net.Conn, hooks Hooks) *Conn {
	ctx, cancel := context.WithCancelCause(context.Background())
	return &Conn{inner: c, hooks: hooks, ctx: ctx, cancel: cancel}
}

// NetConn returns the connection inside.
func (c *Conn) NetConn() net.Conn { return c.inner }

// Read reads once; hooks may let it read less than p holds.
func (c *Conn) Read(p []byte) (int, error) { return readHooked(c.ctx, c.hooks.Read, c.inner, p) }

// Write writes all of p, in as many slices as the hooks want.
func (c *Conn) Write(p []byte) (int, error) { return writeHooked(c.ctx, c.hooks.Write, c.inner, p) }

// ReadFrom copies from r to the connection until r ends, on the best path.
func (c *Conn) ReadFrom(r io.Reader) (int64, error) {
	res, err := transferAll(c, r, false)
	return res.Total(), err
}

// WriteTo copies what the connection receives to w, on the best path.
func (c *Conn) WriteTo(w io.Writer) (int64, error) {
	res, err := transferAll(w, c, true)
	return res.Total(), err
}

// Close closes the connection inside. Hooks that wait return.
func (c *Conn) Close() error {
	c.cancel(net.ErrClosed)
	return c.inner.Close()
}

// CloseRead closes the reading half.
func (c *Conn) CloseRead() error {
	if half, ok := c.inner.(interface{ CloseRead() error }); ok {
		return half.CloseRead()
	}
	return fmt.Errorf("close the reading half of a %T: it has none: %w", c.inner, errors.ErrUnsupported)
}

// CloseWrite closes the writing half: the peer reads the end, and may go on sending.
func (c *Conn) CloseWrite() error {
	if half, ok := c.inner.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return fmt.Errorf("close the writing half of a %T: it has none: %w", c.inner, errors.ErrUnsupported)
}

// LocalAddr returns the address of this end.
func (c *Conn) LocalAddr() net.Addr { return c.inner.LocalAddr() }

// RemoteAddr returns the address of the other end.
func (c *Conn) RemoteAddr() net.Addr { return c.inner.RemoteAddr() }

// SetDeadline sets the deadline of both directions.
func (c *Conn) SetDeadline(t time.Time) error { return c.inner.SetDeadline(t) }

// SetReadDeadline sets the deadline for reading.
func (c *Conn) SetReadDeadline(t time.Time) error { return c.inner.SetReadDeadline(t) }

// SetWriteDeadline sets the deadline for writing.
func (c *Conn) SetWriteDeadline(t time.Time) error { return c.inner.SetWriteDeadline(t) }

type listener struct {
	net.Listener
	hooks func(net.Conn) Hooks
}

// NewListener returns l with hooks on every connection that it accepts: hooks is called with
// each, and chooses its hooks. Under an http.Server, all bodies then keep the path whatever
// reader of this package they come from. TLS goes on top: tls.NewListener of this one.
func NewListener(l net.Listener, hooks func(net.Conn) Hooks) net.Listener {
	return &listener{l, hooks}
}

// Accept waits for the next connection.
func (l *listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return NewConn(c, l.hooks(c)), nil
}
