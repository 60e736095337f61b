package query

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/table/agg"
	"github.com/thresh-dev/thresh/internal/table/batch"
	"github.com/thresh-dev/thresh/internal/table/expr"
	"github.com/thresh-dev/thresh/internal/table/key"
)

// Computed is an expression over aggregates and keys: max(a) - min(a). The groups hold the aggregates it needs, and it
// is evaluated for each row of the answer, from the cells as they are printed.
type Computed struct {
	answer *GroupPlan
	Expr   *expr.Expr  // its columns are the keys, then needs
	needs  []Aggregate // that it is computed from
	At     []int       // where they are in answer.aggregates

	Inexact atomic.Int64 // one of at that was not exact
}

// parseItem parses the aggregate, or the expression over aggregates, that begins at list[at], perhaps with a name for
// it, and returns where it ends.
func (a *GroupPlan) parseItem(q *Query, list string, at int) (g Aggregate, end int, err error) {
	at += spacesAt(list, at)
	if isCall := a.beginsCall(list, at); isCall {
		g.Call, end, err = q.parseCall(list, at)
		if err != nil {
			return g, at, err
		}
	}
	if g.Function == nil || !endsItem(list, end) {
		if g, end, err = a.parseComputed(q, list, at); err != nil {
			return g, at, err
		}
	}
	alias, end, err := key.ParseAlias(list, end)
	if alias != "" {
		g.Text = alias
	}
	return g, end + spacesAt(list, end), err
}

// beginsCall reports whether an aggregate, rightly written or not, begins at list[at], and no other expression.
func (a *GroupPlan) beginsCall(list string, at int) bool {
	end := at
	for end < len(list) && strings.IndexByte(nameEnds, list[end]) < 0 {
		end++
	}
	name := list[at:end]
	open := end + spacesAt(list, end)
	called := open < len(list) && list[open] == '('
	switch {
	case agg.IsFunction(name):
		return true
	case !expr.IsWord(name), called && expr.IsFunction(name), strings.EqualFold(name, "case"):
		return false
	}
	return called || endsItem(list, end) && a.named(name) < 0
}

// endsItem reports whether an item of a list may end at an offset.
func endsItem(list string, at int) bool {
	rest := strings.TrimLeft(list[at:], " \t\r\n")
	_, end, _ := key.ParseAlias(list, at)
	return rest == "" || rest[0] == ',' || end > at
}

// parseComputed parses the expression over aggregates that begins at list[at], and returns where it ends.
func (a *GroupPlan) parseComputed(q *Query, list string, at int) (g Aggregate, end int, err error) {
	c := &Computed{answer: a}
	need := func(n Aggregate) int {
		i := slices.IndexFunc(c.needs, func(o Aggregate) bool { return o.same(&n) })
		if i < 0 {
			i = len(c.needs)
			c.needs = append(c.needs, n)
		}
		return len(a.Keys) + i
	}
	scope := expr.Scope{QuotedNames: true,
		Resolve: func(name string, quoted bool) (int, error) {
			if i := a.keyOrNamed(q, name, quoted); i >= len(a.Keys) {
				return need(a.Aggregates[i-len(a.Keys)]), nil
			} else if i >= 0 {
				return i, nil
			}
			if !quoted && strings.EqualFold(name, "count") {
				return need(Aggregate{Call: agg.CountOfRecords()}), nil
			}
			return 0, bare(q, name, quoted)
		},
		Call: func(text string, at int) (column, end int, ok bool, err error) {
			name, _, _ := strings.Cut(text[at:], "(")
			if !agg.IsFunction(strings.TrimSpace(name)) {
				return 0, at, false, nil
			}
			n, end, err := q.parseCall(text, at)
			if err != nil {
				return 0, at, false, err
			}
			return need(Aggregate{Call: n}), end, true, nil
		},
	}
	if c.Expr, end, err = expr.Parse(list, at, scope); err != nil {
		return g, at, err
	}
	return Aggregate{Call: agg.Call{Text: c.Expr.String()}, Computed: c}, end, nil
}

// bare is the error for the name of a column that is not a key.
func bare(q *Query, name string, quoted bool) error {
	if _, err := q.resolve()(name, quoted); err != nil {
		return err
	}
	return fmt.Errorf("%s is not the same in all records of a group: write max(%[1]s), or make it a key", name)
}

// include has the groups hold what an aggregate is computed from.
func (a *GroupPlan) include(g *Aggregate) {
	if g.Computed == nil || g.Computed.At != nil {
		return
	}
	g.Computed.At = []int{}
	for _, n := range g.Computed.needs {
		i := a.add(n)
		g.Computed.At = append(g.Computed.At, i)
	}
}

// typed returns the type of the values.
func (c *Computed) typed(k []batch.Known) expr.Type {
	return c.Expr.Type(func(column int) expr.Type {
		i := column - len(c.answer.Keys)
		if i < 0 {
			return expr.Type{}
		}
		g := &c.answer.Aggregates[c.At[i]]
		switch h := g.heading(k); {
		case h.Type == answer.ColumnFloat:
			return expr.Type{Kind: expr.Float}
		case h.Type != answer.ColumnText:
			return expr.Type{Kind: expr.Exact, Scale: h.Scale}
		case g.times(k):
			return expr.Type{Kind: expr.Timestamp}
		}
		return expr.Type{}
	})
}

// Heading returns the type of the values.
func (c *Computed) Heading(k []batch.Known) answer.Column {
	switch t := c.typed(k); t.Kind {
	case expr.Exact:
		return answer.Column{Type: answer.ColumnDecimal, Scale: t.Scale}
	case expr.Float:
		return answer.Column{Type: answer.ColumnFloat}
	case expr.Boolean:
		return answer.Column{JSON: true}
	}
	return answer.Column{}
}

// Times reports whether the values are times.
func (c *Computed) Times(k []batch.Known) bool {
	t := c.typed(k).Kind
	return t == expr.Date || t == expr.Timestamp
}

// Remark is that of an aggregate that was not exact.
func (c *Computed) Remark(groups int64) string {
	return c.answer.Aggregates[c.Inexact.Load()].Remark(groups)
}
