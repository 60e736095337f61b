package run

import (
	"context"
	"errors"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/kernel/fields"
	"github.com/thresh-dev/thresh/internal/table"
	"github.com/thresh-dev/thresh/internal/table/query"
)

// TableHead is the beginning of the first input of a table that has records. All parts of the table are read
// with the columns that it has.
type TableHead struct {
	Name  string
	Bytes []byte
	Ended bool // Bytes is all of the input
}

// ReadTableHead reads the beginning of an input. Ok is false if it has no record.
func ReadTableHead(ctx context.Context, in *Input, spec query.Spec, o Options) (head TableHead, ok bool, err error) {
	t, err := newTableRun(spec, o)
	if err != nil {
		return head, false, err
	}
	span, err := o.span(in.file)
	if err == nil {
		err = in.head(ctx, span, query.FirstBytesMax, t.options.MemoryBytes, func(b []byte, ended bool) (bool, error) {
			if err := t.checkFormat(in, span, b); err != nil {
				return false, err
			}
			head = TableHead{in.Name(), append([]byte(nil), b...), ended}
			primed, err := t.run.Prime(head.Name, head.Bytes, ended)
			ok = primed
			return primed, err
		})
	}
	return head, ok, errors.Join(err, t.run.Close())
}

// primed returns a run with the columns of a head.
func (h TableHead) primed(spec query.Spec, o Options) (*tableRun, error) {
	t, err := newTableRun(spec, o)
	if err != nil {
		return nil, err
	}
	if len(h.Bytes) > 0 {
		if _, err := t.run.Prime(h.Name, h.Bytes, h.Ended); err != nil {
			return nil, errors.Join(err, t.run.Close())
		}
	}
	return t, nil
}

// TablePart reads the part of an input that o.Part says. Number is that of the input in the table, state what
// the text before the part leads to. Seen is how many bytes were scanned.
func (h TableHead) TablePart(ctx context.Context, in *Input, number int, state fields.State, spec query.Spec,
	o Options) (part *table.Part, report Report, err error) {
	t, err := h.primed(spec, o)
	if err != nil {
		return nil, report, err
	}
	t.raw = in.raw
	defer func() { err = errors.Join(err, t.run.Close()) }()
	ask, err := t.begin(ctx, in)
	if err != nil {
		return nil, report, err
	}
	span, err := t.options.span(in.file)
	if err != nil {
		return nil, report, err
	}
	here := t.options.part(span)
	if !t.run.NoRecords() {
		t.run.Restrict(number, here, state)
		job, err := newJob(in, ask, t.options)
		if err != nil {
			return nil, report, t.outOfMemory(err)
		}
		job.Emit = func([]answer.Hit) error { return nil }
		report, err = run(ctx, in, ask, job, t.options)
		if err = errors.Join(t.outOfMemory(err), report.unread()); err != nil {
			return nil, report, err
		}
	}
	if in.file.Kind == source.Stream {
		here = source.Range{Off: 0, End: report.Bytes}
	}
	part, err = t.run.Export(ctx, number, table.Stretch{Name: in.Name(), Off: here.Off, End: here.End})
	return part, report, err
}

// MergeTable returns several parts as one.
func (h TableHead) MergeTable(ctx context.Context, spec query.Spec, parts []*table.Part, o Options) (merged *table.Part,
	err error) {
	o.Workers = 1
	t, err := h.primed(spec, o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, t.run.Close()) }()
	return t.run.Merge(ctx, parts)
}

// AnswerTable writes the answers of all parts of a table.
func (h TableHead) AnswerTable(ctx context.Context, spec query.Spec, parts []*table.Part, o Options,
	out answer.Writer) (r answer.TableReport, err error) {
	o.Workers = 1
	t, err := h.primed(spec, o)
	if err != nil {
		return answer.TableReport{}, err
	}
	var stretches []table.Stretch
	for _, p := range parts {
		stretches = append(stretches, p.Stretches...)
		if err := t.run.Add(p); err != nil {
			return answer.TableReport{}, errors.Join(err, t.run.Close())
		}
	}
	if err = t.run.Total(stretches); err == nil {
		err = t.run.CheckNumbers(query.AllQuestions)
	}
	if err == nil {
		err = t.run.Answer(ctx, out)
	}
	r, closeErr := t.report(err == nil)
	return r, errors.Join(err, closeErr)
}
