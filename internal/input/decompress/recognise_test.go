package decompress

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// Content is recognised whatever compressed it and whatever it holds, from the whole and from any
// beginning that is long enough. A shorter beginning is not settled.
func TestRecognise(t *testing.T) {
	for _, p := range append(compressors, compressors[0]) {
		for _, data := range [][]byte{nil, []byte("x"), text(1000, 1), noise(1000, 1)} {
			compressed := p.compress(t, data)
			for n := range min(len(compressed), HeadBytes+1) {
				f, settled, err := Recognise(compressed[:n], false)
				if err != nil || settled && f != p.format || !settled && f != Plain || n >= 20 && !settled && p.name != "zstd, skippable" {
					t.Errorf("%s, the first %d bytes: %v, settled %v, error %v", p.name, n, f, settled, err)
				}
			}
			if f, settled, err := Recognise(compressed, true); f != p.format || !settled || err != nil {
				t.Errorf("%s, %d bytes: %v, settled %v, error %v", p.name, len(compressed), f, settled, err)
			}
			f, err := RecogniseFile(bytes.NewReader(compressed), compressed[:min(len(compressed), HeadBytes)], int64(len(compressed)))
			if f != p.format || err != nil {
				t.Errorf("%s, a file of %d bytes: %v, error %v", p.name, len(compressed), f, err)
			}
		}
	}
}

// Plain content is recognised as plain, even if it begins like a format.
func TestNotRecognised(t *testing.T) {
	texts := []string{"", "\x1f", "\x1f\x8b", "\x1f\x8b\x07text", "\x1f\x8b\x08\xe0 text", "BZ", "BZh", "BZh9", "BZh9 is a word",
		"BZha1AY&SY", "PK", "PK is a text", "LZIP is a program", "Rar!", "7z", "\x28\xb5\x2f", "\x28\xb5\x2f\xfd\x08 text",
		"\x04\x22\x4d\x18\x00text", "\x1f\x9d\x00text", "]\x00\x00", "]\x00\x00\x00text and more of it", "\xfd7zXZ\x01", "PK\x07\x08text",
		"\x51\x2a\x4d\x18\x03\x00\x00\x00", "\x51\x2a\x4d\x18\x03\x00\x00\x00abctext", "\x02\x21\x4c\x18\xff\xff\xff\xfftext"}
	for _, text := range texts {
		for _, text := range []string{text, text + strings.Repeat(" and so on", 10)} {
			f, settled, err := Recognise([]byte(text), true)
			if text == "BZh9" { // only bzip2 files are known to begin like this
				continue
			}
			if f != Plain || !settled || err != nil {
				t.Errorf("%q: %v, settled %v, error %v", text, f, settled, err)
			}
			f, err = RecogniseFile(strings.NewReader(text), []byte(text)[:min(len(text), HeadBytes)], int64(len(text)))
			if f != Plain || err != nil {
				t.Errorf("a file with %q: %v, error %v", text, f, err)
			}
			if f, settled, err := Recognise([]byte(text), false); len(text) > HeadBytes && (f != Plain || !settled || err != nil) {
				t.Errorf("a stream with %q: %v, settled %v, error %v", text, f, settled, err)
			}
		}
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range 1_000_000 {
		head := make([]byte, 16)
		for i := range head {
			head[i] = byte(r.Uint32())
		}
		if f, settled, err := Recognise(head, false); f != Plain || !settled || err != nil {
			t.Fatalf("%x: %v, settled %v, error %v", head, f, settled, err)
		}
	}
}

// Skippable frames may be followed by any content.
func TestRecogniseBehindSkippedFrames(t *testing.T) {
	lz4, zst := by("lz4", "-cq")(t, []byte("x")), zstandard(t, []byte("x"))
	for _, n := range []int{0, 1, 40, 50, 60, 100, 70_000} {
		for _, then := range []struct {
			bytes  []byte
			format Format
		}{{lz4, LZ4}, {zst, Zstd}, {nil, Zstd}, {[]byte("text that is not compressed"), Plain}} {
			for _, frames := range []int{1, 3} {
				compressed := append(bytes.Repeat(skippable(n), frames), then.bytes...)
				f, err := RecogniseFile(bytes.NewReader(compressed), compressed[:min(HeadBytes, len(compressed))], int64(len(compressed)))
				if f != then.format || err != nil {
					t.Errorf("%d frames of %d bytes, then %v: %v, error %v", frames, n, then.format, f, err)
				}
				if f, settled, err := Recognise(compressed, true); f != then.format || !settled || err != nil {
					t.Errorf("%d frames of %d bytes, then %v: %v, settled %v, error %v", frames, n, then.format, f, settled, err)
				}
			}
		}
	}
	long := skippable(100)[:50] // longer than the file, so not a frame
	if f, err := RecogniseFile(bytes.NewReader(long), long, 50); f != Plain || err != nil {
		t.Errorf("a frame that is cut short: %v, error %v", f, err)
	}
	many := bytes.Repeat(skippable(0), 10_000)
	if f, err := RecogniseFile(bytes.NewReader(many), many[:HeadBytes], int64(len(many))); f != Zstd || err != nil {
		t.Errorf("10,000 frames: %v, error %v", f, err)
	}
}

// Files of other programs, as far as these are installed, are recognised as unsupported.
func TestUnsupported(t *testing.T) {
	lzma := []byte("\x5d\x00\x00\x80\x00\xff\xff\xff\xff\xff\xff\xff\xff\x00\x30\x1d")
	for what, head := range map[string][]byte{
		"compress": []byte("\x1f\x9d\x90a\xc4\x88"), "lzma": lzma, "lzip": []byte("LZIP\x01\x0c....."),
		"lzop": []byte("\x89LZO\x00\r\n\x1a\n...."), "Snappy": []byte("\xff\x06\x00\x00sNaPpY..."), "7z": []byte("7z\xbc\xaf\x27\x1c\x00\x04"),
		"RAR": []byte("Rar!\x1a\x07\x01\x00"), "before version 0.8": []byte("\x27\xb5\x2f\xfd\x00"), "lrzip": []byte("LRZI\x00\x06"),
	} {
		_, settled, err := Recognise(head, true)
		var unsupported *UnsupportedError
		if !errors.As(err, &unsupported) || !settled || !strings.Contains(unsupported.What, what) || unsupported.Then == "" {
			t.Errorf("%s: settled %v, error %v", what, settled, err)
		}
	}
	for _, dict := range []string{"64KiB", "1MiB", "12MiB", "64MiB"} {
		head := by("xz", "--format=lzma", "--lzma1=dict="+dict, "-c")(t, text(1000, 1))
		if _, _, err := Recognise(head, true); err == nil {
			t.Errorf("lzma with a dictionary of %s is not recognised", dict)
		}
	}
}

// Content that was compressed several times is decompressed completely.
func TestInner(t *testing.T) {
	want := text(300_000, 1)
	layered := func(depth int) []byte {
		compressed := want
		for i := range depth {
			compressed = compressors[(3*i+1)%len(compressors)].compress(t, compressed)
		}
		return compressed
	}
	for depth := 1; depth <= layersMax+1; depth++ {
		compressed := layered(depth)
		f, _, err := Recognise(compressed, true)
		if err != nil {
			t.Fatal(err)
		}
		for _, workers := range workerCounts {
			r := NewInner(NewReader(bytes.NewReader(compressed), f, Options{Workers: workers}), Options{Workers: workers})
			got, err := io.ReadAll(r)
			switch {
			case depth > layersMax && err != errLayers:
				t.Errorf("%d layers: error %v", depth, err)
			case depth <= layersMax && (err != nil || !bytes.Equal(got, want)):
				t.Errorf("%d layers, %d workers: %d bytes of %d, error %v", depth, workers, len(got), len(want), err)
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	for _, content := range [][]byte{nil, []byte("a"), []byte("\x1f"), []byte("\x1f\x8b text"), bytes.Repeat([]byte("x"), HeadBytes), want} {
		r := NewInner(NewReader(bytes.NewReader(gzipped(t, content)), Gzip, Options{}), Options{})
		if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, content) {
			t.Errorf("%d bytes of plain content: %d bytes, error %v", len(content), len(got), err)
		}
		r.Close()
	}
	for _, content := range [][]byte{[]byte("PK\x03\x04 and so on"), []byte("Rar!\x1a\x07\x00")} {
		r := NewInner(NewReader(bytes.NewReader(gzipped(t, content)), Gzip, Options{}), Options{})
		if got, err := io.ReadAll(r); err == nil || len(got) > 0 {
			t.Errorf("%q: %d bytes, error %v", content, len(got), err)
		}
		r.Close()
	}
	// A fault in the inner data, and one in the outer.
	compressed := gzipped(t, gzipped(t, want)[:20_000])
	for _, compressed := range [][]byte{compressed, compressed[:10_000]} {
		r := NewInner(NewReader(bytes.NewReader(compressed), Gzip, Options{}), Options{})
		got, err := io.ReadAll(r)
		if !errors.Is(err, failure.ErrTruncated) || len(got) == 0 || !bytes.HasPrefix(want, got) {
			t.Errorf("cut: %d bytes, error %v", len(got), err)
		}
		r.Close()
	}
}

// With all sizes of the threshold table shrunk, the answers are the same.
func TestShrunk(t *testing.T) {
	sizes := []int{1, 2, 3, 7, 64, 1000}
	if testing.Short() {
		sizes = []int{2, 64}
	}
	for _, n := range sizes {
		threshold.Shrink(t, n)
		r := rand.New(rand.NewPCG(uint64(n), 1))
		for _, p := range compressors {
			size := min(3000*n, 100_000)
			var compressed, want []byte
			for range 3 {
				data := append(text(r.IntN(size), r.Uint64N(100)), noise(r.IntN(200), 1)...)
				compressed, want = append(compressed, p.compress(t, data)...), append(want, data...)
			}
			check(t, p.name, compressed, want, p.format)
			at := r.IntN(len(compressed)-60) + 20
			for _, workers := range workerCounts {
				got, err := decompressAll(t, compressed[:at], p.format, workers)
				if !bytes.HasPrefix(want, got) || err == nil && len(got) == len(want) {
					t.Errorf("%s, sizes of %d, %d workers, cut at %d of %d: %d bytes, error %v",
						p.name, n, workers, at, len(compressed), len(got), err)
				}
			}
		}
	}
}

// The number of bytes before a fault does not depend on the number of workers.
func TestBytesBeforeAFault(t *testing.T) {
	data := text(1<<20, 1)
	for _, p := range compressors {
		compressed := slices.Concat(p.compress(t, data[:500_000]), p.compress(t, data[500_000:]))
		for _, at := range []int{len(compressed) / 5, len(compressed) / 2, len(compressed) * 9 / 10, len(compressed) - 1} {
			first := -1
			for _, workers := range workerCounts {
				got, err := decompressAll(t, compressed[:at], p.format, workers)
				if first < 0 {
					first = len(got)
				}
				if err == nil || !bytes.HasPrefix(data, got) || len(got) != first {
					t.Errorf("%s, %d workers, cut at %d of %d: %d bytes, with one worker %d; error %v",
						p.name, workers, at, len(compressed), len(got), first, err)
				}
			}
		}
	}
}
