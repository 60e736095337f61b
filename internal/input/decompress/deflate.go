package decompress

import (
	"bufio"

	"github.com/thresh-dev/thresh/internal/kernel/inflate"
)

// deflateReader decompresses a stream of deflate data, as in gzip members and zip archives. It takes
// no byte behind the stream from its buffer.
type deflateReader struct {
	in      *bufio.Reader
	decoder *inflate.Decoder
}

func newDeflate(in *bufio.Reader) *deflateReader { return &deflateReader{in, inflate.New()} }

// Read returns what the buffered input holds, and waits for input only if that is nothing.
func (r *deflateReader) Read(p []byte) (int, error) {
	for {
		// Neither call can fail: both stay within what is buffered.
		src, _ := r.in.Peek(r.in.Buffered())
		n, used, err := r.decoder.Decode(p, src)
		_, _ = r.in.Discard(used)
		if n > 0 || err != nil || len(p) == 0 {
			return n, err
		}
		if _, err := r.in.Peek(1); err != nil {
			return 0, endedWithin(err)
		}
	}
}
