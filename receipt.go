package thresh

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
	"github.com/thresh-dev/thresh/internal/table"
)

// Receipt tells what a run did, how fast, and what held it back. It is filled in when
// Options.Receipt asks for it.
type Receipt struct {
	Bytes   int64       `json:"bytes"`             // scanned
	Skipped int64       `json:"skipped,omitempty"` // in holes
	Seconds float64     `json:"seconds"`
	Rate    float64     `json:"bytes_per_second"` // scanned, not counting holes
	Engines []EngineUse `json:"engines"`
	// Kernel is the inner loop and its variant: the instruction set, or "plain" for portable code.
	Kernel string `json:"kernel"`
	// KernelOrigin is where a vector kernel comes from: "archsimd" in a build with GOEXPERIMENT=simd,
	// "assembly" in every other. Portable code has none.
	KernelOrigin string `json:"kernel_origin,omitempty"`
	// Wall is the name of what held the run back, and Verdict a sentence about it.
	Wall    string `json:"wall"`
	Verdict string `json:"verdict"`
	// Fraction is how close the run came to the wall, 0 where nothing reliable says.
	Fraction float64  `json:"fraction,omitempty"`
	Evidence []string `json:"evidence,omitempty"`
	// Stages is how the workers' time was shared among the parts of their work, of a table.
	Stages []Stage  `json:"stages,omitempty"`
	Plan   []string `json:"plan,omitempty"` // why these engines
}

// Stage is a part of the work of the workers, and its share of their time.
type Stage = table.Stage

// EngineUse is the part of an engine in a run.
type EngineUse struct {
	Engine  string `json:"engine"`
	Workers int    `json:"workers"`
	Bytes   int64  `json:"bytes"`
}

// Line returns the receipt as one line for people.
func (r Receipt) Line() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s in %.3f s, %.2f GB/s", bytesText(r.Bytes), r.Seconds, r.Rate/1e9)
	if r.Skipped > 0 {
		fmt.Fprintf(&b, " (and %s of holes skipped)", bytesText(r.Skipped))
	}
	var engines []string
	for _, e := range r.Engines {
		engines = append(engines, fmt.Sprintf("%s ×%d", e.Engine, e.Workers))
	}
	if len(engines) > 0 {
		fmt.Fprintf(&b, "; %s", strings.Join(engines, " + "))
	}
	fmt.Fprintf(&b, "; kernel %s; wall: %s", kernelText(r.Kernel, r.KernelOrigin), r.Verdict)
	return b.String()
}

// kernelText names a kernel, and where it comes from.
func kernelText(kernel, origin string) string {
	if origin == "" {
		return kernel
	}
	return kernel + " (" + origin + ")"
}

func bytesText(n int64) string {
	for _, unit := range []struct {
		bytes int64
		name  string
	}{{1 << 40, "TiB"}, {1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}} {
		if n >= unit.bytes {
			return fmt.Sprintf("%.2f %s", float64(n)/float64(unit.bytes), unit.name)
		}
	}
	return fmt.Sprintf("%d bytes", n)
}

// watch measures a run from its beginning.
type watch struct {
	full   bool // counters too
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

// receipt ends the measurement and names the wall. It probes and measures the machine's
// limits again only where the counters leave a doubt.
func (w *watch) receipt(ctx context.Context, in *Input, ask inquiry, job *scan.Job, res scan.Result) (Receipt, error) {
	took := time.Since(w.began)
	r := Receipt{Bytes: res.Scanned, Skipped: res.Skipped, Seconds: took.Seconds(),
		Rate: float64(res.Scanned) / max(took.Seconds(), 1e-9), Kernel: ask.Kernel, KernelOrigin: ask.Origin,
		Plan: res.Reasons}
	for _, l := range res.Lanes {
		r.Engines = addUse(r.Engines, EngineUse{l.Engine, l.Workers, l.Bytes})
	}
	if !w.full {
		return r, nil
	}
	c, err := w.counters(r, took)
	if err != nil {
		return r, err
	}
	c.InputWait, c.OutputWait = res.Waited, res.Blocked
	c.Decompressed = in.packed != nil
	v, err := name(ctx, c, in, ask, job.Range)
	return r.with(v), err
}

// treeReceipt completes the receipt of many files.
func (w *watch) treeReceipt(r Receipt) (Receipt, error) {
	took := time.Since(w.began)
	r.Seconds = took.Seconds()
	r.Rate = float64(r.Bytes) / max(r.Seconds, 1e-9)
	if !w.full {
		return r, nil
	}
	c, err := w.counters(r, took)
	if err != nil {
		return r, err
	}
	ceilings, err := limits.Load(".")
	if err != nil {
		ceilings = nil // a verdict without a percentage
	}
	return r.with(wall.Name(c, wall.Probes{}, ceilings)), nil
}

// counters returns what was consumed since the watch began.
func (w *watch) counters(r Receipt, took time.Duration) (wall.Counters, error) {
	after, err := wall.Take()
	if err = errors.Join(w.err, err); err != nil {
		return wall.Counters{}, fmt.Errorf("counters for the receipt: %w", err)
	}
	c := after.Sub(w.before)
	c.Wall = took
	c.Scanned = r.Bytes
	for _, e := range r.Engines {
		c.Workers = max(c.Workers, e.Workers)
	}
	return c, nil
}

func (r Receipt) with(v wall.Verdict) Receipt {
	r.Wall, r.Verdict, r.Fraction, r.Evidence = string(v.Wall), v.Sentence, v.Fraction, v.Evidence
	return r
}

// refine says which part of the work on a table was the wall, where that was our own code.
// Answering is the time that it took to merge groups and write them, when all was read.
func (r *Receipt) refine(stages []Stage, answering time.Duration) {
	share := answering.Seconds() / max(r.Seconds+answering.Seconds(), 1e-9)
	for i := range stages {
		stages[i].Share *= 1 - share
	}
	at, _ := slices.BinarySearchFunc(stages, share,
		func(s Stage, share float64) int { return cmp.Compare(share, s.Share) })
	r.Stages = slices.Insert(stages, at, Stage{Name: stageAnswering, Share: share})
	r.Seconds += answering.Seconds()
	r.Rate = float64(r.Bytes) / max(r.Seconds, 1e-9)
	if r.Wall == "" || r.Wall == string(wall.TooSmall) || r.Wall != string(wall.KernelFunction) && at > 0 {
		return
	}
	var shares []string
	for _, s := range r.Stages[:min(len(r.Stages), stagesTold)] {
		shares = append(shares, fmt.Sprintf("%s %.0f %%", s.Name, 100*s.Share))
	}
	r.Wall = r.Stages[0].Name
	r.Verdict = fmt.Sprintf("%s (of the time: %s); of reading, %s", r.Wall, strings.Join(shares, ", "), r.Verdict)
}

// stageAnswering is merging the groups of all workers, and writing the answers.
const stageAnswering = "answering"

// stagesTold is how many parts of the work a verdict names.
const stagesTold = 3

// add adds what another file took, by the same kernel.
func (r *Receipt) add(other Receipt) {
	r.Kernel, r.KernelOrigin = cmp.Or(other.Kernel, r.Kernel), cmp.Or(other.KernelOrigin, r.KernelOrigin)
	r.Bytes += other.Bytes
	r.Skipped += other.Skipped
	for _, e := range other.Engines {
		r.Engines = addUse(r.Engines, e)
	}
}

// name names the wall, with probes where the counters cannot tell, and against limits
// measured anew where the run was faster than the kept ones and so long that this is little.
func name(ctx context.Context, c wall.Counters, in *Input, ask inquiry, span source.Range) (wall.Verdict, error) {
	ceilings, err := limits.Load(in.file.OS().Name())
	if err != nil {
		ceilings = nil // a verdict without a percentage, until they are measured
	}
	budget := measuringBudget(c.Wall)
	ctx, cancel := context.WithTimeout(ctx, budget)
	defer cancel()
	var p wall.Probes
	v := wall.Name(c, p, ceilings)
	if v.Undecided {
		region := wall.Region{Off: span.Off, Len: span.Len()}
		p, err = wall.Probe(ctx, budget, ask.speed, in.file, region, c.Workers)
		if err != nil {
			return v, nil // the counters' verdict stands
		}
		v = wall.Name(c, p, ceilings)
	}
	if v.Wall == wall.Storage {
		if p.Storage, err = probeStorage(ctx, min(storageProbeTime, budget/2), in.file, span); err == nil {
			v = wall.Name(c, p, ceilings)
		}
	}
	if v.Exceeded && budget >= limits.MeasureTime {
		if ceilings, err = limits.Measure(ctx, limits.Options{Path: in.file.OS().Name()}); err != nil {
			return v, nil
		}
		if err := ceilings.Save(); err != nil {
			return v, err
		}
		v = wall.Name(c, p, ceilings)
	}
	if v.Exceeded {
		v.Evidence = append(v.Evidence,
			"faster than this machine was measured to be; thresh limits --refresh measures it again")
	}
	return v, nil
}

// measuringBudget returns how long naming the wall of a run may take: a twentieth of the run,
// and for short runs what a person does not notice.
func measuringBudget(run time.Duration) time.Duration { return max(run/20, 100*time.Millisecond) }

const (
	storageProbeTime  = 200 * time.Millisecond
	storageProbeBytes = 1 << 20
)

// probeStorage reads pieces all over the range directly, without looking at them, and
// returns GB/s. It returns an error where the file has no direct reads.
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

// addUse adds an engine's part, trials and later phases of one engine together.
func addUse(uses []EngineUse, next EngineUse) []EngineUse {
	for i := range uses {
		if uses[i].Engine == next.Engine {
			uses[i].Bytes += next.Bytes
			uses[i].Workers = max(uses[i].Workers, next.Workers)
			return uses
		}
	}
	return append(uses, next)
}
