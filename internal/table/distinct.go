package table

import (
	"context"
	"sync"

	"github.com/thresh-dev/thresh/internal/table/group"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// countTexts stores the numbers of distinct texts in the groups' words.
func (g *grouper) countTexts(ctx context.Context, o *object, all []*pairs, workers int) error {
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
			words[o.at.first] += n
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
			_, group = cutPart(group, nil)
		}
		if err := c.add(group, n); err != nil {
			return err
		}
	}
	clear(c.counts)
	return nil
}
