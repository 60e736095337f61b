package query

import (
	"fmt"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/table/agg"
	"github.com/thresh-dev/thresh/internal/table/batch"
	"github.com/thresh-dev/thresh/internal/table/key"
	"github.com/thresh-dev/thresh/internal/table/order"
)

// GroupPlan answers a question about groups.
type GroupPlan struct {
	Title string
	fold  bool // names may differ in case
	Scope int
	Keys  []*key.Key
	Form  KeyForm // of one key
	json  []bool  // by key: see answer.Column
	*agg.State
	Aggregates []Aggregate
	Shown      int         // aggregates[:shown] are in the answer; others are needed for having
	Order      []OrderItem // nil for the order of the keys
	Having     *Having     // nil for none
	Skip       int64       // groups
	Most       int64       // those and the ones that are printed; 0 for all
}

func (q *Query) newGroup(ask *Question) (a *GroupPlan, err error) {
	a = &GroupPlan{Scope: q.asking, fold: q.SQL, Skip: ask.Skip, Most: ask.most()}
	what, field, resolve := "group", "Groups.Keys", q.First.resolve()
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
			a.Keys = []*key.Key{k}
		} else if a.Keys, err = key.ParseList(ask.Keys, resolve, q.deriveAt); err != nil {
			return nil, fmt.Errorf("%s: %w", field, err)
		}
	}
	for _, k := range a.Keys {
		q.Want(k.Column)
		a.json = append(a.json, k.IsColumn() && q.isJSON(k.Column))
	}
	if len(a.Keys) == 1 {
		a.Form = a.keyForm(q)
	}
	a.rename(q)
	if err = a.parseAggregates(q, ask.Aggregates); err != nil {
		return nil, fmt.Errorf("Groups.Aggregates: %w", err)
	}
	a.Title = what + " " + ask.Keys
	if ask.Keys == "" {
		a.Title = "all"
	}
	if ask.Kind == Top {
		a.Order = []OrderItem{{Direction: order.Direction{Descending: true}, Text: "count", Column: len(a.Keys)}}
	} else if ask.By != "" {
		if err := a.orderBy(q, ask.By); err != nil {
			return nil, fmt.Errorf("Groups.OrderBy: %w", err)
		}
	}
	a.Shown = len(a.Aggregates)
	for i := range a.Shown {
		a.include(&a.Aggregates[i])
	}
	if ask.Having != "" {
		if a.Having, err = a.newHaving(q, ask.Having); err != nil {
			return nil, fmt.Errorf("Groups.Having: %w", err)
		}
	}
	a.State = agg.NewState(len(a.Keys))
	for i := range a.Aggregates {
		if g := &a.Aggregates[i]; g.Computed == nil {
			g.Result = g.Bind(a.State, q)
		}
	}
	a.Layout()
	return a, nil
}

// Aggregate is an aggregate that a question asks for, or an expression over aggregates.
type Aggregate struct {
	agg.Call
	Computed *Computed  // nil unless it is an expression; then there is no function
	Result   agg.Result // how it is computed; nil of an expression
}

// heading returns the type of the results.
func (g *Aggregate) heading(k []batch.Known) answer.Column {
	if g.Computed != nil {
		return g.Computed.Heading(k)
	}
	return g.Result.Heading(k)
}

// times reports whether results that are texts are times.
func (g *Aggregate) times(k []batch.Known) bool {
	if g.Computed != nil {
		return g.Computed.Times(k)
	}
	return g.Result.Times(k)
}

// Remark is the note on groups for which the result is not exact.
func (g *Aggregate) Remark(groups int64) string {
	if g.Computed != nil {
		return g.Computed.Remark(groups)
	}
	return g.Result.Remark(groups)
}

// same reports whether two aggregates are the same, perhaps written differently.
func (g *Aggregate) same(o *Aggregate) bool { return g.Computed == o.Computed && g.Call.Same(&o.Call) }

// Heading returns the columns of the answer.
func (a *GroupPlan) Heading(k []batch.Known) []answer.Column {
	var columns []answer.Column
	for i, k := range a.Keys {
		columns = append(columns, answer.Column{Name: k.Text, JSON: a.json[i]})
	}
	for i := range a.Aggregates { // also those that are not shown
		c := a.Aggregates[i].heading(k)
		c.Name = a.Aggregates[i].Text
		columns = append(columns, c)
	}
	return columns
}

// rename gives the keys of an answer the names in the header, no matter whether the user wrote a number or
// a name, in quotes or not.
func (a *GroupPlan) rename(q *Query) {
	for _, k := range a.Keys {
		k.Text = k.Heading(q.keyName(k))
	}
}

// NullFirst reports whether a key is null though it sorts before all others: that of one value.
func (a *GroupPlan) NullFirst(key []byte) bool {
	return len(key) == 0 && len(a.Keys) == 1 && a.Form != notNullKey
}

// KeyForm says what the key of an answer with one key may be besides a text with some bytes. Only if it may be
// either, null or the empty text, need the two be told apart.
type KeyForm uint8

const (
	EitherKey   KeyForm = iota // see value.AppendKey
	notEmptyKey                // the empty key is null
	notNullKey                 // the empty key is the empty text
)

func (a *GroupPlan) keyForm(q *Query) KeyForm {
	switch k := a.Keys[0]; {
	case k.IsRegex():
		return notNullKey
	case k.IsPrefix() && q.Dialect.Quote == 0 && !q.Dialect.JSON && !q.Derived.Has(k.Column):
		return notEmptyKey
	}
	return EitherKey
}
