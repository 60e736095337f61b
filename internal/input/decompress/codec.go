package decompress

import (
	"bufio"
	"compress/bzip2"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/zstd"
	"github.com/mikelolasagasti/xz"
	"github.com/pierrec/lz4/v4"

	"github.com/thresh-dev/thresh/internal/threshold"
)

// input is packed bytes as a decompressor takes them.
type input interface {
	io.Reader
	// pos returns the offset behind what has been read.
	pos() int64
}

// decoder decompresses one run after the other.
type decoder interface {
	// reset begins a run where the input stands. Members that begin at limit or behind it
	// are left alone.
	reset(in input, limit int64) error
	// Read ends a run with io.EOF, or with errUnfinished where the input must not end there.
	io.Reader
	// off returns the offset behind what has been decompressed, or a little more.
	off() int64
	// stop ends a run early: the input is not read any more when it returns.
	stop()
	close()
}

// errUnfinished ends a run whose last member has to be followed by another.
var errUnfinished = fmt.Errorf("its last block is missing: %w", ErrTruncated)

// codec is what differs between the formats.
type codec struct {
	format Format
	off    int64 // where the packed bytes begin
	// decoder returns a decompressor for runs whose turn it is, or, with ahead, for those
	// that are started before.
	decoder func(ahead bool) decoder
	// walker follows the frames of zstd; nil for other formats.
	walker *walker
	// window is the largest that a zstd frame, or the dictionary of xz data, may have.
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
		c.decoder = func(bool) decoder { return &plainDecoder{open: bzip2.NewReader} }
	case Xz:
		c.window = windowMax(o, f)
		c.decoder = func(bool) decoder {
			return &plainDecoder{open: func(r io.Reader) io.Reader { return newXz(r, c.window) }}
		}
	case LZ4:
		c.decoder = func(bool) decoder { return &plainDecoder{open: newLZ4} }
	case Deflate:
		c.decoder = func(bool) decoder {
			return &plainDecoder{open: func(r io.Reader) io.Reader { return flate.NewReader(r) }}
		}
	case Stored:
		c.decoder = func(bool) decoder { return &plainDecoder{open: func(r io.Reader) io.Reader { return r }} }
	default:
		panic("thresh: bug: no format " + fmt.Sprint(uint8(f)))
	}
	return c
}

// fail returns the error of a run as users are to see it. Cause is what reading the packed
// bytes said, where it ended with more than their end.
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
		err = fmt.Errorf("its dictionary needs more memory than the %d MiB that the bound on memory leaves: raise it (--mem)",
			c.window>>20)
	case tooLarge(err):
		err = fmt.Errorf("it needs %d MiB of memory for its window, and the bound on memory leaves %d MiB: raise it (--mem)",
			ceilMiB(c.walker.windowMax()), c.window>>20)
	}
	return &Error{Format: c.format, Off: d.off(), Err: err}
}

func tooLarge(err error) bool {
	return errors.Is(err, zstd.ErrWindowSizeExceeded) || errors.Is(err, zstd.ErrDecoderSizeExceeded)
}

func ceilMiB(n uint64) uint64 { return (n + 1<<20 - 1) >> 20 }

var packedBufferBytes = threshold.New("unpack: buffer of packed bytes", 64<<10, 16)

// newXz returns a reader of xz data, also of several streams with padding between them.
func newXz(r io.Reader, window int64) io.Reader {
	z, err := xz.NewReader(r, uint32(min(window, math.MaxInt32)))
	return &steadyReader{r: z, err: err, buf: make([]byte, steadyBytes.Get())}
}

// steadyReader reads the same number of bytes at a time whatever is asked of it. How much a
// library gives out before a fault may depend on that.
type steadyReader struct {
	r    io.Reader
	buf  []byte
	rest []byte // of buf, not given out yet
	err  error  // behind it
}

var steadyBytes = threshold.New("unpack: bytes of a read of xz", 32<<10, 1)

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

// newLZ4 returns a reader of LZ4 frames, also of the old format. It decompresses in the
// goroutine that reads.
func newLZ4(r io.Reader) io.Reader {
	z := lz4.NewReader(r)
	if err := z.Apply(lz4.ConcurrencyOption(1)); err != nil {
		panic("thresh: bug: options of LZ4: " + err.Error())
	}
	return z
}

// plainDecoder is a library's reader over all there is.
type plainDecoder struct {
	open func(io.Reader) io.Reader
	in   input
	buf  *bufio.Reader
	r    io.Reader
}

func (d *plainDecoder) reset(in input, _ int64) error {
	d.in, d.buf = in, bufio.NewReaderSize(in, packedBufferBytes.Get())
	d.r = d.open(d.buf)
	return nil
}

func (d *plainDecoder) Read(p []byte) (int, error) { return d.r.Read(p) }
func (d *plainDecoder) off() int64                 { return d.in.pos() - int64(d.buf.Buffered()) }
func (d *plainDecoder) stop()                      {}
func (d *plainDecoder) close()                     {}

// serial decompresses in the goroutine that reads: what the pipeline has to equal.
type serial struct {
	codec   *codec
	in      *wholeInput
	decoder decoder
	err     error
}

func newSerial(r io.Reader, c *codec) *serial {
	return &serial{codec: c, in: &wholeInput{r: r, walker: c.walker, at: c.off}}
}

// Read returns what comes next of the unpacked bytes.
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
	if s.err == io.EOF && s.codec.walker.broken() {
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

// wholeInput is packed bytes read as they are wanted.
type wholeInput struct {
	r      io.Reader
	walker *walker
	at     int64
	err    error // why it ended
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
