package query

import (
	"slices"
	"strconv"
	"strings"

	"github.com/thresh-dev/thresh/internal/table/expr"
	"github.com/thresh-dev/thresh/internal/table/key"
	"github.com/thresh-dev/thresh/internal/table/order"
)

// ByKey is the column of an order by all keys.
const ByKey = -1

// orderBy sets the order, see parseOrderBy: items are "key", "value" for the first aggregate, a key, or an
// aggregate, by its name in the answer or as it is written in a list. Without a direction keys are ascending, and
// aggregates descending. An aggregate that is not in the answer is added. Groups are sorted by key if nothing else
// decides.
func (a *GroupPlan) orderBy(q *Query, by string) error {
	items, err := parseOrderBy(by)
	for i := range items {
		item := &items[i]
		if item.Column, err = a.orderColumn(q, item.Text); err != nil {
			return inText(err, by, item.place.from)
		}
		if item.Column >= 0 && item.Column < len(a.Keys) {
			item.ByValue = q.SQL && !q.isText(a.Keys[item.Column].Column)
		}
		if !item.turned {
			item.Descending = item.Column >= len(a.Keys)
		}
		if item.Column == ByKey { // no two groups have the same
			items = items[:i+1]
			break
		}
	}
	if err == nil && items[0].Column == ByKey && items[0].Direction == (order.Direction{}) {
		items = nil
	}
	a.Order = items
	return err
}

// exprOf returns the expression of a column, nil if it has none.
func (q *Query) exprOf(column int) *expr.Expr {
	if q.Derived.Has(column) {
		return q.Derived.All[column-q.Derived.First].Expr
	}
	return nil
}

// isText reports whether the values of a column are texts, whatever they look like.
func (q *Query) isText(column int) bool {
	e := q.exprOf(column)
	return e != nil && e.Type(func(int) expr.Type { return expr.Type{} }).Kind == expr.Text
}

// isJSON reports whether the values of a column are computed ones that JSON has: numbers, true and false.
func (q *Query) isJSON(column int) bool {
	e := q.exprOf(column)
	return q.SQL && e != nil && e.IsComputed()
}

func (a *GroupPlan) orderColumn(q *Query, name string) (column int, err error) {
	if n, err := strconv.Atoi(name); err == nil && q.SQL && n > 0 {
		return n - 1, nil // the place in the answer
	}
	switch name {
	case "key":
		return ByKey, nil
	case ByFirst:
		return len(a.Keys), nil
	}
	if column = a.named(name); column >= 0 {
		return column, nil
	}
	if k, err := key.Parse(name, q.resolve(), nil); err == nil && k.IsColumn() {
		if i := slices.IndexFunc(a.Keys, func(o *key.Key) bool { return o.IsColumn() && o.Column == k.Column }); i >= 0 {
			return i, nil
		}
	}
	g, end, err := a.parseItem(q, name, 0)
	switch {
	case err == nil && end < len(name):
		return 0, wrong(name, end, "only one aggregate is allowed here, and it ends before this")
	case err == nil:
		return len(a.Keys) + a.add(g), nil
	case key.IsExpression(name):
		return 0, err
	}
	return 0, wrong(name, 0, a.unknown(name).Error())
}

// named returns the column of the answer that has a name, -1 if there is none.
func (a *GroupPlan) named(name string) int {
	i := a.called(name, func(a, b string) bool { return a == b })
	if i < 0 && a.fold {
		i = a.called(name, strings.EqualFold)
	}
	return i
}

func (a *GroupPlan) called(name string, same func(a, b string) bool) int {
	for _, nameOf := range []func(*key.Key) string{
		func(k *key.Key) string { return k.Text },
		func(k *key.Key) string { return k.Spec },
		func(k *key.Key) string { return k.Name },
	} {
		if i := slices.IndexFunc(a.Keys, func(k *key.Key) bool { return same(nameOf(k), name) }); i >= 0 {
			return i
		}
	}
	if i := slices.IndexFunc(a.Aggregates, func(g Aggregate) bool { return same(g.Text, name) }); i >= 0 {
		return len(a.Keys) + i
	}
	return -1
}

// add returns the index of an aggregate that may be written differently, and adds it if it is new.
func (a *GroupPlan) add(g Aggregate) int {
	i := slices.IndexFunc(a.Aggregates, func(o Aggregate) bool { return o.same(&g) })
	if i < 0 {
		i = len(a.Aggregates)
		a.Aggregates = append(a.Aggregates, g)
		if a.Shown > 0 { // those that are shown come first
			a.include(&a.Aggregates[i])
		}
	}
	return i
}

// InAnyOrder reports whether the groups are kept and sorted at the end, so that they may come in any order. That is
// of use if few of them have objects: with many, partitions cost more than they save.
func (a *GroupPlan) InAnyOrder() bool {
	return len(a.Keys) > 0 && a.Order != nil && a.RarelyObjects()
}

// ByFirst sorts groups by their first aggregate.
const ByFirst = "value"
