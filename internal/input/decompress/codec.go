package decompress

import (
	"bufio"
	"compress/bzip2"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/klauspost/compress/zstd"
	"github.com/mikelolasagasti/xz"
	"github.com/pierrec/lz4/v4"

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
var errUnfinished = fmt.Errorf("its last block is missing: %w", ErrTruncated)

// codec holds what differs between the formats.
type codec struct {
	format Format
	off    int64 // where the compressed data begins
	// decoder returns a decoder for current runs, or, if ahead, for runs that start before their
	// turn.
	decoder func(ahead bool) decoder
	// walker follows the frames of zstd; nil for other formats.
	walker *walker
	// window is the largest window of a zstd frame, or dictionary of xz data, that is allowed.
	window int64
}

func newCodec(f Format, o Options, off int64) *codec {
	c := &codec{format: f, off: off}
	switch f {
	case Gzip:
		c.decoder = func(bool) decoder { return &gzipDecoder{from: off} }
	case Zstd:
		c.walker = &walker{}
		c.window = windowMax(o, f)
		c.decoder = func(ahead bool) decoder {
			if ahead {
				return newZstdDecoder(int64(windowAhead.Get()), 1)
			}
			return newZstdDecoder(c.window, o.workersFor(f))
		}
	case Bzip2:
		c.decoder = func(bool) decoder {
			return &plainDecoder{open: func(r *bufio.Reader) io.Reader { return bzip2.NewReader(r) }}
		}
	case Xz:
		c.window = windowMax(o, f)
		c.decoder = func(bool) decoder {
			return &plainDecoder{open: func(r *bufio.Reader) io.Reader { return newXz(r, c.window) }}
		}
	case LZ4:
		c.decoder = func(bool) decoder { return &plainDecoder{open: newLZ4} }
	case Deflate:
		c.decoder = func(bool) decoder {
			return &plainDecoder{open: func(r *bufio.Reader) io.Reader { return newDeflate(r) }}
		}
	case Stored:
		c.decoder = func(bool) decoder { return &plainDecoder{open: func(r *bufio.Reader) io.Reader { return r }} }
	default:
		panic("thresh: bug: no format " + fmt.Sprint(uint8(f)))
	}
	return c
}

// fail returns the error of a run for users. Cause is the error that ended the input, if any.
func (c *codec) fail(d decoder, err, cause error) error {
	switch {
	case cause != nil && cause != io.EOF:
		err = cause
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		err = ErrTruncated
	case errors.Is(err, zstd.ErrCRCMismatch):
		err = ErrChecksum
	case errors.Is(err, zstd.ErrMagicMismatch):
		err = ErrTrailing
	case errors.Is(err, xz.ErrBuf) && cause == io.EOF:
		err = ErrTruncated
	case errors.Is(err, xz.ErrFormat) || errors.Is(err, lz4.ErrInvalidFrame):
		err = ErrTrailing
	case errors.Is(err, xz.ErrMemlimit):
		err = fmt.Errorf("its dictionary needs more than the %d MiB that the memory limit leaves: raise the limit (--mem)",
			c.window>>20)
	case tooLarge(err):
		err = fmt.Errorf("its window needs %d MiB of memory, and the memory limit leaves %d MiB: raise the limit (--mem)",
			ceilMiB(c.walker.windowMax()), c.window>>20)
	}
	return &Error{Format: c.format, Off: d.off(), Err: err}
}

func tooLarge(err error) bool {
	return errors.Is(err, zstd.ErrWindowSizeExceeded) || errors.Is(err, zstd.ErrDecoderSizeExceeded)
}

func ceilMiB(n uint64) uint64 { return (n + 1<<20 - 1) >> 20 }

var inputBufferBytes = threshold.New("decompress: input buffer", 64<<10, 16)

// newXz returns a reader of xz data, which may have several streams with padding between them.
func newXz(r io.Reader, window int64) io.Reader {
	z, err := xz.NewReader(r, uint32(min(window, math.MaxInt32)))
	return &steadyReader{r: z, err: err, buf: make([]byte, steadyBytes.Get())}
}

// steadyReader always reads the same number of bytes at a time from a library. How much a library
// returns before a fault may depend on that number.
type steadyReader struct {
	r    io.Reader
	buf  []byte
	rest []byte // the part of buf that was not returned yet
	err  error  // to return after rest
}

var steadyBytes = threshold.New("decompress: bytes of a read of xz", 32<<10, 1)

func (r *steadyReader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 && r.err == nil && len(p) > 0 {
		var n int
		n, r.err = r.r.Read(r.buf)
		r.rest = r.buf[:n]
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	if n == 0 {
		return 0, r.err
	}
	return n, nil
}

// newLZ4 returns a reader of LZ4 frames, including those of the old format. It decompresses in the
// goroutine that reads.
func newLZ4(r *bufio.Reader) io.Reader {
	z := lz4.NewReader(r)
	if err := z.Apply(lz4.ConcurrencyOption(1)); err != nil {
		panic("thresh: bug: options of LZ4: " + err.Error())
	}
	return z
}

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
