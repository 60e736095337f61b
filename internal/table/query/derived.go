package query

import (
	"fmt"
	"slices"
	"strings"

	"github.com/thresh-dev/thresh/internal/table/agg"
	"github.com/thresh-dev/thresh/internal/table/expr"
	"github.com/thresh-dev/thresh/internal/table/key"
)

// Derivations are the columns that are not in the file: the values of expressions. They follow the
// columns of the file. The values of a batch are texts, which are computed before anything uses
// them; so whatever works with columns works with expressions.
type Derivations struct {
	First    int          // the column of the first one
	All      []Derivation // the columns from first on
	Early    int          // all[:early] are those of the filter of records that are joined
	Filtered int          // all[:filtered] are those of the filter
}

// pathsMax is more paths than questions can name.
const pathsMax = 1 << 20

// Derivation is one of them.
type Derivation struct {
	*expr.Expr               // nil if key or joined is set
	Key        *key.Key      // what a regular expression finds; nil for an expression
	Joined     *JoinedColumn // a column of a table in memory; nil for an expression
	Text       string        // tells derivations of the same columns apart
	asText     bool          // its values are needed as texts, not only as numbers

	// The questions whose condition uses it, and those that use it for the records that meet theirs.
	Before, After []int
}

// Has reports whether a column is the values of an expression.
func (d *Derivations) Has(column int) bool {
	return column >= d.First && column < d.First+len(d.All)
}

// derive returns the column for the values of an expression.
func (q *Query) derive(e *expr.Expr) (column int) {
	text := e.Named(q.written)
	i := slices.IndexFunc(q.Derived.All, func(d Derivation) bool {
		return d.Text == text && slices.Equal(d.From(), e.Columns())
	})
	if i < 0 {
		i = len(q.Derived.All)
		q.Derived.All = append(q.Derived.All, Derivation{Expr: e, Text: text})
		q.Want(e.Columns()...)
	}
	q.touched = append(q.touched, i)
	return q.Derived.First + i
}

// usedBy notes that a question uses what was derived last, or what its scope derives.
func (q *Query) usedBy(question, scope int) {
	if scope != PassFilter {
		for _, i := range q.Scopes[scope].derived {
			q.Derived.All[i].Before = append(q.Derived.All[i].Before, question)
		}
	}
	for _, i := range q.touched {
		q.Derived.All[i].After = append(q.Derived.All[i].After, question)
	}
	q.touched = nil
}

// watch has expressions report values that are not what they ask for, as SQL does. An aggregate reports itself what is
// no number of its argument.
func (q *Query) watch() {
	for i := range q.Derived.All {
		if d := &q.Derived.All[i]; q.SQL && d.Expr != nil {
			d.Watched = !q.NumbersOnly(i) || !d.IsArithmetic()
		}
	}
}

// extract returns the column for what a regular expression finds in a column; group 0 is the whole match.
func (q *Query) extract(column int, pattern string, group int) (extracted int, err error) {
	text := fmt.Sprintf("regexp_extract(%s, %s, %d)", q.Name(column), expr.AppendQuoted(nil, pattern, "'"), group)
	i := slices.IndexFunc(q.Derived.All, func(d Derivation) bool {
		return d.Text == text && slices.Equal(d.From(), []int{column})
	})
	if i < 0 {
		k, err := key.Extract(column, pattern, group)
		if err != nil {
			return 0, err
		}
		i = len(q.Derived.All)
		q.Derived.All = append(q.Derived.All, Derivation{Key: k, Text: text})
		q.Want(column)
	}
	return q.Derived.First + i, nil
}

// IsJoined reports whether a column is one of a table in memory.
func (q *Query) IsJoined(column int) bool {
	return q.Derived.Has(column) && q.Derived.All[column-q.Derived.First].Joined != nil
}

// From returns the columns that a derived one is computed from.
func (d *Derivation) From() []int {
	switch {
	case d.Key != nil:
		return []int{d.Key.Column}
	case d.Joined != nil:
		return nil
	}
	return d.Columns()
}

// scope returns what names mean in expressions.
func (q *Query) scope() expr.Scope {
	return expr.Scope{Resolve: q.resolve(), Derive: q.derive, Extract: q.extract, Call: noAggregate,
		QuotedNames: q.SQL, SQL: q.SQL, AnyName: q.First.Paths != nil}
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
func (q *Query) written(column int) string {
	if q.Derived.Has(column) {
		return q.Sources[q.sourceOf(column)].Name + "." + q.Name(column)
	}
	return q.First.Name(column)
}

// Name returns the name of a column in answers.
func (q *Query) Name(column int) string {
	if q.Derived.Has(column) {
		return q.Derived.All[column-q.Derived.First].Text
	}
	return q.First.Name(column)
}

// InFile returns the wanted columns that are in the file.
func (q *Query) InFile() []int {
	n, _ := slices.BinarySearch(q.Wanted, q.Derived.First)
	return q.Wanted[:n]
}

// NumbersOnly reports whether nothing needs the texts of a derived column.
func (q *Query) NumbersOnly(i int) bool { return !q.Derived.All[i].asText }
