// Package conn has wrappers of connections and files.
package conn

import (
	"bufio"
	"crypto/tls"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

type counts struct { // want counts:`Conn net.Conn: Read forwards Write forwards$`
	net.Conn
	read, written atomic.Int64
}

func (c *counts) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.read.Add(int64(n))
	return n, err
}

func (c *counts) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.written.Add(int64(n))
	return n, err
}

type closes struct { // want closes:`Conn net.Conn: Read promoted Write promoted$`
	net.Conn
	once    sync.Once
	release func()
}

func (c *closes) Close() error {
	err := c.Conn.Close()
	c.once.Do(c.release)
	return err
}

type deadlines struct { // want deadlines:`Conn net.Conn: Read forwards Write forwards$`
	net.Conn
	d time.Duration
}

func (d deadlines) Read(p []byte) (int, error) {
	if err := d.SetReadDeadline(time.Now().Add(d.d)); err != nil {
		return 0, err
	}
	return d.Conn.Read(p)
}

func (d deadlines) Write(p []byte) (int, error) {
	if err := d.SetWriteDeadline(time.Now().Add(d.d)); err != nil {
		return 0, err
	}
	return d.Conn.Write(p)
}

type field struct { // want field:`inner net.Conn: Read forwards Write forwards$`
	inner net.Conn
	err   error
}

func (f *field) Read(p []byte) (int, error)         { return f.inner.Read(p) }
func (f *field) Write(p []byte) (int, error)        { return f.inner.Write(p) }
func (f *field) Close() error                       { return f.inner.Close() }
func (f *field) LocalAddr() net.Addr                { return f.inner.LocalAddr() }
func (f *field) RemoteAddr() net.Addr               { return f.inner.RemoteAddr() }
func (f *field) SetDeadline(t time.Time) error      { return f.inner.SetDeadline(t) }
func (f *field) SetReadDeadline(t time.Time) error  { return f.inner.SetReadDeadline(t) }
func (f *field) SetWriteDeadline(t time.Time) error { return f.inner.SetWriteDeadline(t) }

type tcp struct{ *net.TCPConn } // want tcp:`TCPConn \*net.TCPConn: Read promoted Write promoted ReadFrom promoted WriteTo promoted SyscallConn promoted$`

type tcpOverrides struct { // want tcpOverrides:`TCPConn \*net.TCPConn: Read promoted Write forwards ReadFrom promoted WriteTo promoted SyscallConn promoted$`
	*net.TCPConn
	n int
}

func (t *tcpOverrides) Write(p []byte) (int, error) {
	n, err := t.TCPConn.Write(p)
	t.n += n
	return n, err
}

type udp struct{ *net.UDPConn } // want udp:`UDPConn \*net.UDPConn: Read promoted Write promoted SyscallConn promoted$`

type both struct{ net.Conn } // want both:`Conn net.Conn: Read promoted Write promoted ReadFrom forwards WriteTo forwards$`

func (b both) ReadFrom(r io.Reader) (int64, error) { return io.Copy(b.Conn, r) }
func (b both) WriteTo(w io.Writer) (int64, error)  { return io.Copy(w, b.Conn) }

type wrapsDst struct{ net.Conn } // want wrapsDst:`Conn net.Conn: Read promoted Write promoted WriteTo loops$`

func (w wrapsDst) WriteTo(dst io.Writer) (int64, error) {
	return io.Copy(struct{ io.Writer }{dst}, w.Conn)
}

type writerTo struct{ net.Conn } // want writerTo:`Conn net.Conn: Read promoted Write promoted WriteTo forwards SyscallConn forwards$`

func (w *writerTo) WriteTo(dst io.Writer) (int64, error) {
	if rf, ok := dst.(io.ReaderFrom); ok {
		return rf.ReadFrom(w.Conn)
	}
	return io.Copy(dst, struct{ io.Reader }{w})
}

func (w *writerTo) SyscallConn() (syscall.RawConn, error) {
	return w.Conn.(syscall.Conn).SyscallConn()
}

type peeked struct { // want peeked:`Conn net.Conn: Read transforms Write promoted$`
	net.Conn
	head []byte
}

func (p *peeked) Read(b []byte) (int, error) {
	if len(p.head) > 0 {
		n := copy(b, p.head)
		p.head = p.head[n:]
		return n, nil
	}
	return p.Conn.Read(b)
}

type buffered struct { // want buffered:`Conn net.Conn: Read transforms Write promoted$`
	net.Conn
	r *bufio.Reader
}

func (b *buffered) Read(p []byte) (int, error) { return b.r.Read(p) }

type obfuscated struct { // want obfuscated:`Conn net.Conn: Read transforms Write transforms$`
	net.Conn
	key byte
}

func (o *obfuscated) Read(p []byte) (int, error) {
	n, err := o.Conn.Read(p)
	for i := range p[:n] {
		p[i] ^= o.key
	}
	return n, err
}

func (o *obfuscated) Write(p []byte) (int, error) {
	out := make([]byte, len(p))
	for i, b := range p {
		out[i] = b ^ o.key
	}
	return o.Conn.Write(out)
}

type encrypted struct{ *tls.Conn } // want encrypted:`Conn \*crypto/tls.Conn: Read (transforms|opaque) Write (transforms|opaque)$`

type file struct{ *os.File } // want file:`File \*os.File: Read promoted Write promoted ReadFrom promoted WriteTo promoted SyscallConn promoted$`

type readOnly struct{ f *os.File } // want readOnly:`f \*os.File: Read forwards$`

func (r readOnly) Read(p []byte) (int, error) { return r.f.Read(p) }

type split struct { // want split:`r io.Reader: Read forwards Write transforms$`
	r io.Reader
	w io.Writer
}

func (s split) Read(p []byte) (int, error)  { return s.r.Read(p) }
func (s split) Write(p []byte) (int, error) { return s.w.Write(p) }

type two struct{ a, b net.Conn } // want two:`b net.Conn: Write forwards$`

func (t two) Write(p []byte) (int, error) { return t.b.Write(p) }

type packet struct{ net.PacketConn }

type pool struct{ conns []net.Conn }

func (p pool) Write(b []byte) (int, error) { return p.conns[0].Write(b) }

type listener struct{ net.Listener }

func (l *listener) Accept() (net.Conn, error) { // want Accept:`0: \*conn.closes$`
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &closes{Conn: c}, nil
}
