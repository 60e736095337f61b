package decompress

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"os/exec"
	"slices"
	"testing"

	"github.com/klauspost/compress/flate"

	"github.com/thresh-dev/thresh/internal/test/rounds"
)

// withBlocks lets any number of workers from two on begin at blocks, in small segments.
func withBlocks(t testing.TB, segment, chunk int) {
	sizes := map[interface{ Set(int) }][2]int{
		blockWorkersMin: {2, blockWorkersMin.Get()}, segmentBytes: {segment, segmentBytes.Get()}, chunkBytes: {chunk, chunkBytes.Get()},
	}
	for s, n := range sizes {
		s.Set(n[0])
	}
	t.Cleanup(func() {
		for s, n := range sizes {
			s.Set(n[1])
		}
	})
}

func gzippedAt(t testing.TB, data []byte, level int) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, level)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// blockCases are files of gzip, by what their blocks are like.
func blockCases(t testing.TB, bytesEach int) map[string][]byte {
	cases := map[string][]byte{}
	contents := map[string][]byte{
		"noise": noise(bytesEach/4, 8), "zeros": make([]byte, 2*bytesEach),
		"mixed": slices.Concat(text(bytesEach/2, 1), noise(bytesEach/8, 2), make([]byte, bytesEach/4), text(bytesEach/3, 3)),
		// Stored in it are blocks that could begin there.
		"twice": gzipped(t, gzippedAt(t, text(bytesEach/3, 4), 6)),
	}
	for _, kind := range []string{"log", "csv", "json", "binary"} {
		contents[kind] = contentOfKind(kind, bytesEach)
	}
	for name, content := range contents {
		for _, level := range []int{0, 1, 6, 9, flate.HuffmanOnly} {
			cases[fmt.Sprintf("%s, level %d", name, level)] = gzippedAt(t, content, level)
		}
		cases[name+", two members"] = slices.Concat(gzippedAt(t, content, 6), gzippedAt(t, content, 1))
	}
	// Full and other flushes, as pigz makes them, and as a server that compresses what arrives.
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, 6)
	if err != nil {
		t.Fatal(err)
	}
	content := text(bytesEach, 5)
	for i, part := range slices.Collect(slices.Chunk(content, 9000)) {
		if _, err := w.Write(part); err != nil {
			t.Fatal(err)
		}
		if i%3 > 0 {
			err = w.Flush()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	flushed := append([]byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255}, b.Bytes()...)
	for _, n := range []uint32{crc32.ChecksumIEEE(content), uint32(len(content))} {
		flushed = append(flushed, byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
	}
	cases["flushed"] = flushed
	cases["many members"] = slices.Repeat(gzippedAt(t, text(bytesEach/9, 6), 6), 9)
	cases["members and BGZF"] = slices.Concat(flushed, bgzipped(t, text(bytesEach/2, 7)), flushed)
	cases["padding"] = slices.Concat(flushed, make([]byte, 5000))
	for _, command := range [][]string{{"pigz", "-c", "-b", "128", "-p", "3"}, {"pigz", "-c", "-i", "-b", "128", "-p", "3"},
		{"libdeflate-gzip", "-c"}} {
		if _, err := exec.LookPath(command[0]); err == nil {
			cases[fmt.Sprint(command)] = by(command[0], command[1:]...)(t, text(min(bytesEach, 400_000), 8))
		}
	}
	return cases
}

// Whatever the blocks are, and whatever is found in them, the content is that of one worker.
func TestBlocks(t *testing.T) {
	adopted := 0
	for name, compressed := range blockCases(t, 700_000) {
		want, wantErr := decompressAll(t, compressed, Gzip, 1)
		if wantErr != nil {
			t.Fatal(name, wantErr)
		}
		for _, segment := range []int{3000, 20_000, 64_000} {
			for _, chunk := range []int{1000, 60_000} {
				withBlocks(t, segment, chunk)
				for _, workers := range []int{2, 5} {
					p := newPipeline(bytes.NewReader(compressed), newCodec(Gzip, Options{}, 0), workers)
					got, err := io.ReadAll(p)
					adopted += p.taken
					if p.Close(); err != nil || !bytes.Equal(got, want) {
						t.Fatalf("%s, segments of %d, chunks of %d, %d workers: %d bytes of %d, first difference at %d, error %v",
							name, segment, chunk, workers, len(got), len(want), difference(got, want), err)
					}
				}
			}
		}
	}
	t.Log(adopted, "runs began at blocks")
	if adopted < 100 {
		t.Errorf("%d runs began at blocks", adopted)
	}
}

// A file with any bit flipped, or cut anywhere, gives the bytes and the error that it gives to one
// worker, at the same offset.
func TestBlocksOfDamage(t *testing.T) {
	withBlocks(t, 4000, 5000)
	r := rand.New(rand.NewPCG(1, 9))
	whole := slices.Concat(gzippedAt(t, slices.Concat(text(130_000, 3), noise(9000, 4), text(60_000, 5)), 6), gzippedAt(t, text(70_000, 6), 1))
	for i := range rounds.Of(300) {
		damaged := slices.Clone(whole)
		bit := r.IntN(8 * len(whole))
		switch i % 3 {
		case 0:
			damaged = damaged[:bit/8]
		case 1:
			damaged[bit/8] ^= 1 << (bit % 8)
		default: // in a trailer or in a header
			bit = 8*(len(whole)-40) + r.IntN(8*40)
			damaged[bit/8] ^= 1 << (bit % 8)
		}
		want, wantErr := decompressAll(t, damaged, Gzip, 1)
		for _, workers := range []int{2, 4} {
			got, err := decompressAll(t, damaged, Gzip, workers)
			if !bytes.Equal(got, want) || fmt.Sprint(err) != fmt.Sprint(wantErr) {
				t.Fatalf("bit %d, kind %d, %d workers: %d bytes, error %v; 1 worker: %d bytes, error %v", bit, i%3, workers, len(got), err, len(want), wantErr)
			}
			var e *Error
			if err != nil && !errors.As(err, &e) {
				t.Errorf("bit %d: %v", bit, err)
			}
		}
	}
}

// Close ends everything at once, whatever stage the runs are in.
func TestBlocksClose(t *testing.T) {
	withBlocks(t, 4000, 5000)
	compressed := gzippedAt(t, text(900_000, 3), 6)
	for n := int64(0); n < 900_000; n += 40_001 {
		r := NewReader(bytes.NewReader(compressed), Gzip, Options{Workers: 3})
		if _, err := io.CopyN(io.Discard, r, n); err != nil {
			t.Fatal(err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestCombineCRC(t *testing.T) {
	data := noise(5000, 1)
	for _, n := range []int{0, 1, 2, 3, 255, 256, 4999, 5000} {
		a, b := crc32.ChecksumIEEE(data[:n]), crc32.ChecksumIEEE(data[n:])
		if got, want := combineCRC(a, b, int64(len(data)-n)), crc32.ChecksumIEEE(data); got != want {
			t.Errorf("%d and %d bytes: %#x, want %#x", n, len(data)-n, got, want)
		}
	}
}

// FuzzBlocks compares several workers, which begin at blocks, with one, whatever the data.
func FuzzBlocks(f *testing.F) {
	withBlocks(f, 1500, 3000)
	f.Add(gzippedAt(f, text(90_000, 1), 6), uint16(0), byte(0))
	f.Add(gzippedAt(f, slices.Concat(text(40_000, 1), noise(4000, 1), text(30_000, 2)), 1), uint16(0), byte(0))
	f.Add(slices.Concat(gzippedAt(f, text(70_000, 1), 9), gzippedAt(f, text(50_000, 2), 6)), uint16(0), byte(0))
	f.Fuzz(func(t *testing.T, compressed []byte, at uint16, change byte) {
		if int(at) < len(compressed) {
			compressed = slices.Clone(compressed)
			compressed[at] ^= change
		}
		r := NewReader(bytes.NewReader(compressed), Gzip, Options{})
		want, wantErr := io.ReadAll(io.LimitReader(r, 1<<22))
		r.Close()
		if len(want) == 1<<22 {
			return
		}
		got, err := decompressAll(t, compressed, Gzip, 3)
		if !bytes.Equal(got, want) || fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Fatalf("%d bytes, error %v; 1 worker: %d bytes, error %v", len(got), err, len(want), wantErr)
		}
	})
}
