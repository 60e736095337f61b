package group

import (
	"context"
	"sync"
	"sync/atomic"
)

// Visit takes a group. The key and the words are valid only during the call; handles in the words belong to the
// store, which is nil if there are none.
type Visit func(key []byte, words []uint64, store ObjectStore) error

// Each visits every group of all tables once, in any order. Visitor is called for every goroutine that visits
// groups, before the first visit, one call after the other. Apart from that Each is as Merge. Afterwards the
// tables can only be closed.
func Each(ctx context.Context, tables []*Table, workers int, visitor func() Visit) error {
	used := false
	for _, t := range tables {
		t.mustLive()
		used = used || t.parts.any()
	}
	if !used {
		return Merge(ctx, tables, workers, visitor())
	}
	return anyDied(tables, visitAll(ctx, tables, workers, visitor))
}

// visitAll is Each of tables of which any has partitions.
func visitAll(ctx context.Context, tables []*Table, workers int, visitor func() Visit) error {
	if err := scatterTables(tables); err != nil {
		return err
	}
	e := &each{tables: tables}
	n := max(1, min(workers, len(tables)))
	if anyObjects(tables) { // a store belongs to one goroutine
		n = 1
	}
	if err := e.provide(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var running sync.WaitGroup
	for _, t := range tables[:n] {
		visit := visitor()
		running.Go(func() {
			if err := e.work(ctx, t, visit); err != nil {
				cancel(err)
			}
		})
	}
	running.Wait()
	return context.Cause(ctx)
}

// any reports whether any group has gone to a partition.
func (s *partitions) any() bool { return s != nil && (s.left() < s.chunks() || s.file != nil) }

// scatterTables sends the groups of all tables to their partitions.
func scatterTables(tables []*Table) error {
	var running sync.WaitGroup
	errs := make([]error, len(tables))
	for i, t := range tables {
		running.Go(func() {
			errs[i] = t.scatterAll()
			t.gathers, t.most = true, 0
		})
	}
	running.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// each visits the partitions of all tables.
type each struct {
	tables []*Table
	next   atomic.Int64 // the partition that is taken next
}

// provide makes sure that the tables have the memory for the groups of a partition. If they have not, it writes
// all partitions to the files, so that the tables may use all memory.
func (e *each) provide() error {
	enough := true
	for i := range e.tables[0].parts.parts {
		var count, bytes int64
		for _, t := range e.tables {
			count += t.parts.counts[i]
			bytes += t.parts.bytes(i)
		}
		enough = enough && e.tables[0].provides(count, bytes)
	}
	for _, t := range e.tables {
		if enough {
			continue
		}
		if err := t.parts.flush(t.parts.chunks()); err != nil {
			return err
		}
		t.lay(t.region[:t.regionBytes])
	}
	return nil
}

// work takes one partition after the other, and visits its groups by means of a table.
func (e *each) work(ctx context.Context, t *Table, visit Visit) error {
	g, before := newGatherer(t), 0
	for {
		part := int(e.next.Add(1)) - 1
		if part >= len(t.parts.parts) {
			return nil
		}
		t.expect(before)
		for _, from := range e.tables {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if _, err := g.gather(from, from.parts.cursor(part)); err != nil {
				return err
			}
		}
		before = t.groups
		if err := t.visit(visit); err != nil {
			return err
		}
		t.reset()
	}
}

// expect provides an empty table with slots for about so many groups. Slots that are not needed would be spread
// over memory that is in no cache.
func (t *Table) expect(groups int) {
	t.slots = uint64(min(max(slotsFirst, 2*(groups+groups/16+batchSlots)), len(t.slotWords)-1))
	clear(t.slotWords[:t.slots+1])
}

// batchSlots is for the groups of the last batch, which all might be new ones.
const batchSlots = 1024

// visit visits the groups of the table, which may have spilled.
func (t *Table) visit(visit Visit) error {
	store := t.layout.Store
	if t.spilled == nil || len(t.spilled.runs) == 0 {
		var short [shortBytes]byte
		for e := 1; e <= t.groups; e++ {
			at := e*t.stride + headWords
			if err := visit(t.key(uint64(e), &short), t.mem[at:at+t.layout.Words], store); err != nil {
				return err
			}
		}
		return nil
	}
	decoding, err := spillObjects([]*Table{t})
	if err != nil {
		return err
	}
	t.sort()
	m, err := newMerger(t.layout, allSources([]*Table{t}, t.ioBytes/2))
	if err != nil {
		return err
	}
	for {
		ok, err := m.next(nil)
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		if err := visit(m.key, m.words, store); err != nil {
			return err
		}
		if decoding {
			t.forgetObjects()
		}
	}
	t.spilled.runs, t.spilled.end = nil, 0 // the next partition may use the file
	return nil
}
