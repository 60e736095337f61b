package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/engine/uring"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/machine/limits"
	"github.com/thresh-dev/thresh/internal/machine/wall"
	"github.com/thresh-dev/thresh/internal/scan"
	"github.com/thresh-dev/thresh/receipt"
)

// watch measures a run from its start.
type watch struct {
	full   bool // with the counters of the system
	began  time.Time
	before wall.Snapshot
	err    error
}

func startWatch(full bool) *watch {
	w := &watch{full: full}
	if full {
		w.before, w.err = wall.Take()
	}
	w.began = time.Now()
	return w
}

// receipt ends the measurement and names the wall. It probes only if the counters leave a doubt.
func (w *watch) receipt(ctx context.Context, in *Input, ask request, job *scan.Job,
	res scan.Result) (receipt.Receipt, error) {
	took := time.Since(w.began) - res.Prepared
	r := receipt.Receipt{Bytes: res.Scanned, Skipped: res.Skipped, Seconds: took.Seconds(),
		BytesPerSecond: float64(res.Scanned) / max(took.Seconds(), 1e-9), Kernel: ask.Kernel,
		Plan: res.Reasons, Memory: job.Facts.Want.Bounded()}
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
	c.InputWait, c.OutputWait = res.Waited, res.Blocked
	c.Decompressed = in.compressed != nil
	c.Keeps = ask.keeps
	// A probe of bytes that are not in the page cache would bring them in.
	probe := !job.Neutral || r.CachedBytes >= job.Range.Len()
	v, err := nameWall(ctx, c, in, ask, job.Range, probe)
	if v.Wall != receipt.WallTooSmall {
		r.KernelBytesPerSecond = kernelRate(ask, probeBytesMax)
	}
	return withVerdict(r, v), err
}

// manyReceipt completes the receipt of many files.
func (w *watch) manyReceipt(r receipt.Receipt) (receipt.Receipt, error) {
	took := time.Since(w.began)
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
		ceilings = nil // a verdict without a percentage
	}
	return withVerdict(r, wall.Name(c, wall.Probes{}, ceilings)), nil
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
	return c, nil
}

func withVerdict(r receipt.Receipt, v wall.Verdict) receipt.Receipt {
	r.Wall, r.Verdict, r.Fraction, r.Evidence = v.Wall, v.Sentence, v.Fraction, v.Evidence
	return r
}

// nameWall names the wall. It probes, if that is allowed, where the counters cannot tell.
func nameWall(ctx context.Context, c wall.Counters, in *Input, ask request, span source.Range, probe bool) (
	wall.Verdict, error) {
	if v := wall.Name(c, wall.Probes{}, nil); v.Wall == receipt.WallTooSmall {
		return v, nil // without a look at the saved limits, which takes longer than an early hit
	}
	ceilings, err := ceilings(in.file)
	if err != nil && !errors.Is(err, limits.ErrStale) { // stale figures say themselves why they are not used
		ceilings = nil
	}
	budget := measuringBudget(c.Wall)
	ctx, cancel := context.WithTimeout(ctx, budget)
	defer cancel()
	var p wall.Probes
	v := wall.Name(c, p, ceilings)
	if v.Undecided && probe {
		p, err = wall.Probe(ctx, budget, ask.speed, in.file, span, c.Workers)
		if err != nil {
			return v, nil // the counters' verdict stands
		}
		v = wall.Name(c, p, ceilings)
	}
	if v.Wall == receipt.WallStorage && in.file.OS() != nil {
		if p.Storage, err = probeStorage(ctx, min(storageProbeTime, budget/2), in.file, span); err == nil {
			v = wall.Name(c, p, ceilings)
		}
	}
	if v.Exceeded {
		v.Evidence = append(v.Evidence,
			"faster than this machine was measured to be: its limits are out of date")
	}
	return v, nil
}

// measuringBudget returns how long it may take to name the wall.
func measuringBudget(run time.Duration) time.Duration { return max(run/20, 20*time.Millisecond) }

const (
	storageProbeTime  = 200 * time.Millisecond
	storageProbeBytes = 1 << 20
)

// probeStorage reads pieces at random places of the range directly, without scanning them, and
// returns GB/s. It returns an error if the file cannot be read directly.
func probeStorage(ctx context.Context, budget time.Duration, f *source.File, span source.Range) (float64, error) {
	e, err := uring.Open(f, engine.Config{PieceBytes: storageProbeBytes, BlockBytes: storageProbeBytes,
		Depth: uring.DefaultDepth})
	if err != nil {
		return 0, err
	}
	r, err := e.Reader()
	if err != nil {
		return 0, errors.Join(err, e.Close())
	}
	pieces := span.Len() / storageProbeBytes
	began, read := time.Now(), int64(0)
	err = r.Run(func() (engine.Piece, bool) {
		if pieces == 0 || ctx.Err() != nil || time.Since(began) > budget {
			return engine.Piece{}, false
		}
		return engine.Piece{Off: span.Off + rand.Int64N(pieces)*storageProbeBytes, Len: storageProbeBytes}, true
	}, func(_ engine.Piece, b engine.Block, _ bool) bool {
		read += int64(b.Len)
		return true
	})
	rate := float64(read) / time.Since(began).Seconds() / 1e9
	return rate, errors.Join(err, r.Close(), e.Close())
}

// refine adds the stages of a table to a receipt. If our own code was the wall, the longest stage becomes its name.
// took is the time of all workers in stages, and answering that for merging and writing the groups after reading.
//
// Probes repeat a few bytes, and so do not see what it costs to find one of many groups in memory. So a run that
// they leave unclear was held back by its stages if these took most of the workers' time.
func refine(r *receipt.Receipt, stages []receipt.Stage, took, answering time.Duration) {
	covered := took.Seconds() / max(r.Seconds*float64(workersOf(r)), 1e-9)
	share := answering.Seconds() / max(r.Seconds+answering.Seconds(), 1e-9)
	for i := range stages {
		stages[i].Share *= 1 - share
	}
	at, _ := slices.BinarySearchFunc(stages, share,
		func(s receipt.Stage, share float64) int { return cmp.Compare(share, s.Share) })
	r.Stages = slices.Insert(stages, at, receipt.Stage{Name: stageAnswering, Share: share})
	r.Seconds += answering.Seconds()
	r.BytesPerSecond = float64(r.Bytes) / max(r.Seconds, 1e-9)
	unclear := r.Wall == receipt.WallUnclear && covered >= stagesCover
	own := r.Wall == receipt.WallKernelFunction || unclear || at == 0
	if r.Wall == "" || r.Wall == receipt.WallTooSmall || !own {
		return
	}
	var shares []string
	for _, s := range r.Stages[:min(len(r.Stages), stagesNamed)] {
		shares = append(shares, fmt.Sprintf("%s %.0f %%", s.Name, 100*s.Share))
	}
	r.Wall = receipt.Wall(r.Stages[0].Name)
	reading := r.Verdict
	if unclear {
		reading = fmt.Sprintf("stages took %.0f %%", 100*min(covered, 1))
		r.Evidence = append(r.Evidence, "counters and probes alone say: "+r.Verdict)
	}
	r.Verdict = fmt.Sprintf("%s (of the time: %s); of reading, %s", r.Wall, strings.Join(shares, ", "), reading)
}

// workersOf returns how many workers scanned at once, at most.
func workersOf(r *receipt.Receipt) (most int) {
	for _, e := range r.Engines {
		most = max(most, e.Workers)
	}
	return most
}

// stagesCover is the share of the workers' time in stages from which on they were the wall.
const stagesCover = 0.5

// stageAnswering is the time for merging the groups of all workers and writing the answers.
const stageAnswering = "answering"

// stagesNamed is how many stages a verdict names.
const stagesNamed = 3

// addFile adds the receipt of another file, read for the same question at the same time.
func addFile(total *receipt.Receipt, file receipt.Receipt) {
	total.Kernel = cmp.Or(file.Kernel, total.Kernel)
	total.Bytes += file.Bytes
	total.Skipped += file.Skipped
	for _, e := range file.Engines {
		total.Use(e)
	}
}
