package table

import (
	"fmt"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/table/agg"
	"github.com/thresh-dev/thresh/internal/table/batch"
	"github.com/thresh-dev/thresh/internal/table/key"
	"github.com/thresh-dev/thresh/internal/table/order"
)

// groupPlan answers a question about groups.
type groupPlan struct {
	title string
	fold  bool // names may differ in case
	scope int
	keys  []*key.Key
	form  keyForm // of one key
	*agg.State
	aggregates []aggregate
	shown      int         // aggregates[:shown] are in the answer; others are needed for having
	order      []orderItem // nil for the order of the keys
	having     *having     // nil for none
	skip       int64       // groups
	most       int64       // those and the ones that are printed; 0 for all
}

func (q *query) newGroup(ask *Question) (a *groupPlan, err error) {
	a = &groupPlan{scope: q.asking, fold: q.SQL, skip: ask.Skip, most: ask.most()}
	what, field, resolve := "group", "Groups.Keys", q.first.resolve()
	if ask.Kind == Top {
		what, field = "top", "TopKeys.Keys"
	}
	if len(q.Sources) > 0 {
		resolve = q.resolve()
	}
	if ask.Keys != "" {
		if ask.Kind == Top {
			k, err := key.Parse(ask.Keys, resolve, q.deriveAt)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", field, err)
			}
			a.keys = []*key.Key{k}
		} else if a.keys, err = key.ParseList(ask.Keys, resolve, q.deriveAt); err != nil {
			return nil, fmt.Errorf("%s: %w", field, err)
		}
	}
	for _, k := range a.keys {
		q.Want(k.Column)
	}
	if len(a.keys) == 1 {
		a.form = a.keyForm(q)
	}
	a.rename(q)
	if err = a.parseAggregates(q, ask.Aggregates); err != nil {
		return nil, fmt.Errorf("Groups.Aggregates: %w", err)
	}
	a.title = what + " " + ask.Keys
	if ask.Keys == "" {
		a.title = "all"
	}
	if ask.Kind == Top {
		a.order = []orderItem{{Direction: order.Direction{Descending: true}, text: "count", column: len(a.keys)}}
	} else if ask.By != "" {
		if err := a.orderBy(q, ask.By); err != nil {
			return nil, fmt.Errorf("Groups.OrderBy: %w", err)
		}
	}
	a.shown = len(a.aggregates)
	for i := range a.shown {
		a.include(&a.aggregates[i])
	}
	if ask.Having != "" {
		if a.having, err = a.newHaving(q, ask.Having); err != nil {
			return nil, fmt.Errorf("Groups.Having: %w", err)
		}
	}
	a.State = agg.NewState(len(a.keys))
	for i := range a.aggregates {
		if g := &a.aggregates[i]; g.computed == nil {
			g.result = g.Function.Bind(a.State, q, &g.Call)
		}
	}
	a.Layout()
	return a, nil
}

// aggregate is an aggregate that a question asks for, or an expression over aggregates.
type aggregate struct {
	agg.Call
	computed *computed  // nil unless it is an expression; then there is no function
	result   agg.Result // how it is computed; nil of an expression
}

// heading returns the type of the results.
func (g *aggregate) heading(k []batch.Known) answer.Column {
	if g.computed != nil {
		return g.computed.Heading(k)
	}
	return g.result.Heading(k)
}

// times reports whether results that are texts are times.
func (g *aggregate) times(k []batch.Known) bool {
	if g.computed != nil {
		return g.computed.Times(k)
	}
	return g.result.Times(k)
}

// remark is the note on groups for which the result is not exact.
func (g *aggregate) remark(groups int64) string {
	if g.computed != nil {
		return g.computed.Remark(groups)
	}
	return g.result.Remark(groups)
}

// same reports whether two aggregates are the same, perhaps written differently.
func (g *aggregate) same(o *aggregate) bool { return g.computed == o.computed && g.Call.Same(&o.Call) }

// heading returns the columns of the answer.
func (a *groupPlan) heading(k []batch.Known) []answer.Column {
	var columns []answer.Column
	for _, k := range a.keys {
		columns = append(columns, answer.Column{Name: k.Text, Type: answer.ColumnText})
	}
	for i := range a.aggregates { // also those that are not shown
		c := a.aggregates[i].heading(k)
		c.Name = a.aggregates[i].Text
		columns = append(columns, c)
	}
	return columns
}

// rename gives the keys of an answer the names in the header, no matter whether the user wrote a number or
// a name, in quotes or not.
func (a *groupPlan) rename(q *query) {
	for _, k := range a.keys {
		k.Text = k.Heading(q.keyName(k))
	}
}

// nullFirst reports whether a key is null though it sorts before all others: that of one value.
func (a *groupPlan) nullFirst(key []byte) bool {
	return len(key) == 0 && len(a.keys) == 1 && a.form != notNullKey
}

// keyForm says what the key of an answer with one key may be besides a text with some bytes. Only if it may be
// either, null or the empty text, need the two be told apart.
type keyForm uint8

const (
	eitherKey   keyForm = iota // see value.AppendKey
	notEmptyKey                // the empty key is null
	notNullKey                 // the empty key is the empty text
)

func (a *groupPlan) keyForm(q *query) keyForm {
	switch k := a.keys[0]; {
	case k.IsRegex():
		return notNullKey
	case k.IsPrefix() && q.Dialect.Quote == 0 && !q.Dialect.JSON && !q.derived.has(k.Column):
		return notEmptyKey
	}
	return eitherKey
}
