package bypassedoverride

import (
	"bufio"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
)

// Nothing overridden.
type named struct {
	*os.File
	name string
}

func (n named) Name() string { return n.name }

// Only Close.
type tracked struct{ *net.TCPConn }

func (t tracked) Close() error { return t.TCPConn.Close() }

// The interface promotes neither ReadFrom nor SyscallConn.
type fromInterface struct{ net.Conn }

func (c fromInterface) Write(p []byte) (int, error) { return c.Conn.Write(p[1:]) }

// A field that is not embedded.
type held struct{ conn *net.TCPConn }

func (h held) Read(p []byte) (int, error)  { return h.conn.Read(p) }
func (h held) Write(p []byte) (int, error) { return h.conn.Write(p) }

// Overrides that do nothing else.
type forwards struct{ *net.TCPConn }

func (f forwards) Write(p []byte) (int, error) { return f.TCPConn.Write(p) }
func (f *forwards) Read(b []byte) (int, error) { return f.TCPConn.Read(b) }

// All ways closed.
type closed struct{ *os.File }

func (c closed) Read(p []byte) (int, error)            { return c.File.Read(p[1:]) }
func (c closed) WriteTo(w io.Writer) (int64, error)    { return 0, errors.New("no") }
func (c closed) SyscallConn() (syscall.RawConn, error) { return nil, errors.New("no") }

// A file that gets a ReadFrom: whoever writes to it asks for nothing else.
type countedWrites struct {
	*os.File
	n int64
}

func (c *countedWrites) Write(p []byte) (int, error) {
	n, err := c.File.Write(p)
	c.n += int64(n)
	return n, err
}

func (c *countedWrites) ReadFrom(r io.Reader) (int64, error) {
	n, err := c.File.ReadFrom(r)
	c.n += n
	return n, err
}

// Methods of other signatures are no overrides of io's.
type messages struct{ *net.TCPConn }

type message struct{ text string }

func (m messages) Write(msg message) error { return nil }

// The type that overrides is reported, not each that embeds it.
type embedsBad struct{ countedConn }

// Two embedded fields of the same depth have no Read and no Write in common.
type ambiguous struct {
	*net.TCPConn
	*os.File
}

func (a ambiguous) Write(p []byte) (int, error) { return a.TCPConn.Write(p[1:]) }

// No files, and no streams.
type datagrams struct{ *net.UDPConn }

func (d datagrams) Write(p []byte) (int, error) { return d.UDPConn.Write(p[1:]) }

// A struct without methods of its own in a function.
func local() any {
	type conn struct{ *net.TCPConn }
	return conn{}
}

// An interface that has the methods.
type file interface {
	io.ReadWriter
	Sync() error
}

type wrapped struct{ file }

func (w wrapped) Read(p []byte) (int, error) { return w.file.Read(p[1:]) }

// A connection that is embedded by value is never open: a fake of a test.
type fakeConn struct {
	net.TCPConn
	sent []byte
}

func (f *fakeConn) Write(p []byte) (int, error) {
	f.sent = append(f.sent, p...)
	return len(p), nil
}

var pool sync.Pool

// A file that only ever goes into a buffer.
type metered struct {
	*os.File
	read int
}

func (m *metered) Read(p []byte) (int, error) {
	n, err := m.File.Read(p)
	m.read += n
	return n, err
}

func lines(name string) (*bufio.Reader, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	m := &metered{File: f}
	if r, ok := pool.Get().(*bufio.Reader); ok {
		r.Reset(m)
		return r, nil
	}
	return bufio.NewReader(m), nil
}
