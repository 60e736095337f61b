package inflate

import (
	"bytes"
	"compress/flate"
	"fmt"
	"hash/crc32"

	"github.com/thresh-dev/thresh/internal/kernel"
)

// Probes returns the benchmark task of the family: lines of a log, decompressed as one stream.
func Probes() []kernel.Probe {
	return []kernel.Probe{kernel.NewProbe("inflate", 1, 0, variants, func(l loops, n int) kernel.Work {
		content, number := make([]byte, 0, n+64), uint32(1)
		for len(content) < n {
			number = number*1664525 + 1013904223 // a sequence of random numbers that is always the same
			content = fmt.Appendf(content, "2026-01-02T%02d:%02d INFO user=%05d path=/%x\n",
				number>>28, number>>26&31, number>>8%1000, number>>20)
		}
		src, dst, d := compress(content[:n]), make([]byte, n), newDecoder(l)
		decode := func() int {
			d.Reset()
			decoded, _, _ := d.Decode(dst, src) // whatever it is, the answer shows it
			return decoded
		}
		return kernel.Work{
			Run: func(rounds int) {
				for range rounds {
					decode()
				}
			},
			Answer: func() any { return crc32.ChecksumIEEE(dst[:decode()]) },
		}
	})}
}

// compress returns content as deflate data.
func compress(content []byte) []byte {
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.DefaultCompression)
	if err == nil {
		_, err = w.Write(content)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic("thresh: bug: the level of compression: " + err.Error())
	}
	return b.Bytes()
}
