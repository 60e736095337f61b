package run

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/options"
)

// TestKeepBudget: the first inputs stay, as many as fit together.
func TestKeepBudget(t *testing.T) {
	const most = 10 * keptUnasked
	var k keepBudget
	k.ask.Do(func() { k.most = most })
	o := &Options{Run: options.Run{Cache: options.CacheAuto}}
	for i := range 12 {
		want := options.CacheAuto
		if (i+1)*keptUnasked > most {
			want = options.CacheNeutral
		}
		if got := k.policy(o, keptUnasked); got != want {
			t.Errorf("input %d: %s instead of %s", i, got, want)
		}
	}
	for _, cache := range []options.Cache{options.CacheKeep, options.CacheNeutral} {
		if got := k.policy(&Options{Run: options.Run{Cache: cache}}, most); got != cache {
			t.Errorf("%s instead of %s", got, cache)
		}
	}
	small := keepBudget{}
	small.ask.Do(func() {}) // nothing fits
	if got := small.policy(o, keptUnasked); got != options.CacheAuto {
		t.Errorf("%d bytes: %s", keptUnasked, got)
	}
	if got := small.policy(o, 1); got != options.CacheNeutral {
		t.Errorf("%d bytes: %s", keptUnasked+1, got)
	}
}

// TestBytesRead: a short range of a big file is little to keep.
func TestBytesRead(t *testing.T) {
	in := FromBytes("input", make([]byte, 1000))
	length := int64(10)
	if got := in.bytesRead(&Options{Length: &length}); got != 10 {
		t.Errorf("%d bytes of a range of 10", got)
	}
	if got := in.bytesRead(&Options{}); got != 1000 {
		t.Errorf("%d bytes of 1000", got)
	}
}

// TestNeutralOfSmallFiles searches files of a folder, small and not so small, that are not in the page
// cache, and looks at it afterwards; the answers are those of a run that keeps.
func TestNeutralOfSmallFiles(t *testing.T) {
	folder, err := os.MkdirTemp(".", ".neutral-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	var names []string
	for i, n := range []int{1, 4096, 100_000, 256 << 10, smallBytesMax.Real(), smallBytesMax.Real() + 1, 3 << 20} {
		name := filepath.Join(folder, fmt.Sprint(i))
		if err := os.WriteFile(name, []byte(strings.Repeat("x", n-1)+"y"), 0o600); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	find := func(cache options.Cache) (hits []string, cachedBytes int64) {
		for _, name := range names {
			cacheFirst(t, name, 0)
		}
		v := Callbacks{
			Hits: func(name string, found []answer.Hit) error { hits = append(hits, fmt.Sprint(name, found)); return nil },
			Done: func(_ string, _ Report, err error) error { return err },
		}
		if _, err := FindAll(t.Context(), listed(names...), must(t)(Text("y")), Options{Run: options.Run{Cache: cache}}, v); err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			f, err := source.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			n, err := f.CachedBytes(source.Range{End: f.Bytes})
			if err != nil {
				t.Fatal(err)
			}
			cachedBytes += n
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
		}
		return hits, cachedBytes
	}
	kept, bytes := find(options.CacheAuto)
	if bytes == 0 || len(kept) != len(names) {
		t.Errorf("%d bytes are cached; hits %v", bytes, kept)
	}
	neutral, bytes := find(options.CacheNeutral)
	if bytes != 0 || !slices.Equal(neutral, kept) {
		t.Errorf("neutral: %d bytes are cached; hits %v instead of %v", bytes, neutral, kept)
	}
}

// headOfMany is what a look at the first bytes of a big file may bring into the page cache before it is
// known that the file is not to stay there.
const headOfMany = 64 << 10

// TestBudgetOfARun searches files that fit into memory one by one, but not together, and looks at which are
// in the page cache afterwards.
func TestBudgetOfARun(t *testing.T) {
	const files, fileBytes, keptFiles = 9, 5 << 20, 5
	folder, err := os.MkdirTemp(".", ".budget-") // not in memory, as the temporary folder may be
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	var names []string
	for i := range files {
		names = append(names, filepath.Join(folder, fmt.Sprint(i)))
		if err := os.WriteFile(names[i], []byte(strings.Repeat("a line, of text\n", fileBytes/16)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		cache         options.Cache
		small, alone  int
		most          int64
		kept, workers int
		more          int // files may stay: what each worker has read before it knew
	}{
		{options.CacheAuto, smallBytesMax.Real(), singleFileBytesMax.Real(), keptFiles * fileBytes, keptFiles, 0, 0}, // by one worker each
		{options.CacheAuto, smallBytesMax.Real(), singleFileBytesMax.Real(), keptFiles*fileBytes - 1, keptFiles - 1, 1, 0},
		{options.CacheAuto, smallBytesMax.Real(), 1, keptFiles * fileBytes, keptFiles, 0, 0},    // by all workers
		{options.CacheAuto, 2 * fileBytes, 1, keptFiles * fileBytes, keptFiles, 2, singleFiles}, // in one go
		{options.CacheAuto, 2 * fileBytes, 1, 0, keptUnasked / fileBytes, 2, singleFiles},       // the first ones are so little that nobody asks
		{options.CacheKeep, smallBytesMax.Real(), singleFileBytesMax.Real(), 0, files, 0, 0},
		{options.CacheNeutral, smallBytesMax.Real(), singleFileBytesMax.Real(), math.MaxInt64, 0, 0, 0},
	} {
		setFor(t, smallBytesMax, c.small)
		setFor(t, singleFileBytesMax, c.alone)
		for _, name := range names {
			cacheFirst(t, name, 0)
		}
		m := &manyPlaces{query: Lines(), count: true, many: many{
			options:   Options{Run: options.Run{Cache: c.cache, Workers: c.workers, Receipt: true}},
			callbacks: Callbacks{Done: func(_ string, _ Report, err error) error { return err }}}}
		m.keep.ask.Do(func() { m.keep.most = c.most })
		report, err := m.all(t.Context(), listed(names...))
		receipt := report.Receipt
		if err != nil || receipt.Bytes != files*fileBytes {
			t.Fatalf("%d bytes, %v", receipt.Bytes, err)
		}
		kept := 0
		var cached []int64
		for _, name := range names {
			f, err := source.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			n, err := f.CachedBytes(source.Range{End: fileBytes})
			if err = errors.Join(err, f.Close()); err != nil {
				t.Fatal(err)
			}
			if cached = append(cached, n); n > fileBytes/2 {
				kept++
			} else if n > headOfMany {
				t.Errorf("%+v: %d bytes of %s are left in the page cache", c, n, name)
			}
		}
		if more := kept - c.kept; more < 0 || more > c.more {
			t.Errorf("%+v: %d files are in the page cache: %v bytes", c, kept, cached)
		}
	}
}
