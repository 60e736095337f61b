package decompress

import (
	"archive/zip"
	"bufio"
	"errors"
	"io"

	"github.com/thresh-dev/thresh/internal/kernel/inflate"
)

var deflateRow = row{name: "deflate", methods: []uint16{zip.Deflate}, open: func(*codec, int, bool) decoder {
	return &plainDecoder{open: func(r *bufio.Reader) io.Reader { return newDeflate(r) }}
}}

// deflateReader decompresses a stream of deflate data, as in gzip members and zip archives. It takes
// no byte behind the stream from its buffer.
type deflateReader struct {
	in      *bufio.Reader
	decoder *inflate.Decoder
	ends    func() bool // whether to end where a block begins, if the decoder pauses there
}

func newDeflate(in *bufio.Reader) *deflateReader {
	return &deflateReader{in: in, decoder: inflate.New()}
}

// errAtBlock ends deflate data before a block.
var errAtBlock = errors.New("a block begins")

// Read returns what the buffered input holds, and waits for input only if that is nothing. While the decoder
// makes symbols, it returns the memory of symbols.
func (r *deflateReader) Read(p []byte) (int, error) {
	for {
		// Neither call can fail: both stay within what is buffered.
		src, _ := r.in.Peek(r.in.Buffered())
		n, used, err := r.decode(p, src)
		_, _ = r.in.Discard(used)
		paused, _, _ := r.decoder.Paused()
		if paused && r.ends() {
			return n, errAtBlock
		}
		if n > 0 || err != nil || len(p) == 0 {
			return n, err
		}
		if paused {
			continue
		}
		if _, err := r.in.Peek(1); err != nil {
			return 0, endedWithin(err)
		}
	}
}

func (r *deflateReader) decode(p, src []byte) (n, used int, err error) {
	if !r.decoder.Marked() {
		return r.decoder.Decode(p, src)
	}
	n, used, err = r.decoder.Symbols(inflate.AsSymbols(p), src)
	return n * inflate.SymbolBytes, used, err
}
