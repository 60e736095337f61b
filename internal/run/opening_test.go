package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/plan"
	"github.com/thresh-dev/thresh/internal/scan"
	"github.com/thresh-dev/thresh/internal/test/pagecache"
	"github.com/thresh-dev/thresh/internal/threshold"
	"github.com/thresh-dev/thresh/options"
)

// examined runs a search of a file and reports whether the facts about it were gathered.
func examined(t *testing.T, in *Input, q *Query, o Options) (hits []answer.Hit, report Report, facts bool) {
	t.Helper()
	ask, err := q.places()
	if err != nil {
		t.Fatal(err)
	}
	job, err := newSearch(in, ask, o)
	if err != nil {
		t.Fatal(err)
	}
	facts = job.Opening == nil
	if prepare := job.Prepare; prepare != nil {
		job.Opening.TimeMax = time.Minute
		job.Prepare = func(job *scan.Job, rest source.Range) error { facts = true; return prepare(job, rest) }
	}
	job.Emit = func(more []answer.Hit) error { hits = append(hits, more...); return nil }
	report, err = run(context.Background(), in, ask, job, o)
	if err != nil {
		t.Fatal(err)
	}
	return hits, report, facts
}

// TestEarlyHit: a hit in the opening is found before the input is examined, at each byte around the
// borders of parts and pieces; one behind it is found as well, and the account is that of the bytes.
func TestEarlyHit(t *testing.T) {
	for _, n := range []int{1, 3, 7, 64} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			threshold.Shrink(t, n)
			q := must(t)(Text("needle"))
			for at := range 2*n + 12 {
				data := bytes.Repeat([]byte("."), 2*n+40)
				copy(data[at:], "needle")
				in := open(t, write(t, data))
				var progress atomic.Int64
				o := Options{Run: options.Run{Workers: at % 3, Receipt: at%5 == 0, Progress: &progress, Cache: []options.Cache{options.CacheAuto, options.CacheKeep,
					options.CacheNeutral}[at%3]}, Limit: 1}
				hits, report, facts := examined(t, in, q, o)
				if !slices.Equal(hits, []answer.Hit{{Off: int64(at), Len: 6}}) || !report.Complete {
					t.Fatalf("needle at %d: %v, %+v", at, hits, report)
				}
				if early := at < 2*n; facts == early {
					t.Errorf("needle at %d of an opening of %d: examined %v", at, 2*n, facts)
				}
				var used int64
				for _, e := range report.Receipt.Engines {
					used += e.Bytes
				}
				if used != report.Bytes || report.Receipt.Bytes != report.Bytes || progress.Load() != report.Bytes {
					t.Errorf("needle at %d: %d bytes scanned, %d by the engines, %d in the receipt, progress %d",
						at, report.Bytes, used, report.Receipt.Bytes, progress.Load())
				}
				if err := in.Close(); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// TestOpeningOrNone compares searches that begin with an opening with searches that do not.
func TestOpeningOrNone(t *testing.T) {
	for _, n := range []int{0, 1, 7, 500} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			if n > 0 {
				threshold.Shrink(t, n)
			}
			data := letters(3000, rand.New(rand.NewPCG(uint64(n), 1)))
			file := open(t, write(t, data))
			defer file.Close()
			at, err := FromReaderAt("reader", bytes.NewReader(data), int64(len(data)), true)
			if err != nil {
				t.Fatal(err)
			}
			for _, q := range questions(t) {
				all, _ := search(t, file, q.query, Options{})
				for _, in := range []*Input{file, at, FromBytes("memory", data)} {
					for _, limit := range []int64{1, 2, 30, 1 << 40} {
						length := int64(len(data)) - 11
						got, _, _ := examined(t, in, q.query, Options{Limit: limit})
						if want := all[:min(int64(len(all)), limit)]; !slices.Equal(got, want) {
							t.Fatalf("%s in %s, limit %d: %d hits, want %d", q.name, in.Name(), limit, len(got), len(want))
						}
						o := Options{Offset: 5, Length: &length}
						want, _ := search(t, in, q.query, o)
						o.Limit = limit
						if got, _, _ := examined(t, in, q.query, o); !slices.Equal(got, want[:min(int64(len(want)), limit)]) {
							t.Fatalf("%s in a range of %s, limit %d: %d hits of %d", q.name, in.Name(), limit, len(got), len(want))
						}
					}
				}
			}
		})
	}
}

// TestNoOpening: it is for searches with a limit, and for them only where the plan is free.
func TestNoOpening(t *testing.T) {
	data := letters(5000, rand.New(rand.NewPCG(1, 1)))
	name := write(t, data)
	in := open(t, name)
	defer in.Close()
	q := must(t)(Text("ab"))
	for _, o := range []Options{{}, {Run: options.Run{Engine: plan.Pread}, Limit: 1}, {Run: options.Run{Engine: plan.Mmap}, Limit: 1},
		{Run: options.Run{ChunkBytes: 100}, Limit: 1}} {
		if _, report, facts := examined(t, in, q, o); !facts || len(report.Receipt.Engines) != 1 {
			t.Errorf("%+v: examined %v, %+v", o, facts, report.Receipt.Engines)
		}
		if p, err := Explain(in, q, o); err != nil || strings.Contains(p.String(), "opening:") {
			t.Errorf("%+v: %v\n%s", o, err, p)
		}
	}
	p, err := Explain(in, q, Options{Limit: 1})
	if err != nil || !strings.Contains(p.String(), "opening:    the first 4.88 KiB are searched at once") {
		t.Errorf("%v\n%s", err, p)
	}
	// A bound that is too small is an error wherever the hit is.
	var memory *failure.MemoryError
	if _, err := Find(t.Context(), in, q, Options{Run: options.Run{MemoryBytes: 1 << 20, Workers: 2}, Limit: 1}, nil); !errors.As(err, &memory) {
		t.Errorf("with too little memory: %v", err)
	}
}

// TestOpeningOfAFileThatShrank: what is missing is unread, also in the opening.
func TestOpeningOfAFileThatShrank(t *testing.T) {
	threshold.Shrink(t, 64)
	for keep := int64(0); keep < 300; keep += 13 {
		name := write(t, bytes.Repeat([]byte("."), 300))
		in := open(t, name)
		if err := os.Truncate(name, keep); err != nil {
			t.Fatal(err)
		}
		_, report, _ := examined(t, in, must(t)(Text("needle")), Options{Limit: 1})
		var unread int64
		for _, u := range report.Unread {
			unread += u.Len
		}
		if report.Bytes != keep || unread != 300-keep || report.Complete || len(report.Unread) != 1 {
			t.Errorf("cut to %d: %d read, unread %v", keep, report.Bytes, report.Unread)
		}
		if err := in.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestNeutralOpening: a hit in the opening leaves the page cache as it was, too.
func TestNeutralOpening(t *testing.T) {
	folder, err := os.MkdirTemp(".", ".neutral-") // the temporary folder may be in memory
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	name := filepath.Join(folder, "file")
	data := bytes.Repeat([]byte("x"), 24<<20)
	for _, at := range []int{0, 300 << 10, 3 << 20, 23 << 20} {
		copy(data[at:], "needle")
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		copy(data[at:], "xxxxxx")
		in := open(t, name)
		if err := in.file.OS().Sync(); err != nil {
			t.Fatal(err)
		}
		all := source.Range{End: in.file.Bytes}
		if err := in.file.Drop(all); err != nil {
			t.Fatal(err)
		}
		if n, err := in.file.CachedBytes(all); err != nil || n > 0 {
			pagecache.Unusable(t, "%d bytes are in it, %v", n, err)
		}
		hits, _ := search(t, in, must(t)(Text("needle")), Options{Run: options.Run{Cache: options.CacheNeutral}, Limit: 1})
		n, err := in.file.CachedBytes(all)
		if err != nil || n > 0 || !slices.Equal(hits, []answer.Hit{{Off: int64(at), Len: 6}}) {
			t.Errorf("needle at %d: %v; %d bytes are cached afterwards, none were before; %v", at, hits, n, err)
		}
		if err := in.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
