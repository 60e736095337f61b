package zerocopy

import (
	"io"
	"net"
	"sync/atomic"
)

// Conn is a connection with hooks. It has CloseWrite and CloseRead, and ReadFrom and
// WriteTo, which keep the path.
type Conn struct {
	inner net.Conn
	net.Conn
	hooks Hooks
}

// NewConn returns c with hooks.
func NewConn(c net.Conn, hooks Hooks) *Conn { return &Conn{inner: c, Conn: c, hooks: hooks} }

// NetConn returns the connection inside.
func (c *Conn) NetConn() net.Conn { return c.inner }

// Counter counts bytes by method. It is safe for concurrent use.
type Counter struct{ by [methods]atomic.Int64 }

// Bytes returns those that went by m.
func (c *Counter) Bytes(m Method) int64 { return c.by[m].Load() }

// Gate bounds how many system calls that may wait for a disk run at once; its capacity is
// the bound.
type Gate chan struct{}

// Section reads n bytes of a file from an offset on, with a cursor of its own, so that
// many sections may share one open file.
type Section struct {
	*io.SectionReader
	gate Gate
}
