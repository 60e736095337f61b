package decompress

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"math/rand/v2"
	"os/exec"
	"slices"
	"testing"

	"github.com/klauspost/compress/flate"

	"github.com/thresh-dev/thresh/failure"
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
func TestBlocksOfManyFiles(t *testing.T) {
	adopted, contentBytes, least := 0, 700_000, 100
	if testing.Short() {
		contentBytes, least = 200_000, 30
	}
	for name, compressed := range blockCases(t, contentBytes) {
		want, wantErr := decompressAll(t, compressed, Gzip, 1)
		if wantErr != nil {
			t.Fatal(name, wantErr)
		}
		for _, segment := range []int{3000, 20_000, 64_000} {
			for i, chunk := range []int{1000, 60_000} {
				if testing.Short() && (i == 0) != (segment == 20_000) {
					continue
				}
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
	if adopted < least {
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
			var e *failure.DamageError
			if err != nil && !errors.As(err, &e) {
				t.Errorf("bit %d: %v", bit, err)
			}
		}
	}
}

// Cut before, at and behind each end of a block and in a trailer, a file is truncated.
func TestBlocksCut(t *testing.T) {
	withBlocks(t, 3000, 5000)
	one := gzippedAt(t, text(110_000, 3), 6)
	whole := slices.Concat(one, gzippedAt(t, text(60_000, 6), 1))
	cuts := []int{len(whole) / 2}
	for i := -12; i < 14; i++ {
		cuts = append(cuts, len(one)+i, len(whole)+min(i, 0))
	}
	d := &gzipDecoder{}
	d.ends = func(off int64, _ joint) bool {
		cuts = append(cuts, int(off)-1, int(off), int(off)+1, int(off)+2, int(off)+5)
		return false
	}
	if err := d.reset(&wholeInput{r: bytes.NewReader(whole)}, math.MaxInt64); err != nil {
		t.Fatal(err)
	}
	if n, err := io.Copy(io.Discard, d); err != nil || n != 170_000 {
		t.Fatal(n, err)
	}
	for _, cut := range cuts {
		want, wantErr := decompressAll(t, whole[:cut], Gzip, 1)
		if got, err := decompressAll(t, whole[:cut], Gzip, 3); !bytes.Equal(got, want) || fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Errorf("cut at %d of %d: %d bytes, error %v; 1 worker: %d bytes, error %v", cut, len(whole), len(got), err, len(want), wantErr)
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

// A run continues another only where that one has ended, to the bit, and in the same part of a member.
func TestFits(t *testing.T) {
	j := joint{bit: 3, part: memberBlock}
	for next, want := range map[joint]bool{
		j: true, {bit: 3, part: memberBlock, partial: true}: true, {bit: 4, part: memberBlock}: false, {bit: 3, part: memberStored}: false,
		{bit: 3}: false, {bit: 3, part: memberBlock, level: 1}: false,
	} {
		if j.fits(next) != want {
			t.Errorf("%+v fits %+v: %v", next, j, !want)
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

// contentOfKind returns n bytes of content.
func contentOfKind(kind string, n int) (b []byte) {
	r := rand.New(rand.NewPCG(7, 7))
	words := []string{"checkout", "search", "api-gateway", "upload", "orders", "carts/items", "users", "invoice"}
	value := 1e4
	for i := 0; len(b) < n; i++ {
		word := words[r.IntN(len(words))]
		switch kind {
		case "log":
			b = fmt.Appendf(b, "2026-01-02T03:%02d:%02d.%03dZ INFO  %s req=%08x user=%d GET /api/v2/%s status=200 took %dus\n",
				i/60000%60, i/1000%60, i%1000, word, r.Uint32(), r.IntN(1e9), words[r.IntN(8)], r.IntN(9000))
		case "csv":
			b = fmt.Appendf(b, "%d,%s,%d.%02d,2026-%02d-%02d,%d\n", i, word, r.IntN(5000), r.IntN(100), 1+r.IntN(12), 1+r.IntN(28), r.IntN(1e5))
		case "json":
			b = fmt.Appendf(b, `{"id":%d,"name":%q,"labels":[%d,%d],"ok":true,"time":"2026-01-02T03:04:%02dZ"}`+"\n",
				i, word, r.IntN(100), r.IntN(100), r.IntN(60))
		default:
			value += r.NormFloat64()
			b = binary.LittleEndian.AppendUint32(b, uint32(i))
			b = binary.LittleEndian.AppendUint32(b, uint32(int32(value)))
		}
	}
	return b[:n]
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
