package recursiveforward

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"strings"
)

type hidden struct{ io.Writer }

func (h *hidden) ReadFrom(r io.Reader) (int64, error) {
	return io.Copy(struct{ io.Writer }{h}, r)
}

type writerOnly struct{ io.Writer }

type hiddenByName struct{ io.Writer }

func (h *hiddenByName) ReadFrom(r io.Reader) (int64, error) {
	dst := writerOnly{h}
	return io.CopyBuffer(dst, r, nil)
}

type inner struct{ conn net.Conn }

func (i *inner) Write(p []byte) (int, error)         { return i.conn.Write(p) }
func (i *inner) ReadFrom(r io.Reader) (int64, error) { return io.Copy(i.conn, r) }

type embedded struct{ *net.TCPConn }

func (e embedded) ReadFrom(r io.Reader) (int64, error) { return io.Copy(e.TCPConn, r) }

// A type without the method.
type converts struct{ io.Writer }
type withoutMethod converts

func (c *converts) ReadFrom(r io.Reader) (int64, error) {
	return io.Copy((*withoutMethod)(c), r)
}

// The value has no ReadFrom: it is a method of the pointer.
type onPointer struct{ w io.Writer }

func (o onPointer) Write(p []byte) (int, error) { return o.w.Write(p) }
func (o *onPointer) ReadFrom(r io.Reader) (int64, error) {
	return io.Copy(*o, r)
}

// The limit hides WriteTo.
type limitedSource struct{ io.Reader }

func (l limitedSource) WriteTo(w io.Writer) (int64, error) { return io.CopyN(w, l, 1<<20) }

// The source writes itself.
type fromBuffer struct{ io.Writer }

func (f *fromBuffer) ReadFrom(r io.Reader) (int64, error) {
	var buf bytes.Buffer
	if _, err := buf.ReadFrom(r); err != nil {
		return 0, err
	}
	return io.Copy(f, &buf)
}

type fromText struct{ io.Writer }

func (f *fromText) ReadFrom(io.Reader) (int64, error) {
	return io.Copy(f, strings.NewReader("nothing"))
}

// Ends: the second call takes another branch.
type once struct {
	io.Writer
	started bool
}

func (o *once) ReadFrom(r io.Reader) (int64, error) {
	if o.started {
		return io.Copy(o.Writer, r)
	}
	o.started = true
	return io.Copy(o, r)
}

type onceInHelper struct {
	io.Writer
	started bool
}

func (o *onceInHelper) ReadFrom(r io.Reader) (int64, error) {
	was := o.started
	o.started = true
	return o.copy(r, was)
}

func (o *onceInHelper) copy(r io.Reader, was bool) (int64, error) {
	if !was {
		return io.Copy(o, r)
	}
	return io.Copy(o.Writer, r)
}

type startedBefore struct {
	io.Writer
	started bool
}

func (s *startedBefore) ReadFrom(r io.Reader) (int64, error) {
	s.started = !s.started
	return s.copy(r)
}

func (s *startedBefore) copy(r io.Reader) (int64, error) {
	if !s.started {
		return io.Copy(s.Writer, r)
	}
	return io.Copy(s, r)
}

type unlimited struct{ io.Writer }

func (u *unlimited) ReadFrom(r io.Reader) (int64, error) {
	if l, ok := r.(*io.LimitedReader); ok {
		return io.Copy(u, l.R)
	}
	return io.Copy(u.Writer, r)
}

// Ends with the source: each call takes something from it.
type sniffed struct{ io.Writer }

func (s *sniffed) ReadFrom(r io.Reader) (int64, error) {
	buf := make([]byte, 512)
	n, err := io.ReadFull(r, buf)
	if err != nil {
		return int64(n), err
	}
	if _, err := s.Write(buf[:n]); err != nil {
		return 0, err
	}
	return io.Copy(s, r)
}

type unwrapped struct{ io.Writer }

func (u *unwrapped) ReadFrom(r io.Reader) (int64, error) {
	switch src := r.(type) {
	case *os.File:
		return io.Copy(u, src)
	case interface{ Unwrap() io.Reader }:
		return io.Copy(u, src.Unwrap())
	}
	return 0, errors.New("no file")
}

// The receiver is another one by then.
type list struct {
	io.Writer
	next *list
}

func (l *list) ReadFrom(r io.Reader) (int64, error) {
	if l.next != nil {
		l = l.next
	}
	return io.Copy(l, r)
}

// Other methods of that name.
type packets struct{ net.PacketConn }

func (p packets) ReadFrom(b []byte) (int, net.Addr, error) { return p.PacketConn.ReadFrom(b) }

// A copy of another value of the type.
type pair struct {
	io.Writer
	other *pair
}

func (p *pair) ReadFrom(r io.Reader) (int64, error) { return io.Copy(p.other, r) }

// Later, if at all.
type later struct{ io.Writer }

func (l *later) ReadFrom(r io.Reader) (int64, error) {
	f := func() (int64, error) { return io.Copy(l, r) }
	_ = f
	return 0, nil
}

// What is called before the copy, and not in a return, may end it.
type drained struct {
	io.Writer
	buf *bytes.Buffer
}

func (d *drained) ReadFrom(src io.Reader) (int64, error) {
	if d.buf != nil {
		return d.buf.ReadFrom(src)
	}
	if err := d.fill(src); err != nil {
		return 0, err
	}
	if d.buf == nil {
		return io.Copy(d, src)
	}
	return 0, nil
}

func (d *drained) fill(io.Reader) error {
	d.buf = new(bytes.Buffer)
	return nil
}
