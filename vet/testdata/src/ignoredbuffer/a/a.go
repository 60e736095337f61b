// Package a copies with buffers.
package a

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
)

func files(dst *net.TCPConn, src *os.File, w io.Writer, r io.Reader) {
	io.CopyBuffer(w, src, make([]byte, 1<<20)) // want `io.CopyBuffer does not use this buffer, because \*os.File has WriteTo: call io.Copy`
	io.CopyBuffer(dst, r, make([]byte, 1<<20)) // want `because \*net.TCPConn has ReadFrom`
	buf := make([]byte, 1<<20)
	io.CopyBuffer(w, src, buf) // want `because \*os.File has WriteTo`

	two := make([]byte, 4096)
	io.CopyBuffer(w, src, two) // want `because \*os.File has WriteTo`
	io.CopyBuffer(dst, r, two) // want `because \*net.TCPConn has ReadFrom`

	size := 1 << 16
	grown := make([]byte, size)
	io.CopyBuffer(dst, src, grown[:100])                       // want `because \*os.File has WriteTo`
	io.CopyBuffer(w, bufio.NewReader(r), make([]byte, 10))     // want `because \*bufio.Reader has WriteTo`
	io.CopyBuffer(bufio.NewWriter(w), r, make([]byte, 10))     // want `because \*bufio.Writer has ReadFrom`
	io.CopyBuffer(w, strings.NewReader("x"), make([]byte, 10)) // want `because \*strings.Reader has WriteTo`
	io.CopyBuffer(new(bytes.Buffer), r, make([]byte, 10))      // want `because \*bytes.Buffer has ReadFrom`
	var array [512]byte
	io.CopyBuffer(w, src, array[:])            // want `because \*os.File has WriteTo`
	go io.CopyBuffer(dst, r, make([]byte, 10)) // want `because \*net.TCPConn has ReadFrom`

	io.CopyBuffer(w, r, make([]byte, 10))
	io.CopyBuffer(w, src, nil)
	io.CopyBuffer(w, struct{ io.Reader }{src}, make([]byte, 10))
	io.CopyBuffer(struct{ io.Writer }{dst}, struct{ io.Reader }{src}, make([]byte, 10))
	io.CopyBuffer(struct{ io.Writer }{dst}, r, make([]byte, 10))
	io.CopyBuffer(w, io.LimitReader(src, 3), make([]byte, 10))
	shared := make([]byte, 10)
	io.CopyBuffer(w, src, shared)
	io.CopyBuffer(w, r, shared)
	also := make([]byte, 10)
	io.CopyBuffer(w, src, also)
	r.Read(also)
	measured := make([]byte, 10)
	io.CopyBuffer(w, src, measured)
	println(len(measured))
	//thresh:ignore ignoredbuffer other systems than this one have no WriteTo
	io.CopyBuffer(w, src, make([]byte, 10))
}

func sockets(c *net.UnixConn, r io.Reader) {
	io.CopyBuffer(c, r, make([]byte, 10))         // its ReadFrom is that of packets
	io.CopyBuffer(os.Stdout, c, make([]byte, 10)) // want `because \*os.File has ReadFrom`
}

func response(w http.ResponseWriter, r *http.Request) {
	io.CopyBuffer(w, r.Body, make([]byte, 10)) // HTTP/2 has no ReadFrom
	f, _ := os.Open("x")
	io.CopyBuffer(w, f, make([]byte, 10)) // want `because \*os.File has WriteTo`
}

var pool = sync.Pool{New: func() any { b := make([]byte, 1<<15); return &b }}

func pooled(dst *net.TCPConn, r io.Reader) {
	buf := pool.Get().(*[]byte)
	defer pool.Put(buf)
	io.CopyBuffer(dst, r, *buf) // want `because \*net.TCPConn has ReadFrom`
}

func relay(a, b net.Conn) {
	buf := make([]byte, 32<<10)
	io.CopyBuffer(a, b, buf) // either may be a wrapper
}

func given(dst *net.TCPConn, r io.Reader, buf []byte) {
	io.CopyBuffer(dst, r, buf) // the caller may use it
}

type proxy struct{ buf []byte }

func (p *proxy) copy(dst *net.TCPConn, r io.Reader) {
	io.CopyBuffer(dst, r, p.buf) // kept for more than this copy
}

type counter struct{ n int64 }

func (c *counter) Write(p []byte) (int, error) { c.n += int64(len(p)); return len(p), nil }

func (c *counter) ReadFrom(r io.Reader) (int64, error) { return io.Copy(io.Discard, r) }

type plain struct{ n int64 }

func (c *plain) Write(p []byte) (int, error) { c.n += int64(len(p)); return len(p), nil }

func own(r io.Reader, c bool) {
	io.CopyBuffer(&counter{}, r, make([]byte, 10)) // want `because \*ignoredbuffer/a.counter has ReadFrom`
	io.CopyBuffer(&plain{}, r, make([]byte, 10))
	var w io.Writer = &counter{}
	if c {
		w = &plain{}
	}
	io.CopyBuffer(w, r, make([]byte, 10))
}

type box[T any] struct{ v T }

func (b *box[T]) WriteTo(w io.Writer) (int64, error) { return 0, nil }

func (b *box[T]) Read(p []byte) (int, error) { return 0, io.EOF }

func generic[W io.Writer](w W) {
	io.CopyBuffer(w, &box[int]{}, make([]byte, 10)) // want `because \*ignoredbuffer/a.box\[int\] has WriteTo`
	var r io.Reader
	io.CopyBuffer(w, r, make([]byte, 10))
}

type file = os.File

func aliased(w io.Writer, f *file) {
	io.CopyBuffer(w, f, make([]byte, 10)) // want `because \*os.File has WriteTo`
}
