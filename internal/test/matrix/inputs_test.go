package matrix

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/fstest"
	"testing/iotest"

	"github.com/klauspost/compress/zstd"
	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/internal/input/decompress/decompresstest"
	"github.com/thresh-dev/thresh/options"
)

// kind is a kind of input.
type kind struct {
	stream bool // its length is not known in advance, so no range is out of bounds
	// name makes a file with that content and returns its name; nil for inputs without a name.
	name func(t *testing.T, r *rand.Rand, data []byte) string
	// from returns an open input without a name, and a function that closes it.
	from func(t *testing.T, r *rand.Rand, data []byte) (*os.File, func() error)
	// input returns an input that only a program has, which no file or pipe stands for.
	input func(t *testing.T, r *rand.Rand, data []byte) *thresh.Input
	rare  int // one in so many of the cases that would have it; 0 for all
}

// engine returns an engine that can read the kind.
func (k kind) engine(r *rand.Rand) options.Engine {
	switch {
	case k.stream:
		return pick(r, options.EngineAuto, options.EngineStream)
	case k.input != nil:
		return pick(r, options.EngineAuto, options.EngineAuto, options.EnginePread, options.EngineStream)
	}
	return pick(r, append(engineNames, options.EngineAuto)...)
}

// inputs are the kinds, and those that only a program has.
var inputs = func() map[string]kind {
	all := maps.Clone(kinds)
	maps.Copy(all, programInputs)
	return all
}()

var programInputs = map[string]kind{
	"memory": {input: func(_ *testing.T, _ *rand.Rand, data []byte) *thresh.Input { return thresh.FromBytes(data) }},
	"reader": {stream: true, input: func(t *testing.T, r *rand.Rand, data []byte) *thresh.Input {
		return must(t)(thresh.FromReader("reader", oddReader(r, bytes.NewReader(data))))
	}},
	"gzip in a reader": {stream: true, input: func(t *testing.T, r *rand.Rand, data []byte) *thresh.Input {
		return must(t)(thresh.FromReader("reader", oddReader(r, bytes.NewReader(gzipped(t, r, data)))))
	}},
	"reader at": {input: func(t *testing.T, _ *rand.Rand, data []byte) *thresh.Input {
		return must(t)(thresh.FromReaderAt("reader at", bytes.NewReader(data), int64(len(data))))
	}},
	"zstd in a reader at": {stream: true, input: func(t *testing.T, r *rand.Rand, data []byte) *thresh.Input {
		packed := zstandard(t, r, data)
		return must(t)(thresh.FromReaderAt("reader at", bytes.NewReader(packed), int64(len(packed))))
	}},
	"file system": {input: func(t *testing.T, _ *rand.Rand, data []byte) *thresh.Input {
		return must(t)(thresh.OpenFS(fstest.MapFS{"a/file": &fstest.MapFile{Data: data}}, "a/file"))
	}},
	"file system in order": {stream: true, input: func(t *testing.T, _ *rand.Rand, data []byte) *thresh.Input {
		return must(t)(thresh.OpenFS(inOrder{fstest.MapFS{"file": &fstest.MapFile{Data: data}}}, "file"))
	}},
}

// oddReader returns a reader that gives bytes in odd portions, and its end in one of two ways.
func oddReader(r *rand.Rand, data io.Reader) io.Reader {
	return pick(r, data, iotest.HalfReader(data), iotest.DataErrReader(data))
}

// inOrder is a file system whose files can only be read in order.
type inOrder struct{ fs.FS }

func (f inOrder) Open(name string) (fs.File, error) {
	file, err := f.FS.Open(name)
	return struct{ fs.File }{file}, err
}

func must(t *testing.T) func(in *thresh.Input, err error) *thresh.Input {
	t.Helper()
	return func(in *thresh.Input, err error) *thresh.Input {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return in
	}
}

var kinds = withFormats(map[string]kind{
	"file":       {name: func(t *testing.T, _ *rand.Rand, data []byte) string { return write(t, "input", data) }},
	"sparse":     {name: sparse},
	"moved file": {from: moved},
	"pipe":       {stream: true, from: pipe},
	"gzip": {stream: true, name: func(t *testing.T, r *rand.Rand, data []byte) string {
		return write(t, "input.gz", gzipped(t, r, data))
	}},
	"BGZF": {stream: true, name: func(t *testing.T, r *rand.Rand, data []byte) string { return write(t, "input.gz", bgzf(t, r, data)) }},
	"zstd": {stream: true, name: func(t *testing.T, r *rand.Rand, data []byte) string {
		return write(t, "input.zst", zstandard(t, r, data))
	}},
	"zip member": {stream: true, name: zipped},
	// Compression is detected by content, whatever the name, and in a pipe too.
	"gzip by content": {stream: true, rare: 4, name: func(t *testing.T, r *rand.Rand, data []byte) string {
		return write(t, "input.log.old", gzipped(t, r, data))
	}},
	"zstd in a pipe": {stream: true, rare: 4, from: func(t *testing.T, r *rand.Rand, data []byte) (*os.File, func() error) {
		return pipe(t, r, zstandard(t, r, data))
	}},
})

// withFormats adds the formats of compression that have no kind of their own, as the tests of package decompress make
// them.
func withFormats(kinds map[string]kind) map[string]kind {
	for _, c := range decompresstest.Compressors {
		if _, here := kinds[c.Format]; !here {
			kinds[c.Format] = kind{stream: true, rare: 20, name: func(t *testing.T, _ *rand.Rand, data []byte) string {
				return write(t, "input."+c.Format, c.Compress(t, data))
			}}
		}
	}
	return kinds
}

var serial atomic.Int64

// write makes a new file.
func write(t *testing.T, name string, data []byte) string {
	t.Helper()
	name = filepath.Join(folder(t), fmt.Sprint(serial.Add(1), name))
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// folders has a temporary folder for each test.
var folders sync.Map

func folder(t *testing.T) string {
	t.Helper()
	name, ok := folders.Load(t)
	if !ok {
		name = t.TempDir()
		folders.Store(t, name)
		t.Cleanup(func() { folders.Delete(t) })
	}
	return name.(string)
}

// sparse makes a file with holes for the whole pages of zeros in data.
func sparse(t *testing.T, _ *rand.Rand, data []byte) string {
	t.Helper()
	name := write(t, "sparse", nil)
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	err = f.Truncate(int64(len(data)))
	const page = 4096
	for at := 0; at < len(data); at += page {
		part := data[at:min(at+page, len(data))]
		if bytes.Count(part, []byte{0}) < len(part) {
			_, writeErr := f.WriteAt(part, int64(at))
			err = errors.Join(err, writeErr)
		}
	}
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	return name
}

// moved returns a file whose position is not at its start, as may happen with standard input.
func moved(t *testing.T, r *rand.Rand, data []byte) (*os.File, func() error) {
	t.Helper()
	f, err := os.Open(write(t, "moved", data))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Seek(r.Int64N(int64(len(data))+1), io.SeekStart); err != nil {
		t.Fatal(err)
	}
	return f, func() error { return os.Remove(f.Name()) }
}

// pipe returns the reading end of a pipe. A goroutine writes to it: byte by byte, in odd portions, or
// as much as fits.
func pipe(t *testing.T, r *rand.Rand, data []byte) (*os.File, func() error) {
	t.Helper()
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	portion := pick(r, len(data), len(data), 65536, 4097, 1+r.IntN(100))
	portion = max(portion, 1, len(data)/500)
	if len(data) < 50 && chance(r, 2) {
		portion = 1
	}
	written := make(chan error, 1)
	go func() {
		var err error
		for rest := data; len(rest) > 0 && err == nil; {
			n := min(portion, len(rest))
			_, err = writer.Write(rest[:n])
			rest = rest[n:]
		}
		if errors.Is(err, syscall.EPIPE) { // the reader is done
			err = nil
		}
		written <- errors.Join(err, writer.Close())
	}()
	return reader, func() error { return <-written }
}

// parts cuts data into one or several parts.
func cut(r *rand.Rand, data []byte) (all [][]byte) {
	most := len(data)
	if chance(r, 2) {
		most = 1 + r.IntN(len(data)/3+1)
	}
	for len(data) > 0 {
		n := min(1+r.IntN(most), len(data))
		all, data = append(all, data[:n]), data[n:]
	}
	if len(all) == 0 || chance(r, 5) {
		all = append(all, nil)
	}
	return all
}

// gzipWriters and deflater are reused, by one case at a time: each takes a megabyte.
var writing sync.Mutex

var gzipWriters = func() (all []*gzip.Writer) {
	for _, level := range []int{gzip.NoCompression, gzip.BestSpeed, gzip.HuffmanOnly} {
		w, err := gzip.NewWriterLevel(nil, level)
		if err != nil {
			panic(err)
		}
		all = append(all, w)
	}
	return all
}()

var deflater = func() *flate.Writer {
	w, err := flate.NewWriter(nil, flate.BestSpeed)
	if err != nil {
		panic(err)
	}
	return w
}()

func gzipped(t *testing.T, r *rand.Rand, data []byte) []byte {
	t.Helper()
	writing.Lock()
	defer writing.Unlock()
	var b bytes.Buffer
	for _, part := range cut(r, data) {
		w := pick(r, gzipWriters...)
		w.Reset(&b)
		_, err := w.Write(part)
		if err := errors.Join(err, w.Close()); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

// bgzf compresses data like bgzip: into members of at most 64 KiB that state their length.
func bgzf(t *testing.T, r *rand.Rand, data []byte) (out []byte) {
	t.Helper()
	writing.Lock()
	defer writing.Unlock()
	for _, part := range append(cut(r, data), nil) {
		for part = part[:len(part):len(part)]; ; part = part[min(len(part), 60_000):] {
			block := part[:min(len(part), 60_000)]
			var compressed bytes.Buffer
			deflater.Reset(&compressed)
			_, err := deflater.Write(block)
			if err := errors.Join(err, deflater.Close()); err != nil {
				t.Fatal(err)
			}
			head := []byte{0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 255, 6, 0, 'B', 'C', 2, 0, 0, 0}
			binary.LittleEndian.PutUint16(head[16:], uint16(len(head)+compressed.Len()+8-1))
			out = append(append(out, head...), compressed.Bytes()...)
			out = binary.LittleEndian.AppendUint32(out, crc32.ChecksumIEEE(block))
			out = binary.LittleEndian.AppendUint32(out, uint32(len(block)))
			if len(part) <= 60_000 {
				break
			}
		}
	}
	return out
}

// encoder is reused: making one takes a while.
var encoder = func() *zstd.Encoder {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithZeroFrames(true))
	if err != nil {
		panic(err)
	}
	return w
}()

func zstandard(t *testing.T, r *rand.Rand, data []byte) (out []byte) {
	t.Helper()
	for _, part := range cut(r, data) {
		out = encoder.EncodeAll(part, out)
	}
	return out
}

// zipped makes an archive with several members and returns the name of one of them.
func zipped(t *testing.T, r *rand.Rand, data []byte) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, member := range []struct {
		name string
		data []byte
	}{{"before", []byte("other\n")}, {"folder/a member.txt", data}, {"behind", []byte("abc")}} {
		f, err := w.CreateHeader(&zip.FileHeader{Name: member.name, Method: pick(r, zip.Deflate, zip.Store)})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(member.data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return write(t, "input.zip", b.Bytes()) + ":folder/a member.txt"
}

// opened is an open input and the function that closes it.
type opened struct {
	*thresh.Input
	name string // "" if it has none
	end  func() error
}

// open makes and opens an input of a kind.
func (k kind) open(t *testing.T, r *rand.Rand, data []byte) opened {
	t.Helper()
	if k.input != nil {
		in := k.input(t, r, data)
		return opened{in, "", in.Close}
	}
	if k.name == nil {
		f, end := k.from(t, r, data)
		in, err := thresh.FromFile("input", f)
		if err != nil {
			t.Fatal(err)
		}
		return opened{in, "", func() error { return errors.Join(in.Close(), end()) }}
	}
	name := k.name(t, r, data)
	in, err := thresh.Open(name)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return opened{in, name, func() error { return errors.Join(in.Close(), remove(name)) }}
}

// remove removes a file, or a member's archive.
func remove(name string) error {
	if archive, _, member := strings.Cut(name, ":"); member {
		name = archive
	}
	return os.Remove(name)
}
