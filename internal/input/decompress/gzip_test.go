package decompress

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"testing"

	"github.com/thresh-dev/thresh/internal/input/decompress/decompresstest"
)

// FuzzHeader compares the reader of headers with the standard library's: both accept a header or
// neither does, and the bytes behind it are not read.
func FuzzHeader(f *testing.F) {
	f.Add(gzipped(f, []byte("text")))
	f.Add(decompresstest.Block(f, []byte("text")))
	f.Add([]byte{0x1f, 0x8b, 8, 0xff, 0, 0, 0, 0, 0, 0, 2, 0, 1, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1000 {
			return // the standard library accepts names of up to 512 bytes
		}
		in := bytes.NewReader(data)
		buf := bufio.NewReader(in)
		h, err := readHeader(buf)
		z, want := gzip.NewReader(bytes.NewReader(data))
		reserved := len(data) > 3 && data[3]&flagsReserved != 0 // the library does not check it
		if err != nil && want == nil && !reserved {
			t.Fatalf("error %v, the library takes it", err)
		}
		if err == nil && want == nil && h.block != blockBytes(z.Extra) {
			t.Errorf("block of %d bytes, extra field %x", h.block, z.Extra)
		}
		if err == nil {
			read := len(data) - in.Len() - buf.Buffered()
			if read < 10 || nextMember(data[:read], 0) != 0 {
				t.Errorf("a header of %d bytes that is no candidate", read)
			}
		}
	})
}

func TestBlockBytes(t *testing.T) {
	for _, c := range []struct {
		extra string
		want  int
	}{
		{"", 0},
		{"BC\x02\x00\x1b\x00", 28},
		{"XY\x01\x00zBC\x02\x00\xff\xff", 65536},
		{"XY\xff\x00z", 0},
		{"BC\x01\x00z", 0},
		{"BC\x02\x00z", 0},
	} {
		if got := blockBytes([]byte(c.extra)); got != c.want {
			t.Errorf("%q: %d, want %d", c.extra, got, c.want)
		}
	}
}

// A block with a wrong size in its header is damaged, even if it decompresses well.
func TestWrongBlockBytes(t *testing.T) {
	compressed := bgzipped(t, text(1000, 1))
	binary.LittleEndian.PutUint16(compressed[16:], 77)
	for _, workers := range workerCounts {
		if _, err := decompressAll(t, compressed, Gzip, workers); err == nil {
			t.Errorf("%d workers: no error", workers)
		}
	}
}

func TestNextMember(t *testing.T) {
	for _, c := range []struct {
		data       string
		from, want int
	}{
		{"", 0, -1},
		{"abc", 0, -1},
		{"\x1f\x8b\x08\x00", 0, 0},
		{"ab\x1f\x8b\x08\x1f.", 0, 2},
		{"ab\x1f\x8b\x08\x20.", 0, -1}, // a reserved flag
		{"\x1f\x8b\x09\x1f\x8b\x08\x08", 0, 3},
		{"\x1f\x8b\x08\x00\x1f\x8b\x08\x00", 1, 4},
		{"ab\x1f\x8b", 0, 2}, // the rest may follow
		{"ab\x1f", 3, -1},
	} {
		if got := nextMember([]byte(c.data), c.from); got != c.want {
			t.Errorf("%q from %d: %d, want %d", c.data, c.from, got, c.want)
		}
	}
}
