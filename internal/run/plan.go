package run

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/engine/mmap"
	"github.com/thresh-dev/thresh/internal/engine/pread"
	"github.com/thresh-dev/thresh/internal/engine/stream"
	"github.com/thresh-dev/thresh/internal/engine/uring"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/plan"
	"github.com/thresh-dev/thresh/internal/scan"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// openEngine opens the engine of that name.
func openEngine(name string, f *source.File, c engine.Config) (engine.Engine, error) {
	switch name {
	case plan.Pread:
		return pread.Open(f, c)
	case plan.Mmap:
		return mmap.Open(f, c)
	case plan.Uring:
		return uring.Open(f, c)
	case plan.Stream:
		return stream.Open(f, c)
	}
	panic("thresh: bug: no engine " + name)
}

// ringBytesMin is the uncached work below which the kernel is not asked for a ring: making
// one takes longer than reading that much.
var ringBytesMin = threshold.New("plan: uncached work that a ring is asked for", 1<<20, 1)

// cannot says why engines are out of the question for a file; "" where they are not, or
// where the plan will not think of them.
func cannot(f *source.File, left []source.Region, wanted string) (noMap, noRing string) {
	if f.Kind == source.Stream {
		return "", ""
	}
	if f.Kind == source.Regular && f.Bytes == 0 {
		return "an empty file has nothing to map", "an empty file has nothing to read"
	}
	if wanted != plan.Uring && uncached(left) < int64(ringBytesMin.Get()) {
		return "", ""
	}
	if err := uring.Probe(f); err != nil {
		noRing = reason(err)
	}
	return "", noRing
}

// uncached returns how many bytes are not in the page cache.
func uncached(left []source.Region) (n int64) {
	for _, r := range left {
		if !r.Cached {
			n += r.Len()
		}
	}
	return n
}

func reason(err error) string {
	var refused *engine.RefusedError
	if !errors.As(err, &refused) {
		return err.Error()
	}
	if refused.Err == nil {
		return refused.Reason
	}
	return fmt.Sprintf("%s: %v", refused.Reason, refused.Err)
}

// Plan is how a question would be answered.
type Plan struct {
	Lines     []string      // for people, the decision first
	Predicted time.Duration // 0 where nothing measured says
}

// String returns the plan as text of several lines.
func (p Plan) String() string { return strings.Join(p.Lines, "\n") + "\n" }

// explain returns the plan for an inquiry.
func explain(in *Input, ask inquiry, o Options) (Plan, error) {
	job, err := newJob(in, ask, o)
	if err != nil {
		return Plan{}, err
	}
	d, err := plan.Decide(job.Facts)
	if err != nil {
		return Plan{}, err
	}
	var p Plan
	say := func(format string, args ...any) { p.Lines = append(p.Lines, fmt.Sprintf(format, args...)) }
	what := job.File.Kind.String()
	if n, ok := in.Bytes(); ok {
		what += ", " + bytesText(n)
	}
	if in.packed != nil {
		what = in.packed.String() + ", decompressed as it is read"
	}
	say("input:      %s (%s)", in.Name(), what)
	if in.file.Kind != source.Stream {
		say("to scan:    %s", residencyText(job))
	}
	say("kernel:     %s%s", kernelText(ask.Kernel, ask.Origin), rateText(job.Facts.Rates.Kernel, " a core"))
	if d.Trial {
		say("trials:     each engine that could be best gets a first piece, the fastest the rest")
	}
	for _, l := range d.Lanes {
		say("engine:     %s, %d workers, pieces of %s%s", l.Engine, l.Workers,
			bytesText(int64(l.Config.PieceBytes)), depthText(l.Config))
	}
	if d.Lanes[0].Workers > 1 && in.file.Kind != source.Stream {
		say("sharing:    pays %s", job.Facts.Sharing())
	}
	for _, r := range d.Reasons {
		say("because:    %s", r)
	}
	for _, r := range d.Rejected {
		say("not %-8s%s", r.Engine+":", r.Reason)
	}
	if job.Neutral {
		say("cache:      neutral: pages that this run brings in are dropped again")
	} else {
		say("cache:      what is read stays in the page cache, except by direct reads")
	}
	if p.Predicted = predicted(job, d); p.Predicted > 0 {
		say("predicted:  %s", p.Predicted.Round(100*time.Microsecond))
	} else {
		say("predicted:  nothing measured says; thresh limits measures this machine")
	}
	return p, nil
}

// predicted returns the time for the whole input where the decision is a trial.
func predicted(job *scan.Job, d plan.Decision) time.Duration {
	if !d.Trial || d.Predicted == 0 {
		return d.Predicted
	}
	var all, part int64
	for _, r := range job.Facts.Left {
		all += r.Len()
	}
	for _, l := range d.Lanes {
		part += l.Bytes()
	}
	return time.Duration(float64(d.Predicted) * float64(all) / float64(max(part, 1)))
}

func residencyText(job *scan.Job) string {
	var cached, all int64
	for _, r := range job.Facts.Left {
		all += r.Len()
		if r.Cached {
			cached += r.Len()
		}
	}
	text := fmt.Sprintf("%s, of which %s in the page cache", bytesText(all), bytesText(cached))
	if job.Facts.Unknown != "" {
		text = fmt.Sprintf("%s (what is in the page cache is unknown: %s)", bytesText(all), job.Facts.Unknown)
	}
	if holes := job.Range.Len() - all; holes > 0 {
		text += fmt.Sprintf("; %s of holes skipped", bytesText(holes))
	}
	return text
}

func rateText(bytesPerSecond float64, what string) string {
	if bytesPerSecond == 0 {
		return ""
	}
	return fmt.Sprintf(", %.1f GB/s%s", bytesPerSecond/1e9, what)
}

func depthText(c engine.Config) string {
	if c.Depth == 0 {
		return ""
	}
	return fmt.Sprintf(", %d reads of %s in flight each", c.Depth, bytesText(int64(c.BlockBytes)))
}
