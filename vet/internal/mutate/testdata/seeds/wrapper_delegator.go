// wrapper: a metrics delegator that has the interfaces of what it wraps
package seed

import (
	"io"
	"net/http"
	"sync/atomic"
)

type delegator interface {
	http.ResponseWriter
	Status() int
	Written() int64
}

type plainDelegator struct {
	http.ResponseWriter
	status  int
	written atomic.Int64
}

func (d *plainDelegator) Status() int    { return d.status }
func (d *plainDelegator) Written() int64 { return d.written.Load() }

func (d *plainDelegator) WriteHeader(code int) {
	d.status = code
	d.ResponseWriter.WriteHeader(code)
}

func (d *plainDelegator) Write(p []byte) (int, error) {
	n, err := d.ResponseWriter.Write(p)
	d.written.Add(int64(n))
	return n, err
}

type readerFromDelegator struct{ *plainDelegator }

func (d readerFromDelegator) ReadFrom(r io.Reader) (int64, error) {
	n, err := d.ResponseWriter.(io.ReaderFrom).ReadFrom(r)
	d.written.Add(n)
	return n, err
}

func newDelegator(w http.ResponseWriter) delegator {
	d := &plainDelegator{ResponseWriter: w, status: http.StatusOK}
	if _, ok := w.(io.ReaderFrom); ok {
		return readerFromDelegator{d}
	}
	return d
}

func Instrument(next http.HandlerFunc, observe func(status int, bytes int64)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		d := newDelegator(w)
		next(d, r)
		observe(d.Status(), d.Written())
	}
}
