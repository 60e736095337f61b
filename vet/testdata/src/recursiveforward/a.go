// Package recursiveforward has ReadFrom and WriteTo methods that call themselves.
package recursiveforward

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
)

type plain struct{ io.Writer }

func (p *plain) ReadFrom(r io.Reader) (int64, error) {
	return io.Copy(p, r) // want `io.Copy calls the ReadFrom that calls it, until the stack is full: hide the method, struct{ io.Writer }{p}`
}

type buffered struct{ io.Writer }

func (b buffered) ReadFrom(r io.Reader) (n int64, err error) {
	buf := make([]byte, 1<<16)
	n, err = io.CopyBuffer(b, r, buf) // want `io.CopyBuffer calls the ReadFrom`
	return n, err
}

type sliced struct{ io.Writer }

func (s *sliced) ReadFrom(r io.Reader) (total int64, err error) {
	for {
		n, err := io.CopyN(s, r, 1<<20) // want `io.CopyN calls the ReadFrom`
		total += n
		if err != nil {
			return total, err
		}
	}
}

// The usual fallback.
type fallback struct {
	http.ResponseWriter
	status int
}

func (f *fallback) ReadFrom(r io.Reader) (int64, error) {
	if rf, ok := f.ResponseWriter.(io.ReaderFrom); ok {
		return rf.ReadFrom(r)
	}
	return io.Copy(f, r) // want `io.Copy calls the ReadFrom`
}

// What happens before does not end it.
type withHeader struct {
	http.ResponseWriter
	wrote bool
	bytes int64
}

func (w *withHeader) ReadFrom(r io.Reader) (int64, error) {
	if !w.wrote {
		w.WriteHeader(http.StatusOK)
		w.wrote = true
	}
	n, err := io.Copy(w, r) // want `io.Copy calls the ReadFrom`
	w.bytes += n
	return n, err
}

type source struct{ data []byte }

func (s *source) Read(p []byte) (int, error) { return copy(p, s.data), io.EOF }
func (s *source) WriteTo(w io.Writer) (int64, error) {
	return io.Copy(w, s) // want `io.Copy calls the WriteTo that calls it, until the stack is full: hide the method, struct{ io.Reader }{s}`
}

// Through a variable, and an interface.
type variable struct{ io.Writer }

func (v *variable) ReadFrom(r io.Reader) (int64, error) {
	var dst io.Writer = v
	return io.Copy(dst, r) // want `io.Copy calls the ReadFrom .* struct{ io.Writer }{dst}`
}

type converted struct{ io.Writer }

func (c *converted) ReadFrom(r io.Reader) (int64, error) {
	return io.Copy(io.Writer((c)), r) // want `io.Copy calls the ReadFrom`
}

// Through bufio, which calls the method while its buffer is empty.
type throughBufio struct{ io.Writer }

func (t *throughBufio) ReadFrom(r io.Reader) (int64, error) {
	bw := bufio.NewWriter(t)
	n, err := io.Copy(bw, r) // want `io.Copy calls the ReadFrom`
	if err != nil {
		return n, err
	}
	return n, bw.Flush()
}

type bufioSource struct{ io.Reader }

func (b bufioSource) WriteTo(w io.Writer) (int64, error) {
	return io.Copy(w, bufio.NewReaderSize(b, 4096)) // want `io.Copy calls the WriteTo`
}

// Through a method of the type.
type helped struct{ io.Writer }

func (h *helped) ReadFrom(r io.Reader) (int64, error) { return h.copy("all", r) }
func (h *helped) copy(name string, src io.Reader) (int64, error) {
	return h.really(src)
}
func (h *helped) really(src io.Reader) (int64, error) {
	return io.Copy(h, src) // want `io.Copy calls the ReadFrom`
}

// Another reader around the same one.
type teed struct {
	io.Writer
	log io.Writer
}

func (t *teed) ReadFrom(r io.Reader) (int64, error) {
	r = io.TeeReader(r, t.log)
	return io.Copy(t, r) // want `io.Copy calls the ReadFrom`
}

// A generic type.
type generic[T io.Writer] struct{ inner T }

func (g *generic[T]) Write(p []byte) (int, error) { return g.inner.Write(p) }
func (g *generic[T]) ReadFrom(r io.Reader) (int64, error) {
	return io.Copy(g, r) // want `io.Copy calls the ReadFrom`
}

// The address of a value.
type value struct{ io.Writer }

func (v value) ReadFrom(r io.Reader) (int64, error) {
	return io.Copy(&v, r) // want `io.Copy calls the ReadFrom`
}

// An unchanged condition does not end it.
type conditional struct {
	io.Writer
	fast bool
}

func (c *conditional) ReadFrom(r io.Reader) (int64, error) {
	switch {
	case !c.fast:
		return io.Copy(c, r) // want `io.Copy calls the ReadFrom`
	default:
		return c.Writer.(io.ReaderFrom).ReadFrom(r)
	}
}

type silenced struct{ io.Writer }

func (s *silenced) ReadFrom(r io.Reader) (int64, error) {
	//thresh:ignore recursiveforward never called
	return io.Copy(s, r)
}

// What a return calls is not called where the copy is.
type recorder struct {
	io.Writer
	buf *bytes.Buffer
}

func (r *recorder) ReadFrom(src io.Reader) (int64, error) {
	if r.buf != nil {
		return r.buf.ReadFrom(src)
	}
	return io.Copy(r, src) // want `io.Copy calls the ReadFrom`
}
