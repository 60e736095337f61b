package inflate

import (
	"bytes"
	"errors"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"os"
	"testing"

	other "github.com/klauspost/compress/flate"

	"github.com/thresh-dev/thresh/internal/machine/cpu"
	"github.com/thresh-dev/thresh/internal/test/gen"
)

// BenchmarkDecode measures each variant and the library on a log, CSV, JSON and a program, of which
// 256 KiB are decoded at a time, and on short streams; and the checksum of a gzip member.
func BenchmarkDecode(b *testing.B) {
	const size = 4 << 20
	kinds := map[string]func() ([]byte, error){
		"log":  func() ([]byte, error) { return text(size), nil },
		"csv":  func() ([]byte, error) { return written(func(w io.Writer) error { return gen.Donations(w, size, 1) }) },
		"json": func() ([]byte, error) { return written(func(w io.Writer) error { return gen.JSON(w, size, 1) }) },
		"program": func() ([]byte, error) {
			name, err := os.Executable()
			if err != nil {
				return nil, err
			}
			return os.ReadFile(name)
		},
		"short": func() ([]byte, error) { return text(1000), nil },
	}
	for kind, content := range kinds {
		data, err := content()
		if err != nil {
			b.Fatal(err)
		}
		data = data[:min(len(data), size)]
		src, want := deflate(b, data, 6), crc32.ChecksumIEEE(data)
		buf := make([]byte, 256<<10)
		run := func(name string, decode func(out func([]byte)) error) {
			b.Run(kind+"/"+name, func(b *testing.B) {
				sum := crc32.NewIEEE()
				if err := decode(func(p []byte) { sum.Write(p) }); err != nil || sum.Sum32() != want {
					b.Fatalf("wrong content, error %v", err)
				}
				b.SetBytes(int64(len(data)))
				for b.Loop() {
					if err := decode(func([]byte) {}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		for _, v := range variants {
			if !cpu.Has(v.ISA) {
				continue
			}
			d := newDecoder(v.Func)
			run(v.ISA.String(), func(out func([]byte)) error {
				d.Reset()
				for at := 0; ; {
					n, used, err := d.Decode(buf, src[at:])
					out(buf[:n])
					at += used
					if err == io.EOF {
						return nil
					}
					if err != nil {
						return err
					}
				}
			})
		}
		in := bytes.NewReader(nil)
		r := other.NewReader(in)
		run("library", func(out func([]byte)) error {
			in.Reset(src)
			err := r.(other.Resetter).Reset(in, nil)
			for err == nil {
				var n int
				n, err = r.Read(buf)
				out(buf[:n])
			}
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		})
	}
	b.Run("checksum", func(b *testing.B) {
		buf := text(256 << 10)
		b.SetBytes(int64(len(buf)))
		for b.Loop() {
			crc32.ChecksumIEEE(buf)
		}
	})
}

func written(write func(w io.Writer) error) ([]byte, error) {
	var b bytes.Buffer
	err := write(&b)
	return b.Bytes(), err
}

// BenchmarkFinder measures the search for blocks where there are none.
func BenchmarkFinder(b *testing.B) {
	noise := make([]byte, 1<<20)
	rand.NewChaCha8([32]byte{5}).Read(noise)
	f := NewFinder()
	b.SetBytes(int64(len(noise)))
	for b.Loop() {
		for i := 0; i >= 0; {
			at, stored := f.Next(noise, i)
			if i = at + 1; at < 0 {
				break
			}
			if !stored {
				b.Fatal("a block in noise at bit ", at)
			}
		}
	}
}

// BenchmarkSymbols measures what symbols cost, beside bytes, and their replacement.
func BenchmarkSymbols(b *testing.B) {
	content := text(4 << 20)
	src := deflate(b, content, 6)
	w := NewWindow(make([]byte, windowBytes))
	d := New()
	out := make([]byte, len(content))
	symbols := make([]Symbol, len(content))
	b.Run("bytes", func(b *testing.B) {
		b.SetBytes(int64(len(content)))
		for b.Loop() {
			d.ResetAt(0, false, w)
			if n, _, err := d.Decode(out, src); err != io.EOF || n != len(content) {
				b.Fatal(n, err)
			}
		}
	})
	b.Run("symbols", func(b *testing.B) {
		b.SetBytes(int64(len(content)))
		for b.Loop() {
			d.ResetAt(0, false, nil)
			if n, _, err := d.Symbols(symbols, src); err != io.EOF || n != len(content) {
				b.Fatal(n, err)
			}
		}
	})
	b.Run("replace", func(b *testing.B) {
		b.SetBytes(int64(len(content)))
		for b.Loop() {
			w.Replace(out, symbols)
		}
		if !bytes.Equal(out, content) {
			b.Fatal("other bytes")
		}
	})
}
