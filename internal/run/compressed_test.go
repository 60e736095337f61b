package run

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/test/rounds"
	"github.com/thresh-dev/thresh/options"
)

// pack writes data as compressed files of several members or frames each.
func pack(t testing.TB, data []byte, parts int) (names []string) {
	t.Helper()
	var gz, zst bytes.Buffer
	each := (len(data) + parts - 1) / parts
	for part := range slices.Chunk(data, max(each, 1)) {
		w := gzip.NewWriter(&gz)
		z, err := zstd.NewWriter(&zst, zstd.WithEncoderConcurrency(1))
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range []io.WriteCloser{w, z} {
			if _, err := w.Write(part); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	folder := t.TempDir()
	for suffix, content := range map[string][]byte{"gz": gz.Bytes(), "zst": zst.Bytes()} {
		name := filepath.Join(folder, "file."+suffix)
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	return names
}

// opened opens an input until the test ends.
func opened(t testing.TB, name string) *Input {
	t.Helper()
	in := open(t, name)
	t.Cleanup(func() { in.Close() })
	return in
}

// The answers are those of the plain content, however many work on it in whatever pieces.
func TestPackedAnswersAreThoseOfTheContent(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	data := letters(900<<10, r)
	all := questions(t)
	want, n := plainly(all, data), 0
	for _, parts := range []int{1, 15} {
		for _, name := range pack(t, data, parts) {
			for i, q := range all {
				for _, o := range []Options{{}, {Run: options.Run{Workers: 1}}, {Run: options.Run{Workers: 5, ChunkBytes: 100_000}}, {Run: options.Run{Engine: "stream",
					MemoryBytes: 64 << 20}}} {
					if n++; n%rounds.Every(1) != 0 {
						continue
					}
					got, report := search(t, opened(t, name), q.query, o)
					if !slices.Equal(got, want[i]) || !report.Complete {
						t.Errorf("%s, %s, %+v: %d hits, want %d; report %+v", name, q.name, o, len(got), len(want[i]), report)
					}
				}
			}
		}
	}
}

func TestPackedRanges(t *testing.T) {
	data := letters(1<<20, rand.New(rand.NewPCG(1, 2)))
	names, file := pack(t, data, 3), write(t, data)
	for _, q := range questions(t) {
		from, length := int64(300_001), int64(400_000)
		want, _ := search(t, opened(t, file), q.query, Options{Offset: from, Length: &length})
		for _, name := range names {
			got, _ := search(t, opened(t, name), q.query, Options{Offset: from, Length: &length})
			if !slices.Equal(got, want) {
				t.Errorf("%s, %s: %d hits, want %d", name, q.name, len(got), len(want))
			}
		}
	}
}

// A look around a hit reads the content once more, forwards and back.
func TestPackedReadAt(t *testing.T) {
	data := letters(5<<20, rand.New(rand.NewPCG(1, 3)))
	for _, name := range pack(t, data, 3) {
		in := opened(t, name)
		for _, off := range []int{0, 10, 3 << 20, 3<<20 - 5000, 100, 5<<20 - 10, 5 << 20, 1} {
			b := make([]byte, 8000)
			n, err := in.ReadAt(b, int64(off))
			want := data[off:min(off+8000, len(data))]
			if !bytes.Equal(b[:n], want) || (n < len(b)) != (err == io.EOF) {
				t.Errorf("%s at %d: %d bytes, want %d; error %v", name, off, n, len(want), err)
			}
		}
	}
}

func TestPackedTruncated(t *testing.T) {
	data := letters(1<<20, rand.New(rand.NewPCG(1, 4)))
	for _, name := range pack(t, data, 3) {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(name, info.Size()/2); err != nil {
			t.Fatal(err)
		}
		_, report := search(t, opened(t, name), must(t)(Text("nowhere")), Options{})
		if report.Complete || len(report.Unread) != 1 || report.Unread[0].Off > 1<<20 {
			t.Errorf("%s: report %+v", name, report)
		}
	}
}

// The content is a stream: another engine cannot read it, and says so.
func TestPackedEngines(t *testing.T) {
	name := pack(t, []byte("text"), 1)[0]
	for _, wanted := range []string{"mmap", "pread", "uring"} {
		_, err := Find(context.Background(), opened(t, name), must(t)(Text("x")), Options{Run: options.Run{Engine: options.Engine(wanted)}},
			func([]answer.Hit) error { return nil })
		var refused *failure.EngineError
		if !errors.As(err, &refused) || refused.Engine != wanted {
			t.Errorf("%s: error %v", wanted, err)
		}
	}
}

func TestOpenByName(t *testing.T) {
	plain := filepath.Join(t.TempDir(), "plain.GZ")
	if err := os.WriteFile(plain, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	var format *failure.FormatError
	if _, err := Open(plain, false); !errors.As(err, &format) {
		t.Errorf("text named .GZ: %v", err)
	}
	in, err := Open(plain, true)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if n, ok := in.Bytes(); n != 4 || !ok {
		t.Errorf("%d bytes, %v", n, ok)
	}
	if _, err := Open(filepath.Join(t.TempDir(), "none.zip:member"), false); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no archive: %v", err)
	}
}

// A cancelled search ends with every goroutine gone, which TestMain looks at.
func TestPackedCancel(t *testing.T) {
	for _, name := range pack(t, bytes.Repeat([]byte("some text that compresses\n"), 300_000), 2) {
		ctx, cancel := context.WithCancel(context.Background())
		_, err := Find(ctx, opened(t, name), must(t)(Text("text")), Options{}, func([]answer.Hit) error {
			cancel()
			return nil
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v", name, err)
		}
		cancel()
	}
}

func ExampleOpen_compressed() {
	folder, err := os.MkdirTemp("", "thresh")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, "a needle")
	w.Close()
	name := filepath.Join(folder, "app.log.gz")
	if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	in, err := Open(name, false)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer in.Close()
	query, err := Text("needle")
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = Find(context.Background(), in, query, Options{}, func(hits []answer.Hit) error {
		fmt.Println(hits[0].Off)
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output: 2
}
