package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// setFor sets a threshold for a test.
func setFor(t *testing.T, size *threshold.Size, n int) {
	t.Helper()
	before := size.Get()
	size.Set(n)
	t.Cleanup(func() { size.Set(before) })
}

// bigFiles makes a folder of files around the sizes at which they are searched in other ways, and some with
// more hits than a worker holds back. One that is listed is missing, one is a folder.
func bigFiles(t *testing.T) (names []string) {
	t.Helper()
	setFor(t, smallBytesMax, 2000)
	setFor(t, aloneFileBytesMax, 20_000)
	setFor(t, taskHitsMax, 500)
	folder := t.TempDir()
	sizes := []int{1, 1999, 2000, 2001, 19_999, 20_000, 20_001, 60_000, 5000, 1000, 5001}
	for i := range 6 * len(sizes) {
		name := filepath.Join(folder, fmt.Sprintf("%03d", i))
		names = append(names, name)
		line := []byte("a needle\n")
		if i%5 == 0 {
			line = []byte("a needle in many, many letters of a long line that goes on and on and on\n")
		}
		var err error
		switch i {
		case 20:
		case 30:
			err = os.Mkdir(name, 0o700)
		default:
			n := sizes[i%len(sizes)]
			err = os.WriteFile(name, bytes.Repeat(line, n/len(line)+1)[:n], 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return names
}

// Big and small files, several at once, have the same answers in the same order as one after the other.
func TestManyBigFiles(t *testing.T) {
	names := bigFiles(t)
	q := must(t)(Text("needle"))
	var want []string
	var wantHits, wantBytes int64
	for _, name := range names {
		in, err := Open(name, false)
		if err != nil {
			want = append(want, fmt.Sprintln(name, "fails"))
			continue
		}
		var offs []int64
		r, err := Find(t.Context(), in, q, Options{Workers: 1}, func(hits []Hit) error {
			for _, h := range hits {
				offs = append(offs, h.Off)
			}
			return nil
		})
		if err = errors.Join(err, in.Close()); err != nil {
			t.Fatal(err)
		}
		wantHits, wantBytes = wantHits+r.Hits, wantBytes+r.Bytes
		want = append(want, fmt.Sprintln(name, offs, r.Hits, r.Bytes, r.Complete))
	}
	for _, workers := range []int{1, 2, 5, 0} {
		for _, files := range []int{1, 7, batchFiles.Real()} {
			for _, cache := range []Cache{CacheAuto, CacheNeutral} {
				setFor(t, batchFiles, files)
				what := fmt.Sprintf("%d workers, batches of %d, %s", workers, files, cache)
				var got []string
				var offs []int64
				o := Options{Workers: workers, Cache: cache}
				v := Visitor{
					Hits: func(_ string, hits []Hit) error {
						for _, h := range hits {
							offs = append(offs, h.Off)
						}
						return nil
					},
					Done: func(name string, r Report, err error) error {
						if err != nil {
							got = append(got, fmt.Sprintln(name, "fails"))
						} else {
							got = append(got, fmt.Sprintln(name, offs, r.Hits, r.Bytes, r.Complete))
						}
						offs = nil
						return nil
					}}
				r, err := FindAll(t.Context(), listed(names...), q, o, v)
				if err != nil || r.Hits != wantHits || r.Bytes != wantBytes || r.Complete || !slices.Equal(got, want) {
					t.Errorf("%s: %d hits in %d bytes, want %d in %d; complete %v; answers alike: %v; %v", what,
						r.Hits, r.Bytes, wantHits, wantBytes, r.Complete, slices.Equal(got, want), err)
				}
				used := int64(0)
				for _, e := range r.Receipt.Engines {
					used += e.Bytes
				}
				if used != wantBytes {
					t.Errorf("%s: the receipt has %d bytes of %d", what, used, wantBytes)
				}
				r, err = CountAll(t.Context(), listed(names...), q, o, Visitor{
					Done: func(string, Report, error) error { return nil }})
				if err != nil || r.Hits != wantHits || r.Bytes != wantBytes {
					t.Errorf("%s: counted %d in %d bytes, want %d in %d; %v", what, r.Hits, r.Bytes, wantHits, wantBytes, err)
				}
			}
		}
	}
}

// A run that the visitor, or its context, ends at any file ends at once and leaves no goroutine.
func TestManyBigFilesEndEarly(t *testing.T) {
	names := bigFiles(t)
	q := must(t)(Text("needle"))
	enough := errors.New("enough")
	for stop := range names {
		for _, byContext := range []bool{false, true} {
			ctx, cancel := context.WithCancel(t.Context())
			done := 0
			_, err := FindAll(ctx, listed(names...), q, Options{}, Visitor{
				Hits: func(string, []Hit) error { return nil },
				Done: func(string, Report, error) error {
					if done++; done <= stop {
						return nil
					}
					if byContext {
						cancel()
						return nil
					}
					return enough
				}})
			cancel()
			switch {
			case !byContext && (!errors.Is(err, enough) || done != stop+1):
				t.Errorf("after %d files: %d, %v", stop, done, err)
			case byContext && err != nil && !errors.Is(err, context.Canceled):
				t.Errorf("cancelled after %d files: %v", stop, err)
			}
		}
	}
}

// A batch of big files is shared: while one worker is held up in its first file, others search the rest.
func TestRestsAreTaken(t *testing.T) {
	names := bigFiles(t)
	setFor(t, batchFiles, len(names))
	m := &manyRun{query: must(t)(Text("needle")), ctx: t.Context(), toDo: make(chan *batch)}
	m.rests.offered = make(chan struct{}, 1)
	close(m.toDo)
	b := newBatch([]task{{name: "0"}, {name: "1"}, {name: "2"}})
	w := &smallWorker{many: m}
	w.offerRest(b, 3)
	if w.rest != nil {
		t.Error("there is no rest behind the last task")
	}
	w.offerRest(b, 1)
	select {
	case <-m.rests.offered:
	case <-time.After(time.Second):
		t.Error("nobody is told of the rest")
	}
	if w.rest == nil || len(w.rest.tasks) != 2 || w.rest.tasks[0].name != "1" {
		t.Fatalf("the rest is %+v", w.rest)
	}
	if got := m.next(); got != w.rest {
		t.Errorf("another worker is given %+v", got)
	}
	if m.rests.reclaim(w.rest) {
		t.Error("a rest that was taken is searched twice")
	}
	w.offerRest(b, 2)
	if !m.rests.reclaim(w.rest) || m.rests.reclaim(w.rest) || m.rests.reclaim(nil) {
		t.Error("a rest is reclaimed once, if nobody took it")
	}
	m.rests.workers = 2
	if m.next() != nil || m.rests.workers != 1 {
		t.Errorf("%d workers run after one of two has ended", m.rests.workers)
	}
}

// A worker that comes to a big file gives the rest of its batch away, and what alone knows of the files that
// are being searched is nothing at the end.
func TestBigFilesAreAccountedFor(t *testing.T) {
	names := bigFiles(t)
	v := Visitor{Done: func(string, Report, error) error { return nil }}
	m := &manyRun{query: Lines(), count: true, visitor: v}
	if _, err := searchAll(t.Context(), listed(names...), m); err != nil {
		t.Fatal(err)
	}
	if m.alone.bytes != 0 || m.alone.files != 0 || m.rests.workers != 0 || len(m.rests.list) != 0 {
		t.Errorf("left: %d bytes, %d files, %d workers, %d rests",
			m.alone.bytes, m.alone.files, m.rests.workers, len(m.rests.list))
	}

	m = &manyRun{query: Lines(), count: true, visitor: v, ctx: t.Context(), smallMax: smallBytesMax.Get()}
	m.alone.most, m.alone.bytes = 1, 10_000 // another big file is being searched
	m.rests.workers = 1                     // this one
	b := newBatch([]task{{name: names[0]}, {name: names[3]}, {name: names[4]}, {name: names[5]}})
	w := &smallWorker{many: m, reader: source.NewSmallReader(m.smallMax)}
	defer w.reader.Close()
	rest := w.searchBatch(b) // the second file is big
	if b.searched != 2 || rest == nil || rest != b.rest || len(rest.tasks) != 2 || m.alone.files != 0 {
		t.Errorf("%d files searched, rest %+v", b.searched, rest)
	}
}
