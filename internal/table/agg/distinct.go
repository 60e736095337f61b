package agg

import (
	"context"
	"slices"
	"sync"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/batch"
	"github.com/thresh-dev/thresh/internal/table/group"
	"github.com/thresh-dev/thresh/internal/table/value"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// distinctTexts counts the different texts of a column, or of several: then a record with a null in any of them does
// not count. Null is none of the texts.
type distinctTexts struct{ kept }

func (*distinctTexts) layout(s *State)                        { s.addCounter() }
func (*distinctTexts) pairing() (weight int64, anyOrder bool) { return weightUsual, true }

func (d *distinctTexts) add(b *batch.Batch, g *Groups, sel records.Selection, _ []uint32, _ []uint64) error {
	pairs, column := g.pairs[d.index], b.TextColumn(d.column)
	if len(d.columns) > 1 {
		column, sel = pairs.rows.join(b, d.columns, sel)
	}
	return pairs.addTexts(b, g.keys, column, sel)
}

// joinedRows joins the texts of several columns to one, for one goroutine.
type joinedRows struct {
	columns []records.Column
	spans   records.Column
	sel     records.Selection
	text    []byte
}

// join returns a column whose texts are those of the columns, joined so that no others make the same one, and the
// records that have no null in them.
func (r *joinedRows) join(b *batch.Batch, columns []int, sel records.Selection) (records.Column, records.Selection) {
	if r.spans == nil {
		r.spans, r.sel = make(records.Column, records.Max), make(records.Selection, 0, records.Max)
	}
	r.columns = r.columns[:0]
	for _, c := range columns {
		r.columns = append(r.columns, b.TextColumn(c))
	}
	room, least := batch.JoinBytes(r.columns, sel)
	if least == 0 {
		r.sel = append(r.sel[:0], sel...)
		r.sel = slices.DeleteFunc(r.sel, func(i uint16) bool {
			return slices.ContainsFunc(r.columns, func(c records.Column) bool { return b.IsNull(c[i]) })
		})
		sel = r.sel
	}
	b.Reserve(room)
	last := len(columns) - 1
	if text, ok := batch.Join(b.Text, b.Text, r.columns, last, 0, sel, r.spans); ok {
		b.Text = text
		return r.spans, sel
	}
	for _, i := range sel {
		r.text = r.text[:0]
		for _, c := range r.columns[:last] {
			r.text = value.AppendPart(r.text, c[i].Of(b.Text))
		}
		r.spans[i] = b.Add(append(r.text, r.columns[last][i].Of(b.Text)...))
	}
	return r.spans, sel
}

// settle stores the numbers of distinct texts.
func (d *distinctTexts) settle(ctx context.Context, g *Groups, all []*pairs, workers int) error {
	tables := tablesOf(all)
	if len(tables) == 0 {
		return nil
	}
	var mu sync.Mutex
	var counters []*textCounter
	add := func(key []byte, n uint64) error {
		mu.Lock()
		defer mu.Unlock()
		words, err := g.wordsOf(key)
		if err == nil {
			words[d.at] += n
		}
		return err
	}
	err := group.Each(ctx, tables, workers, func() group.Visit {
		c := &textCounter{pairs: all[0], add: add, counts: map[string]uint64{}}
		counters = append(counters, c)
		return c.visit
	})
	for _, c := range counters {
		if err == nil {
			err = c.empty()
		}
	}
	if err != nil {
		return err
	}
	return closeTables(tables)
}

// textCounter counts the texts of groups, whose pairs come in any order.
type textCounter struct {
	pairs  *pairs
	add    func(key []byte, n uint64) error
	now    []byte // the group of the last pair
	n      uint64 // its pairs since it is that group
	begun  bool
	counts map[string]uint64 // of groups before it
}

// countedGroups is how many groups a textCounter keeps.
var countedGroups = threshold.New("table: groups whose texts are counted at once", 4096, 1)

// visit counts a pair.
func (c *textCounter) visit(pair []byte, _ []uint64, _ group.ObjectStore) error {
	if c.pairs.parts > 0 {
		key, _ := c.pairs.cut(pair)
		if !c.begun || string(key) != string(c.now) {
			if err := c.end(); err != nil {
				return err
			}
			c.now = append(c.now[:0], key...)
		}
	}
	c.begun = true
	c.n++
	return nil
}

// end ends a row of pairs of one group.
func (c *textCounter) end() error {
	if !c.begun {
		return nil
	}
	c.counts[string(c.now)] += c.n
	c.n, c.begun = 0, false
	if len(c.counts) < countedGroups.Get() {
		return nil
	}
	return c.empty()
}

// empty adds all counts to the groups.
func (c *textCounter) empty() error {
	if c.begun {
		c.counts[string(c.now)] += c.n
		c.n, c.begun = 0, false
	}
	for key, n := range c.counts {
		group := []byte(key)
		if c.pairs.parts == 1 {
			_, group, _ = value.CutPart(group, nil)
		}
		if err := c.add(group, n); err != nil {
			return err
		}
	}
	clear(c.counts)
	return nil
}
