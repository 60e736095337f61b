package thresh

import (
	"strings"
	"time"

	"github.com/thresh-dev/thresh/internal/run"
)

// Plan describes how a question would be answered.
type Plan struct {
	Lines     []string      // for people, the decision first
	Predicted time.Duration // 0 if nothing was measured from which it could be predicted
}

// String returns the lines as text.
func (p Plan) String() string { return strings.Join(p.Lines, "\n") + "\n" }

// Explain returns the plan for a call of Find with the same arguments. Nothing is read but the first
// bytes of the input; the trials that the plan speaks of are not made. A file of up to 64 KiB is read
// at once, without a plan, unless Options.Receipt is set.
func Explain(in *Input, q *Query, o Options) (Plan, error) { return explain(in, q, o, run.Explain) }

// ExplainCount returns the plan for a call of Count, as Explain does for Find.
func ExplainCount(in *Input, q *Query, o Options) (Plan, error) {
	return explain(in, q, o, run.ExplainCount)
}

func explain(in *Input, q *Query, o Options,
	f func(*run.Input, *run.Query, run.Options) (run.Plan, error)) (Plan, error) {
	i, query, err := use(in, q)
	if err != nil {
		return Plan{}, err
	}
	p, err := f(i, query, o.run())
	return Plan(p), public(err)
}

// ExplainMinify returns the plan for a call of Minify with the same arguments.
func ExplainMinify(in *Input, o MinifyOptions) (Plan, error) {
	i, err := in.use()
	if err != nil {
		return Plan{}, err
	}
	spec, options := o.run()
	p, err := run.ExplainMinify(i, spec, options)
	return Plan(p), public(err)
}

// ExplainTable returns the plan for a call of Table with the same arguments.
func ExplainTable(in *Input, spec TableSpec, o TableOptions) (Plan, error) {
	i, err := in.use()
	if err != nil {
		return Plan{}, err
	}
	s, err := spec.run()
	if err != nil {
		return Plan{}, err
	}
	p, err := run.ExplainTable(i, s, o.run())
	return Plan(p), public(err)
}
