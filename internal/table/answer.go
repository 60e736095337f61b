package table

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/thresh-dev/thresh/internal/table/key"
)

// Type is the type of a column.
type Type uint8

// The types of columns. A Decimal is exact.
const (
	Text Type = iota
	Integer
	Decimal
	Float
)

// Column describes a column of an answer.
type Column struct {
	Name  string
	Type  Type
	Scale int // of Decimal: digits after the point
}

// Cell is a value. A Decimal is Int * 10^-Scale of its column, or Big * 10^-Scale if it does not
// fit in Int.
type Cell struct {
	Null  bool
	Text  []byte
	Int   int64
	Big   *big.Int
	Float float64
}

// Output receives answers, one after the other. The cells of a row are valid only during the call.
type Output interface {
	Begin(title string, columns []Column) error
	Row(cells []Cell) error
	End(notes []string) error
}

// groupAnswer answers a question about groups.
type groupAnswer struct {
	title        string
	keys         []*key.Key
	aggregates   []aggregate
	shown        int // aggregates[:shown] are in the answer; others are needed for having
	accumulators []accumulator
	objects      []object
	handles      []handle
	words        int
	init         []uint64
	order        order
	having       *having // nil for none
	limit        int64
}

func (q *query) newGroup(ask *Question) (a *groupAnswer, err error) {
	a = &groupAnswer{limit: ask.Limit, init: []uint64{0}}
	flag, resolve := "--group", q.first.resolve()
	if ask.Kind == Top {
		flag = "--top"
	}
	if ask.Keys != "" {
		if ask.Kind == Top {
			k, err := key.Parse(ask.Keys, resolve, q.deriveAt)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", flag, err)
			}
			a.keys = []*key.Key{k}
		} else if a.keys, err = key.ParseList(ask.Keys, resolve, q.deriveAt); err != nil {
			return nil, fmt.Errorf("%s: %w", flag, err)
		}
	}
	for _, k := range a.keys {
		q.want(k.Column)
	}
	a.rename(q)
	if a.aggregates, err = q.parseAggregates(ask.Aggregates); err != nil {
		return nil, fmt.Errorf("--agg: %w", err)
	}
	a.title = strings.TrimPrefix(flag, "--") + " " + ask.Keys
	if ask.Keys == "" {
		a.title = "all"
	}
	a.order = order{by: byKey}
	if ask.Kind == Top {
		a.order = order{by: len(a.keys), descending: true}
	} else if ask.By != "" {
		if err := a.orderBy(q, ask.By); err != nil {
			return nil, fmt.Errorf("--sort, --top-by: %w", err)
		}
	}
	a.shown = len(a.aggregates)
	if ask.Having != "" {
		if a.having, err = a.newHaving(q, ask.Having); err != nil {
			return nil, fmt.Errorf("--having: %w", err)
		}
	}
	a.layout(q)
	return a, nil
}

// heading returns the columns of the answer.
func (a *groupAnswer) heading(r *Run) []Column {
	var columns []Column
	for _, k := range a.keys {
		columns = append(columns, Column{Name: k.Text, Type: Text})
	}
	for i := range a.aggregates { // also those that are not shown
		columns = append(columns, a.column(r, &a.aggregates[i]))
	}
	return columns
}

func (a *groupAnswer) column(r *Run, g *aggregate) Column {
	c := Column{Name: g.text, Type: Integer}
	number := -1
	switch g.function {
	case count, distinct, approxDistinct, countOf:
	case mean, median, variance, populationVariance, deviation, populationDeviation:
		c.Type = Float
	case mode:
		c.Type = Text
	case firstOf, lastOf:
		number = a.objects[g.object].number
	case quantile, approxQuantile:
		number = a.objects[g.object].number
	default:
		number = a.accumulators[g.accumulator].number
	}
	if number >= 0 && g.function.byValues() && r.asText(number) {
		c.Type = Text
	} else if number >= 0 {
		c.Type, c.Scale = Decimal, r.decimals(number)
		if r.anyFloat(number) {
			c.Type, c.Scale = Float, 0
		} else if c.Scale == 0 && g.function != sumOf && !r.anyLarge(number) {
			c.Type = Integer
		}
	}
	return c
}
