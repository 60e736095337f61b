package decompress

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"

	"github.com/pierrec/lz4/v4"
)

var lz4Row = row{
	name: "lz4", suffixes: []string{".lz4"}, bounded: true,
	signatures: []signature{
		// The version is 1, and a bit is reserved.
		{magic: "\x04\x22\x4d\x18", need: 5, enough: 4, check: func(h []byte) bool { return h[4]&0xc2 == 0x40 }},
		{magic: "\x02\x21\x4c\x18", need: 8, enough: 8,
			check: func(h []byte) bool { return binary.LittleEndian.Uint32(h[4:]) <= legacyBlockMax }},
	},
	open: func(*codec, int, bool) decoder { return &plainDecoder{open: newLZ4} },
	explain: func(_ *codec, err, _ error) error {
		if errors.Is(err, lz4.ErrInvalidFrame) {
			return ErrTrailing
		}
		return err
	},
}

// legacyBlockMax is the largest compressed size of a block of the old LZ4 format, which has 8 MiB.
const legacyBlockMax = 8<<20 + 8<<20/255 + 16

// newLZ4 returns a reader of LZ4 frames, including those of the old format. It decompresses in the
// goroutine that reads.
func newLZ4(r *bufio.Reader) io.Reader {
	z := lz4.NewReader(r)
	if err := z.Apply(lz4.ConcurrencyOption(1)); err != nil {
		panic("thresh: bug: options of LZ4: " + err.Error())
	}
	return z
}
