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
	text   string // tells expressions apart
	asText bool   // its values are needed as texts, not only as numbers
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
		q.derived.all = append(q.derived.all, derivation{Expr: e, text: text})
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

// derive computes the derived columns from, up to to, of the selected records, as texts. Those that are
// needed as numbers only are left to deriveNumbers.
func (w *worker) derive(from, to int, sel records.Selection) {
	for i := from; i < to; i++ {
		v := w.vectors[i]
		if w.query.numbersOnly(i) && v != nil {
			continue
		}
		rest := sel
		if v != nil {
			var done records.Selection
			done, rest = v.Compute(w.text, w.column, sel)
			out := w.column(w.query.derived.first + i)
			for _, record := range done {
				w.value = v.Append(w.value[:0], record)
				out[record] = w.add(w.value)
			}
		}
		w.deriveEach(i, rest)
	}
}

// deriveEach computes a derived column record by record.
func (w *worker) deriveEach(i int, sel records.Selection) {
	out, e := w.column(w.query.derived.first+i), w.query.derived.all[i]
	var record uint16
	field := func(column int) []byte { return w.column(column)[record].Of(w.text) }
	for _, record = range sel {
		w.value = e.Append(w.value[:0], field)
		out[record] = w.add(w.value)
	}
}

// parseNumbers makes the numbers of a number column. Those of an expression need no text if nothing else
// does, except for the few that do not fit.
func (w *worker) parseNumbers(number int, sel records.Selection) {
	n, column := w.numbers[number], w.query.numbers[number]
	if i := column - w.query.derived.first; w.query.derived.has(column) && w.query.numbersOnly(i) && w.vectors[i] != nil {
		_, sel = w.vectors[i].ComputeNumbers(n, w.text, w.column, sel)
		w.deriveEach(i, sel)
	}
	n.Parse(w.text, w.columns[w.slots[number]], sel)
}

// numbersOnly reports whether nothing needs the texts of a derived column.
func (q *query) numbersOnly(i int) bool { return !q.derived.all[i].asText }
