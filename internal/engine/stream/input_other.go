//go:build !linux

package stream

import (
	"io"

	"github.com/thresh-dev/thresh/internal/input/source"
)

// newInput returns an input whose reads wait: this system has no poll for every kind of
// stream. A scan that is over ends with the next bytes that arrive.
func newInput(f *source.File) input { return &plainInput{r: f.Reader()} }

// NewReader returns a reader of a stream for a decompressor. On this system a read that
// waits goes on waiting; stop is looked at before each one.
func NewReader(f *source.File, stop func() bool) io.Reader {
	return &stoppableReader{f.Reader(), stop}
}

type stoppableReader struct {
	r    io.Reader
	stop func() bool
}

func (r *stoppableReader) Read(p []byte) (int, error) {
	if r.stop() {
		return 0, ErrStopped
	}
	return r.r.Read(p)
}
