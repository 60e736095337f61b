package table

import (
	"cmp"
	"slices"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/filter"
	"github.com/thresh-dev/thresh/internal/table/query"
)

// scoped is the records of a worker's batch that are in a scope.
type scoped struct {
	where   *filter.Worker // nil for all
	sel     records.Selection
	own     records.Selection
	fitting int64 // records, of all batches
}

// comparison is an operand that a filter compares with numbers.
type comparison struct {
	*filter.Compared
	scope int // passFilter for that of the pass
}

// filtersOf returns workers of all filters of a query, that of the pass first, and what they compare.
func filtersOf(q *query.Query) (where *filter.Worker, scopes []scoped, all []comparison) {
	watch := func(f *filter.Filter, scope int) *filter.Worker {
		if f == nil {
			return nil
		}
		w := f.Worker()
		w.Mark = q.Dialect.Mark()
		for _, c := range w.Compared() {
			all = append(all, comparison{c, scope})
		}
		return w
	}
	where = watch(q.Filter, query.PassFilter)
	for i, s := range q.Scopes {
		scopes = append(scopes, scoped{where: watch(s.Filter, i), own: make(records.Selection, 0, records.Max)})
	}
	return where, scopes, all
}

// divide finds the records of each scope. It returns those that are in any.
func (w *worker) divide(sel records.Selection) records.Selection {
	all := false
	for i := range w.scopes {
		s := &w.scopes[i]
		if s.sel = sel; s.where != nil {
			s.sel = w.meet(s.where, i, append(s.own[:0], sel...))
		}
		all = all || s.where == nil
		s.fitting += int64(len(s.sel))
	}
	switch {
	case all:
		return sel
	case len(w.scopes) == 1:
		return w.scopes[0].sel
	}
	clear(w.inSome[:])
	for i := range w.scopes {
		for _, record := range w.scopes[i].sel {
			w.inSome[record] = true
		}
	}
	w.some = w.some[:0]
	for _, record := range sel {
		if w.inSome[record] {
			w.some = append(w.some, record)
		}
	}
	return w.some
}

// records returns how many records meet the filter of a scope.
func (r *Run) records(scope int) (n int64) {
	if scope == query.PassFilter || len(r.query.Scopes) == 1 && r.query.Scopes[scope].Filter == nil {
		return r.Report.Records
	}
	for _, w := range r.all {
		n += w.scopes[scope].fitting
	}
	return n
}

// ReportOf returns the report as one question has it: about its records, and the columns that it uses.
func (r *Run) ReportOf(question int) Report {
	rep := r.Report
	if r.query == nil {
		return rep
	}
	scope := r.query.ScopeOf[question]
	rep.Records = r.records(scope)
	rep.bad = slices.DeleteFunc(slices.Clone(rep.bad), func(b badNumbers) bool {
		seen := r.seenOf(b.number)
		return !seen.NeedsNumbers(r.query.UsesOf(b.number, question))
	})
	slices.SortFunc(rep.bad, func(a, b badNumbers) int { // as if the question had been alone
		return cmp.Compare(r.query.FirstAsked(a.number, question), r.query.FirstAsked(b.number, question))
	})
	rep.asked = slices.DeleteFunc(slices.Clone(rep.asked), func(a askedValues) bool { return a.question != question })
	rep.compared = slices.DeleteFunc(slices.Clone(rep.compared), func(b badNumbers) bool {
		of := r.compared()[b.number].scope
		return of != query.PassFilter && of != scope
	})
	return rep
}
