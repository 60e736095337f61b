package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/machine/limits"
	"github.com/thresh-dev/thresh/internal/machine/memory"
	"github.com/thresh-dev/thresh/internal/machine/wall"
	"github.com/thresh-dev/thresh/internal/plan"
	"github.com/thresh-dev/thresh/internal/scan"
	"github.com/thresh-dev/thresh/internal/table"
	"github.com/thresh-dev/thresh/receipt"
)

// watch measures a run from its start.
type watch struct {
	full   bool // with the counters of the system
	began  time.Time
	before wall.Snapshot
	err    error
	peak   func() int64 // ends looking at the program's own memory, and returns the most; nil without the counters
}

func startWatch(full bool) *watch {
	w := &watch{full: full}
	if full {
		w.before, w.err = wall.Take()
	}
	w.began = time.Now()
	return w
}

// followMemory makes the watch note how much memory the program takes at most. The watch must come to its receipt.
func (w *watch) followMemory() *watch {
	if !w.full {
		return w
	}
	ended, most := make(chan struct{}), make(chan int64)
	go func() {
		tick, highest := time.NewTicker(memoryTick), int64(0)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				highest = max(highest, memory.OwnBytes())
			case <-ended:
				most <- max(highest, memory.OwnBytes())
				return
			}
		}
	}()
	w.peak = func() int64 { close(ended); return <-most }
	return w
}

const memoryTick = 20 * time.Millisecond

// receipt ends the measurement and says where the time went.
func (w *watch) receipt(ctx context.Context, in *Input, ask request, job *scan.Job,
	res scan.Result) (receipt.Receipt, error) {
	took := time.Since(w.began) - res.Prepared
	r := receipt.Receipt{Bytes: res.Scanned, Skipped: res.Skipped, Seconds: took.Seconds(),
		BytesPerSecond: float64(res.Scanned) / max(took.Seconds(), 1e-9), Kernel: ask.Kernel,
		Plan: res.Reasons, Memory: job.Facts.Want.Bounded()}
	w.addPeak(&r, job.Facts.Want.MemBytes)
	for _, l := range res.Lanes {
		workers := l.Workers
		if res.Network != nil {
			workers = min(workers, res.Network.Connections) // the others waited at the gate
		}
		r.Use(receipt.EngineUse{Engine: l.Engine, Workers: workers, Bytes: l.Bytes})
	}
	if !w.full {
		return r, nil
	}
	c, err := w.counters(r, took)
	if err != nil {
		return r, err
	}
	r.CachedBytes, r.Next = in.nextQuestion(job.Range, res.Skipped)
	if n := res.Network; n != nil {
		c.Remote, c.Connections, c.Latency, c.Refused = true, n.Connections, n.Latency, n.Throttled
	} else if in.remote() != nil {
		c.Remote, c.Connections = true, 1
		c.Latency, c.Refused = in.remote().Traffic()
	}
	c.Worked, c.InputWait, c.OutputWait = res.Worked, res.Waited, res.Blocked
	c.Decompressed, c.Piped = in.compressed != nil, in.file.Kind == source.Stream && in.remote() == nil
	uncached := func(r source.Region) bool { return !r.Cached }
	c.Cached = job.Facts.Unknown == "" && !slices.ContainsFunc(job.Facts.Left, uncached)
	c.Keeps = ask.keeps
	// A probe of bytes that are not in the page cache would bring them in.
	divide(ctx, &r, c, in, ask, job.Range, !job.Neutral || r.CachedBytes >= job.Range.Len())
	return r, nil
}

// addPeak adds how much memory the program took of its bound.
func (w *watch) addPeak(r *receipt.Receipt, boundBytes int64) {
	if w.peak != nil {
		r.PeakBytes, r.BoundBytes = max(r.PeakBytes, w.peak()), boundBytes
	}
}

// manyReceipt completes the receipt of many files.
func (w *watch) manyReceipt(r receipt.Receipt, boundBytes int64) (receipt.Receipt, error) {
	took := time.Since(w.began)
	w.addPeak(&r, boundBytes)
	r.Seconds = took.Seconds()
	r.BytesPerSecond = float64(r.Bytes) / max(r.Seconds, 1e-9)
	if !w.full {
		return r, nil
	}
	c, err := w.counters(r, took)
	if err != nil {
		return r, err
	}
	ceilings, err := limits.Load(".")
	if err != nil && !errors.Is(err, limits.ErrStale) {
		ceilings = nil // then costs are assumed
	}
	wall.Divide(&r, c, wall.Probes{}, ceilings)
	return r, nil
}

// counters returns what was consumed since the watch began.
func (w *watch) counters(r receipt.Receipt, took time.Duration) (wall.Counters, error) {
	after, err := wall.Take()
	if err = errors.Join(w.err, err); err != nil {
		return wall.Counters{}, fmt.Errorf("counters for the receipt: %w", err)
	}
	c := after.Sub(w.before)
	c.Wall = took
	c.Scanned, c.Skipped, c.Workers = r.Bytes, r.Skipped, workersOf(&r)
	if c.ReadChars == 0 { // the system does not count them, or there were none
		for _, e := range r.Engines {
			if e.Engine == plan.Pread || e.Engine == plan.Stream {
				c.ReadChars += e.Bytes
			}
		}
	}
	return c, nil
}

// divide says where the time went. It measures what the counters cannot tell: how fast the function is on cached
// bytes, and, where storage was the wall, how fast that is across the input, if it may read the input for that.
func divide(ctx context.Context, r *receipt.Receipt, c wall.Counters, in *Input, ask request, span source.Range,
	mayRead bool) {
	if c.Wall < wall.Small {
		wall.Divide(r, c, wall.Probes{}, nil) // without a look at the saved limits, which takes longer than an early hit
		return
	}
	known, err := ceilings(in.file) // stale ones say themselves why they are not used
	if err != nil && !errors.Is(err, limits.ErrStale) {
		known = nil
	}
	budget := measuringBudget(c.Wall)
	var p wall.Probes
	if mayRead && !c.Decompressed {
		p = probe(ctx, min(probeTime, budget/2), ask.speed, in.file, span, r.CachedBytes >= span.Len())
	}
	if p.Cached == 0 {
		p.Cached = kernelRate(ask, probeBytesMax) / 1e9
	}
	r.KernelBytesPerSecond = p.Cached * 1e9
	wall.Divide(r, c, p, known)
	if r.Wall == receipt.Storage && in.file.OS() != nil {
		if p.Storage, err = probeStorage(ctx, min(storageProbeTime, budget/2), in.file, span); err == nil {
			wall.Divide(r, c, p, known)
		}
	}
}

// measuringBudget returns how long it may take to say where the time went.
func measuringBudget(run time.Duration) time.Duration { return max(run/50, time.Millisecond) }

// afterwards begins to measure what comes after reading, and returns what ends it.
func (t *tableRun) afterwards() (ended func()) {
	w := startWatch(t.options.Receipt).followMemory()
	return func() {
		took := time.Since(w.began)
		t.answering += took
		if !w.full {
			return
		}
		w.addPeak(&t.total.Receipt, t.bound.MemoryBytes)
		if c, err := w.counters(receipt.Receipt{}, took); err == nil {
			t.after = append(t.after, c)
		}
	}
}

// refine divides the work itself of a table into its stages, and adds what merging and writing the groups took after
// reading. The first stage copies the bytes of a mapping, so it is memory's.
func refine(r *receipt.Receipt, stages []receipt.Stage, answering time.Duration, after []wall.Counters) {
	reading := r.Seconds
	r.Seconds += answering.Seconds()
	r.BytesPerSecond = float64(r.Bytes) / max(r.Seconds, 1e-9)
	parts := slices.Clone(r.Parts)
	at := slices.IndexFunc(parts, func(p receipt.Part) bool { return p.Wall == receipt.Work })
	if at >= 0 {
		work := parts[at]
		for _, s := range stages {
			s.Share *= work.Share
			if s.Name != table.StageReading {
				parts[at].Stages = append(parts[at].Stages, s)
				continue
			}
			parts[at].Share, parts[at].Low = work.Share-s.Share, max(0, work.Low-s.Share)
			parts = append(parts, receipt.Part{Wall: receipt.Memory, Share: s.Share, High: s.Share})
		}
	}
	if len(parts) > 0 {
		lanes := r.WorkerSeconds / max(reading, 1e-9)
		r.Divide(r.WorkerSeconds, parts)
		for _, c := range after {
			wall.DivideAnswering(r, lanes, c)
		}
	}
}

// workersOf returns how many workers scanned at once, at most.
func workersOf(r *receipt.Receipt) (most int) {
	for _, e := range r.Engines {
		most = max(most, e.Workers)
	}
	return most
}

// addFile adds the receipt of another file, read for the same question at the same time.
func addFile(total *receipt.Receipt, file receipt.Receipt) {
	total.Kernel = cmp.Or(file.Kernel, total.Kernel)
	total.Bytes += file.Bytes
	total.Skipped += file.Skipped
	for _, e := range file.Engines {
		total.Use(e)
	}
}
