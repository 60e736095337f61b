package scan

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
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
)

// fake is an engine over bytes in memory. It pulls pieces ahead and splits them into
// blocks, as the real ones do, and waits at random, as storage does.
type fake struct {
	data   []byte
	config engine.Config
	wait   func()
	broken source.Range // cannot be read
	refuse error        // of Reader
	ahead  int          // the most pieces that a reader holds; 0: three
}

func (f *fake) Name() string                   { return "fake" }
func (f *fake) Close() error                   { return nil }
func (f *fake) Reader() (engine.Reader, error) { return &fakeReader{f}, f.refuse }

type fakeReader struct{ *fake }

func (r *fakeReader) Close() error { return nil }

func (r *fakeReader) Run(next engine.Next, visit engine.Visit) error {
	var ahead []engine.Piece
	for {
		for len(ahead) < max(r.ahead, 1) || r.ahead == 0 && len(ahead) < 3 {
			p, ok := next()
			if !ok {
				break
			}
			ahead = append(ahead, p)
		}
		if len(ahead) == 0 {
			return nil
		}
		p := ahead[0]
		ahead = ahead[1:]
		r.wait()
		half := max(p.Len/2, 1)
		for off := p.Off; off < p.End(); off += int64(half) {
			n := min(half, int(p.End()-off))
			b := engine.Block{Off: off, Len: n, Data: r.data[off:min(off+int64(n+r.config.AheadBytes), int64(len(r.data)))]}
			if off >= r.broken.Off && off < r.broken.End {
				b = engine.Block{Off: off, Err: &failure.UnreadError{Name: "fake", Off: off, Len: int64(n), Err: io.ErrUnexpectedEOF}}
			}
			if !visit(p, b, off+int64(n) == p.End()) {
				return nil
			}
		}
	}
}

// word searches for a literal, naively.
type word []byte

func (w word) Search(b engine.Block, yield func(answer.Hit) bool) {
	for i := 0; i < b.Len; i++ {
		if bytes.HasPrefix(b.Data[i:], w) && !yield(answer.Hit{Off: b.Off + int64(i), Len: int64(len(w))}) {
			return
		}
	}
}

func tempFile(t *testing.T, data []byte) *source.File {
	t.Helper()
	name := filepath.Join(t.TempDir(), "input")
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := source.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// newJob returns a job that looks for w in data with the given piece size and workers.
func newJob(f *source.File, data []byte, w string, chunkBytes, workers int, out *[]int64) Job {
	return Job{
		File:     f,
		Range:    source.Range{End: int64(len(data))},
		Searcher: func(func(failure.UnreadError), *atomic.Bool) Searcher { return word(w) },
		Ahead:    len(w) - 1,
		Facts: plan.Facts{Threads: workers, Ahead: len(w) - 1, Left: []source.Region{{Range: source.Range{End: int64(len(data))}, Cached: true}},
			Want: plan.Want{Engine: plan.Pread, Workers: workers, ChunkBytes: chunkBytes}},
		Open: func(_ string, _ *source.File, c engine.Config) (engine.Engine, error) {
			return &fake{data: data, config: c, wait: func() {
				if rand.IntN(4) == 0 {
					time.Sleep(time.Duration(rand.IntN(50)) * time.Microsecond)
				}
			}}, nil
		},
		Emit: func(hits []answer.Hit) error {
			for _, h := range hits {
				*out = append(*out, h.Off)
			}
			return nil
		},
	}
}

// text returns n random letters of a small alphabet, so that there are many hits.
func text(n int, seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, 1))
	b := make([]byte, n)
	for i := range b {
		b[i] = "aab\n"[r.IntN(4)]
	}
	return b
}

// occurrences returns the offsets of w in data; if disjoint, of matches that do not overlap.
func occurrences(data []byte, w string, disjoint bool) (out []int64) {
	for i := 0; i+len(w) <= len(data); i++ {
		if string(data[i:i+len(w)]) == w {
			out = append(out, int64(i))
			if disjoint {
				i += len(w) - 1
			}
		}
	}
	return out
}

func TestEveryHitOnceInOrder(t *testing.T) {
	data := text(3_000, 7)
	f := tempFile(t, data)
	for _, chunk := range []int{1, 7, 64, 1000, 100_000} {
		for _, workers := range []int{1, 2, 5} {
			for _, w := range []string{"a", "aa", "aba", "b\na"} {
				for _, disjoint := range []bool{false, true} {
					for _, limit := range []int64{0, 1, 10} {
						var got []int64
						job := newJob(f, data, w, chunk, workers, &got)
						job.Disjoint, job.Limit = disjoint, limit
						want := occurrences(data, w, disjoint)
						if limit > 0 && int64(len(want)) > limit {
							want = want[:limit]
						}
						res, err := Run(context.Background(), job)
						if err != nil || !slices.Equal(got, want) || res.Hits != int64(len(want)) || !res.Complete {
							t.Fatalf("chunk %d, %d workers, %q, disjoint %v, limit %d: %d hits (result %+v), error %v, want %d",
								chunk, workers, w, disjoint, limit, len(got), res, err, len(want))
						}
					}
				}
			}
		}
	}
}

func TestRangeIsExact(t *testing.T) {
	data := []byte("needle..needle..needle")
	f := tempFile(t, data)
	var got []int64
	job := newJob(f, data, "needle", 4, 2, &got)
	job.Range = source.Range{Off: 1, End: 21} // cuts the first and the last needle
	job.Facts.Left = []source.Region{{Range: job.Range, Cached: true}}
	if _, err := Run(context.Background(), job); err != nil || !slices.Equal(got, []int64{8}) {
		t.Errorf("got %v, error %v, want the needle at 8 only", got, err)
	}
}

func TestTwoLanesMergeInFileOrder(t *testing.T) {
	data := text(50_000, 3)
	f := tempFile(t, data)
	var got []int64
	job := newJob(f, data, "ab", 512, 0, &got)
	job.Facts.Threads = 2
	job.Facts.Want = plan.Want{Engine: plan.Auto, ChunkBytes: 512}
	job.Facts.Left = nil
	for i := range int64(10) {
		job.Facts.Left = append(job.Facts.Left, source.Region{Range: source.Range{Off: i * 5000, End: (i + 1) * 5000}, Cached: i%3 == 0})
	}
	job.Facts.Rates = plan.Rates{WakeSeconds: 1e-9, Kernel: 1e3} // nothing is too small to share
	// The file is too small for Decide to make two lanes, so the test makes them.
	d := &driver{job: job, ledger: newLedger(job), engines: map[string]engine.Engine{}}
	decision := plan.Decision{Lanes: []plan.Lane{
		{Engine: plan.Mmap, Workers: 2, Config: engine.Config{PieceBytes: 512, AheadBytes: 1}},
		{Engine: plan.Uring, Workers: 1, Config: engine.Config{PieceBytes: 300, AheadBytes: 1}},
	}}
	for _, r := range job.Facts.Left {
		i := 1
		if r.Cached {
			i = 0
		}
		decision.Lanes[i].Ranges = append(decision.Lanes[i].Ranges, r.Range)
	}
	if left, err := d.phase(decision, math.MaxInt64, false); err != nil || len(left) > 0 {
		t.Fatalf("left %v, error %v", left, err)
	}
	if want := occurrences(data, "ab", false); !slices.Equal(got, want) {
		t.Errorf("got %d hits, want %d in file order", len(got), len(want))
	}
}

func TestUnreadRangesAreNamed(t *testing.T) {
	data := text(10_000, 5)
	f := tempFile(t, data)
	run := func(limit int64) ([]int64, Result) {
		var got []int64
		job := newJob(f, data, "ab", 1000, 2, &got)
		job.Limit = limit
		job.Open = func(_ string, _ *source.File, c engine.Config) (engine.Engine, error) {
			return &fake{data: data, config: c, wait: func() {}, broken: source.Range{Off: 2000, End: 4000}}, nil
		}
		res, err := Run(context.Background(), job)
		if err != nil {
			t.Fatal(err)
		}
		return got, res
	}
	got, res := run(0)
	want := slices.DeleteFunc(occurrences(data, "ab", false), func(off int64) bool { return off >= 2000 && off < 4000 })
	if !slices.Equal(got, want) {
		t.Errorf("the rest was not searched: %d hits, want %d", len(got), len(want))
	}
	if res.Complete || len(res.Unread) != 1 || res.Unread[0].Off != 2000 || res.Unread[0].Len != 2000 {
		t.Errorf("unread %v, complete %v, want one range of 2000 bytes at 2000", res.Unread, res.Complete)
	}
	if _, res := run(1); !res.Complete {
		t.Errorf("an unread range behind the first hit made the answer incomplete: %v", res.Unread)
	}
}

func TestCancelledScanKeepsWhatItFound(t *testing.T) {
	data := text(100_000, 9)
	f := tempFile(t, data)
	ctx, cancel := context.WithCancel(context.Background())
	var got []int64
	job := newJob(f, data, "aba", 500, 2, &got)
	emit := job.Emit
	job.Emit = func(h []answer.Hit) error { cancel(); return emit(h) }
	res, err := Run(ctx, job)
	if !errors.Is(err, context.Canceled) || res.Complete {
		t.Errorf("error %v, complete %v, want a cancelled incomplete scan", err, res.Complete)
	}
	if len(got) == 0 || len(got) == len(occurrences(data, "aba", false)) {
		t.Errorf("%d hits, want some and not all", len(got))
	}
}

func TestEmitErrorEndsTheScan(t *testing.T) {
	data := text(100_000, 9)
	for _, limit := range []int64{0, 1} {
		var got []int64
		job := newJob(tempFile(t, data), data, "aba", 500, 2, &got)
		job.Limit = limit
		emits := 0
		job.Emit = func([]answer.Hit) error { emits++; return io.ErrClosedPipe }
		res, err := Run(context.Background(), job)
		if !errors.Is(err, io.ErrClosedPipe) || res.Complete || res.Hits != 0 {
			t.Errorf("limit %d: error %v, complete %v, %d hits, want the error of Emit", limit, err, res.Complete, res.Hits)
		}
		if emits != 1 || res.Scanned > int64(len(data)/2) {
			t.Errorf("limit %d: %d calls of Emit, %d bytes scanned: the scan went on after the error", limit, emits, res.Scanned)
		}
	}
}

func TestHitsInWaitingAreBounded(t *testing.T) {
	// Every byte is a hit, and the first piece is slow: the others must wait for it.
	data := bytes.Repeat([]byte{'a'}, 2<<20)
	f := tempFile(t, data)
	var n, waitingMax atomic.Int64
	var once sync.Once
	job := newJob(f, data, "a", 64<<10, 3, new([]int64))
	var ledgers *ledger
	job.Open = func(_ string, _ *source.File, c engine.Config) (engine.Engine, error) {
		return &fake{data: data, config: c, wait: func() { once.Do(func() { time.Sleep(200 * time.Millisecond) }) }}, nil
	}
	job.Emit = func(h []answer.Hit) error {
		n.Add(int64(len(h)))
		waitingMax.Store(max(waitingMax.Load(), int64(ledgers.pending)))
		return nil
	}
	d := &driver{job: job, ledger: newLedger(job), engines: map[string]engine.Engine{}}
	ledgers = d.ledger
	if err := d.phases(context.Background()); err != nil {
		t.Fatal(err)
	}
	if n.Load() != int64(len(data)) {
		t.Errorf("%d hits, want %d", n.Load(), len(data))
	}
	if limit := int64(pendingMax.Real() + 3*3*(64<<10)); waitingMax.Load() > limit {
		t.Errorf("%d hits were waiting, want at most %d", waitingMax.Load(), limit)
	}
}

func TestRefusedEngineIsReplaced(t *testing.T) {
	data := text(4<<20, 2)
	f := tempFile(t, data)
	for _, late := range []bool{false, true} {
		t.Run(fmt.Sprintf("late=%v", late), func(t *testing.T) {
			var got []int64
			var opened []string
			job := newJob(f, data, "abab", 1<<16, 0, &got)
			job.Facts.Threads = 2
			job.Facts.Want.Engine = plan.Auto
			refusal := &failure.EngineError{Engine: plan.Mmap, Name: f.Name, Reason: "the test forbids it"}
			job.Open = func(name string, _ *source.File, c engine.Config) (engine.Engine, error) {
				opened = append(opened, name)
				e := &fake{data: data, config: c, wait: func() {}}
				if name == plan.Mmap && late {
					e.refuse = refusal
				} else if name == plan.Mmap {
					return nil, refusal
				}
				return e, nil
			}
			if _, err := Run(context.Background(), job); err != nil {
				t.Fatal(err)
			}
			if want := occurrences(data, "abab", false); !slices.Equal(got, want) {
				t.Errorf("%d hits, want %d", len(got), len(want))
			}
			if !slices.Equal(opened, []string{plan.Mmap, plan.Pread}) {
				t.Errorf("opened %v, want mmap and then pread", opened)
			}
		})
	}
}

func TestForcedEngineIsNotReplaced(t *testing.T) {
	data := text(4<<20, 2)
	job := newJob(tempFile(t, data), data, "abab", 1<<16, 2, new([]int64))
	job.Open = func(name string, f *source.File, _ engine.Config) (engine.Engine, error) {
		return nil, &failure.EngineError{Engine: name, Name: f.Name, Reason: "the test forbids it"}
	}
	var refusal *failure.EngineError
	if _, err := Run(context.Background(), job); !errors.As(err, &refusal) {
		t.Errorf("error %v, want the refusal", err)
	}
}

// blind finds nothing and takes no time.
type blind struct{}

func (blind) Search(engine.Block, func(answer.Hit) bool) {}

func TestFallingRateIsPlannedAgain(t *testing.T) {
	data := bytes.Repeat([]byte("b"), 64<<20)
	var slow atomic.Bool
	job := newJob(tempFile(t, data), data, "a", 64<<10, 2, new([]int64))
	job.Searcher = func(func(failure.UnreadError), *atomic.Bool) Searcher { return blind{} }
	var pieces atomic.Int64
	job.Open = func(_ string, _ *source.File, c engine.Config) (engine.Engine, error) {
		return &fake{data: data, config: c, wait: func() {
			n := pieces.Add(1)
			pause := time.Millisecond
			if n > 500 && n < 530 {
				pause = 60 * time.Millisecond
				slow.Store(true)
			}
			time.Sleep(pause)
		}}, nil
	}
	job.Facts.Want.Engine = plan.Auto
	job.Facts.Refuse(plan.Mmap, "the test forbids it")
	res, err := Run(context.Background(), job)
	if err != nil || res.Scanned != int64(len(data)) {
		t.Fatalf("scanned %d of %d, error %v", res.Scanned, len(data), err)
	}
	if !slow.Load() || !slices.ContainsFunc(res.Reasons, func(s string) bool { return s == "the rate fell: looked at the page cache again" }) {
		t.Errorf("reasons %q: the falling rate was not noticed", res.Reasons)
	}
}
