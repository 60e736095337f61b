//go:build !linux

package stream

import (
	"io"

	"github.com/thresh-dev/thresh/internal/input/source"
)

// newInput returns an input whose reads block, because this system has no poll for every kind of
// stream. So a scan that is over ends only when the next bytes arrive.
func newInput(f *source.File) input { return readerInput(f.Reader()) }

// NewReader returns a reader of a stream for a decompressor. On this system a read that waits
// cannot be interrupted; the reader calls stop before each read.
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
