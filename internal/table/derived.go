package table

import (
	"slices"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/expr"
)

// derivations are the columns that are not in the file: the values of expressions. They follow the
// columns of the file. The values of a batch are texts, which are computed before anything uses
// them; so whatever works with columns works with expressions.
type derivations struct {
	first    int          // the column of the first one
	all      []derivation // the columns from first on
	filtered int          // all[:filtered] are those of the filter
}

// pathsMax is more paths than questions can name.
const pathsMax = 1 << 20

type derivation struct {
	*expr.Expr
	text string // tells expressions apart
}

// has reports whether a column is the values of an expression.
func (d *derivations) has(column int) bool {
	return column >= d.first && column < d.first+len(d.all)
}

// derive returns the column for the values of an expression.
func (q *query) derive(e *expr.Expr) (column int) {
	text := e.Named(q.first.name)
	i := slices.IndexFunc(q.derived.all, func(d derivation) bool { return d.text == text })
	if i < 0 {
		i = len(q.derived.all)
		q.derived.all = append(q.derived.all, derivation{e, text})
		q.want(e.Columns()...)
	}
	return q.derived.first + i
}

// scope returns what names mean in expressions.
func (q *query) scope() expr.Scope {
	return expr.Scope{Resolve: q.first.resolve(), Derive: q.derive}
}

// name returns the name of a column in answers.
func (q *query) name(column int) string {
	if q.derived.has(column) {
		return q.derived.all[column-q.derived.first].text
	}
	return q.first.name(column)
}

// inFile returns the wanted columns that are in the file.
func (q *query) inFile() []int {
	n, _ := slices.BinarySearch(q.wanted, q.derived.first)
	return q.wanted[:n]
}

// derive computes the derived columns from, up to to, of the selected records.
func (w *worker) derive(from, to int, sel records.Selection) {
	for i := from; i < to; i++ {
		out, e, rest := w.column(w.query.derived.first+i), w.query.derived.all[i], sel
		if v := w.vectors[i]; v != nil {
			var done records.Selection
			done, rest = v.Compute(w.text, w.column, sel)
			for _, record := range done {
				w.value = v.Append(w.value[:0], record)
				out[record] = w.add(w.value)
			}
		}
		var record uint16
		field := func(column int) []byte { return w.column(column)[record].Of(w.text) }
		for _, record = range rest {
			w.value = e.Append(w.value[:0], field)
			out[record] = w.add(w.value)
		}
	}
}
