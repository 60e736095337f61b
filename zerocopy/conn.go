package zerocopy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"
)

// Conn is a connection with hooks. It implements net.Conn, keeps the fast path in both directions,
// and supports half-close. Like any net.Conn it is safe for concurrent use, if its hooks are. Conn
// has no SyscallConn, because the standard library would use it to bypass the hooks; code that
// needs the descriptor calls NetConn.
type Conn struct {
	inner  net.Conn // not embedded, so that none of its methods are promoted
	hooks  Hooks
	ctx    context.Context
	cancel context.CancelCauseFunc
}

// NewConn returns c with hooks. The context that the hooks receive ends when the Conn is closed,
// with net.ErrClosed as its cause. NewConn panics if c, or what c holds, or a hook is nil.
func NewConn(c net.Conn, hooks Hooks) *Conn {
	require("NewConn", "connection", c)
	requireHooks("NewConn", hooks.Read)
	requireHooks("NewConn", hooks.Write)
	ctx, cancel := context.WithCancelCause(context.Background())
	return &Conn{inner: c, hooks: hooks, ctx: ctx, cancel: cancel}
}

// NetConn returns the wrapped connection.
func (c *Conn) NetConn() net.Conn { return c.inner }

// Read calls the wrapped connection's Read once; the hooks may let it read fewer than len(p) bytes.
func (c *Conn) Read(p []byte) (int, error) { return readHooked(c.ctx, c.hooks.Read, c.inner, p) }

// Write writes all of p, in slices of the size that the hooks allow.
func (c *Conn) Write(p []byte) (int, error) { return writeHooked(c.ctx, c.hooks.Write, c.inner, p) }

// ReadFrom copies from r to the connection until r ends, on the fastest path.
func (c *Conn) ReadFrom(r io.Reader) (int64, error) {
	res, err := transferAll(c, r, false)
	return res.Total(), err
}

// WriteTo copies what the connection receives to w, on the fastest path.
func (c *Conn) WriteTo(w io.Writer) (int64, error) {
	res, err := transferAll(w, c, true)
	return res.Total(), err
}

// Close closes the wrapped connection. Hooks that are waiting return.
func (c *Conn) Close() error {
	c.cancel(net.ErrClosed)
	return c.inner.Close()
}

// CloseRead closes the reading half. It returns errors.ErrUnsupported if the wrapped connection has
// none.
func (c *Conn) CloseRead() error {
	if half, ok := c.inner.(interface{ CloseRead() error }); ok {
		return half.CloseRead()
	}
	return fmt.Errorf("close the reading half: a %T has none: %w", c.inner, errors.ErrUnsupported)
}

// CloseWrite closes the writing half: the peer reads EOF and can go on sending. It returns
// errors.ErrUnsupported if the wrapped connection has no such half.
func (c *Conn) CloseWrite() error {
	if half, ok := c.inner.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return fmt.Errorf("close the writing half: a %T has none: %w", c.inner, errors.ErrUnsupported)
}

// LocalAddr returns the local address.
func (c *Conn) LocalAddr() net.Addr { return c.inner.LocalAddr() }

// RemoteAddr returns the remote address.
func (c *Conn) RemoteAddr() net.Addr { return c.inner.RemoteAddr() }

// SetDeadline sets the read and write deadlines.
func (c *Conn) SetDeadline(t time.Time) error { return c.inner.SetDeadline(t) }

// SetReadDeadline sets the read deadline.
func (c *Conn) SetReadDeadline(t time.Time) error { return c.inner.SetReadDeadline(t) }

// SetWriteDeadline sets the write deadline.
func (c *Conn) SetWriteDeadline(t time.Time) error { return c.inner.SetWriteDeadline(t) }

type listener struct {
	net.Listener
	hooks func(net.Conn) Hooks
}

// NewListener returns l with hooks on every accepted connection: it calls hooks with each
// connection and wraps the connection with the result. In an http.Server on such a listener, bodies
// keep the fast path even if they come from readers of this package. For TLS, wrap this listener
// with tls.NewListener. NewListener panics if l or hooks is nil.
func NewListener(l net.Listener, hooks func(net.Conn) Hooks) net.Listener {
	require("NewListener", "listener", l)
	require("NewListener", "function hooks", hooks)
	return &listener{l, hooks}
}

// Accept waits for the next connection and wraps it.
func (l *listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return NewConn(c, l.hooks(c)), nil
}
