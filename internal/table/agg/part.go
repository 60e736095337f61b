package agg

import (
	"context"
	"encoding/binary"
	"errors"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/encoded"
	"github.com/thresh-dev/thresh/internal/table/group"
)

// The groups of a part are encoded one after the other: the key and its length, the words as varints, and the
// objects with their lengths plus one, 0 where there is none. Handles mean nothing elsewhere and are 0. Pairs
// are encoded with their counts.

// Part is the groups of one answer, as package-private encodings.
type Part struct {
	Groups []byte
	Pairs  [][]byte // by object
}

// Export returns the groups of all workers.
func Export(ctx context.Context, workers []*Groups) (p Part, err error) {
	if len(workers) == 0 {
		return p, nil
	}
	s := workers[0].State
	for i := range s.objects {
		var all []*group.Table
		for _, g := range workers {
			if g.pairs[i] != nil && g.pairs[i].table != nil {
				all = append(all, g.pairs[i].table)
			}
		}
		var counted []byte
		err := group.Each(ctx, all, 1, visitedBy(func(pair []byte, words []uint64, _ group.ObjectStore) error {
			counted = binary.AppendUvarint(encoded.AppendBytes(counted, pair), words[0])
			return nil
		}))
		if err != nil {
			return p, err
		}
		p.Pairs = append(p.Pairs, counted)
	}
	err = group.Each(ctx, Tables(workers), 1, visitedBy(func(key []byte, words []uint64, o group.ObjectStore) error {
		defer Release(workers)
		p.Groups = encoded.AppendBytes(p.Groups, key)
		store, _ := o.(*Store)
		objects := make([]uint64, len(s.handles))
		for i, h := range s.handles {
			objects[i], words[h.word] = words[h.word], 0
		}
		for _, w := range words {
			p.Groups = binary.AppendUvarint(p.Groups, w)
		}
		for i, h := range s.handles {
			if objects[i] == 0 {
				p.Groups = append(p.Groups, 0)
				continue
			}
			object, err := store.objects[h.word].export(objects[i])
			if err != nil {
				return err
			}
			p.Groups = encoded.AppendBytes(append(p.Groups, 1), object)
		}
		return nil
	}))
	return p, err
}

// visitedBy has all groups visited by one function.
func visitedBy(v group.Visit) func() group.Visit { return func() group.Visit { return v } }

// errPart is the error for an encoding that export did not make.
var errPart = errors.New("the groups of a part are damaged")

// AddPart adds the groups of a part to the worker's own.
func (g *Groups) AddPart(p *Part) error {
	from := make([]uint64, g.words)
	for r := (encoded.Reader{Rest: p.Groups}); len(r.Rest) > 0; {
		key := r.Bytes()
		for i := range from {
			from[i] = r.Uvarint()
		}
		if r.Bad {
			return errPart
		}
		words, err := g.wordsOf(key)
		if err != nil {
			return err
		}
		g.merge(words, from)
		for _, h := range g.handles {
			if r.Uvarint() == 0 {
				continue
			}
			if err := g.store.objects[h.word].add(&words[h.word], r.Bytes()); err != nil {
				return err
			}
		}
		if r.Bad {
			return errPart
		}
	}
	for i, counted := range p.Pairs {
		if len(counted) == 0 {
			continue
		}
		if i >= len(g.pairs) || g.pairs[i] == nil {
			return errPart
		}
		for r := (encoded.Reader{Rest: counted}); len(r.Rest) > 0; {
			pair, n := r.Bytes(), r.Uvarint()
			if r.Bad {
				return errPart
			}
			if err := g.pairs[i].addPair(pair, n); err != nil {
				return err
			}
		}
	}
	return nil
}

// addPair adds a pair that was counted elsewhere.
func (p *pairs) addPair(pair []byte, n uint64) (err error) {
	if p.table == nil {
		if p.table, err = group.New(p.options); err != nil {
			return err
		}
	}
	p.text = append(p.text[:0], pair...)
	p.spans[0] = records.Span{Len: uint32(len(pair))}
	if err := p.table.Lookup(p.text, p.spans, records.Selection{0}, p.ids); err != nil {
		return err
	}
	p.table.States()[p.ids[0]] += n
	return nil
}
