package table

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/kernel/fields"
	"github.com/thresh-dev/thresh/internal/scan"
	"github.com/thresh-dev/thresh/internal/table/agg"
	"github.com/thresh-dev/thresh/internal/table/batch"
)

// A table can be read in parts, in several processes. A run that has read a part exports it as a Part; another
// run adds the parts of all inputs and answers. Both compile the questions from the first record of the same
// input: see Prime. What a part holds does not depend on how it was read, so the answers are those of one run.

// Part is what was read of a table: the counters, and the groups of every answer.
type Part struct {
	Stretches []Stretch
	Seen      int64
	Records   int64
	Empty     int64
	Malformed int64
	Missing   []answer.Missing

	MalformedLines, MalformedBytes int64

	Columns []batch.Seen // of the columns that are parsed as numbers
	Answers []agg.Part   // of the questions about groups

	Compared []ComparedColumn // with numbers, by the filter
}

// Stretch is a range of an input.
type Stretch struct {
	Input    int // number of the input, in the order of the table
	Name     string
	Off, End int64
	Lines    int64
	Marks    []Mark
}

// Mark is a problem in a stretch, see mark.
type Mark struct {
	Line, Off int64
	Column    int
	Reason    string
	Name      string
	Question  int
	Count     int64
}

// ComparedColumn says what is known of a column that the filter compares with numbers.
type ComparedColumn struct {
	Bad     int64
	Numbers bool
}

// Prime compiles the questions from the beginning of the table's first input that has records. Ended is true
// if head is all of it. It returns false if there is no record in the head.
func (r *Run) Prime(name string, head []byte, ended bool) (ok bool, err error) {
	first, ok, err := r.spec.Dialect.ReadFirst(head, ended)
	if err != nil || !ok || first.Fields == 0 {
		return false, err
	}
	return true, r.begin(&source.File{Name: name}, first, head)
}

// Restrict limits the current input, whose number is given, to a part, of which the reader is in the given
// state: AtField at the beginning of the input. It follows Input.
func (r *Run) Restrict(input int, part source.Range, state fields.State) {
	p := r.pass
	if p != nil {
		p.number = int64(input)
	}
	if p == nil || part.Off <= p.span.Off {
		return
	}
	r.headers, r.emptyBefore, r.Report.Missing = 0, 0, nil // they belong to the first part
	if p.states != nil {
		p.states = scan.NewHandoff(part.Off, state)
	}
}

// Export returns what was read of an input, whose number is given. All workers must have ended. Afterwards the
// run can only be closed. A malformed record is no error here: Total reports the first of the table.
func (r *Run) Export(ctx context.Context, input int, part Stretch) (*Part, error) {
	if r.err != nil {
		return nil, r.err
	}
	part.Input = input
	if r.pass != nil {
		whole := r.pass.whole()
		part.Lines = whole.lines
		for _, m := range whole.marks {
			part.Marks = append(part.Marks, Mark{m.line, m.off, m.column, m.reason, m.name, m.question, m.count})
		}
	}
	return r.export(ctx, []Stretch{part})
}

func (r *Run) export(ctx context.Context, stretches []Stretch) (*Part, error) {
	p := &Part{Stretches: stretches}
	if r.query == nil { // no record at all
		return p, nil
	}
	r.count()
	c := &r.Report
	p.Seen, p.Records, p.Empty, p.Malformed = c.Seen, c.Records, c.Empty, c.Malformed
	p.MalformedLines, p.MalformedBytes, p.Missing = c.MalformedLines, c.MalformedBytes, c.Missing
	for i := range r.query.Numbers {
		p.Columns = append(p.Columns, r.seenOf(i))
	}
	for k := range r.compared() {
		var column ComparedColumn
		for _, w := range r.all {
			seen := w.comparisons[k]
			column.Bad += seen.Bad
			column.Numbers = column.Numbers || seen.Numbers
		}
		p.Compared = append(p.Compared, column)
	}
	for _, a := range r.query.Groups {
		answer, err := agg.Export(ctx, r.groupsOf(a))
		if err != nil {
			return nil, err
		}
		p.Answers = append(p.Answers, answer)
	}
	return p, nil
}

// Add adds a part to a run that reads no input itself.
func (r *Run) Add(p *Part) error {
	if r.query == nil {
		if p.Records > 0 || len(p.Answers) > 0 {
			return fmt.Errorf("a part with records is added to a table without")
		}
		r.emptyBefore += p.Empty
		r.headers += p.Seen
		return nil
	}
	if len(r.all) == 0 {
		w, err := newWorker(r)
		if err != nil {
			return err
		}
		r.all = append(r.all, w)
	}
	w := r.all[0]
	w.bytes += p.Seen
	w.fitting += p.Records
	w.empty += p.Empty
	w.totals.malformed += p.Malformed
	w.malformedLines += p.MalformedLines
	w.malformedBytes += p.MalformedBytes
	for _, m := range p.Missing {
		r.noteMissing(m.Column, m.Name, m.Inputs)
	}
	for k, c := range p.Compared {
		seen := w.comparisons[k]
		seen.Bad += c.Bad
		seen.Numbers = seen.Numbers || c.Numbers
	}
	if len(p.Columns) == 0 && len(p.Answers) == 0 {
		return nil
	}
	if len(p.Columns) != len(r.query.Numbers) || len(p.Answers) != len(r.query.Groups) {
		return fmt.Errorf("a part with %d answers is added to a table with %d", len(p.Answers), len(r.query.Groups))
	}
	for i, c := range p.Columns {
		w.Seen[i].Merge(c)
	}
	for i := range p.Answers {
		if err := r.groupsOf(r.query.Groups[i])[0].AddPart(&p.Answers[i]); err != nil {
			return fmt.Errorf("add a part of a table: %w", err)
		}
	}
	return nil
}

// Merge returns several parts as one.
func (r *Run) Merge(ctx context.Context, parts []*Part) (*Part, error) {
	var stretches []Stretch
	for _, p := range parts {
		stretches = append(stretches, p.Stretches...)
		if err := r.Add(p); err != nil {
			return nil, err
		}
	}
	return r.export(ctx, stretches)
}

// Total composes the stretches of all parts that were added, and reports the problems as Done does.
func (r *Run) Total(stretches []Stretch) error {
	slices.SortFunc(stretches, func(a, b Stretch) int {
		return cmp.Or(cmp.Compare(a.Input, b.Input), cmp.Compare(a.Off, b.Off), cmp.Compare(a.End, b.End))
	})
	r.count()
	for from := 0; from < len(stretches); {
		var whole partial
		to := from
		for ; to < len(stretches) && stretches[to].Input == stretches[from].Input; to++ {
			s := stretches[to]
			if to > from && stretches[to-1].End != s.Off {
				return fmt.Errorf("%s: the parts end at %d and go on at %d", s.Name, stretches[to-1].End, s.Off)
			}
			next := partial{lines: s.Lines}
			for _, m := range s.Marks {
				next.marks = append(next.marks, mark{m.Line, m.Off, m.Column, m.Reason, m.Name, m.Question, m.Count})
			}
			whole = whole.Then(next)
		}
		if r.query != nil {
			if err := r.report(stretches[from].Name, whole); err != nil {
				return err
			}
		}
		from = to
	}
	return nil
}
