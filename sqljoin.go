package thresh

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/output/bytesize"
	"github.com/thresh-dev/thresh/internal/run"
	"github.com/thresh-dev/thresh/internal/table"
	"github.com/thresh-dev/thresh/internal/table/hashjoin"
	"github.com/thresh-dev/thresh/internal/table/query"
	"github.com/thresh-dev/thresh/internal/table/sql"
)

// A statement that joins reads its largest source once, in the pass that answers it. What it needs of the others is
// read into memory before.

// joined is the sources of a statement, open.
type joined struct {
	all    []*sqlSource
	probe  *sqlSource // the one that the pass reads
	spec   query.Spec // of the pass
	bound  int64      // of all memory
	most   int64      // of it for tables
	memory int64      // that is left for the pass
	below  answer.TableReport
}

// sqlSource is a source of a statement, open.
type sqlSource struct {
	name  string // for people
	names []string
	first *run.Input
	spec  query.Spec // how it is written
	bytes int64
	close func() error
}

// packedTimes is about how much smaller a compressed table is.
const packedTimes = 5

// openSource opens a source. The rows of a statement in parentheses are answered first.
func (o *SQLOptions) openSource(ctx context.Context, from *sql.Source) (
	t *sqlSource, below answer.TableReport, err error) {
	t = &sqlSource{name: from.Name(), bytes: math.MaxInt64}
	below.Complete = true
	if from.Sub != nil {
		t.names = []string{""}
		if t.first, below, t.close, err = rowsOf(ctx, from.Sub, *o); err != nil || !below.Complete {
			return nil, below, err
		}
		t.spec = query.Spec{SQL: true, Dialect: query.Dialect(CSV()), Questions: []query.Question{{Kind: query.Rows}}}
		t.bytes, _ = t.first.Bytes()
		return t, below, nil
	}
	t.name = strings.Join(from.Files, ", ")
	if t.names, err = o.list(from.Files); err != nil {
		return nil, below, err
	}
	open, err := o.callbacks(ctx, t.names)
	if err != nil {
		return nil, below, err
	}
	if t.first, err = open.Open(t.names[0]); err != nil {
		return nil, below, err
	}
	t.close = t.first.Close
	t.spec, err = o.spec(ctx, &sql.Statement{From: *from}, new(sql.Query), t.names[0], t.first)
	if n, known := t.first.Bytes(); known {
		t.bytes = n * int64(len(t.names))
		if t.first.Compressed() {
			t.bytes *= packedTimes
		}
	}
	return t, below, err
}

// ask asks a question about the source.
func (t *sqlSource) ask(ctx context.Context, spec query.Spec, o run.Options, v run.Callbacks, out answer.Writer) (
	answer.TableReport, error) {
	if len(t.names) == 1 {
		return run.Table(ctx, t.first, spec, o, out)
	}
	return run.TableAll(ctx, each(t.names), spec, o, v, out)
}

// size returns the name of the source and its size, for people.
func (t *sqlSource) size() string {
	if t.bytes == math.MaxInt64 {
		return t.name
	}
	return fmt.Sprintf("%s (%s)", t.name, bytesize.Short(t.bytes))
}

func (j *joined) closeAll(err *error) {
	for _, t := range j.all {
		if t != nil && t.close != nil {
			*err = errors.Join(*err, t.close())
		}
	}
}

// join opens the sources of a statement, and reads into memory what is needed of all but the probe. If below is not
// complete, nothing else is.
func (o *SQLOptions) join(ctx context.Context, s *sql.Statement, q *sql.Query) (j *joined, err error) {
	j = &joined{below: answer.TableReport{Complete: true}}
	for _, from := range s.Sources() {
		t, below, err := o.openSource(ctx, from)
		j.all = append(j.all, t)
		if j.below = after(below, j.below); err != nil || !below.Complete {
			return j, err
		}
	}
	probe := 0
	for _, p := range query.Probes(q.Sources) {
		if j.all[p].bytes > j.all[probe].bytes {
			probe = p
		}
	}
	options := run.ForScan(o.Scan)
	if j.bound, err = options.Memory(); err != nil {
		return j, err
	}
	j.memory = j.bound
	j.probe = j.all[probe]
	j.spec = j.probe.spec
	j.spec.SQL, j.spec.Where, j.spec.Questions, j.spec.Probe = true, q.Where, []query.Question{q.Question}, probe
	j.spec.Sources = append(j.spec.Sources, q.Sources...)
	for i, t := range j.all {
		if i != probe {
			if j.spec.Sources[i].First, _, err = run.TableNeeds(ctx, t.first, t.spec, options); err != nil {
				return j, err
			}
		}
	}
	_, needs, err := run.TableNeeds(ctx, j.probe.first, j.spec, options)
	if err != nil {
		return j, placed(q, err)
	}
	most := max(j.bound/8, min(j.bound/2, j.bound-passLeast)) // for all tables in memory; the rest is for passes
	j.most = most
	for _, n := range needs {
		rows, err := j.load(ctx, o, n, most)
		if err != nil || !j.below.Complete {
			return j, err
		}
		most -= rows.Bytes()
		j.memory -= rows.Bytes()
		j.spec.Sources[n.Source].Rows = rows
	}
	return j, nil
}

// load reads what is needed of a source into memory. First it gives the rows about as much as they take at most, since
// the pass that reads them needs memory, too.
func (j *joined) load(ctx context.Context, o *SQLOptions, n query.Need, most int64) (*hashjoin.Table, error) {
	t, guess := j.all[n.Source], most
	if t.bytes < most/rowsTimes {
		guess = min(most, rowsLeast+rowsTimes*t.bytes)
	}
	rows, err := j.read(ctx, o, n, guess)
	if errors.Is(err, hashjoin.ErrFull) && guess < most {
		rows, err = j.read(ctx, o, n, most)
	}
	if errors.Is(err, hashjoin.ErrFull) {
		err = fmt.Errorf("join of %s with %s: the columns of %s that are needed do not fit into %s, "+
			"what Run.MemoryBytes %s has for them; raise it, or group one of the two first: "+
			"from (select key, sum(x) … group by 1)", j.probe.size(), t.size(), t.name, bytesize.Short(j.most),
			bytesize.Short(j.bound))
	}
	return rows, err
}

const (
	passLeast = 12 << 20 // that a pass over a table needs with one worker
	rowsTimes = 4        // about how many times as much memory rows take as their file
	rowsLeast = 2 << 20  // that rows take
)

// read reads what is needed of a source into so much memory.
func (j *joined) read(ctx context.Context, o *SQLOptions, n query.Need, most int64) (*hashjoin.Table, error) {
	t, load := j.all[n.Source], table.NewLoader(n, most)
	spec := t.spec
	spec.SQL, spec.Where, spec.Questions = true, n.Where, []query.Question{load.Select()}
	options := run.ForScan(o.Scan)
	options.MemoryBytes = j.memory - most
	r, err := t.ask(ctx, spec, options, o.Callbacks.run(), load)
	small := new(failure.MemoryError)
	if errors.As(err, &small) { // nothing was read yet
		options.Workers = 1
		r, err = t.ask(ctx, spec, options, o.Callbacks.run(), load)
	}
	if err == nil {
		j.below = after(r, j.below)
	}
	return load.Table, j.ofBound(err, options.MemoryBytes)
}

// ofBound returns an error about the memory that a pass has as one about all of the memory.
func (j *joined) ofBound(err error, given int64) error {
	if small := new(failure.MemoryError); errors.As(err, &small) {
		return &failure.MemoryError{Need: small.Need + j.bound - given, Bound: j.bound, Engine: small.Engine,
			Workers: small.Workers, Why: small.Why}
	}
	return err
}

// runJoin answers a statement that joins.
func runJoin(ctx context.Context, s *sql.Statement, q *sql.Query, o SQLOptions, out answer.Writer) (
	r answer.TableReport, err error) {
	j, err := o.join(ctx, s, q)
	defer j.closeAll(&err)
	if err != nil || !j.below.Complete {
		return j.below, err
	}
	options := run.ForScan(o.Scan)
	options.MemoryBytes = j.memory
	inner, err := j.probe.ask(ctx, j.spec, options, o.Callbacks.run(), output(out))
	return after(inner, j.below), placed(q, j.ofBound(err, j.memory))
}

// planJoin returns the plan of a statement that joins.
func (o *SQLOptions) planJoin(ctx context.Context, s *sql.Statement, q *sql.Query) (p Plan, err error) {
	j, err := o.join(ctx, s, q)
	defer j.closeAll(&err)
	if err != nil || !j.below.Complete {
		return p, err
	}
	options := run.ForScan(o.Scan)
	options.MemoryBytes = j.memory
	plan, err := run.ExplainTable(j.probe.first, j.spec, options)
	return Plan(plan), placed(q, err)
}
