package decompress

import (
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"fmt"
	"io"
	"slices"
	"testing"

	fast "github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// BenchmarkWorkers measures the gain of several workers, by format. A single member or frame has
// one decompressor; only reading the file and delivering the content run beside it.
func BenchmarkWorkers(b *testing.B) {
	data := text(7<<20, 1)
	var one bytes.Buffer
	w := gzip.NewWriter(&one)
	if _, err := w.Write(slices.Concat(data, data)); err != nil {
		b.Fatal(err)
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	var frames, members []byte
	for part := range slices.Chunk(slices.Concat(data, data, data, data), 1<<20) {
		frames = append(frames, zstandard(b, part)...)
		members = append(members, gzipped(b, part)...)
	}
	for _, c := range []struct {
		name       string
		format     Format
		compressed []byte
		bytes      int
	}{
		{"gzip, 1 member", Gzip, one.Bytes(), 14 << 20},
		{"gzip, 28 members", Gzip, members, 28 << 20},
		{"bgzf", Gzip, bgzipped(b, slices.Concat(data, data)), 14 << 20},
		{"bzip2", Bzip2, by("bzip2", "-c")(b, data), 7 << 20},
		{"zstd, 1 frame", Zstd, streamed(b, slices.Concat(data, data)), 14 << 20},
		{"zstd, 28 frames", Zstd, frames, 28 << 20},
	} {
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s, %d workers", c.name, workers), func(b *testing.B) {
				drain(b, c.bytes, func() io.ReadCloser {
					return NewReader(bytes.NewReader(c.compressed), c.format, Options{Workers: workers})
				})
			})
		}
		b.Run(c.name+", the library alone", func(b *testing.B) {
			drain(b, c.bytes, func() io.ReadCloser { return library(b, c.format, c.compressed) })
		})
	}
}

func library(b *testing.B, f Format, compressed []byte) io.ReadCloser {
	if f == Gzip {
		r, err := fast.NewReader(bytes.NewReader(compressed))
		if err != nil {
			b.Fatal(err)
		}
		return r
	}
	if f == Bzip2 {
		return io.NopCloser(bzip2.NewReader(bytes.NewReader(compressed)))
	}
	d, err := zstd.NewReader(struct{ io.Reader }{bytes.NewReader(compressed)})
	if err != nil {
		b.Fatal(err)
	}
	return d.IOReadCloser()
}

// drain reads everything like the stream engine: into one buffer of the size of a piece.
func drain(b *testing.B, want int, open func() io.ReadCloser) {
	buf := make([]byte, 1<<20)
	b.SetBytes(int64(want))
	for b.Loop() {
		r := open()
		n := 0
		for {
			got, err := r.Read(buf)
			n += got
			if err == io.EOF {
				break
			}
			if err != nil {
				b.Fatal(err)
			}
		}
		if n != want {
			b.Fatalf("%d bytes, want %d", n, want)
		}
		r.Close()
	}
}
