package query

import (
	"fmt"
	"strings"

	"github.com/thresh-dev/thresh/internal/spelling"
	"github.com/thresh-dev/thresh/internal/table/agg"
	"github.com/thresh-dev/thresh/internal/table/expr"
	"github.com/thresh-dev/thresh/internal/table/filter"
)

// Having is a filter of groups. Its columns are those of the answer: keys and aggregates, also
// aggregates that are not shown, and then expressions of them. It sees what is printed, so that a mean
// that is printed as 1.1 equals 1.1.
type Having struct {
	Filter  *filter.Filter
	Columns int // of the answer
	Derived []*expr.Expr
}

// newHaving parses a filter of groups. It adds the aggregates that are not in the answer.
func (a *GroupPlan) newHaving(q *Query, text string) (*Having, error) {
	h := &Having{}
	const most = 1 << 16 // expressions follow any number of columns
	scope := expr.Scope{QuotedNames: q.SQL, SQL: q.SQL,
		Resolve: func(name string, quoted bool) (int, error) {
			if i := a.keyOrNamed(q, name, quoted); i >= 0 {
				return i, nil
			}
			if !quoted && strings.EqualFold(name, "count") {
				return len(a.Keys) + a.add(Aggregate{Call: agg.CountOfRecords()}), nil
			}
			return 0, a.unknown(name)
		},
		Call: func(text string, at int) (column, end int, ok bool, err error) {
			name, _, _ := strings.Cut(text[at:], "(")
			if !agg.IsFunction(strings.TrimSpace(name)) {
				return 0, at, false, nil
			}
			g, end, err := q.parseCall(text, at)
			if err != nil {
				return 0, at, false, err
			}
			if i := a.named(text[at:end]); i >= 0 {
				return i, end, true, nil
			}
			return len(a.Keys) + a.add(Aggregate{Call: g}), end, true, nil
		},
		Derive: func(e *expr.Expr) int {
			h.Derived = append(h.Derived, e)
			return most + len(h.Derived) - 1
		},
	}
	var err error
	h.Filter, err = filter.Parse(text, scope)
	h.Columns = most
	return h, err
}

// unknown is the error for a name that is not a column of the answer.
func (a *GroupPlan) unknown(name string) error {
	var names []string
	for _, k := range a.Keys {
		names = append(names, k.Text)
	}
	for i := range a.Aggregates {
		names = append(names, a.Aggregates[i].Text)
	}
	if near := spelling.Nearest(name, names); near != "" {
		return fmt.Errorf("the answer has no column %q; did you mean %s?", name, near)
	}
	return fmt.Errorf("the answer has no column %q; it has %s. An aggregate is written like sum(amount)",
		name, strings.Join(names, ", "))
}
