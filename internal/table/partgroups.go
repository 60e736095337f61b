package table

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/group"
)

// The groups of a part are encoded one after the other: the key and its length, the words as varints, and the
// objects with their lengths plus one, 0 where there is none. Handles mean nothing elsewhere and are 0. Pairs
// are encoded with their counts.

// export returns the groups of all workers.
func (a *groupAnswer) export(ctx context.Context, r *Run) (p AnswerPart, err error) {
	groupers := r.groupersOf(a)
	if len(groupers) == 0 {
		return p, nil
	}
	for i := range a.objects {
		var tables []*group.Table
		for _, g := range groupers {
			if g.pairs[i] != nil && g.pairs[i].table != nil {
				tables = append(tables, g.pairs[i].table)
			}
		}
		var encoded []byte
		err := group.Each(ctx, tables, 1, visitedBy(func(pair []byte, words []uint64, _ group.ObjectStore) error {
			encoded = binary.AppendUvarint(appendText(encoded, pair), words[0])
			return nil
		}))
		if err != nil {
			return p, err
		}
		p.Pairs = append(p.Pairs, encoded)
	}
	release := &groupWriter{groupers: groupers}
	err = group.Each(ctx, r.tables(a), 1, visitedBy(func(key []byte, words []uint64, o group.ObjectStore) error {
		defer release.release()
		p.Groups = appendText(p.Groups, key)
		store, _ := o.(*store)
		objects := make([]uint64, len(a.handles))
		for i, h := range a.handles {
			objects[i], words[h.word] = words[h.word], 0
		}
		for _, w := range words {
			p.Groups = binary.AppendUvarint(p.Groups, w)
		}
		for i, h := range a.handles {
			if objects[i] == 0 {
				p.Groups = append(p.Groups, 0)
				continue
			}
			object, err := store.export(h, objects[i])
			if err != nil {
				return err
			}
			p.Groups = appendText(append(p.Groups, 1), object)
		}
		return nil
	}))
	return p, err
}

// visitedBy has all groups visited by one function.
func visitedBy(v group.Visit) func() group.Visit { return func() group.Visit { return v } }

func appendText(b, text []byte) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// export encodes an object completely, unlike AppendBinary, which may keep a part of it in a file.
func (s *store) export(h handle, object uint64) ([]byte, error) {
	switch h.function {
	case quantile:
		return s.values.AppendValues(object, nil)
	case otherNumbers:
		panic("thresh: bug: a part is exported after its pairs were counted")
	}
	return s.AppendBinary(h.word, object, nil)
}

// errPart is the error for an encoding that export did not make.
var errPart = errors.New("the groups of a part are damaged")

// partReader reads an encoding. After the first error, bad is true and everything is empty.
type partReader struct {
	rest []byte
	bad  bool
}

func (r *partReader) number() uint64 {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 || r.bad {
		r.bad = true
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

func (r *partReader) text() []byte {
	n := r.number()
	if r.bad || n > uint64(len(r.rest)) {
		r.bad = true
		return nil
	}
	text := r.rest[:n:n]
	r.rest = r.rest[n:]
	return text
}

// addPart adds the groups of a part to the grouper's own.
func (g *grouper) addPart(p *AnswerPart) error {
	a := g.answer
	from := make([]uint64, a.words)
	for r := (partReader{rest: p.Groups}); len(r.rest) > 0; {
		key := r.text()
		for i := range from {
			from[i] = r.number()
		}
		if r.bad {
			return errPart
		}
		words, err := g.wordsOf(key)
		if err != nil {
			return err
		}
		a.merge(words, from)
		for _, h := range a.handles {
			if r.number() == 0 {
				continue
			}
			if err := g.store.addObject(h, &words[h.word], r.text()); err != nil {
				return err
			}
		}
		if r.bad {
			return errPart
		}
	}
	for i, encoded := range p.Pairs {
		if len(encoded) == 0 {
			continue
		}
		if i >= len(g.pairs) || g.pairs[i] == nil {
			return errPart
		}
		for r := (partReader{rest: encoded}); len(r.rest) > 0; {
			pair, n := r.text(), r.number()
			if r.bad {
				return errPart
			}
			if err := g.pairs[i].addPair(pair, n); err != nil {
				return err
			}
		}
	}
	return nil
}

// addObject adds an encoded object to that of a handle.
func (s *store) addObject(h handle, word *uint64, encoded []byte) error {
	if h.function == quantile {
		return s.values.AddValues(word, encoded)
	}
	object, err := s.Decode(h.word, encoded)
	if err != nil {
		return fmt.Errorf("%w: %w", errPart, err)
	}
	if *word == 0 {
		*word = object
		return nil
	}
	*word, err = s.MergeFrom(h.word, *word, s, object)
	return err
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
