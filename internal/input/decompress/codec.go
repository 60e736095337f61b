package decompress

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// input is compressed data as a decoder reads it.
type input interface {
	io.Reader
	// pos returns the offset behind the bytes that have been read.
	pos() int64
}

// decoder decompresses one run after the other.
type decoder interface {
	// reset begins a run at the position of the input. The run ends before the first member that
	// begins at limit or behind it.
	reset(in input, limit int64) error
	// Read ends a run with io.EOF, or with errUnfinished if the input must not end there.
	io.Reader
	// off returns the offset behind the data that has been decompressed, or slightly more.
	off() int64
	// stop ends a run early. When it returns, the input is no longer read.
	stop()
	close()
}

// errUnfinished ends a run whose last member must be followed by another.
var errUnfinished = fmt.Errorf("its last block is missing: %w", failure.ErrTruncated)

// codec is a format with what one input needs.
type codec struct {
	*row
	off int64 // where the compressed data begins
	// decoder returns a decoder for current runs, or, if ahead, for runs that start before their
	// turn.
	decoder func(ahead bool) decoder
	// walker follows the frames of zstd; nil for other formats.
	walker *walker
	// window is the largest window of a zstd frame, or dictionary of xz data, that is allowed.
	window int64
}

func newCodec(f Format, o Options, off int64) *codec {
	c := &codec{row: f.row(), off: off}
	if c.open == nil {
		panic("thresh: bug: no decoder of format " + c.name)
	}
	workers := c.workers(o)
	c.window = c.windowMax(o, workers)
	if c.walks {
		c.walker = &walker{}
	}
	c.decoder = func(ahead bool) decoder { return c.open(c, workers, ahead) }
	return c
}

// fail returns the error of a run for users. Cause is the error that ended the input, if any.
func (c *codec) fail(d decoder, err, cause error) error {
	switch {
	case cause != nil && cause != io.EOF:
		err = cause
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		err = failure.ErrTruncated
	case c.explain != nil:
		err = c.explain(c, err, cause)
	}
	return &failure.DamageError{Format: c.name, Off: d.off(), Err: err}
}

var inputBufferBytes = threshold.New("decompress: input buffer", 64<<10, 16)

// plainDecoder decompresses the whole input with a library's reader.
type plainDecoder struct {
	open func(*bufio.Reader) io.Reader
	in   input
	buf  *bufio.Reader
	r    io.Reader
}

func (d *plainDecoder) reset(in input, _ int64) error {
	d.in, d.buf = in, bufio.NewReaderSize(in, inputBufferBytes.Get())
	d.r = d.open(d.buf)
	return nil
}

func (d *plainDecoder) Read(p []byte) (int, error) { return d.r.Read(p) }
func (d *plainDecoder) off() int64                 { return d.in.pos() - int64(d.buf.Buffered()) }
func (d *plainDecoder) stop()                      {}
func (d *plainDecoder) close()                     {}

// serial decompresses in the goroutine that reads. It is the plain twin of the pipeline.
type serial struct {
	codec   *codec
	in      *wholeInput
	decoder decoder
	err     error
}

func newSerial(r io.Reader, c *codec) *serial {
	return &serial{codec: c, in: &wholeInput{r: r, walker: c.walker, at: c.off}}
}

// Read returns the next decompressed bytes.
func (s *serial) Read(p []byte) (n int, err error) {
	if s.err != nil {
		return 0, s.err
	}
	if s.decoder == nil {
		s.decoder = s.codec.decoder(false)
		s.err = s.decoder.reset(s.in, math.MaxInt64)
	}
	if s.err == nil {
		n, s.err = s.decoder.Read(p)
	}
	if s.err == io.EOF && s.codec.walker.incomplete() {
		s.err = io.ErrUnexpectedEOF
	}
	if s.err != nil && s.err != io.EOF {
		s.err = s.codec.fail(s.decoder, s.err, s.in.err)
	}
	return n, s.err
}

func (s *serial) Close() error {
	if s.decoder != nil {
		s.decoder.close()
	}
	s.decoder, s.err = nil, errClosed
	return nil
}

// wholeInput reads the compressed data from beginning to end, as the decoder asks for it.
type wholeInput struct {
	r      io.Reader
	walker *walker
	at     int64
	err    error // the error that ended it
}

func (in *wholeInput) Read(p []byte) (int, error) {
	n, err := in.r.Read(p)
	in.walker.walk(p[:n])
	in.at += int64(n)
	if err != nil {
		in.err = err
	}
	return n, err
}

func (in *wholeInput) pos() int64 { return in.at }
