// Package decompresstest makes compressed content for tests: some for each format that package decompress reads.
package decompresstest

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os/exec"
	"slices"
	"testing"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/zstd"
)

// Compressors make one member or frame each. The tests of decompress run them all, and those of the matrix the first
// one of each format.
var Compressors = []struct {
	Name, Format string // Format as decompress.Format.String returns it
	Compress     func(testing.TB, []byte) []byte
	Unchecked    bool // the content has no checksum
}{
	{"gzip", "gzip", Gzip, false},
	{"bgzf", "gzip", BGZF, false},
	{"zstd", "zstd", func(t testing.TB, b []byte) []byte { return Zstd(t, b) }, false},
	{"zstd, streamed, no checksum", "zstd", func(t testing.TB, b []byte) []byte {
		return ZstdStream(t, b, zstd.WithEncoderCRC(false), zstd.WithZeroFrames(true))
	}, true},
	{"zstd, skippable", "zstd", func(t testing.TB, b []byte) []byte {
		return append(Skippable(300), Zstd(t, b)...)
	}, false},
	{"bzip2", "bzip2", By("bzip2", "-c"), false},
	{"xz", "xz", By("xz", "-1c"), false},
	{"xz, blocks", "xz", By("xz", "-1c", "--block-size=30000"), false},
	{"lz4", "lz4", By("lz4", "-cq"), false},
	// lz4 1.9.4 fails at 65,535 bytes in blocks of 64 KiB.
	{"lz4, linked blocks of 256 KiB", "lz4", By("lz4", "-cq", "-B5", "-BD", "-BX", "--content-size"), false},
}

// Gzip returns data as a member of gzip, with all optional fields.
func Gzip(t testing.TB, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	w.Name, w.Comment, w.Extra = "a name", "a comment", []byte("XY\x01\x00z")
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Block returns a block of BGZF.
func Block(t testing.TB, data []byte) []byte {
	t.Helper()
	var compressed bytes.Buffer
	w, err := flate.NewWriter(&compressed, flate.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	b := []byte{0x1f, 0x8b, 8, 1 << 2, 0, 0, 0, 0, 0, 255, 6, 0, 'B', 'C', 2, 0, 0, 0}
	binary.LittleEndian.PutUint16(b[16:], uint16(len(b)+compressed.Len()+8-1))
	b = append(b, compressed.Bytes()...)
	b = binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(data))
	return binary.LittleEndian.AppendUint32(b, uint32(len(data)))
}

// BGZF returns data as blocks of BGZF.
func BGZF(t testing.TB, data []byte) (out []byte) {
	t.Helper()
	for part := range slices.Chunk(data, 60_000) {
		out = append(out, Block(t, part)...)
	}
	return append(out, Block(t, nil)...)
}

// Zstd returns data as a frame.
func Zstd(t testing.TB, data []byte, options ...zstd.EOption) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil, append(options, zstd.WithEncoderConcurrency(1))...)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	return w.EncodeAll(data, nil)
}

// ZstdStream returns a frame whose header does not have the content size.
func ZstdStream(t testing.TB, data []byte, options ...zstd.EOption) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b, append(options, zstd.WithEncoderConcurrency(1))...)
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

// Skippable returns a frame of n bytes that zstd and LZ4 skip.
func Skippable(n int) []byte {
	b := binary.LittleEndian.AppendUint32(nil, 0x184d2a57)
	b = binary.LittleEndian.AppendUint32(b, uint32(n))
	return append(b, bytes.Repeat([]byte{0x28}, n)...)
}

// By returns data compressed by a program.
func By(name string, args ...string) func(testing.TB, []byte) []byte {
	return func(t testing.TB, data []byte) []byte {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Stdin = bytes.NewReader(data)
		out, err := cmd.Output()
		switch {
		case errors.Is(err, exec.ErrNotFound):
			t.Skipf("%s: %v", name, err)
		case err != nil:
			t.Fatalf("%s %q of %d bytes: %v", name, args, len(data), err)
		}
		return out
	}
}
