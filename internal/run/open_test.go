package run

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/threshold"
	"github.com/thresh-dev/thresh/options"
)

// zipped returns an archive of members that hold the data.
func zipped(t testing.TB, names []string, data [][]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i, name := range names {
		m, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: uint16(i % 2 * int(zip.Deflate))})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Write(data[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A tree of files that are compressed under any name, and of archives among them, has the
// answers of their contents, in the order of the names, whatever the sizes that decide how
// each is read.
func TestTreesOfCompressedFiles(t *testing.T) {
	for _, n := range []int{0, 2, 3, 7, 64, 5000} {
		if n > 0 {
			threshold.Shrink(t, n)
		}
		r := rand.New(rand.NewPCG(3, uint64(n)))
		folder := t.TempDir()
		var want []string
		q := must(t)(Text("ab"))
		put := func(name string, content []byte) {
			if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		expect := func(name string, data []byte) {
			want = append(want, fmt.Sprintf("%s %d of %d", filepath.Join(folder, name), bytes.Count(data, []byte("ab")), len(data)))
		}
		for i := range 30 {
			data := letters(r.IntN(6000), r)
			name := fmt.Sprintf("%02d", i)
			if i%5 == 0 {
				put(name, data)
				expect(name, data)
				continue
			}
			if i%5 == 1 {
				members := [][]byte{data, letters(10, r), nil}
				put(name, zipped(t, []string{"x", "d/y", "z"}, members))
				for k, m := range []string{":x", ":d/y", ":z"} {
					expect(name+m, members[k])
				}
				continue
			}
			packed, ok := through(t, data, packers[r.IntN(len(packers))].pack)
			if !ok {
				packed = data
			}
			put(name, packed)
			expect(name, data)
		}
		for _, workers := range []int{1, 3} {
			counted, found := answersOfTree(t, folder, q, workers)
			if !slices.Equal(counted, want) {
				t.Errorf("sizes of %d, %d workers: counted %q, want %q", n, workers, counted, want)
			}
			if !slices.Equal(found, want) {
				t.Errorf("sizes of %d, %d workers: found %q, want %q", n, workers, found, want)
			}
		}
	}
}

// answersOfTree returns how often CountAll and FindAll find a text in each file.
func answersOfTree(t *testing.T, folder string, q *Query, workers int) (counted, found []string) {
	t.Helper()
	o := Options{Run: options.Run{Workers: workers}}
	taken := func(to *[]string) func(string, Report, error) error {
		return func(name string, r Report, err error) error {
			if err != nil || !r.Complete {
				t.Errorf("%s: complete %v, error %v", name, r.Complete, err)
			}
			*to = append(*to, fmt.Sprintf("%s %d of %d", name, r.Hits, r.Bytes))
			return nil
		}
	}
	names := source.Expand([]string{folder}, true)
	total, err := CountAll(context.Background(), names, q, o, Callbacks{Archives: true, Done: taken(&counted)})
	if err != nil || !total.Complete {
		t.Errorf("complete %v, error %v", total.Complete, err)
	}
	hits := map[string]int{}
	_, err = FindAll(context.Background(), names, q, o, Callbacks{Archives: true, Done: taken(&found),
		Hits: func(name string, h []answer.Hit) error { hits[name] += len(h); return nil }})
	if err != nil {
		t.Error(err)
	}
	for _, f := range found {
		name, rest, _ := strings.Cut(f, " ")
		if !strings.HasPrefix(rest, fmt.Sprint(hits[name], " ")) {
			t.Errorf("%s: %d hits came", f, hits[name])
		}
	}
	return counted, found
}

// An archive without a member is an error, and so is a file that has lost its beginning.
func TestWhatCannotBeOpened(t *testing.T) {
	var archive *failure.ArchiveError
	var format *failure.FormatError
	data := zipped(t, []string{"a.txt"}, [][]byte{[]byte("text")})
	if _, err := Open(write(t, data), false); !errors.As(err, &archive) || !strings.Contains(archive.Members, `"a.txt"`) {
		t.Errorf("an archive: %v", err)
	}
	for _, q := range []*Query{Lines(), NonZero()} {
		in, err := FromFile("-", piped(t, func(w io.Writer) { w.Write(data) }), false)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Count(context.Background(), in, q, Options{}); !errors.As(err, &archive) {
			t.Errorf("an archive from a pipe: %v", err)
		}
		in.Close()
	}
	for _, ending := range []string{"gz", "BGZ", "zst", "bz2", "xz", "lz4", "zip"} {
		for _, content := range []string{"", "text", "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"} {
			name := filepath.Join(t.TempDir(), "x."+ending)
			if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := Open(name, false); !errors.As(err, &format) {
				t.Errorf("%q named .%s: %v", content, ending, err)
			}
			in, err := Open(name, true)
			if err != nil {
				t.Fatal(err)
			}
			if n, ok := in.Bytes(); n != int64(len(content)) || !ok {
				t.Errorf("raw: %d bytes, %v", n, ok)
			}
			in.Close()
		}
	}
}

// A stream that comes byte by byte is what it is, and a plain one waits for no more bytes
// than it takes to see that.
func TestStreamsInDrops(t *testing.T) {
	packed, ok := through(t, []byte("one\ntwo\n"), packers[0].pack)
	if !ok {
		t.Skip("no gzip")
	}
	for _, c := range []struct {
		bytes []byte
		lines int64
	}{{packed, 2}, {[]byte("\x1f\x8b\n"), 1}, {[]byte("\x1f"), 1}, {nil, 0}, {[]byte("PK\nis\ntext"), 3}} {
		in, err := FromFile("-", piped(t, func(w io.Writer) {
			for i := range c.bytes {
				w.Write(c.bytes[i : i+1])
			}
		}), false)
		if err != nil {
			t.Fatal(err)
		}
		report, err := Count(context.Background(), in, Lines(), Options{})
		if err != nil || report.Hits != c.lines || !report.Complete {
			t.Errorf("%q: %d lines, want %d; error %v", c.bytes, report.Hits, c.lines, err)
		}
		in.Close()
	}
	seen := make(chan struct{})
	in, err := FromFile("-", piped(t, func(w io.Writer) {
		w.Write([]byte("x\n"))
		<-seen
	}), false)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	_, err = Find(context.Background(), in, must(t)(Text("x")), Options{Limit: 1}, func([]answer.Hit) error {
		close(seen)
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// A look at a stream that nobody writes to ends with the search.
func TestLookAtSilentStreamIsCancelled(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for _, begun := range []string{"", "\x1f\x8b"} {
		if _, err := w.WriteString(begun); err != nil {
			t.Fatal(err)
		}
	}
	in, err := FromFile("-", r, false)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Count(ctx, in, Lines(), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// What is around a hit in a stream is what is around it in a file, whatever the pieces, and
// however little is kept.
func TestAroundHitsOfStreams(t *testing.T) {
	data := letters(300_000, rand.New(rand.NewPCG(3, 3)))
	packed, _ := through(t, data, packers[0].pack)
	q := must(t)(Text("abab"))
	for _, content := range [][]byte{data, packed} {
		for _, around := range []int64{1, 10, 5000} {
			for _, chunk := range []int{0, 100, 70_000} {
				if content == nil {
					continue
				}
				in := come(t, "pipe", content)
				hits := 0
				report, err := Find(context.Background(), in, q, Options{Run: options.Run{ChunkBytes: chunk, Workers: 4}, Context: around}, func(found []answer.Hit) error {
					for _, h := range found {
						hits++
						from, to := max(h.Off-around, 0), min(h.Off+h.Len+around, int64(len(data)))
						b := make([]byte, to-from)
						if n, err := in.ReadAt(b, from); n < len(b) || !bytes.Equal(b, data[from:to]) {
							return fmt.Errorf("around %d: %d of %d bytes, or others; error %w", h.Off, n, len(b), err)
						}
					}
					return nil
				})
				if want := bytes.Count(data, []byte("abab")); err != nil || hits != want || !report.Complete {
					t.Errorf("around %d, pieces of %d: %d hits, want %d; error %v", around, chunk, hits, want, err)
				}
				if _, err := in.ReadAt(make([]byte, 1), 0); err == nil && chunk == 100 && around < 5000 {
					t.Error("the beginning of the stream was kept")
				}
			}
		}
	}
	if _, err := Find(context.Background(), come(t, "pipe", []byte("x")), q, Options{Context: 1 << 40}, nil); err == nil {
		t.Error("a terabyte of a pipe is to be kept, and no error")
	}
}

// Files of just the sizes at which they are read in another way, and one byte less and more.
func TestTreesAroundSizes(t *testing.T) {
	q := must(t)(Text("ab"))
	data := letters(2000, rand.New(rand.NewPCG(3, 4)))
	packed, ok := through(t, data, packers[0].pack)
	if !ok {
		t.Skip("no gzip")
	}
	var want []string
	folder := t.TempDir()
	for _, s := range []*threshold.Size{smallBytesMax, shareBytesMin, compressedSmallBytesMax, headBytes} {
		for _, size := range []int{s.Real() - 1, s.Real(), s.Real() + 1} {
			padded := append(slices.Clone(packed), make([]byte, size-len(packed))...) // which gzip skips
			plain := append(slices.Clone(data), make([]byte, size-len(data)-2)...)
			for i, content := range [][]byte{padded, append(plain, "ab"...)} {
				name := filepath.Join(folder, fmt.Sprintf("%08d-%d", size, i))
				if err := os.WriteFile(name, content, 0o600); err != nil {
					t.Fatal(err)
				}
				length := []int{len(data), size}[i]
				want = append(want, fmt.Sprintf("%s %d of %d", name, bytes.Count(data, []byte("ab"))+i, length))
			}
		}
	}
	slices.Sort(want)
	want = slices.Compact(want)
	counted, found := answersOfTree(t, folder, q, 2)
	if !slices.Equal(counted, want) || !slices.Equal(found, want) {
		t.Errorf("counted %q, found %q, want %q", counted, found, want)
	}
}
