// Package lib wraps responses and connections for others.
package lib

import (
	"io"
	"net"
	"net/http"
)

// Recorder is a wrapper.
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

// Same returns what it gets.
func Same(w http.ResponseWriter) http.ResponseWriter { return w }

// Context is that of a framework.
type Context interface{ Response() *Recorder }

// Snoop returns a response with the interfaces of w.
func Snoop(w http.ResponseWriter) http.ResponseWriter {
	if rf, ok := w.(io.ReaderFrom); ok {
		return readerFrom{w, rf}
	}
	return plain{w}
}

type readerFrom struct {
	http.ResponseWriter
	io.ReaderFrom
}

type plain struct{ http.ResponseWriter }

type conn struct{ net.Conn }

// Wrap returns a wrapper of a connection.
func Wrap(c net.Conn) net.Conn { return &conn{c} }
