package run

import (
	"context"
	"errors"
	"iter"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/table/query"
)

// TablePass is a pass over a table whose questions are answered one by one, each when its answer is wanted. Until it is
// closed it holds what it needs for that.
type TablePass struct {
	t    *tableRun
	err  error // of reading
	told bool  // the report of the pass was returned
}

// ReadTable reads an input, and ReadAll all named ones, for the questions of a specification.
func ReadTable(ctx context.Context, in *Input, spec query.Spec, o Options) (*TablePass, error) {
	spec.Apart = true
	return readTable(spec, o, func(t *tableRun) error { return in.readTable(ctx, t, spec) })
}

// ReadAll reads inputs as TableAll does.
func ReadAll(ctx context.Context, names iter.Seq2[string, error], spec query.Spec, o Options,
	v Callbacks) (*TablePass, error) {
	spec.Apart = true
	return readTable(spec, o, func(t *tableRun) error { return t.readTables(ctx, names, spec, v) })
}

func readTable(spec query.Spec, o Options, read func(*tableRun) error) (*TablePass, error) {
	t, err := newTableRun(spec, o)
	if err != nil {
		return nil, err
	}
	return &TablePass{t: t, err: read(t)}, nil
}

// Answer answers a question, which may be asked for once. The first report has what the pass read, and its receipt;
// those that follow have only what is about their questions.
func (p *TablePass) Answer(ctx context.Context, question int, out answer.Writer) (answer.TableReport, error) {
	t, err := p.t, p.err
	if err == nil && len(t.total.Unread) == 0 {
		err = t.run.CheckNumbers(question)
	}
	if err == nil || errors.Is(err, context.Canceled) {
		answered := t.afterwards()
		if failed := t.run.AnswerOne(context.WithoutCancel(ctx), question, out); !errors.Is(err, failed) {
			err = errors.Join(failed, err)
		}
		answered()
	}
	complete := err == nil && len(t.total.Unread) == 0
	if p.told {
		of := t.run.ReportOf(question).Public()
		return answer.TableReport{Records: of.Records, NonNumeric: of.NonNumeric, Compared: of.Compared,
			Complete: complete}, err
	}
	p.told = true
	r, reportErr := t.summary(t.run.ReportOf(question), err == nil)
	return r, errors.Join(err, reportErr)
}

// Close frees what the pass holds.
func (p *TablePass) Close() error { return p.t.run.Close() }
