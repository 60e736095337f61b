// Package chosen has delegators: a type for each combination of interfaces.
package chosen

import (
	"io"
	"net"
	"net/http"
)

type delegator struct { // want delegator:`ResponseWriter net/http.ResponseWriter: Write forwards chosen$`
	http.ResponseWriter
	bytes int
}

func (d *delegator) Write(p []byte) (int, error) {
	n, err := d.ResponseWriter.Write(p)
	d.bytes += n
	return n, err
}

type flusher struct{ *delegator } // want flusher:`delegator \*chosen.delegator: Write promoted chosen$`

func (f flusher) Flush() {}

type readerFrom struct{ *delegator } // want readerFrom:`delegator \*chosen.delegator: Write promoted ReadFrom forwards$`

func (r readerFrom) ReadFrom(src io.Reader) (int64, error) {
	return r.ResponseWriter.(io.ReaderFrom).ReadFrom(src)
}

type both struct { // want both:`flusher chosen.flusher: Write promoted ReadFrom transforms$`
	flusher
	io.ReaderFrom
}

// plain's other form has no name.
type plain struct { // want plain:`Conn net.Conn: Read promoted Write promoted chosen$`
	net.Conn
}

func pick(c net.Conn) net.Conn { // want pick:`0: struct{net.Conn; io.ReaderFrom} of 0, 0: \*chosen.plain of 0$`
	if rf, ok := c.(io.ReaderFrom); ok {
		return struct {
			net.Conn
			io.ReaderFrom
		}{c, rf}
	}
	return &plain{c}
}

// lonely has no other form: the struct without a name stands for connections.
type lonely struct { // want lonely:`w net/http.ResponseWriter: Write forwards$`
	w http.ResponseWriter
}

func (l lonely) Header() http.Header         { return l.w.Header() }
func (l lonely) WriteHeader(c int)           { l.w.WriteHeader(c) }
func (l lonely) Write(p []byte) (int, error) { return l.w.Write(p) }
