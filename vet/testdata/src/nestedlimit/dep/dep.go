// Package dep hands out limited readers to another package.
package dep

import (
	"io"
	"net/http"
	"os"
)

// Head returns the first n bytes of a file.
func Head(f *os.File, n int64) *io.LimitedReader {
	return &io.LimitedReader{R: f, N: n}
}

// Reader returns r, with no limit.
func Reader(r io.Reader) io.Reader { return r }

// Response forwards what it reads.
type Response struct{ http.ResponseWriter }

// ReadFrom copies r to the response.
func (w *Response) ReadFrom(r io.Reader) (int64, error) { return io.Copy(w.ResponseWriter, r) }
