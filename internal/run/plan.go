package run

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/engine/catalog"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/output/bytesize"
	"github.com/thresh-dev/thresh/internal/output/numeral"
	"github.com/thresh-dev/thresh/internal/plan"
	"github.com/thresh-dev/thresh/internal/scan"
)

// openEngine opens an engine by name.
func openEngine(name string, f *source.File, c engine.Config) (engine.Engine, error) {
	return catalog.Named(name).Open(f, c)
}

// Plan describes how a question would be answered.
type Plan struct {
	Lines     []string      // for people, the decision first
	Predicted time.Duration // 0 if no measurement tells
}

// String returns the plan as text of several lines.
func (p Plan) String() string { return strings.Join(p.Lines, "\n") + "\n" }

// explain returns the plan for a request.
func explain(in *Input, ask request, o Options) (Plan, error) {
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
		what += ", " + bytesize.Precise(n)
	}
	if in.compressed != nil {
		what = in.compressed.String() + ", decompressed as it is read"
	}
	say("input:      %s (%s)", in.Name(), what)
	switch in.file.Kind {
	case source.Stream:
	case source.Memory, source.Remote:
		say("to scan:    %s", bytesize.Precise(source.TotalBytes(job.Facts.Left)))
	default:
		say("to scan:    %s", residencyText(job))
	}
	say("kernel:     %s%s", ask.Kernel, rateText(job.Facts.Rates.Kernel, " a core"))
	if d.Trial {
		say("trials:     each engine that could be best gets a first piece, the fastest the rest")
	}
	for _, l := range d.Lanes {
		name := l.Engine
		if l.Other != "" {
			name += " and " + l.Other + ", whichever is faster"
		}
		if l.Engine == plan.Ranges {
			say("engine:     %s, up to %s at once, of %s at most", name, numeral.Count(l.Workers, "worker"),
				bytesize.Precise(int64(l.Config.PieceBytes)))
			continue
		}
		say("engine:     %s, %s, pieces of %s%s", name, numeral.Count(l.Workers, "worker"),
			bytesize.Precise(int64(l.Config.PieceBytes)), depthText(l.Config))
	}
	if d.Lanes[0].Workers > 1 && in.file.Kind != source.Stream && in.file.Kind != source.Remote {
		say("sharing:    pays %s", job.Facts.Sharing())
	}
	for _, r := range d.Reasons {
		say("because:    %s", r)
	}
	for _, r := range d.Rejected {
		say("not %-8s%s", r.Engine+":", r.Reason)
	}
	switch {
	case in.file.OS() == nil:
	case job.Neutral:
		say("cache:      left as it was found (%s)", cmp.Or(job.Facts.KeepReason, "Run.Cache neutral"))
	case slices.ContainsFunc(d.Lanes, func(l plan.Lane) bool { return catalog.Named(l.Engine).Past && !d.Trial }):
		say("cache:      direct reads leave it as it is")
	default:
		say("cache:      keeps what is read, for the next question")
	}
	if p.Predicted = predicted(job, d); p.Predicted > 0 {
		say("predicted:  %s", p.Predicted.Round(100*time.Microsecond))
	} else {
		say("predicted:  unknown; run `thresh limits` to measure this machine")
	}
	return p, nil
}

// predicted returns the predicted time for the whole input; a trial decides about a part of it only.
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
	text := fmt.Sprintf("%s, of which %s in the page cache", bytesize.Precise(all), bytesize.Precise(cached))
	if job.Facts.Unknown != "" {
		text = fmt.Sprintf("%s (what is in the page cache is unknown: %s)", bytesize.Precise(all), job.Facts.Unknown)
	}
	if holes := job.Range.Len() - all; holes > 0 {
		text += fmt.Sprintf("; %s of holes skipped", bytesize.Precise(holes))
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
	switch {
	case c.Depth == 0:
		return ""
	case c.BlockBytes == 0:
		return fmt.Sprintf(", %d on their way from storage each", c.Depth)
	}
	return fmt.Sprintf(", %d reads of %s in flight each", c.Depth, bytesize.Precise(int64(c.BlockBytes)))
}
