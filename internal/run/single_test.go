package run

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/input/decompress"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/options"
)

// A file is searched alone if the others that are not finished are at least half as big.
func TestAlone(t *testing.T) {
	a := singleWorker{most: 2}
	take := func(f decompress.Format, bytes int64, want bool) {
		t.Helper()
		if got := a.take(f, bytes); got != want {
			t.Errorf("%v of %d bytes, %+v: alone %v", f, bytes, &a, got)
		}
	}
	take(decompress.Gzip, 10, false) // the first
	take(decompress.Gzip, 22, false) // 10 are too few
	take(decompress.Gzip, 64, true)
	a.passed(10)
	a.passed(22)
	take(decompress.Zstd, 1, false) // needs the memory that one search has
	take(decompress.Bzip2, 130, true)
	take(decompress.LZ4, 1, false) // two already are
	a.finish(64)
	take(decompress.LZ4, 1, true)
	a.finish(1)
	a.finish(130)
	a.passed(1)
	a.passed(1)
	take(decompress.Gzip, 1, false) // all others are finished
	if a.bytes != 1 || a.files != 0 {
		t.Errorf("%+v is left", &a)
	}
	for _, c := range []struct {
		o    Options
		want int
	}{
		{Options{Run: options.Run{Workers: 3}}, 3},
		{Options{Run: options.Run{Workers: 3, MemoryBytes: 32 << 20}}, 2},
		{Options{Run: options.Run{Workers: 3, MemoryBytes: 15 << 20}}, 0},
		{Options{Run: options.Run{Workers: 1 << 20}}, memoryDefault / 2 / singleBytes},
	} {
		if got := singleMost(&c.o); got != c.want {
			t.Errorf("%+v: %d at once, want %d", c.o, got, c.want)
		}
	}
}

// Big compressed files, some of which are searched alone, one damaged, have the same answers in the
// same order as files that are searched one after the other.
func TestManyBigCompressedFiles(t *testing.T) {
	before := compressedSmallBytesMax.Get()
	t.Cleanup(func() { compressedSmallBytesMax.Set(before) })
	folder := t.TempDir()
	var names []string
	for i := range 9 {
		data := bytes.Repeat(fmt.Appendf(nil, "needle %d\n", i), 700*(1+i%4))
		for _, name := range pack(t, data, 1+i%3) {
			content, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if i == 4 {
				content[len(content)/2] ^= 4
			}
			path := filepath.Join(folder, fmt.Sprint(i)+filepath.Ext(name))
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
			names = append(names, path)
		}
	}
	slices.Sort(names)
	q := must(t)(Text("needle"))
	ask := func(smallBytes, workers int) (all []string) {
		compressedSmallBytesMax.Set(smallBytes)
		found := 0
		v := Callbacks{
			Hits: func(_ string, hits []answer.Hit) error { found += len(hits); return nil },
			Done: func(name string, r Report, err error) error {
				all = append(all, fmt.Sprintln(name, found, r.Hits, r.Bytes, r.Complete, err))
				found = 0
				return nil
			}}
		if _, err := FindAll(context.Background(), source.Expand(names, false), q, Options{Run: options.Run{Workers: workers}}, v); err != nil {
			t.Fatal(err)
		}
		total, err := CountAll(context.Background(), source.Expand(names, false), q, Options{Run: options.Run{Workers: workers}}, Callbacks{
			Done: func(_ string, _ Report, err error) error { return err }})
		if err != nil {
			t.Fatal(err)
		}
		return append(all, fmt.Sprintln(total.Hits, total.Bytes, total.Complete))
	}
	want := ask(1<<20, 1) // all are small
	for _, workers := range []int{1, 2, 5, 0} {
		if got := ask(1, workers); !slices.Equal(got, want) {
			t.Errorf("%d workers:\n%s\nwant\n%s", workers, got, want)
		}
	}
}
