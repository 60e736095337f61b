package decompress

import (
	"bytes"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// The walker finds the start of each frame, however the data is split.
func TestWalker(t *testing.T) {
	var compressed []byte
	var want []int64
	for i, frame := range [][]byte{
		zstandard(t, text(500_000, 1)), skippable(0), zstandard(t, noise(200_000, 1)), skippable(70_000),
		streamed(t, nil, zstd.WithZeroFrames(true)), streamed(t, text(300_000, 2), zstd.WithEncoderCRC(false)),
		zstandard(t, make([]byte, 3<<20)), zstandard(t, text(300, 1), zstd.WithSingleSegment(true)),
		zstandard(t, text(2, uint64(2)), zstd.WithSingleSegment(true)), zstandard(t, text(70_000, 1), zstd.WithSingleSegment(true)),
	} {
		want = append(want, int64(len(compressed)))
		compressed = append(compressed, frame...)
		if i == 3 {
			compressed = append(compressed, skippable(5)...)
			want = append(want, int64(len(compressed)-13))
		}
	}
	r := rand.New(rand.NewPCG(1, 1))
	for _, most := range []int{1, 2, 5, 1000, 1 << 20} {
		var w walker
		var got []int64
		var off int
		for rest := compressed; len(rest) > 0; {
			n := min(r.IntN(most)+1, len(rest))
			for {
				// Walk returns only the first frame of a part, so call it again from behind that.
				before := w
				start := w.walk(rest[:n])
				if start < 0 {
					break
				}
				got = append(got, int64(off+start))
				w = before
				w.walk(rest[:start+1])
				off, rest, n = off+start+1, rest[start+1:], n-start-1
			}
			off, rest = off+n, rest[n:]
		}
		if !slices.Equal(got, want) {
			t.Errorf("parts of up to %d bytes: frames at %v, want %v", most, got, want)
		}
		if w.incomplete() || w.window < 8<<20 {
			t.Errorf("parts of up to %d bytes: broken %v, window %d", most, w.incomplete(), w.window)
		}
	}
}

// FuzzWalker compares a walk over all data with a walk in parts, and checks that the walker accepts
// all data that decompresses.
func FuzzWalker(f *testing.F) {
	f.Add(append(zstandard(f, text(1000, 1)), skippable(3)...), uint8(3))
	f.Add(streamed(f, make([]byte, 5000)), uint8(1))
	f.Fuzz(func(t *testing.T, data []byte, part uint8) {
		var whole, parts walker
		first := whole.walk(data)
		found := -1
		for i := 0; i < len(data); i += int(part) + 1 {
			if k := parts.walk(data[i:min(i+int(part)+1, len(data))]); k >= 0 && found < 0 {
				found = i + k
			}
		}
		if first != found || whole.incomplete() != parts.incomplete() {
			t.Errorf("first frame at %d and %d, incomplete %v and %v", first, found, whole.incomplete(), parts.incomplete())
		}
		d, err := zstd.NewReader(bytes.NewReader(data), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(1<<20))
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		if _, err := io.Copy(io.Discard, d); err == nil && whole.state == notZstd && len(data) > 4 {
			t.Error("the library reads what the walker does not know")
		}
	})
}

// A frame whose window is too large to decompress ahead is decompressed in its turn. A frame whose
// window does not fit the memory at all is an error with a remedy.
func TestLargeWindow(t *testing.T) {
	big := slices.Concat(noise(2<<20, 1), noise(7<<20, 2), noise(2<<20, 1))
	compressed := zstandard(t, noise(600_000, 3))
	want := noise(600_000, 3)
	for range 2 {
		compressed = append(compressed, zstandard(t, text(100_000, 3))...)
		compressed = append(compressed, streamed(t, big, zstd.WithWindowSize(16<<20))...)
		want = slices.Concat(want, text(100_000, 3), big)
	}
	check(t, "large windows", compressed, want, Zstd)
	for _, workers := range workerCounts {
		r := NewReader(bytes.NewReader(compressed), Zstd, Options{Workers: workers, MemBytes: 12 << 20})
		got, err := io.ReadAll(r)
		if err == nil || !strings.Contains(err.Error(), "needs 16 MiB") || !bytes.HasPrefix(want, got) {
			t.Errorf("%d workers: %d bytes, error %v", workers, len(got), err)
		}
		r.Close()
	}
}

// A frame's window is too large for a run that was started ahead, and its header lies across the
// border of two segments. The run starts again and needs bytes before its position.
func TestLargeWindowAcrossSegments(t *testing.T) {
	large := streamed(t, text(2<<20, 7), zstd.WithWindowSize(16<<20))
	for _, before := range []int{1, 4, 5} {
		var compressed, want []byte
		add := func(frame, data []byte) { compressed, want = append(compressed, frame...), append(want, data...) }
		for i := range 3 {
			data := noise(200_000, uint64(i))
			add(zstandard(t, data), data)
		}
		border := (len(compressed)/segmentBytes.Real() + 2) * segmentBytes.Real()
		add(skippable(border-segmentBytes.Real()-len(compressed)-8), nil)
		// More than the budget: the run waits for its turn before it reaches the next frame.
		zeros := make([]byte, 3*len(workerCounts)*budgetChunks.Real()*chunkBytes.Real())
		add(zstandard(t, zeros), zeros)
		add(skippable(border-before-len(compressed)-8), nil)
		add(large, text(2<<20, 7))
		add(large, text(2<<20, 7))
		check(t, "large window", compressed, want, Zstd)
	}
}
