package decompress

import (
	"bufio"
	"bytes"
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

// inner decompresses content that may have been compressed several times.
type inner struct {
	layers  []io.ReadCloser // each decompresses the output of the one before it
	options Options
	settled bool   // the output of the last layer is not compressed
	head    []byte // bytes already read from the last layer
	err     error  // the last layer's error behind head
}

// layersMax is how many times content may be compressed.
const layersMax = 4

// errLayers refuses content with too many layers, which is probably malicious.
var errLayers = fmt.Errorf("it is compressed more than %d times", layersMax)

// NewInner returns a reader of the content of r, which was decompressed from a file. If the content
// is compressed too, NewInner decompresses it again, until it is not. Close closes r.
func NewInner(r io.ReadCloser, o Options) io.ReadCloser {
	o.Workers = 1
	return &inner{layers: []io.ReadCloser{r}, options: o}
}

// Read returns the next bytes of the innermost content.
func (r *inner) Read(p []byte) (int, error) {
	for !r.settled {
		r.look()
	}
	switch {
	case len(r.head) > 0:
		n := copy(p, r.head)
		r.head = r.head[n:]
		return n, nil
	case r.err != nil:
		return 0, r.err
	}
	return r.last().Read(p)
}

func (r *inner) last() io.ReadCloser { return r.layers[len(r.layers)-1] }

// look reads the beginning of the last layer's output, and adds a layer if that is compressed.
func (r *inner) look() {
	var f Format
	var err error
	buf := make([]byte, 0, HeadBytes)
	for settled := false; !settled && r.err == nil; {
		var n int
		n, r.err = r.last().Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		f, settled, err = Recognise(buf, r.err == io.EOF)
		settled = settled && len(buf) > 0
	}
	r.settled = true
	switch {
	case r.err != nil && r.err != io.EOF || f == Plain && err == nil:
		r.head = buf
	case err != nil:
		r.err = fmt.Errorf("the content cannot be read: %w", err)
	case f == Zip:
		r.err = errors.New("the content is a zip archive, which can only be read as a file of its own: decompress it first")
	case len(r.layers) == layersMax:
		r.err = errLayers
	default:
		compressed := io.MultiReader(bytes.NewReader(buf), r.last())
		r.layers = append(r.layers, NewReader(compressed, f, r.options))
		r.settled, r.err = false, nil
	}
}

// Close closes all layers.
func (r *inner) Close() (err error) {
	for i := range r.layers {
		err = errors.Join(err, r.layers[len(r.layers)-1-i].Close())
	}
	return err
}
