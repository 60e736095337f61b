package run

import (
	"fmt"

	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/output/bytesize"
	"github.com/thresh-dev/thresh/internal/plan"
	"github.com/thresh-dev/thresh/internal/scan"
	"github.com/thresh-dev/thresh/options"
)

// newSearch prepares a scan. If early hits matter, and the plan allows it, the scan begins with an opening, and
// gathers the facts only if that does not find enough.
func newSearch(in *Input, ask request, o Options) (*scan.Job, error) {
	job, err := beginJob(in, ask, &o)
	if err != nil {
		return nil, err
	}
	opening, ok := openingOf(in, ask, o, job.Range)
	if !ok {
		return job, prepare(job, in, ask, o, job.Range)
	}
	job.Opening = &opening
	job.Prepare = func(job *scan.Job, rest source.Range) error { return prepare(job, in, ask, o, rest) }
	if job.Neutral = o.Cache == options.CacheNeutral; job.Neutral {
		err = in.dropBrought()
	}
	return job, err
}

// openingOf returns the opening of a scan of which early hits matter; false if there is none.
func openingOf(in *Input, ask request, o Options, span source.Range) (plan.Opening, bool) {
	if o.Limit == 0 && !ask.early {
		return plan.Opening{}, false
	}
	f := knownFacts(in, ask, o)
	if in.file.OS() == nil {
		f.Refuse(plan.Mmap, noFile)
	}
	return plan.OpeningOf(f, span)
}

// withOpening adds the opening of a scan to its plan, if there is one.
func (p Plan) withOpening(in *Input, ask request, o Options) (Plan, error) {
	if err := o.check(); err != nil {
		return Plan{}, err
	}
	span, err := o.span(in.file)
	if err != nil {
		return Plan{}, err
	}
	if opening, ok := openingOf(in, ask, o, span); ok {
		p.Lines = append(p.Lines, fmt.Sprintf("opening:    the first %s are searched at once; "+
			"this plan is for the rest", bytesize.Precise(opening.Second.End-span.Off)))
	}
	return p, nil
}
