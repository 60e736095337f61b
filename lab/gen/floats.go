package gen

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

// Floats writes n float32 values, little endian, as weights of a model are: around zero,
// most of them small. The values with the indexes nanAt, which ascend, are NaN; no other
// is. It returns an error when an index is out of range or out of order.
func Floats(w io.Writer, n int64, seed uint64, nanAt ...int64) error {
	last := int64(-1)
	for _, i := range nanAt {
		if i <= last || i >= n {
			return fmt.Errorf("make floats: NaN at %d, behind %d, in %d values", i, last, n)
		}
		last = i
	}
	r := newRand("floats", seed)
	out := newWriter(w)
	chunk := make([]byte, bufferBytes)
	for first := int64(0); first < n; {
		values := min(n-first, bufferBytes/4)
		for i := int64(0); i < values; i += 2 {
			bits := r.Uint64()
			binary.LittleEndian.PutUint32(chunk[4*i:], weight(uint32(bits)))
			binary.LittleEndian.PutUint32(chunk[4*i+4:], weight(uint32(bits>>32)))
		}
		for len(nanAt) > 0 && nanAt[0] < first+values {
			binary.LittleEndian.PutUint32(chunk[4*(nanAt[0]-first):], math.Float32bits(float32(math.NaN())))
			nanAt = nanAt[1:]
		}
		if _, err := out.Write(chunk[:4*values]); err != nil {
			return fmt.Errorf("make floats: %w", err)
		}
		first += values
	}
	return wrap("make floats", out.Flush())
}

// weight returns the bits of a float32: the sum of two even distributions, a triangle
// between -1 and 1.
func weight(random uint32) uint32 {
	return math.Float32bits((float32(random&0xffff) - float32(random>>16)) / 0x1p16)
}
