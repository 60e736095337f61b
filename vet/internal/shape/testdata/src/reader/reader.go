// Package reader has wrappers of readers.
package reader

import (
	"bufio"
	"context"
	"errors"
	"hash"
	"io"
	"io/fs"
	"net/http"
	"os"
	"time"
)

type counts struct { // want counts:`r io.Reader: Read forwards$`
	r io.Reader
	n int64
}

func (c *counts) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

type embedded struct{ io.Reader } // want embedded:`Reader io.Reader: Read promoted$`

type seeks struct{ io.ReadSeeker } // want seeks:`ReadSeeker io.ReadSeeker: Read promoted$`

type progress struct { // want progress:`ReadCloser io.ReadCloser: Read forwards$`
	io.ReadCloser
	report func(int)
}

func (r *progress) Read(p []byte) (n int, err error) {
	n, err = r.ReadCloser.Read(p)
	if n > 0 {
		r.report(n)
	}
	return
}

type cancels struct { // want cancels:`r io.Reader: Read forwards$`
	ctx context.Context
	r   io.Reader
}

func (c cancels) Read(p []byte) (int, error) {
	select {
	case <-c.ctx.Done():
		return 0, c.ctx.Err()
	default:
	}
	return c.r.Read(p)
}

type waits struct { // want waits:`r io.Reader: Read forwards$`
	r io.Reader
	d time.Duration
}

func (w *waits) Read(p []byte) (int, error) {
	if len(p) > 1<<14 {
		p = p[:1<<14]
	}
	time.Sleep(w.d)
	return w.r.Read(p)
}

type writesTo struct{ io.Reader } // want writesTo:`Reader io.Reader: Read promoted WriteTo forwards$`

func (w writesTo) WriteTo(dst io.Writer) (int64, error) { return io.Copy(dst, w.Reader) }

type writesToInner struct{ io.Reader } // want writesToInner:`Reader io.Reader: Read promoted WriteTo forwards$`

func (w writesToInner) WriteTo(dst io.Writer) (int64, error) {
	if wt, ok := w.Reader.(io.WriterTo); ok {
		return wt.WriteTo(dst)
	}
	return io.Copy(dst, w.Reader)
}

type hashes struct { // want hashes:`r io.Reader: Read transforms$`
	r   io.Reader
	sum hash.Hash
}

func (h *hashes) Read(p []byte) (int, error) {
	n, err := h.r.Read(p)
	h.sum.Write(p[:n])
	return n, err
}

type full struct{ r io.Reader } // want full:`r io.Reader: Read opaque$`

func (f full) Read(p []byte) (int, error) { return io.ReadFull(f.r, p) }

type lines struct{ r *bufio.Reader } // want lines:`r \*bufio.Reader: Read (transforms|opaque)$`

func (l lines) Read(p []byte) (int, error) { return l.r.Read(p) }

type closer struct { // want closer:`Reader io.Reader: Read promoted$`
	io.Reader
	io.Closer
}

type fsFile struct{ fs.File } // want fsFile:`File io/fs.File: Read promoted$`

type httpFile struct{ http.File } // want httpFile:`File net/http.File: Read promoted$`

func (httpFile) Readdir(int) ([]os.FileInfo, error) { return nil, errors.New("no listings") }

type alias = counts

type errs struct { // want errs:`r io.Reader: Read forwards$`
	r   io.Reader
	err error
}

func (e *errs) Read(p []byte) (n int, err error) {
	if e.err != nil {
		return 0, e.err
	}
	defer func() { e.err = err }()
	var total int
	total, err = e.r.Read(p[:])
	return total, err
}

func local(r io.Reader) io.Reader { // want local:`0: reader.inside of 0$`
	type inside struct{ io.Reader }
	return inside{r}
}
