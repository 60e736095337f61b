// Package responselib has wrappers that others use.
package responselib

import (
	"io"
	"net/http"
)

// Recorder counts bytes.
type Recorder struct {
	http.ResponseWriter
	Bytes int
}

// Write counts.
func (r *Recorder) Write(p []byte) (int, error) {
	n, err := r.ResponseWriter.Write(p)
	r.Bytes += n
	return n, err
}

// Record returns a Recorder as a response.
func Record(w http.ResponseWriter) http.ResponseWriter { return &Recorder{ResponseWriter: w} }

// Writer is the response of a framework.
type Writer interface {
	http.ResponseWriter
	Status() int
}

// Context is that of a framework.
type Context interface{ Response() *Recorder }

// Snoop returns a response with the interfaces of w.
func Snoop(w http.ResponseWriter) http.ResponseWriter {
	if rf, ok := w.(io.ReaderFrom); ok {
		return readerFrom{w, rf}
	}
	return plain{w}
}

// Bare returns a response that hides everything.
func Bare(w http.ResponseWriter) http.ResponseWriter { return struct{ http.ResponseWriter }{w} }

type readerFrom struct {
	http.ResponseWriter
	io.ReaderFrom
}

type plain struct{ http.ResponseWriter }
