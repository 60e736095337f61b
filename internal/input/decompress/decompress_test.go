package decompress

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/iotest"

	"go.uber.org/goleak"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/input/decompress/decompresstest"
	"github.com/thresh-dev/thresh/internal/test/rounds"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// log is 8 MiB of lines.
var log = sync.OnceValue(func() []byte {
	r := rand.New(rand.NewPCG(1, 1))
	var b []byte
	for len(b) < 8<<20 {
		b = fmt.Appendf(b, "2026-01-02T%02d:%02d INFO user=%09d req=%x\n", r.IntN(24), r.IntN(60), r.IntN(1e9), r.Uint32())
	}
	return b
})

// text returns n bytes that compress like a log, up to 7 MiB.
func text(n int, seed uint64) []byte {
	return slices.Clone(log()[seed*7919:][:n])
}

// noise returns n bytes that do not compress, so the compressed data is long and its stored blocks
// contain the bytes as they are.
func noise(n int, seed uint64) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{byte(seed)}).Read(b)
	return b
}

// workerCounts are the numbers of workers to test: one, and several with the pipeline.
var workerCounts = []int{1, 2, 5}

func decompressAll(t testing.TB, compressed []byte, f Format, workers int) ([]byte, error) {
	t.Helper()
	r := NewReader(bytes.NewReader(compressed), f, Options{Workers: workers})
	out, err := io.ReadAll(r)
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	return out, err
}

func check(t *testing.T, what string, compressed, want []byte, f Format) {
	t.Helper()
	for _, n := range workerCounts {
		got, err := decompressAll(t, compressed, f, n)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s, %v, %d workers: %d bytes of %d, first difference at %d, error %v",
				what, f, n, len(got), len(want), difference(got, want), err)
		}
	}
}

func difference(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

// A compressor makes one member or frame.
type compressor struct {
	name     string
	format   Format
	compress func(testing.TB, []byte) []byte

	unchecked bool
}

// compressors has one or more for each format.
var compressors = func() (all []compressor) {
	for _, c := range decompresstest.Compressors {
		format := slices.IndexFunc(rows[:], func(w *row) bool { return w.name == c.Format })
		all = append(all, compressor{c.Name, Format(format), c.Compress, c.Unchecked})
	}
	return all
}()

var (
	gzipped, bgzipped   = decompresstest.Gzip, decompresstest.BGZF
	zstandard, streamed = decompresstest.Zstd, decompresstest.ZstdStream
	skippable, by       = decompresstest.Skippable, decompresstest.By
)

// quick reports whether a format of many members is decompressed fast enough for large tests.
func quick(f Format) bool { return f == Gzip || f == Zstd }

func TestSizesAndMembers(t *testing.T) {
	for _, p := range compressors {
		for _, size := range []int{0, 1, 64<<10 - 1, 64 << 10, 64<<10 + 1, 2 << 20} {
			for _, members := range []int{1, 2, 50} {
				if size > 1<<20 && (members > 2 || testing.Short() && !quick(p.format)) || size > 1 && !quick(p.format) && members > 2 ||
					members == 50 && size > 1 && size != 64<<10+1 {
					continue
				}
				var compressed, want []byte
				for i := range members {
					data := text(size, uint64(i))
					if i%3 == 1 {
						data = noise(size, uint64(i))
					}
					compressed, want = append(compressed, p.compress(t, data)...), append(want, data...)
				}
				check(t, fmt.Sprintf("%s, %d members of %d", p.name, members, size), compressed, want, p.format)
			}
		}
	}
}

// Members that are long, short or empty, and content that looks like the beginning of members.
func TestMixedMembers(t *testing.T) {
	inside := append(gzipped(t, text(200_000, 9)), noise(300_000, 3)...)
	sizes := []int{3 << 20, 10, 0, 0, 1 << 20, 3, 700_000, 0}
	for _, p := range compressors {
		if !quick(p.format) {
			continue
		}
		var compressed, want []byte
		for i, size := range sizes {
			data := slices.Concat(text(size, uint64(i)), inside, bytes.Repeat([]byte{0x1f, 0x8b, 8, 0}, 500))
			compressed, want = append(compressed, p.compress(t, data)...), append(want, data...)
		}
		check(t, p.name, compressed, want, p.format)
	}
}

// The pipeline does not hold content in memory that compresses a thousandfold.
func TestHighRatio(t *testing.T) {
	zeros := make([]byte, 20<<20)
	for _, p := range compressors[:4] {
		compressed := p.compress(t, zeros)
		compressed = append(compressed, p.compress(t, text(1000, 1))...)
		check(t, p.name, compressed, append(slices.Clone(zeros), text(1000, 1)...), p.format)
	}
}

// Reads of the input and of the output may have any size.
func TestSmallReads(t *testing.T) {
	want := text(100_000, 1)
	for _, p := range compressors {
		compressed := append(p.compress(t, want), p.compress(t, want)...)
		for _, workers := range workerCounts {
			r := NewReader(iotest.HalfReader(iotest.DataErrReader(bytes.NewReader(compressed))), p.format, Options{Workers: workers})
			got, err := io.ReadAll(iotest.OneByteReader(r))
			if err != nil || !bytes.Equal(got, append(slices.Clone(want), want...)) {
				t.Errorf("%s: %d bytes, error %v", p.name, len(got), err)
			}
			r.Close()
		}
	}
}

// A file truncated anywhere is an error, and the content before the error is right.
func TestTruncation(t *testing.T) {
	for _, p := range compressors {
		data := slices.Concat(text(100_000, 4), noise(10_000, 5))
		one := p.compress(t, data)
		compressed := append(slices.Clone(one), p.compress(t, data)...)
		whole := append(slices.Clone(data), data...)
		for i, at := range cuts(len(compressed), len(one), p.name) {
			if i%rounds.Every(3) > 0 {
				continue
			}
			for _, workers := range workerCounts {
				got, err := decompressAll(t, compressed[:at], p.format, workers)
				var e *failure.DamageError
				if !errors.As(err, &e) || e.Off > int64(at) || !bytes.HasPrefix(whole, got) {
					t.Errorf("%s, %d workers, cut at %d of %d: %d bytes, error %v", p.name, workers, at, len(compressed), len(got), err)
				}
				if p.format != Bzip2 && !errors.Is(err, failure.ErrTruncated) {
					t.Errorf("%s, %d workers, cut at %d: error %v", p.name, workers, at, err)
				}
			}
		}
	}
}

// cuts returns where to truncate, except between two members, where it could not be noticed.
func cuts(bytes, one int, name string) (all []int) {
	r := rand.New(rand.NewPCG(1, 1))
	for i := 1; i < 10; i++ {
		all = append(all, i, one-i, one+i, bytes-i)
	}
	all = append(all, one+20, one+30, bytes-27, bytes-29)
	for range 20 {
		all = append(all, r.IntN(bytes-1)+1)
	}
	return slices.DeleteFunc(all, func(at int) bool {
		return at == one || at == one+308 && name == "zstd, skippable" || at == 308 && name == "zstd, skippable"
	})
}

// A BGZF file without its last, empty block was truncated between two blocks.
func TestMissingLastBlock(t *testing.T) {
	for _, size := range []int{1000, 1 << 20} {
		compressed := bgzipped(t, text(size, 1))
		for _, workers := range workerCounts {
			got, err := decompressAll(t, compressed[:len(compressed)-28], Gzip, workers)
			if !errors.Is(err, failure.ErrTruncated) || len(got) != size {
				t.Errorf("%d bytes, %d workers: %d bytes, error %v", size, workers, len(got), err)
			}
		}
	}
}

// A flipped bit is an error, or lies in a place that does not matter.
func TestDamageAnywhere(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for _, p := range compressors {
		if p.unchecked {
			continue
		}
		data := text(300_000, 4)
		compressed := slices.Concat(p.compress(t, data), p.compress(t, data))
		for range rounds.Of(5) {
			bit := r.IntN(8 * len(compressed))
			damaged := slices.Clone(compressed)
			damaged[bit/8] ^= 1 << (bit % 8)
			for _, workers := range workerCounts {
				got, err := decompressAll(t, damaged, p.format, workers)
				if err == nil && !bytes.Equal(got, slices.Concat(data, data)) {
					t.Errorf("%s, %d workers, bit %d: wrong and no error", p.name, workers, bit)
				}
			}
		}
	}
}

func TestTrailing(t *testing.T) {
	data := text(500_000, 1)
	for _, p := range compressors {
		compressed := p.compress(t, data)
		for _, workers := range workerCounts {
			got, err := decompressAll(t, append(slices.Clone(compressed), "this is garbage"...), p.format, workers)
			var e *failure.DamageError
			if !errors.As(err, &e) || !bytes.Equal(got, data) || p.format != Bzip2 && !errors.Is(err, ErrTrailing) {
				t.Errorf("%s, %d workers: %d bytes, error %v", p.name, workers, len(got), err)
			}
		}
		if p.format == Gzip {
			check(t, "zeros behind", append(slices.Clone(compressed), make([]byte, 600_000)...), data, Gzip)
		}
	}
}

// A read error is returned, after the content before it.
func TestReadError(t *testing.T) {
	broken := errors.New("broken")
	data := noise(400_000, 1)
	for _, p := range compressors {
		compressed := slices.Concat(p.compress(t, data), p.compress(t, data))
		for _, at := range []int{0, 10, 150_000, len(compressed) / 2, len(compressed)} {
			for _, workers := range workerCounts {
				r := NewReader(io.MultiReader(bytes.NewReader(compressed[:at]), iotest.ErrReader(broken)),
					p.format, Options{Workers: workers})
				got, err := io.ReadAll(r)
				if !errors.Is(err, broken) || !bytes.HasPrefix(slices.Concat(data, data), got) {
					t.Errorf("%s, %d workers, at %d: %d bytes, error %v", p.name, workers, at, len(got), err)
				}
				r.Close()
			}
		}
	}
}

// Close ends everything at once, at any point.
func TestEarlyClose(t *testing.T) {
	length := 1 << 20
	if testing.Short() {
		length = 1 << 18
	}
	for _, p := range compressors {
		compressed := p.compress(t, text(length, 1))
		compressed = slices.Concat(compressed, compressed, compressed)
		for _, workers := range workerCounts {
			for _, n := range []int64{0, 1, 100_000, 2 * int64(length)} {
				r := NewReader(bytes.NewReader(compressed), p.format, Options{Workers: workers})
				if _, err := io.CopyN(io.Discard, r, n); err != nil {
					t.Fatal(err)
				}
				if err := r.Close(); err != nil {
					t.Error(err)
				}
				if n, err := r.Read(make([]byte, 10)); n > 0 || err == nil {
					t.Errorf("%s: a closed reader gave %d bytes", p.name, n)
				}
			}
		}
	}
}

// With a slow input, content is returned before the next input arrives.
func TestSlowInput(t *testing.T) {
	var compressed bytes.Buffer
	w := gzip.NewWriter(&compressed)
	in, out := io.Pipe()
	r := NewReader(in, Gzip, Options{Workers: 2})
	for i := range 5 {
		line := fmt.Sprintf("line %d\n", i)
		if _, err := io.WriteString(w, line); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		go out.Write(bytes.Clone(compressed.Bytes()))
		compressed.Reset()
		got := make([]byte, len(line))
		if _, err := io.ReadFull(r, got); err != nil || string(got) != line {
			t.Fatalf("%q, error %v", got, err)
		}
	}
	out.Close()
	r.Close()
}
