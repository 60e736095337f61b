package table

import (
	"fmt"
	"sync/atomic"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/kernel/fields"
	"github.com/thresh-dev/thresh/internal/output/bytesize"
	"github.com/thresh-dev/thresh/internal/scan"
	"github.com/thresh-dev/thresh/options"
)

// Explain returns lines that describe how the questions will be answered.
func (r *Run) Explain() (lines []string) {
	say := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	if r.query.Dialect.JSON {
		say("records:    lines of JSON, %d of their values used", len(r.query.Wanted))
	} else {
		say("records:    %d fields, %d of them used", r.query.First.Fields, len(r.query.Wanted))
	}
	if r.query.Filter != nil && r.query.Filter.String() != "" { // joins may have one without a condition
		say("filter:     %v", r.query.Filter)
	}
	for _, s := range r.query.Scopes {
		if s.Filter != nil {
			say("filter:     %v", s.Filter)
		}
	}
	for _, j := range r.query.Joins {
		say("join:       %s", j.Plan(r.query))
	}
	for _, a := range r.query.Groups {
		for _, k := range a.Keys {
			say("key:        %s: %s", k.Text, k.Plan())
		}
	}
	if r.query.Sorted != nil {
		say("order:      %s", r.explainSort())
	}
	if len(r.query.Groups) > 0 {
		say("groups:     %s for each worker and question, then sorted runs in temporary files",
			bytesize.Short(r.query.Groups[0].GroupBytes(r.groupBytes(r.query.Groups[0]))))
	}
	return lines
}

// Speed answers the questions for the records in b and discards the answers, so that the caller
// can measure the speed. Only one goroutine may call it at a time.
func (r *Run) Speed(b []byte) {
	if r.trial == nil {
		trial := &Run{spec: r.spec, options: r.options, variant: r.variant, quotes: r.quotes, query: r.query,
			scales: r.scales, firsts: make([]*failure.Problem, len(r.query.Numbers)), seed: r.seed, out: r.out}
		trial.begun()
		trial.spec.Malformed = options.MalformedKeep
		trial.options.MemBytes, trial.options.Rejects = 0, nil // every table gets its minimum
		trial.pass = &pass{file: r.pass.file, layout: r.pass.layout, stop: new(atomic.Bool),
			lost: func(failure.UnreadError) {}}
		w, err := newWorker(trial)
		if err != nil {
			return // the real workers will report the error
		}
		for _, o := range w.operators {
			if s, ok := o.(*sorter); ok {
				s.Discard = true // only its speed is of interest
			}
		}
		trial.all = []*worker{w}
		r.trial = trial
	}
	w, p := r.trial.all[0], r.trial.pass
	w.block.off = -1
	p.span = source.Range{End: int64(len(b))}
	p.partials = scan.NewOrder[partial]()
	if r.query.Dialect.Fields().Quoted {
		p.states = scan.NewHandoff(int64(0), fields.AtField)
	}
	w.Search(engine.Block{Data: b, Len: len(b)}, func(answer.Hit) bool { return false })
}
