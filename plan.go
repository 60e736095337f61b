package thresh

import (
	"strings"
	"time"

	"github.com/thresh-dev/thresh/internal/run"
	"github.com/thresh-dev/thresh/options"
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
// at once, without a plan, unless the option Receipt is set.
func Explain(in *Input, q *Query, o options.Find) (Plan, error) {
	return explain(in, q, run.ForFind(o), run.Explain)
}

// ExplainCount returns the plan for a call of Count, as Explain does for Find.
func ExplainCount(in *Input, q *Query, o options.Scan) (Plan, error) {
	return explain(in, q, run.ForScan(o), run.ExplainCount)
}

func explain(in *Input, q *Query, o run.Options,
	f func(*run.Input, *run.Query, run.Options) (run.Plan, error)) (Plan, error) {
	i, query, err := use(in, q)
	if err != nil {
		return Plan{}, err
	}
	p, err := f(i, query, o)
	return Plan(p), err
}

// ExplainMinify returns the plan for a call of Minify with the same arguments.
func ExplainMinify(in *Input, o options.Minify) (Plan, error) {
	i, err := in.use()
	if err != nil {
		return Plan{}, err
	}
	p, err := run.ExplainMinify(i, o, run.Options{Run: o.Run})
	return Plan(p), err
}

// ExplainTable returns the plan for a call of Table with the same arguments.
func ExplainTable(in *Input, spec TableSpec, o options.Scan) (Plan, error) {
	i, err := in.use()
	if err != nil {
		return Plan{}, err
	}
	s, err := spec.run()
	if err != nil {
		return Plan{}, err
	}
	p, err := run.ExplainTable(i, s, run.ForScan(o))
	return Plan(p), err
}
