// Package fixed has nested limits that a fix can replace.
package fixed

import (
	"io"
	"net"
	"net/http"
	"os"
)

func twice(c *net.TCPConn, f *os.File) {
	lr := io.LimitReader(io.LimitReader(f, 1<<20), 1<<10) // want `nests two limits`
	io.Copy(c, lr)
}

func variable(c *net.TCPConn, f *os.File, n int64) {
	io.Copy(c, io.LimitReader(io.LimitReader(f, n), 1<<10)) // want `nests two limits`
}

func discarded(c *net.TCPConn, f *os.File, n int64) {
	io.CopyN(c, io.LimitReader(f, n), 1<<10) // want `nests two limits`
}

type idle struct {
	http.ResponseWriter
	extend func()
}

func (w *idle) ReadFrom(r io.Reader) (total int64, err error) {
	rf, ok := w.ResponseWriter.(io.ReaderFrom)
	if !ok {
		return io.Copy(struct{ io.Writer }{w}, r)
	}
	const chunkBytes = 1 << 20
	for {
		w.extend()
		n, err := rf.ReadFrom(io.LimitReader(r, chunkBytes)) // want `nests two limits`
		total += n
		if err != nil || n < chunkBytes {
			return total, err
		}
	}
}

type conn struct{ net.Conn }

func (c conn) ReadFrom(limited io.Reader) (int64, error) {
	var total int64
	for {
		n, err := io.Copy(c.Conn, &io.LimitedReader{R: limited, N: 1 << 16}) // want `nests two limits`
		total += n
		if n == 0 || err != nil {
			return total, err
		}
	}
}
