package scan

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/plan"
	"github.com/thresh-dev/thresh/internal/test/rounds"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// mustEnd runs a scan and fails the test if the scan does not end.
func mustEnd(t *testing.T, job Job) (Result, error) {
	t.Helper()
	type end struct {
		res Result
		err error
	}
	done := make(chan end, 1)
	go func() {
		res, err := Run(context.Background(), job)
		done <- end{res, err}
	}()
	select {
	case e := <-done:
		return e.res, e.err
	case <-time.After(30 * time.Second):
		t.Fatal("the workers wait for each other")
	}
	panic("unreachable")
}

// TestShrunk finds every hit once and in order with very low limits on collected and pending
// hits, readers that take one piece at a time or several, and trials and replans on few bytes.
func TestShrunk(t *testing.T) {
	for _, n := range []int{1, 2, 3, 7, 64} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			threshold.Shrink(t, n)
			for seed := range uint64(rounds.Of(300)) {
				r := rand.New(rand.NewPCG(seed, uint64(n)))
				data := text(r.IntN(3000), seed)
				w := []string{"a", "aa", "aba", "b\na", "aabaab"}[r.IntN(5)]
				var got []int64
				job := newJob(tempFile(t, data), data, w, []int{0, 1 + r.IntN(300)}[r.IntN(2)], r.IntN(5), &got)
				job.Facts.Threads = 1 + r.IntN(4)
				job.Disjoint, job.Limit = r.IntN(2) == 0, []int64{0, 0, 1, 10}[r.IntN(4)]
				job.Facts.Want.Engine = []string{plan.Auto, plan.Pread}[r.IntN(2)]
				job.Facts.Left = nil
				for off := 0; off < len(data); {
					end := min(off+1+r.IntN(1500), len(data))
					job.Facts.Left = append(job.Facts.Left, source.Region{Cached: r.IntN(2) == 0,
						Range: source.Range{Off: int64(off), End: int64(end)}})
					off = end
				}
				ahead, pause := 1+r.IntN(4), r.IntN(3) == 0
				refuse := r.IntN(2) == 0
				job.Open = func(name string, f *source.File, c engine.Config) (engine.Engine, error) {
					e := &fake{data: data, config: c, ahead: ahead, wait: func() {
						if pause && rand.IntN(20) == 0 {
							time.Sleep(50 * time.Microsecond)
						}
					}}
					if refuse && name == plan.Uring {
						e.refuse = &failure.EngineError{Engine: name, Name: f.Name, Reason: "the test forbids it"}
					}
					return e, nil
				}
				want := occurrences(data, w, job.Disjoint)
				if job.Limit > 0 && int64(len(want)) > job.Limit {
					want = want[:job.Limit]
				}
				res, err := mustEnd(t, job)
				if err != nil || !slices.Equal(got, want) || res.Hits != int64(len(want)) || !res.Complete {
					t.Fatalf("seed %d: %d hits, want %d; %+v, %v", seed, len(got), len(want), res, err)
				}
			}
		})
	}
}

// TestOnePieceAtATime has readers that hold one piece at a time, so a worker holds none when too
// many hits are pending. One worker must go on to the piece that the others wait for.
func TestOnePieceAtATime(t *testing.T) {
	threshold.Shrink(t, 2)
	data := bytes.Repeat([]byte("a"), 4000)
	for _, workers := range []int{2, 3, 8} {
		var got []int64
		job := newJob(tempFile(t, data), data, "a", 10, workers, &got)
		job.Open = func(_ string, _ *source.File, c engine.Config) (engine.Engine, error) {
			return &fake{data: data, config: c, ahead: 1, wait: func() {
				time.Sleep(time.Duration(rand.IntN(100)) * time.Microsecond)
			}}, nil
		}
		if res, err := mustEnd(t, job); err != nil || len(got) != len(data) {
			t.Errorf("%d workers: %d hits, %+v, %v", workers, len(got), res, err)
		}
	}
}

// trap is the value of a panic in the middle of a search: the offset of an unreadable byte.
type trap int64

// trapped searches like word and panics at bytes that have become unreadable.
type trapped struct {
	word
	traps *[]int64 // only the first is active; the engine removes it after the panic
}

func (s trapped) Search(b engine.Block, yield func(answer.Hit) bool) {
	for i := 0; i < b.Len; i++ {
		end := min(i+len(s.word), len(b.Data))
		for _, at := range (*s.traps)[:min(1, len(*s.traps))] {
			if b.Off+int64(end) > at && at >= b.Off+int64(i) {
				panic(trap(at))
			}
		}
		if bytes.HasPrefix(b.Data[i:], s.word) && !yield(answer.Hit{Off: b.Off + int64(i), Len: int64(len(s.word))}) {
			return
		}
	}
}

// faulty visits as the mmap engine does: after a fault it visits the readable part of the block
// again.
type faulty struct {
	*fake
	traps *[]int64
}

func (f faulty) Reader() (engine.Reader, error) { return faultyReader{f}, nil }

type faultyReader struct{ faulty }

func (faultyReader) Close() error { return nil }

func (r faultyReader) Run(next engine.Next, visit engine.Visit) error {
	for p, ok := next(); ok; p, ok = next() {
		end := int64(len(r.data))
		for end > p.Off {
			b := engine.Block{Off: p.Off, Data: r.data[p.Off:end], Len: int(min(end, p.End()) - p.Off)}
			at, faulted := r.try(visit, p, b, p.End() <= end)
			if !faulted {
				break
			}
			end, *r.traps = at, (*r.traps)[1:]
		}
		if end < p.End() {
			off := max(end, p.Off)
			lost := &failure.UnreadError{Name: "fake", Off: off, Len: p.End() - off, Err: io.ErrUnexpectedEOF}
			visit(p, engine.Block{Off: off, Err: lost}, true)
		}
	}
	return nil
}

func (faultyReader) try(visit engine.Visit, p engine.Piece, b engine.Block, last bool) (at int64, faulted bool) {
	defer func() {
		if t, ok := recover().(trap); ok {
			at, faulted = int64(t), true
		}
	}()
	visit(p, b, last)
	return 0, false
}

// TestFaultAfterFault has a block that loses its end twice during the search. The hits before
// the fault are found again and must not be emitted again.
func TestFaultAfterFault(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 9))
		data := text(400, seed)
		second := r.Int64N(300)
		first := second + 1 + r.Int64N(99)
		traps := []int64{first, second}
		var got []int64
		job := newJob(tempFile(t, data), data, "a", len(data), 1, &got)
		job.Searcher = func(func(failure.UnreadError), *atomic.Bool) Searcher { return trapped{word("a"), &traps} }
		job.Open = func(_ string, _ *source.File, c engine.Config) (engine.Engine, error) {
			return faulty{&fake{data: data, config: c}, &traps}, nil
		}
		res, err := mustEnd(t, job)
		if err != nil || len(traps) > 0 {
			t.Fatalf("seed %d: %v, %v left", seed, err, traps)
		}
		// Hits between the two faults count: they were found before the bytes became unreadable.
		want := occurrences(data[:first], "a", false)
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: faults at %d and %d: %v, want %v", seed, first, second, got, want)
		}
		if len(res.Unread) != 1 || res.Unread[0].Off != second || res.Unread[0].Len != int64(len(data))-second || res.Complete {
			t.Fatalf("seed %d: faults at %d and %d: %+v", seed, first, second, res)
		}
	}
}

// TestHoles scans files of holes and data. Each byte is scanned or skipped, and each skipped byte
// is reported once, however many ranges are listed before the scan.
func TestHoles(t *testing.T) {
	for _, n := range []int{0, 1, 2, 5} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			if n > 0 {
				threshold.Shrink(t, n)
			}
			for seed := range uint64(20) {
				r := rand.New(rand.NewPCG(seed, 17))
				f, data := sparse(t, r)
				span := source.Range{Off: r.Int64N(int64(len(data)) / 2), End: int64(len(data)) - r.Int64N(int64(len(data))/3)}
				var got []int64
				w := []string{"x", "\x00x", "\x00\x00\x00\x00x"}[r.IntN(3)]
				job := newJob(f, data, w, 1+r.IntN(9000), 1+r.IntN(3), &got)
				job.SkipHoles, job.Range = true, span
				var holes []source.Range
				job.Hole = func(h source.Range) { holes = append(holes, h) }
				left, _, err := Regions(f, span, true, job.Ahead)
				if err != nil {
					t.Fatal(err)
				}
				job.Facts.Left, job.Facts.Want.Engine = split(left, r), plan.Auto
				res, err := mustEnd(t, job)
				var want []int64
				for _, off := range occurrences(data[:span.End], w, false) {
					if off >= span.Off {
						want = append(want, off)
					}
				}
				if err != nil || !slices.Equal(got, want) {
					t.Fatalf("seed %d: %v, want %v; %v", seed, got, want, err)
				}
				var skipped int64
				for _, h := range holes {
					skipped += h.Len()
				}
				if res.Scanned+res.Skipped != span.Len() || skipped != res.Skipped {
					t.Fatalf("seed %d: %d scanned, %d skipped, %d of holes; want %d", seed, res.Scanned, res.Skipped, skipped, span.Len())
				}
			}
		})
	}
}

// split cuts regions at random, as if parts of them were in the page cache.
func split(left []source.Region, r *rand.Rand) (out []source.Region) {
	for _, l := range left {
		for l.Len() > 0 {
			part := l
			part.End = min(part.Off+1+r.Int64N(20_000), l.End)
			part.Cached = r.IntN(2) == 0
			out = append(out, part)
			l.Off = part.End
		}
	}
	return out
}

// sparse writes a file of up to 20 written blocks with holes between them.
func sparse(t *testing.T, r *rand.Rand) (*source.File, []byte) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "sparse")
	w, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	data := make([]byte, 200_000+r.IntN(100_000))
	for range r.IntN(20) {
		off := r.IntN(len(data) - 10)
		if r.IntN(2) == 0 {
			off = off / 4096 * 4096 // the first byte behind a hole
		}
		data[off] = 'x'
		if _, err := w.WriteAt([]byte("x"), int64(off)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Truncate(int64(len(data))); err != nil {
		t.Fatal(err)
	}
	f, err := source.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f, data
}

// setSize sets the size with the given name.
func setSize(t *testing.T, name string, n int) {
	t.Helper()
	at := slices.IndexFunc(threshold.All(), func(s *threshold.Size) bool { return s.Name() == name })
	if at < 0 {
		t.Fatalf("no size is called %q", name)
	}
	threshold.All()[at].Set(n)
}

// TestTrialFullOfHits runs a trial on uncached bytes, all of them hits, that lie behind cached
// bytes. The trial ends when too many hits are pending, the rest is scanned later, and the hits
// are emitted in order.
func TestTrialFullOfHits(t *testing.T) {
	threshold.Shrink(t, 2)
	setSize(t, "plan: trial on uncached bytes", 20_000)
	data := bytes.Repeat([]byte("a"), 400_000)
	const cached, piece, ahead = 1000, 100, 2
	var got []int64
	job := newJob(tempFile(t, data), data, "a", piece, 0, &got)
	job.Facts.Threads = 2
	job.Facts.Want.Engine = plan.Auto
	job.Facts.Keep = true
	job.Facts.Left = []source.Region{{Range: source.Range{End: cached}, Cached: true},
		{Range: source.Range{Off: cached, End: int64(len(data))}}}
	d := &driver{job: job, ledger: newLedger(job), engines: map[string]engine.Engine{}}
	most := 0
	d.job.Open = func(_ string, _ *source.File, c engine.Config) (engine.Engine, error) {
		return &fake{data: data, config: c, ahead: ahead, wait: func() {
			d.ledger.mu.Lock()
			defer d.ledger.mu.Unlock()
			most = max(most, d.ledger.pending)
		}}, nil
	}
	if err := d.phases(context.Background()); err != nil {
		t.Fatal(err)
	}
	for i, off := range got {
		if off != int64(i) {
			t.Fatalf("hit %d is at %d", i, off)
		}
	}
	if len(got) != len(data) {
		t.Errorf("%d hits, want %d", len(got), len(data))
	}
	// In each of a few trials, two workers finish the pieces they hold.
	if most > 10*2*ahead*piece {
		t.Errorf("%d hits were waiting", most)
	}
}

// TestUnreadBehindTheAnswer reads a broken range before the piece with the answer is searched.
// The range lies behind the answer, so the answer is complete.
func TestUnreadBehindTheAnswer(t *testing.T) {
	for _, limit := range []int64{0, 1, 2} {
		data := bytes.Repeat([]byte("b"), 1000)
		want := []int64{50, 150}[:max(limit, 1)]
		for _, off := range want {
			data[off] = 'a'
		}
		var got []int64
		job := newJob(tempFile(t, data), data, "a", 100, 2, &got)
		job.Limit = limit
		broken := make(chan struct{})
		var first sync.Once
		job.Searcher = func(func(failure.UnreadError), *atomic.Bool) Searcher {
			return waiting{word("a"), broken, &first}
		}
		job.Open = func(_ string, _ *source.File, c engine.Config) (engine.Engine, error) {
			return &fake{data: data, config: c, ahead: 1, broken: source.Range{Off: 200, End: 500}, wait: func() {}}, nil
		}
		res, err := mustEnd(t, job)
		if err != nil || !slices.Equal(got, want) || res.Complete != (limit > 0) {
			t.Errorf("limit %d: %v, %+v, %v", limit, got, res, err)
		}
		if limit == 0 && (len(res.Unread) != 1 || res.Unread[0].Off != 200 || res.Unread[0].Len != 300) {
			t.Errorf("unread %v", res.Unread)
		}
	}
}

// waiting searches the first block only after another worker has missed one.
type waiting struct {
	word
	missed chan struct{}
	once   *sync.Once
}

func (s waiting) Search(b engine.Block, yield func(answer.Hit) bool) {
	if b.Off == 0 {
		<-s.missed
	}
	s.word.Search(b, yield)
}

func (s waiting) Miss(failure.UnreadError) { s.once.Do(func() { close(s.missed) }) }

// TestUnreadIsJoined has several workers that report parts of one broken range.
func TestUnreadIsJoined(t *testing.T) {
	data := bytes.Repeat([]byte("b"), 10_000)
	for range 20 {
		job := newJob(tempFile(t, data), data, "a", 100, 5, new([]int64))
		job.Open = func(_ string, _ *source.File, c engine.Config) (engine.Engine, error) {
			return &fake{data: data, config: c, broken: source.Range{Off: 1000, End: 9000}, wait: func() {
				time.Sleep(time.Duration(rand.IntN(100)) * time.Microsecond)
			}}, nil
		}
		res, err := mustEnd(t, job)
		if err != nil || len(res.Unread) != 1 || res.Unread[0].Off != 1000 || res.Unread[0].Len != 8000 {
			t.Fatalf("%+v, %v", res.Unread, err)
		}
	}
}
