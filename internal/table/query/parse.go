package query

import (
	"slices"
	"strings"

	"github.com/thresh-dev/thresh/internal/table/agg"
	"github.com/thresh-dev/thresh/internal/table/expr"
	"github.com/thresh-dev/thresh/internal/table/key"
)

// parseAggregates parses a list of aggregates and expressions over them: "count,sum(price * quantity) as total,
// max(amount) - min(amount)". Errors are of type *key.SyntaxError.
func (a *GroupPlan) parseAggregates(q *Query, list string) error {
	if strings.TrimSpace(list) == "" {
		a.Aggregates = []Aggregate{{Call: agg.CountOfRecords()}}
		return nil
	}
	for at := 0; ; at++ {
		g, end, err := a.parseItem(q, list, at)
		if err != nil {
			return err
		}
		a.Aggregates = append(a.Aggregates, g)
		if end == len(list) {
			return nil
		}
		if at = end; list[at] != ',' {
			return wrong(list, at, "a comma is missing between aggregates")
		}
	}
}

func wrong(text string, at int, reason string) error {
	return &key.SyntaxError{Reason: reason, Text: text, At: at}
}

// nameEnds are the bytes that end the name of an aggregate.
const nameEnds = "(, \t\r\n+-*/%|:=<>"

// parseCall parses the aggregate that begins at list[at], and returns where it ends.
func (q *Query) parseCall(list string, at int) (a agg.Call, end int, err error) {
	end = at
	for end < len(list) && strings.IndexByte(nameEnds, list[end]) < 0 {
		end++
	}
	name := list[at:end]
	if a, err = agg.Named(name); err != nil {
		return a, at, wrong(list, at, err.Error())
	}
	open := end + spacesAt(list, end)
	switch {
	case open < len(list) && list[open] == '(':
		if end, err = q.parseArguments(&a, name, list, open); err != nil {
			return a, at, err
		}
	case !a.Function.Alone:
		return a, at, wrong(list, end, "which column? write "+a.Function.Usage(name))
	}
	end, err = q.parseCondition(&a, list, end)
	return a, end, err
}

// parseCondition parses "filter (where CONDITION)" if it comes next: the aggregate is then one of the values for which
// the condition is true. It returns where it ends.
func (q *Query) parseCondition(a *agg.Call, list string, at int) (end int, err error) {
	l := &expr.Lexer{Text: list, At: at}
	if l.Next() != nil || !l.Is(expr.Word, "filter") {
		return at, nil
	}
	scope := q.scope()
	scope.QuotedNames = true
	for _, want := range []string{"filter", "(", "where"} {
		if !strings.EqualFold(l.Token.Text, want) {
			return at, l.Wrong(l.Token.At, "write filter (where CONDITION)")
		}
		if err := l.Next(); err != nil {
			return at, err
		}
	}
	condition, err := l.Expr(scope)
	if err != nil {
		return at, err
	}
	if l.Token.Kind != expr.Closing {
		return at, l.Wrong(l.Token.At, "a closing parenthesis is missing before this")
	}
	if a.Columns == nil {
		a.Columns = []int{q.derive(expr.When(condition, expr.One()))}
	} else {
		a.Columns = slices.Clone(a.Columns)
		for i, c := range a.Columns {
			a.Columns[i] = q.derive(expr.When(condition, q.valueOf(c)))
		}
	}
	a.Text += " filter (where " + condition.Named(q.written) + ")"
	return l.At, nil
}

// valueOf returns the expression that is a column.
func (q *Query) valueOf(column int) *expr.Expr {
	if q.Derived.Has(column) && q.Derived.All[column-q.Derived.First].Expr != nil {
		return q.Derived.All[column-q.Derived.First].Expr
	}
	return expr.Column(column, q.Name(column), q.Derived.Has(column))
}

func spacesAt(text string, at int) int {
	return len(text[at:]) - len(strings.TrimLeft(text[at:], " \t\r\n"))
}

// deriveAt reads the expression that begins at text[at]. It returns the column that holds its values, and
// where it ends.
func (q *Query) deriveAt(text string, at int) (column, end int, err error) {
	scope := q.scope()
	scope.QuotedNames = true
	e, end, err := expr.Parse(text, at, scope)
	if err != nil {
		return 0, at, err
	}
	if len(e.Columns()) == 0 && !q.SQL {
		return 0, at, wrong(text, at, "an expression needs a column; in an expression, column 5 is written $5")
	}
	if o, ok := e.Operand(); ok && o.Slice == key.Whole() {
		return o.Column, end, nil
	}
	return q.derive(e), end, nil
}

// keyName returns the name of a key's column in answers.
func (q *Query) keyName(k *key.Key) string {
	if q.First.Fields == 0 && !q.Derived.Has(k.Column) { // the columns of an empty table are unknown
		return k.Name
	}
	return q.Name(k.Column)
}
