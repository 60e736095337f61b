package cluster

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/thresh-dev/thresh/internal/run"
)

// Options say how a job is run. The zero value is right for the embedded runner.
type Options struct {
	S3Endpoint string // of an S3-compatible store, as in package remote; "" for what the environments say
	CellBytes  int64
	RangeBytes int64
	Listen     string // where workers reach the driver: an address of this machine; "" for loopback
	Advertise  string // the same as the workers see it; "" for Listen
	Progress   func(done, all int64)
}

// Job answers questions with a runner.
type Job struct {
	Runner  *Runner
	Options Options
	sources *sources
}

// NewJob returns a job, which is closed after the last question.
func NewJob(r *Runner, o Options) (*Job, error) {
	sources, err := newSources(o.S3Endpoint, os.Getenv(trialVariable))
	return &Job{r, o, sources}, err
}

// Close closes connections that are not in use.
func (j *Job) Close() { j.sources.close() }

// Asked is a question about some inputs.
type Asked struct {
	Question *Question
	Inputs   []Input
}

// AskAll answers several questions with one job, because a cluster may take half a minute to start one. If quoted
// tables are among them, a job before it finds out where quotes are open. The caller closes the answers.
func (j *Job) AskAll(ctx context.Context, asked []Asked) (answers []*Answer, err error) {
	if len(asked) == 0 {
		return nil, nil
	}
	beam.Init()
	o := j.Options.withDefaults()
	plans := make([]*Plan, len(asked))
	for i, a := range asked {
		if plans[i], err = newPlan(ctx, j.sources, a, o); err != nil {
			return nil, err
		}
		plans[i].S3Endpoint, plans[i].Trial = o.S3Endpoint, os.Getenv(trialVariable)
	}
	began := time.Now()
	before, err := j.summaries(ctx, plans, o)
	if err != nil {
		return nil, err
	}
	results, boxes, err := j.run(ctx, plans, o)
	if err != nil {
		return nil, err
	}
	took := time.Since(began)
	for i, p := range plans {
		answers = append(answers, &Answer{Receipt: boxes[i].receipt(p, took, before[i]), plan: p, result: results[i],
			box: boxes[i]})
	}
	return answers, nil
}

func (o Options) withDefaults() Options {
	if o.Listen == "" {
		o.Listen = "127.0.0.1:0"
	}
	if o.CellBytes <= 0 {
		o.CellBytes = cellBytesDefault
	}
	if o.RangeBytes <= 0 {
		o.RangeBytes = rangeBytesDefault
	}
	return o
}

// newPlan divides the inputs.
func newPlan(ctx context.Context, s *sources, a Asked, o Options) (p *Plan, err error) {
	q := a.Question
	p = &Plan{Question: *q, Inputs: a.Inputs, CellBytes: q.cellBytesFor(o.CellBytes)}
	if err := p.check(); err != nil {
		return nil, err
	}
	if q.Verb == Table {
		p.Head, err = readHead(ctx, s, q, a.Inputs)
	}
	return p, err
}

// readHead reads the beginning of the first input that has records.
func readHead(ctx context.Context, s *sources, q *Question, inputs []Input) (head run.TableHead, err error) {
	for _, i := range inputs {
		in, err := s.reopen(ctx, i)
		if err != nil {
			return head, err
		}
		head, ok, err := run.ReadTableHead(ctx, in, q.Spec.query(), run.Options{})
		if err = errors.Join(err, in.Close()); err != nil || ok {
			return head, err
		}
	}
	return run.TableHead{}, nil
}

// summaries finds out in which state every cell of the quoted tables begins, by a job of its own. It returns the
// receipts of that job, by plan.
func (j *Job) summaries(ctx context.Context, plans []*Plan, o Options) (receipts [][]Receipt, err error) {
	receipts = make([][]Receipt, len(plans))
	var firsts []*Plan
	var of []int // the plans that they are for
	for i, p := range plans {
		if p.Question.Verb == Table && p.Question.Spec.Dialect.Quote != 0 &&
			len(p.ranges(p.CellBytes)) > len(p.Inputs) {
			first := *p
			first.Question = Question{Verb: Count, Asked: run.Rows(p.Question.Spec.Dialect.Delim).Asked, Summaries: true}
			firsts, of = append(firsts, &first), append(of, i)
		}
	}
	if len(firsts) == 0 {
		return receipts, nil
	}
	began := time.Now()
	o.Progress = nil
	results, boxes, err := j.run(ctx, firsts, o)
	if err != nil {
		return nil, err
	}
	took := time.Since(began)
	for n, i := range of {
		receipts[i] = []Receipt{boxes[n].receipt(firsts[n], took, nil)}
		if err = plans[i].setStates(results[n]); err != nil {
			break
		}
	}
	return receipts, errors.Join(err, closeAll(boxes))
}

// run runs a job for some plans, and returns the result of all cells of each. The mailboxes hold what was handed
// in.
func (j *Job) run(ctx context.Context, plans []*Plan, o Options) (results []*Partial, boxes []*mailbox, err error) {
	var all int64
	for _, p := range plans {
		all += p.bytes()
	}
	var progress func(int64)
	if o.Progress != nil {
		done := int64(0)
		progress = func(n int64) { // one call at a time: see onDone
			done += n
			o.Progress(done, all)
		}
	}
	c, err := listen(o.Listen, o.Advertise, os.TempDir(), len(plans), progress)
	if err != nil {
		return nil, nil, err
	}
	for i, p := range plans {
		p.Driver = c.urlOf(i)
	}
	pipe, err := pipeline(plans, o.RangeBytes)
	if err == nil {
		err = j.Runner.run(ctx, "thresh-cluster-"+rand.Text(), pipe)
	}
	err = errors.Join(explain(ctx, err, c.boxes), c.Close())
	for i, p := range plans {
		if err == nil {
			var result *Partial
			result, err = c.boxes[i].result(p)
			results = append(results, result)
		}
	}
	if err != nil {
		return nil, nil, errors.Join(err, closeAll(c.boxes))
	}
	return results, c.boxes, nil
}

// EngineError is the error of a job, in a sentence.
type EngineError struct {
	Reason string // what a worker has said last, or else the first line of what the engine says
	Dump   string // all that the engine says
}

func (e *EngineError) Error() string { return e.Reason }

// explain returns the error of a job, unless it was cancelled.
func explain(ctx context.Context, err error, boxes []*mailbox) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	e := &EngineError{Dump: err.Error()}
	for _, m := range boxes {
		if e.Reason = m.failure(); e.Reason != "" {
			return e
		}
	}
	first, _, more := strings.Cut(e.Dump, "\n")
	e.Reason = "the job failed: " + first
	if more {
		e.Reason += " (--verbose prints all that the runner says)"
	}
	return e
}
