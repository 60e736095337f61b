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
	accumulators []accumulator
	objects      []object
	handles      []handle
	words        int
	init         []uint64
	by           int // the aggregate to sort by; -1 sorts by key
	limit        int64
}

func (q *query) newGroup(ask *Question, resolve key.Resolve) (a *groupAnswer, err error) {
	a = &groupAnswer{by: -1, limit: ask.Limit, init: []uint64{0}}
	flag := "--group"
	if ask.Kind == Top {
		flag = "--top"
	}
	if ask.Keys != "" {
		if ask.Kind == Top {
			k, err := key.Parse(ask.Keys, resolve)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", flag, err)
			}
			a.keys = []*key.Key{k}
		} else if a.keys, err = key.ParseList(ask.Keys, resolve); err != nil {
			return nil, fmt.Errorf("%s: %w", flag, err)
		}
	}
	for _, k := range a.keys {
		q.want(k.Column)
	}
	if a.aggregates, err = parseAggregates(ask.Aggregates, resolve); err != nil {
		return nil, err
	}
	a.title = strings.TrimPrefix(flag, "--") + " " + ask.Keys
	if ask.Keys == "" {
		a.title = "all"
	}
	if ask.Kind == Top {
		a.by = 0
	} else if ask.By != "" {
		if err := a.orderBy(ask.By, resolve); err != nil {
			return nil, err
		}
	}
	a.layout(q)
	return a, nil
}

// orderBy sets the aggregate to sort by. If it is not among the aggregates, orderBy adds it.
func (a *groupAnswer) orderBy(by string, resolve key.Resolve) error {
	if by == ByFirst {
		a.by = 0
		return nil
	}
	g, err := parseAggregate(by, resolve)
	if err != nil {
		return fmt.Errorf("--top-by: %w", err)
	}
	for i := range a.aggregates { // the same aggregate may be written differently
		o := &a.aggregates[i]
		if o.function == g.function && o.column == g.column && o.parts == g.parts && o.of == g.of {
			a.by = i
			return nil
		}
	}
	a.by = len(a.aggregates)
	a.aggregates = append(a.aggregates, g)
	return nil
}

// ByFirst sorts groups by their first aggregate.
const ByFirst = "value"

// heading returns the columns of the answer.
func (a *groupAnswer) heading(r *Run) []Column {
	var columns []Column
	for _, k := range a.keys {
		columns = append(columns, Column{Name: k.Text, Type: Text})
	}
	for i := range a.aggregates {
		columns = append(columns, a.column(r, &a.aggregates[i]))
	}
	return columns
}

func (a *groupAnswer) column(r *Run, g *aggregate) Column {
	c := Column{Name: g.text, Type: Integer}
	number := -1
	switch g.function {
	case count, distinct, approxDistinct:
	case mean:
		c.Type = Float
	case quantile, approxQuantile:
		number = a.objects[g.object].number
	default:
		number = a.accumulators[g.accumulator].number
	}
	if number >= 0 {
		c.Type, c.Scale = Decimal, r.decimals(number)
		if r.anyFloat(number) {
			c.Type, c.Scale = Float, 0
		} else if c.Scale == 0 && g.function != sumOf && !r.anyLarge(number) {
			c.Type = Integer
		}
	}
	return c
}
