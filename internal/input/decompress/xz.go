package decompress

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/mikelolasagasti/xz"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/threshold"
)

var xzRow = row{
	name: "xz", suffixes: []string{".xz"}, methods: []uint16{95},
	signatures: []signature{{magic: "\xfd7zXZ\x00", need: 6, enough: 6}},
	current:    func(int64) int64 { return decoderBytes(0) + dictionaryUsual },
	open: func(c *codec, _ int, _ bool) decoder {
		return &plainDecoder{open: func(r *bufio.Reader) io.Reader { return newXz(r, c.window) }}
	},
	explain: func(c *codec, err, cause error) error {
		switch {
		case errors.Is(err, xz.ErrBuf) && cause == io.EOF:
			return failure.ErrTruncated
		case errors.Is(err, xz.ErrFormat):
			return ErrTrailing
		case errors.Is(err, xz.ErrMemlimit):
			return fmt.Errorf("its dictionary needs more than the %d MiB that the memory limit leaves: raise the limit "+
				"(Run.MemoryBytes)", c.window>>20)
		}
		return err
	},
}

// dictionaryUsual is the largest dictionary of the presets of xz.
const dictionaryUsual = 64 << 20

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
