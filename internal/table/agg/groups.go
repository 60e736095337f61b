package agg

import (
	"errors"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/batch"
	"github.com/thresh-dev/thresh/internal/table/group"
	"github.com/thresh-dev/thresh/internal/table/spill"
)

// Groups is the groups of one worker, with what they keep.
type Groups struct {
	*State
	table *group.Table
	store *Store
	keys  records.Column // of the batch
	ids   []uint32       // of the batch: the first words of the records' groups

	pairs   []*pairs // by object; nil if the object needs none
	tempDir spill.Dir
	joined  []byte
	spans   records.Column // of joined
}

// Options are the options of the groups of one worker.
type Options struct {
	MemBytes int64 // for all tables, with their objects
	TempDir  spill.Dir
	Seed     uint64 // of the hashes of keys
	AnyOrder bool   // groups are visited in any order, and not in that of their keys
}

// NewGroups returns the groups of a worker, of which there are none yet. It must be closed also after an error.
func NewGroups(s *State, o Options) (*Groups, error) {
	g := &Groups{State: s, tempDir: o.TempDir, ids: make([]uint32, records.Max), spans: make(records.Column, records.Max)}
	layout := group.Layout{Words: s.words, Init: s.Init, Merge: s.merge}
	if len(s.handles) > 0 {
		g.store = newStore(s, o.TempDir)
		layout.Store = g.store
		for _, h := range s.handles {
			layout.Objects = append(layout.Objects, h.word)
		}
	}
	memory := s.shares(o.MemBytes)
	options := group.Options{Layout: layout, MemBytes: memory.groups, TempDir: o.TempDir, Seed: o.Seed}
	for _, object := range s.objects {
		p, ok := object.(paired)
		if !ok {
			g.pairs = append(g.pairs, nil)
			continue
		}
		weight, anyOrder := p.pairing()
		options.MemBytes, options.AnyOrder = memory.pairs(weight), anyOrder
		g.pairs = append(g.pairs, newPairs(options, s.parts))
	}
	var err error
	options.MemBytes, options.AnyOrder = memory.groups, o.AnyOrder
	g.table, err = group.New(options)
	return g, err
}

// Close frees the resources of the groups.
func (g *Groups) Close() error {
	var err error
	if g.table != nil {
		err = g.table.Close()
	}
	if g.store != nil {
		err = errors.Join(err, g.store.close())
	}
	for _, p := range g.pairs {
		if p != nil {
			err = errors.Join(err, p.close())
		}
	}
	return err
}

// Enter finds the groups of the selected records of a batch by their keys, of which there is at least one.
func (g *Groups) Enter(b *batch.Batch, keys records.Column, sel records.Selection) error {
	g.keys = keys
	ids := g.ids[:len(sel)]
	if g.parts > 0 {
		return g.table.Enter(b.Text, keys, sel, ids)
	}
	if err := g.table.Lookup(b.Text, keys, sel[:1], ids[:1]); err != nil { // all records form one group
		return err
	}
	for i := range ids {
		ids[i] = ids[0]
	}
	return nil
}

// Add adds the selected records to the groups that were found for them.
func (g *Groups) Add(b *batch.Batch, sel records.Selection) error {
	ids := g.ids[:len(sel)]
	words := g.table.States()
	if g.parts == 0 {
		words[ids[0]] += uint64(len(sel))
	} else {
		for _, id := range ids {
			words[id]++
		}
	}
	for _, f := range g.accumulators {
		if n := b.Numbers[f.number]; f.of != nil {
			f.addRest(b, g, sel, ids, words)
		} else if n.AllPlain {
			f.addAll(n, sel, ids, words)
		} else {
			f.addSome(b, g, sel, ids, words)
		}
	}
	for _, o := range g.objects {
		if err := o.add(b, g, sel, ids, words); err != nil {
			return err
		}
	}
	return g.table.Leave(b.Text, g.keys, sel)
}

// wordsOf returns the words of a group in the worker's own table. It makes the group if needed.
func (g *Groups) wordsOf(key []byte) ([]uint64, error) {
	g.joined = append(g.joined[:0], key...)
	g.spans[0] = records.Span{Len: uint32(len(key))}
	if err := g.table.Lookup(g.joined, g.spans, records.Selection{0}, g.ids); err != nil {
		return nil, err
	}
	return g.table.States()[g.ids[0]:], nil
}

// Release drops the objects that were decoded or merged for the current group.
func Release(workers []*Groups) {
	for _, g := range workers {
		if g.store != nil {
			g.store.release()
		}
	}
}

// Tables returns the tables of all workers.
func Tables(workers []*Groups) (all []*group.Table) {
	for _, g := range workers {
		all = append(all, g.table)
	}
	return all
}
