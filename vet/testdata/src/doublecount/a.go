// Package doublecount counts bytes twice.
package doublecount

import (
	"io"
	"net/http"
	"sync/atomic"
)

type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

func (c *counter) ReadFrom(r io.Reader) (int64, error) {
	n, err := io.Copy(struct{ io.Writer }{c}, r)
	c.n += n // want `ReadFrom counts again what Write has counted: the bytes of this io.Copy are added twice`
	return n, err
}

func (c *counter) WriteString(s string) (int, error) {
	n, err := c.Write([]byte(s))
	c.n += int64(n) // want `WriteString counts again what Write has counted: the bytes of this c.Write are added twice`
	return n, err
}

// The counting writer is embedded, and copied to if there is a second writer.
type basic struct {
	http.ResponseWriter
	wrote   bool
	bytes   int
	tee     io.Writer
	discard bool
}

func (b *basic) Write(p []byte) (n int, err error) {
	if !b.wrote {
		b.WriteHeader(http.StatusOK)
	}
	if b.discard {
		n, err = io.Discard.Write(p)
		if err != nil {
			return n, err
		}
	} else {
		n, err = b.ResponseWriter.Write(p)
	}
	if b.tee != nil {
		if _, err2 := b.tee.Write(p[:n]); err == nil {
			err = err2
		}
	}
	b.bytes += n
	return n, err
}

type fancy struct{ basic }

func (f *fancy) ReadFrom(r io.Reader) (int64, error) {
	if f.basic.tee != nil {
		n, err := io.Copy(&f.basic, r)
		f.basic.bytes += int(n) // want `ReadFrom counts again what Write has counted`
		return n, err
	}
	n, err := f.basic.ResponseWriter.(io.ReaderFrom).ReadFrom(r)
	f.basic.bytes += int(n)
	return n, err
}

// The same counter by another path.
type promoted struct{ *basic }

func (p promoted) ReadFrom(r io.Reader) (int64, error) {
	n, err := io.CopyBuffer(p.basic, r, make([]byte, 1<<16))
	if n > 0 {
		p.bytes += int(n) // want `ReadFrom counts again`
	}
	return n, err
}

// Atomic counters.
type atomicCounter struct {
	w    io.Writer
	n    atomic.Int64
	old  int64
	both int64
}

func (a *atomicCounter) Write(p []byte) (int, error) {
	n, err := a.w.Write(p)
	if n > 0 {
		a.n.Add(int64(n))
		atomic.AddInt64(&a.old, int64(n))
	}
	a.both = a.both + int64(n)
	return n, err
}

type writerOnly struct{ io.Writer }

func (a *atomicCounter) ReadFrom(r io.Reader) (n int64, err error) {
	dst := writerOnly{a}
	n, err = io.Copy(dst, r)
	a.n.Add(n)                 // want `ReadFrom counts again`
	atomic.AddInt64(&a.old, n) // want `ReadFrom counts again`
	a.both = a.both + n        // want `ReadFrom counts again`
	return n, err
}

// A loop of its own.
type loop struct {
	w io.Writer
	n int
}

func (l *loop) Write(p []byte) (int, error) {
	l.n += len(p)
	return l.w.Write(p)
}

func (l *loop) ReadFrom(r io.Reader) (total int64, err error) {
	buf := make([]byte, 1<<15)
	for {
		nr, rerr := r.Read(buf)
		nw, werr := l.Write(buf[:nr])
		l.n += nw // want `ReadFrom counts again what Write has counted: the bytes of this l.Write are added twice`
		total += int64(nw)
		if rerr != nil || werr != nil {
			return total, nil
		}
	}
}

// Readers.
type source struct {
	r    io.Reader
	read int64
}

func (s *source) Read(p []byte) (n int, err error) {
	n, err = s.r.Read(p)
	s.read += int64(n)
	return
}

func (s *source) WriteTo(w io.Writer) (int64, error) {
	n, err := io.Copy(w, struct{ io.Reader }{s})
	s.read += n // want `WriteTo counts again what Read has counted`
	return n, err
}

// Generic types.
type generic[T io.Writer] struct {
	w T
	n int64
}

func (g *generic[T]) Write(p []byte) (int, error) {
	n, err := g.w.Write(p)
	g.n += int64(n)
	return n, err
}

func (g *generic[T]) ReadFrom(r io.Reader) (int64, error) {
	n, err := io.Copy(struct{ io.Writer }{g}, r)
	g.n += n // want `ReadFrom counts again`
	return n, err
}

type silenced struct{ counter }

func (s *silenced) ReadFrom(r io.Reader) (int64, error) {
	n, err := io.Copy(struct{ io.Writer }{&s.counter}, r)
	s.n += n //thresh:ignore doublecount the figure is of both directions
	return n, err
}
