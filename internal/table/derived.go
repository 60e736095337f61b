package table

import (
	"fmt"
	"slices"
	"strings"

	"github.com/thresh-dev/thresh/internal/table/agg"
	"github.com/thresh-dev/thresh/internal/table/expr"
	"github.com/thresh-dev/thresh/internal/table/key"
)

// derivations are the columns that are not in the file: the values of expressions. They follow the
// columns of the file. The values of a batch are texts, which are computed before anything uses
// them; so whatever works with columns works with expressions.
type derivations struct {
	first    int          // the column of the first one
	all      []derivation // the columns from first on
	early    int          // all[:early] are those of the filter of records that are joined
	filtered int          // all[:filtered] are those of the filter
}

// pathsMax is more paths than questions can name.
const pathsMax = 1 << 20

type derivation struct {
	*expr.Expr               // nil if key or joined is set
	key        *key.Key      // what a regular expression finds; nil for an expression
	joined     *joinedColumn // a column of a table in memory; nil for an expression
	text       string        // tells derivations of the same columns apart
	asText     bool          // its values are needed as texts, not only as numbers
}

// has reports whether a column is the values of an expression.
func (d *derivations) has(column int) bool {
	return column >= d.first && column < d.first+len(d.all)
}

// derive returns the column for the values of an expression.
func (q *query) derive(e *expr.Expr) (column int) {
	text := e.Named(q.written)
	i := slices.IndexFunc(q.derived.all, func(d derivation) bool {
		return d.text == text && slices.Equal(d.columns(), e.Columns())
	})
	if i < 0 {
		i = len(q.derived.all)
		q.derived.all = append(q.derived.all, derivation{Expr: e, text: text})
		q.Want(e.Columns()...)
	}
	return q.derived.first + i
}

// extract returns the column for what a regular expression finds in a column; group 0 is the whole match.
func (q *query) extract(column int, pattern string, group int) (extracted int, err error) {
	text := fmt.Sprintf("regexp_extract(%s, %s, %d)", q.name(column), expr.AppendQuoted(nil, pattern, "'"), group)
	i := slices.IndexFunc(q.derived.all, func(d derivation) bool {
		return d.text == text && slices.Equal(d.columns(), []int{column})
	})
	if i < 0 {
		k, err := key.Extract(column, pattern, group)
		if err != nil {
			return 0, err
		}
		i = len(q.derived.all)
		q.derived.all = append(q.derived.all, derivation{key: k, text: text})
		q.Want(column)
	}
	return q.derived.first + i, nil
}

// isJoined reports whether a column is one of a table in memory.
func (q *query) isJoined(column int) bool {
	return q.derived.has(column) && q.derived.all[column-q.derived.first].joined != nil
}

// columns returns the columns that a derived one is computed from.
func (d *derivation) columns() []int {
	switch {
	case d.key != nil:
		return []int{d.key.Column}
	case d.joined != nil:
		return nil
	}
	return d.Columns()
}

// scope returns what names mean in expressions.
func (q *query) scope() expr.Scope {
	return expr.Scope{Resolve: q.resolve(), Derive: q.derive, Extract: q.extract, Call: noAggregate,
		QuotedNames: q.SQL, SQL: q.SQL}
}

// noAggregate refuses aggregates where the values of records are meant.
func noAggregate(text string, at int) (column, end int, ok bool, err error) {
	name, _, _ := strings.Cut(text[at:], "(")
	name = strings.TrimSpace(name)
	if !expr.IsFunction(name) && agg.IsFunction(name) {
		err = wrong(text, at, name+" is an aggregate, and there are no groups here; Groups.Aggregates has aggregates, "+
			"and Groups.Having filters by them")
	}
	return 0, at, false, err
}

// written returns the name of a column in the text of an expression.
func (q *query) written(column int) string {
	if q.derived.has(column) {
		return q.Sources[q.sourceOf(column)].Name + "." + q.name(column)
	}
	return q.first.name(column)
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

// numbersOnly reports whether nothing needs the texts of a derived column.
func (q *query) numbersOnly(i int) bool { return !q.derived.all[i].asText }
