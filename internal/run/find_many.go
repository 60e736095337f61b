package run

import (
	"context"
	"errors"
	"iter"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/search/count"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// taskHitsMax is how many hits of an input a worker keeps before it waits for the input's turn.
var taskHitsMax = threshold.New("many: hits held back", 4096, 1)

// FindAll searches many files: small ones by one worker each, big ones by all workers together.
// The answers come in the order of the names. A range that reaches beyond the end of a file is
// searched as far as the file goes.
//
// The report is the total; it is complete if all files could be opened and searched.
func FindAll(ctx context.Context, names iter.Seq2[string, error], q *Query, o Options, v Callbacks) (Report, error) {
	if q.selector == nil {
		return Report{}, failure.ErrOnlyCounted
	}
	if e := executorOf(ctx); e != nil {
		return e.Find(ctx, names, q, o, v)
	}
	m := &manyPlaces{many: many{options: o, callbacks: v}, query: q}
	report, err := m.all(ctx, names)
	report.Hits = m.hits
	return report, err
}

// CountAll counts in many files, as FindAll searches them. Callbacks.Hits is not called. The
// report is the total; it is complete if all files could be opened and counted.
func CountAll(ctx context.Context, names iter.Seq2[string, error], q *Query, o Options, v Callbacks) (Report, error) {
	o.Limit = min(o.Limit, 0) // a negative one is an error
	if e := executorOf(ctx); e != nil {
		return e.Count(ctx, names, q, o, v)
	}
	m := &manyPlaces{many: many{options: o, callbacks: v}, query: q, count: true}
	report, err := m.all(ctx, names)
	err = errors.Join(err, q.counter.Total(&m.sum))
	report.show(&m.sum)
	return report, err
}

// manyPlaces asks where, or how often, of many inputs. Its figures are for the worker that has the turn.
type manyPlaces struct {
	many
	query      *Query
	count      bool // how often, not where
	hits       int64
	sum        count.Result
	incomplete bool
}

// all searches all inputs and returns the report, without the answer.
func (m *manyPlaces) all(ctx context.Context, names iter.Seq2[string, error]) (Report, error) {
	m.begin = func() func(*batch) answers { return func(b *batch) answers { return &batchPlaces{m, b} } }
	receipt, err := m.run(ctx, names, m.query.Kernel())
	return Report{Report: answer.Report{Bytes: receipt.Bytes, Skipped: receipt.Skipped, Receipt: receipt,
		Complete: err == nil && !m.incomplete}}, err
}

// batchPlaces are the places in the inputs of a batch.
type batchPlaces struct {
	*manyPlaces
	batch *batch
}

func (p *batchPlaces) small(t *task, w *whole) error {
	n := int64(len(w.data))
	t.report.Bytes, t.report.Complete, t.report.Trailing = n, true, p.query.traits().Trailing(n)
	if p.count {
		t.err = w.countInto(&t.report, p.query)
		return nil
	}
	var failed error
	most := taskHitsMax.Get()
	t.report.Hits = w.search(p.query, lost(&t.report), func(h answer.Hit) bool {
		if t.hits = append(t.hits, h); len(t.hits) >= most {
			failed = p.passHits(t)
		}
		return failed == nil
	})
	return failed
}

func (p *batchPlaces) input(t *task, in *Input, o Options) error {
	if p.count {
		t.report, t.err = Count(p.ctx, in, p.query, o)
		return nil
	}
	var failed error // which ends the run
	most := taskHitsMax.Get()
	t.report, t.err = Find(p.ctx, in, p.query, o, func(hits []answer.Hit) error {
		if p.batch.held && len(t.hits) == 0 && p.batch.passed == p.batch.searched {
			failed = p.callbacks.Hits(t.name, hits)
		} else if t.hits = append(t.hits, hits...); len(t.hits) >= most {
			failed = p.passHits(t)
		}
		return failed
	})
	return failed
}

// passHits passes the hits of an input on before it is finished, because there are very many.
func (p *batchPlaces) passHits(t *task) error {
	if err := p.batch.catchUp(); err != nil {
		return err
	}
	err := p.callbacks.Hits(t.name, t.hits)
	t.hits = t.hits[:0]
	return err
}

func (p *batchPlaces) pass(t *task) error {
	if len(t.hits) > 0 {
		if err := p.callbacks.Hits(t.name, t.hits); err != nil {
			return err
		}
		t.hits = nil
	}
	if !p.account(t, t.report.Bytes, &t.report.Receipt) {
		return nil
	}
	p.incomplete = p.incomplete || t.err != nil || !t.report.Complete
	p.hits += t.report.Hits
	if p.count && t.report.result != nil {
		if err := p.sum.Add(t.report.result); err != nil {
			return err
		}
	}
	return p.callbacks.Done(t.name, t.report, t.err)
}
