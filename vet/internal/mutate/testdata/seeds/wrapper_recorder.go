// wrapper: a recorder that forwards when it does not record
package seed

import (
	"bytes"
	"io"
	"net/http"
)

type recorder struct {
	http.ResponseWriter
	keep func(status int) bool
	buf  *bytes.Buffer
	code int
}

func (r *recorder) WriteHeader(code int) {
	r.code = code
	if !r.keep(code) {
		r.buf = nil
		r.ResponseWriter.WriteHeader(code)
	}
}

func (r *recorder) Write(p []byte) (int, error) {
	if r.buf != nil {
		return r.buf.Write(p)
	}
	return r.ResponseWriter.Write(p)
}

func (r *recorder) ReadFrom(src io.Reader) (int64, error) {
	if r.buf != nil {
		return r.buf.ReadFrom(src)
	}
	return io.Copy(r.ResponseWriter, src)
}

func errorPages(next http.Handler, page func(w http.ResponseWriter, status int)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		r := &recorder{w, func(status int) bool { return status >= 400 }, new(bytes.Buffer), 0}
		next.ServeHTTP(r, req)
		if r.code >= 400 {
			page(w, r.code)
		}
	})
}
