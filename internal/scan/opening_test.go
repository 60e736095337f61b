package scan

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/plan"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// openWith gives a job an opening. The facts are then set by Prepare; prepared counts its calls.
func openWith(t *testing.T, job *Job, prepared *atomic.Int64) {
	t.Helper()
	known := job.Facts
	facts := job.Facts
	facts.Left, facts.Want.Engine, facts.Want.ChunkBytes, facts.Kind = nil, plan.Auto, 0, job.File.Kind
	o, ok := plan.OpeningOf(facts, job.Range)
	if !ok {
		t.Fatalf("no opening of %+v", job.Range)
	}
	o.TimeMax = time.Minute
	job.Opening, job.Facts = &o, plan.Facts{}
	job.Prepare = func(job *Job, rest source.Range) error {
		prepared.Add(1)
		job.Facts = known
		job.Facts.Left = without(known.Left, []source.Range{{Off: 0, End: rest.Off}})
		return nil
	}
}

// TestOpening compares scans that begin with an opening with a plain loop, and their accounts with
// the bytes, over random hits, holes of the facts, faults, limits, piece sizes and readers.
func TestOpening(t *testing.T) {
	for _, n := range []int{1, 2, 3, 7, 64} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			threshold.Shrink(t, n)
			for seed := range uint64(150) {
				if err := randomOpening(t, rand.New(rand.NewPCG(seed, uint64(n))), seed); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
			}
		})
	}
}

func randomOpening(t *testing.T, r *rand.Rand, seed uint64) error {
	data := text(1+r.IntN(600), seed)
	w := []string{"a", "aa", "aba", "b\na", "aabaab"}[r.IntN(5)]
	var got []int64
	job := newJob(tempFile(t, data), data, w, []int{0, 1 + r.IntN(300)}[r.IntN(2)], r.IntN(4), &got)
	job.Facts.Threads = 1 + r.IntN(3)
	job.Facts.Want.Engine = []string{plan.Auto, plan.Pread}[r.IntN(2)]
	job.Disjoint, job.Limit = r.IntN(2) == 0, []int64{0, 1, 1, 2, 10}[r.IntN(5)]
	job.Range.Off = r.Int64N(int64(len(data)))
	job.Range.End -= r.Int64N(job.Range.Len())
	job.Facts.Left = []source.Region{{Range: job.Range, Cached: true}}
	var progress atomic.Int64
	job.Progress = &progress
	var broken source.Range
	if r.IntN(3) == 0 {
		broken.Off = r.Int64N(int64(len(data)))
		broken.End = min(broken.Off+1+r.Int64N(20), int64(len(data)))
	}
	ahead := r.IntN(3) // pieces that a reader holds
	job.Open = func(_ string, _ *source.File, c engine.Config) (engine.Engine, error) {
		return &fake{data: data, config: c, ahead: ahead, broken: broken, wait: func() {}}, nil
	}
	var prepared atomic.Int64
	openWith(t, &job, &prepared)
	res, err := mustEnd(t, job)
	if err != nil {
		return err
	}
	var unread int64
	for _, u := range res.Unread {
		unread += u.Len
	}
	if broken.Len() == 0 {
		want := occurrences(data[job.Range.Off:job.Range.End], w, job.Disjoint)
		for i := range want {
			want[i] += job.Range.Off
		}
		if limit := job.Limit; limit > 0 && int64(len(want)) > limit {
			want = want[:limit]
		}
		if !slices.Equal(got, want) || res.Hits != int64(len(want)) || !res.Complete {
			return fmt.Errorf("%+v: got %v, want %v; %+v", job.Range, got, want, res)
		}
	}
	full := job.Limit == 0 || res.Hits < job.Limit
	if full && res.Scanned+unread != job.Range.Len() || progress.Load() != res.Scanned {
		return fmt.Errorf("%d bytes scanned, %d unread, of %d; progress %d", res.Scanned, unread, job.Range.Len(), progress.Load())
	}
	var used int64
	for _, l := range res.Lanes {
		used += l.Bytes
	}
	if broken.Len() == 0 && full && used != res.Scanned {
		return fmt.Errorf("the lanes read %d bytes of %d", used, res.Scanned)
	}
	inside := job.Opening.Second.End - job.Range.Off
	if want := res.Scanned+unread > inside; prepared.Load() > 1 || want != (prepared.Load() == 1) && full {
		return fmt.Errorf("the rest was examined %d times; %d bytes scanned, %d in the opening", prepared.Load(), res.Scanned, inside)
	}
	return nil
}

// TestOpeningAnswers: with the answer in the opening, nothing is examined, at each byte around the
// borders of its parts and pieces.
func TestOpeningAnswers(t *testing.T) {
	threshold.Shrink(t, 8)
	for at := range 40 {
		data := make([]byte, 60)
		copy(data[at:], "needle")
		f := tempFile(t, data)
		var got []int64
		job := newJob(f, data, "needle", 0, 2, &got)
		job.Limit = 1
		var prepared atomic.Int64
		openWith(t, &job, &prepared)
		res, err := mustEnd(t, job)
		if err != nil || !slices.Equal(got, []int64{int64(at)}) || !res.Complete {
			t.Fatalf("needle at %d: got %v, %v", at, got, err)
		}
		if within := int64(at) < job.Opening.Second.End; within != (prepared.Load() == 0) {
			t.Errorf("needle at %d, opening up to %d: the rest was examined %d times", at, job.Opening.Second.End, prepared.Load())
		}
	}
}

// TestOpeningEnds has openings that end for another reason than a hit.
func TestOpeningEnds(t *testing.T) {
	threshold.Shrink(t, 8)
	data := text(1000, 1)
	f := tempFile(t, data)
	all := occurrences(data, "a", false)
	var got []int64
	var prepared atomic.Int64
	begin := func() Job {
		got = nil
		prepared.Store(0)
		job := newJob(f, data, "a", 100, 2, &got)
		openWith(t, &job, &prepared)
		return job
	}
	t.Run("no time", func(t *testing.T) {
		job := begin()
		job.Opening.TimeMax = -1
		prepare := job.Prepare
		job.Prepare = func(job *Job, rest source.Range) error {
			if rest != job.Range {
				t.Errorf("%v was left of %v", rest, job.Range)
			}
			return prepare(job, rest)
		}
		res, err := mustEnd(t, job)
		if err != nil || !slices.Equal(got, all) || prepared.Load() != 1 || res.Scanned != int64(len(data)) {
			t.Errorf("%d hits of %d, %v, examined %d times", len(got), len(all), err, prepared.Load())
		}
	})
	t.Run("cannot be examined", func(t *testing.T) {
		job := begin()
		job.Prepare = func(*Job, source.Range) error { return io.ErrClosedPipe }
		res, err := mustEnd(t, job)
		if !errors.Is(err, io.ErrClosedPipe) || res.Complete || len(got) == 0 || !slices.Equal(got, all[:len(got)]) {
			t.Errorf("%v, complete %v, %v", err, res.Complete, got)
		}
	})
	t.Run("cancelled", func(t *testing.T) {
		job := begin()
		ctx, cancel := context.WithCancel(context.Background())
		emit := job.Emit
		job.Emit = func(hits []answer.Hit) error { cancel(); time.Sleep(10 * time.Millisecond); return emit(hits) }
		res, err := Run(ctx, job)
		if !errors.Is(err, context.Canceled) || res.Complete || prepared.Load() != 0 {
			t.Errorf("%v, %+v, examined %d times", err, res, prepared.Load())
		}
	})
	t.Run("cancelled before", func(t *testing.T) {
		job := begin()
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if res, err := Run(ctx, job); !errors.Is(err, context.Canceled) || res.Complete {
			t.Errorf("%v, %+v", err, res)
		}
	})
	t.Run("hits refused", func(t *testing.T) {
		job := begin()
		job.Emit = func([]answer.Hit) error { return io.ErrShortWrite }
		res, err := mustEnd(t, job)
		if !errors.Is(err, io.ErrShortWrite) || res.Complete || res.Hits != 0 || prepared.Load() != 0 {
			t.Errorf("%v, %+v", err, res)
		}
	})
	t.Run("reader fails", func(t *testing.T) {
		job := begin()
		job.Open = func(_ string, _ *source.File, c engine.Config) (engine.Engine, error) {
			return &fake{data: data, config: c, wait: func() {}, refuse: io.ErrNoProgress}, nil
		}
		if res, err := mustEnd(t, job); !errors.Is(err, io.ErrNoProgress) || res.Complete || prepared.Load() != 0 {
			t.Errorf("%v, %+v", err, res)
		}
	})
	t.Run("mapping refused", func(t *testing.T) {
		job := begin()
		open, refusals := job.Open, 0
		job.Open = func(name string, f *source.File, c engine.Config) (engine.Engine, error) {
			if name == plan.Mmap {
				refusals++
				return nil, &failure.EngineError{Engine: name, Reason: "no room"}
			}
			return open(name, f, c)
		}
		if res, err := mustEnd(t, job); err != nil || !slices.Equal(got, all) || res.Scanned != int64(len(data)) {
			t.Errorf("%d hits of %d, %v", len(got), len(all), err)
		}
		if n, err := f.CachedBytes(job.Range); err == nil && n == job.Range.Len() && refusals != 1 {
			t.Errorf("%d mappings of a cached file were tried, want 1", refusals)
		}
	})
}

// TestOpeningSkipsHoles: what the opening skips is counted as skipped, and scanned nowhere else.
func TestOpeningSkipsHoles(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 9))
		f, data := sparse(t, r)
		threshold.Shrink(t, 1+r.IntN(len(data)/2))
		var got []int64
		job := newJob(f, data, "x", 0, 2, &got)
		job.SkipHoles, job.Limit = true, []int64{0, 1, 1 << 40}[r.IntN(3)]
		var prepared atomic.Int64
		openWith(t, &job, &prepared)
		job.Prepare = func(job *Job, rest source.Range) (err error) {
			job.Facts.Threads, job.Facts.Want.Engine = 2, plan.Pread
			job.Facts.Left, _, err = Regions(f, rest, true, job.Ahead)
			return err
		}
		res, err := mustEnd(t, job)
		want := occurrences(data, "x", false)
		all := job.Limit != 1 || len(want) == 0
		if !all {
			want = want[:1]
		}
		if err != nil || !slices.Equal(got, want) || all && res.Scanned+res.Skipped != int64(len(data)) {
			t.Fatalf("seed %d: got %d hits of %d, %v, %+v", seed, len(got), len(want), err, res)
		}
	}
}
