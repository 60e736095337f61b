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

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/threshold"
	"github.com/thresh-dev/thresh/options"
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
	setFor(t, singleFileBytesMax, 20_000)
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
		r, err := Find(t.Context(), in, q, Options{Run: options.Run{Workers: 1}}, func(hits []answer.Hit) error {
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
			for _, cache := range []options.Cache{options.CacheAuto, options.CacheNeutral} {
				setFor(t, batchFiles, files)
				what := fmt.Sprintf("%d workers, batches of %d, %s", workers, files, cache)
				var got []string
				var offs []int64
				o := Options{Run: options.Run{Workers: workers, Cache: cache}}
				v := Callbacks{
					Hits: func(_ string, hits []answer.Hit) error {
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
				r, err = CountAll(t.Context(), listed(names...), q, o, Callbacks{
					Done: func(string, Report, error) error { return nil }})
				if err != nil || r.Hits != wantHits || r.Bytes != wantBytes {
					t.Errorf("%s: counted %d in %d bytes, want %d in %d; %v", what, r.Hits, r.Bytes, wantHits, wantBytes, err)
				}
			}
		}
	}
}

// A run that the callbacks, or its context, ends at any file ends at once and leaves no goroutine.
func TestManyBigFilesEndEarly(t *testing.T) {
	names := bigFiles(t)
	q := must(t)(Text("needle"))
	enough := errors.New("enough")
	for stop := range names {
		for _, byContext := range []bool{false, true} {
			ctx, cancel := context.WithCancel(t.Context())
			done := 0
			_, err := FindAll(ctx, listed(names...), q, Options{}, Callbacks{
				Hits: func(string, []answer.Hit) error { return nil },
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

// A batch of big files is shared: while one worker is held up in its first file, others search the rest, the first one
// first.
func TestRestsAreTaken(t *testing.T) {
	m := &many{ctx: t.Context(), queue: newQueue()}
	m.queue.workers = 2
	b := &batch{many: m, first: 7, tasks: []task{{name: "7"}, {name: "8"}, {name: "9"}}}
	m.queue.add(&batch{many: m, first: 10, tasks: []task{{name: "10"}}})
	m.queue.end(false)
	b.searched = 2
	b.share()
	if len(m.queue.batches) != 1 || len(b.tasks) != 3 {
		t.Error("there is no rest after the last task")
	}
	b.searched = 0
	b.share()
	if len(b.tasks) != 1 {
		t.Errorf("%d tasks are kept", len(b.tasks))
	}
	rest := m.queue.take()
	if rest.first != 8 || len(rest.tasks) != 2 || rest.tasks[0].name != "8" {
		t.Errorf("another worker is given %+v", rest)
	}
	if next := m.queue.take(); next.first != 10 || m.queue.take() != nil || m.queue.workers != 1 {
		t.Errorf("%d workers run after one of two has ended; the last batch is %+v", m.queue.workers, next)
	}
	if m.queue.join(1) || !m.queue.join(2) {
		t.Error("a worker begins exactly if fewer than that many run")
	}
}

// A worker that comes to a big file gives the rest of its batch away, and what singleWorker knows of the files that
// are being searched is nothing at the end.
func TestBigFilesAreAccountedFor(t *testing.T) {
	names := bigFiles(t)
	v := Callbacks{Done: func(string, Report, error) error { return nil }}
	places := func() *manyPlaces { return &manyPlaces{many: many{callbacks: v}, query: Lines(), count: true} }
	m := places()
	if _, err := m.all(t.Context(), listed(names...)); err != nil {
		t.Fatal(err)
	}
	if m.single.bytes != 0 || m.single.files != 0 || m.queue.workers != 0 || len(m.queue.batches) != 0 {
		t.Errorf("left: %d bytes, %d files, %d workers, %d batches",
			m.single.bytes, m.single.files, m.queue.workers, len(m.queue.batches))
	}

	m = places()
	m.ctx, m.smallMax, m.queue = t.Context(), smallBytesMax.Get(), newQueue()
	m.single.most, m.single.bytes = 1, 10_000 // another big file is being searched
	m.queue.workers = 1                       // this one
	b := &batch{many: &m.many, tasks: []task{{name: names[0]}, {name: names[3]}, {name: names[4]}, {name: names[5]}}}
	b.answers = &batchPlaces{m, b}
	w := &worker{reader: source.NewSmallReader(m.smallMax)}
	defer w.reader.Close()
	err := b.search(w) // the second file is big
	if err != nil || b.searched != 2 || len(b.tasks) != 2 || len(m.queue.batches) != 1 || m.single.files != 0 {
		t.Errorf("%d files searched, rest %+v, %v", b.searched, m.queue.batches, err)
	}
}
