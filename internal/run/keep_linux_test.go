package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/machine/wall"
	"github.com/thresh-dev/thresh/internal/plan"
	"github.com/thresh-dev/thresh/internal/scan"
	"github.com/thresh-dev/thresh/internal/table/query"
	"github.com/thresh-dev/thresh/internal/test/pagecache"
	"github.com/thresh-dev/thresh/internal/threshold"
	"github.com/thresh-dev/thresh/options"
	"github.com/thresh-dev/thresh/receipt"
)

// TestTheNextQuestion asks questions about a file of which a part is cached, with every policy, and
// compares what is cached afterwards with the policy and with what the receipt says.
func TestTheNextQuestion(t *testing.T) {
	shrinkTrials(t)
	const fileBytes = 24 << 20
	folder, err := os.MkdirTemp(".", ".keep-") // not in memory, as the temporary folder may be
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	name := filepath.Join(folder, "file")
	if err := os.WriteFile(name, []byte(strings.Repeat("a line, of text\n", fileBytes/16)), 0o600); err != nil {
		t.Fatal(err)
	}
	questions := map[string]func(in *Input, o Options) (receipt.Receipt, error){
		"find": func(in *Input, o Options) (receipt.Receipt, error) {
			r, err := Find(t.Context(), in, must(t)(Text("nowhere")), o, func([]answer.Hit) error { return nil })
			return r.Receipt, err
		},
		"count": func(in *Input, o Options) (receipt.Receipt, error) {
			r, err := Count(t.Context(), in, Lines(), o)
			return r.Receipt, err
		},
		"table": func(in *Input, o Options) (receipt.Receipt, error) {
			spec := query.Spec{Dialect: query.Dialect{Delim: ','}, Questions: []query.Question{{Kind: query.Rows}}}
			r, err := Table(t.Context(), in, spec, o, &answered{})
			return r.Receipt, err
		},
	}
	for question, ask := range questions {
		for _, policy := range []options.Cache{options.CacheAuto, options.CacheKeep, options.CacheNeutral} {
			for _, cachedBytes := range []int64{0, fileBytes / 2, fileBytes} {
				t.Run(fmt.Sprintf("%s, %s, %d", question, policy, cachedBytes), func(t *testing.T) {
					before := cacheFirst(t, name, cachedBytes)
					in := open(t, name)
					defer in.Close()
					receipt, err := ask(in, Options{Run: options.Run{Cache: policy, Receipt: true}})
					if err != nil {
						t.Fatal(err)
					}
					after, err := in.file.CachedBytes(source.Range{End: fileBytes})
					if err != nil {
						t.Fatal(err)
					}
					kept := policy != options.CacheNeutral
					want := before
					if kept {
						want = fileBytes
					}
					// What was read directly in trials is not kept, and the system may take back some pages.
					if after < want-fileBytes/8 || policy == options.CacheNeutral && after > want {
						t.Errorf("%d bytes are cached, not %d; the plan: %q", after, want, receipt.Plan)
					}
					switch next := receipt.Next; {
					case kept && !strings.Contains(next, "in memory") && !strings.Contains(next, "from memory"),
						!kept && before == 0 && !strings.Contains(next, "from storage"),
						!kept && before == fileBytes/2 && !strings.Contains(next, "in memory"):
						t.Errorf("the receipt says %q with %d bytes cached", next, after)
					}
				})
			}
		}
	}
}

// shrinkTrials makes trials so small that a file of some MiB gets all of them.
func shrinkTrials(t *testing.T) {
	for _, size := range threshold.All() {
		if strings.HasPrefix(size.Name(), "plan: trial") {
			size.Set(64 << 10)
			t.Cleanup(func() { size.Set(size.Real()) })
		}
	}
}

// cacheFirst leaves the first n bytes of a file in the page cache, and returns how many are there. The system may take
// some back at any moment, so it tries a few times.
func cacheFirst(t *testing.T, name string, n int64) int64 {
	t.Helper()
	f, err := source.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.OS().Sync(); err != nil {
		t.Fatal(err)
	}
	// Without read-ahead, which would bring in more.
	if err := unix.Fadvise(f.FD(), 0, 0, unix.FADV_RANDOM); err != nil {
		t.Fatal(err)
	}
	got := int64(-1)
	for try := 0; try < 5 && got != n; try++ {
		if err := f.Drop(source.Range{End: f.Bytes}); err != nil {
			t.Fatal(err)
		}
		if _, err := f.OS().ReadAt(make([]byte, n), 0); err != nil {
			t.Fatal(err)
		}
		if got, err = f.CachedBytes(source.Range{End: f.Bytes}); err != nil {
			t.Fatal(err)
		}
	}
	if got != n {
		pagecache.Unusable(t, "%d bytes are in it, not %d", got, n)
	}
	return got
}

// TestTooMuchToKeep crosses the border of what fits comfortably.
func TestTooMuchToKeep(t *testing.T) {
	have := func(n int64, err error) func() (int64, error) { return func() (int64, error) { return n, err } }
	tests := []struct {
		bytes     int64
		available func() (int64, error)
		reason    string
	}{
		{50 << 30, have(100<<30, nil), ""},
		{50<<30 + 1, have(100<<30, nil), "more than half of the 100.00 GiB"},
		{1 << 40, have(0, nil), ""},
		{keptUnasked, have(1, nil), ""},
		{keptUnasked + 1, have(1, nil), "more than half of the 1 byte"},
		{1 << 30, have(0, errors.New("no such thing")), "unknown: no such thing"},
	}
	for _, test := range tests {
		got := tooMuchToKeep(test.bytes, test.available)
		if (got == "") != (test.reason == "") || !strings.Contains(got, test.reason) {
			t.Errorf("%d bytes: %q instead of %q", test.bytes, got, test.reason)
		}
	}
}

// TestContradictingCache: direct reads can keep nothing.
func TestContradictingCache(t *testing.T) {
	in := FromBytes("input", []byte("x"))
	_, err := Count(context.Background(), in, Lines(), Options{Run: options.Run{Cache: options.CacheKeep, Engine: plan.Uring}})
	var option *failure.OptionError
	if !errors.As(err, &option) || !strings.Contains(err.Error(), "Run.Cache keep") || !strings.Contains(err.Error(), "Run.Engine uring") {
		t.Errorf("%v", err)
	}
}

// TestProbesLeaveThePageCache: where the bytes may not be read, the function is measured on others.
func TestProbesLeaveThePageCache(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, make([]byte, 4<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, probe := range []bool{false, true} {
		cacheFirst(t, name, 0)
		in := open(t, name)
		all := source.Range{End: in.file.Bytes}
		c := wall.Counters{Wall: time.Second, Workers: 1, Scanned: in.file.Bytes, User: time.Second}
		ask := request{Traits: &scan.Traits{}, speed: func([]byte) {}}
		var r receipt.Receipt
		if divide(t.Context(), &r, c, in, ask, all, probe); r.KernelBytesPerSecond <= 0 {
			t.Fatalf("%+v", r)
		}
		cachedBytes, err := in.file.CachedBytes(all)
		if err != nil {
			t.Fatal(err)
		}
		if probed := cachedBytes > 64<<10; probed != probe {
			t.Errorf("probe %v: %d bytes are cached afterwards", probe, cachedBytes)
		}
		if err := in.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestKeep decides about files that are in memory, fit into it, or do not.
func TestKeep(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, make([]byte, 4096), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := source.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	const huge = 1 << 60
	region := func(from, to int64, cached bool) source.Region {
		return source.Region{Range: source.Range{Off: from, End: to}, Cached: cached}
	}
	tests := []struct {
		f      *source.File
		left   []source.Region
		policy options.Cache
		want   bool
		reason string
	}{
		{f, []source.Region{region(0, huge, false)}, options.CacheAuto, false, "more than half"},
		{f, []source.Region{region(0, huge, true)}, options.CacheAuto, true, ""},
		{f, []source.Region{region(0, huge, true), region(huge, huge+1, false)}, options.CacheAuto, false, "more than half"},
		{f, []source.Region{region(0, 4096, false)}, options.CacheAuto, true, ""},
		{f, []source.Region{region(0, huge, false)}, options.CacheKeep, true, ""},
		{f, []source.Region{region(0, 4096, true)}, options.CacheNeutral, false, "Run.Cache neutral"},
		{source.FromBytes("x", make([]byte, 10)), []source.Region{region(0, 10, true)}, options.CacheKeep, false, ""},
	}
	for _, test := range tests {
		got, reason := keep(test.f, test.left, test.policy)
		if got != test.want || (reason == "") != (test.reason == "") || !strings.Contains(reason, test.reason) {
			t.Errorf("%+v, %s: %v, %q", test.left, test.policy, got, reason)
		}
	}
}

// TestNextQuestion crosses the borders between little, some and all.
func TestNextQuestion(t *testing.T) {
	folder, err := os.MkdirTemp(".", ".next-") // not in memory, as the temporary folder may be
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	name := filepath.Join(folder, "file")
	const page, pages = 4096, 1024
	if os.Getpagesize() != page {
		t.Skip("the pages are of another size")
	}
	if err := os.WriteFile(name, make([]byte, pages*page), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		cached, skipped, length int64 // pages
		text                    string
	}{
		{10, 0, pages, "the next question reads from storage again"},
		{11, 0, pages, "the next question finds 44.00 KiB of 4.00 MiB in memory"},
		{1013, 0, pages, "the next question finds 3.96 MiB of 4.00 MiB in memory"},
		{1014, 0, pages, "the next question reads from memory"},
		{600, 424, pages, "the next question reads from memory"}, // the rest are holes
		{256, 0, 256, "the next question reads from memory"},
		{255, 0, 255, ""}, // too little
	} {
		cacheFirst(t, name, test.cached*page)
		f, err := source.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		n, text := (&Input{file: f}).nextQuestion(source.Range{End: test.length * page}, test.skipped*page)
		if n != test.cached*page || text != test.text {
			t.Errorf("%+v: %d bytes, %q", test, n, text)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
