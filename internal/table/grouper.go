package table

import (
	"math/bits"

	"github.com/thresh-dev/thresh/internal/decimal"
	"github.com/thresh-dev/thresh/internal/group"
	"github.com/thresh-dev/thresh/internal/key"
	"github.com/thresh-dev/thresh/internal/records"
)

// grouper is a worker's part of the answer about groups.
type grouper struct {
	answer *groupAnswer
	table  *group.Table
	store  *store
	keys   []*key.Worker
	parts  []records.Column
	spans  records.Column // of whole keys
	sel    records.Selection
	ids    []uint32
	joined []byte
}

func newGrouper(r *Run, a *groupAnswer) (*grouper, error) {
	g := &grouper{answer: a, spans: make(records.Column, records.Max),
		sel: make(records.Selection, 0, records.Max), ids: make([]uint32, records.Max)}
	layout := group.Layout{Words: a.words, Init: a.init, Merge: a.merge}
	if len(a.handles) > 0 {
		g.store = newStore(a)
		layout.Store = g.store
		for _, h := range a.handles {
			layout.Objects = append(layout.Objects, h.word)
		}
	}
	for _, k := range a.keys {
		g.keys = append(g.keys, k.Worker())
		g.parts = append(g.parts, make(records.Column, records.Max))
	}
	var err error
	g.table, err = group.New(group.Options{Layout: layout, MemBytes: r.tableBytes(a), TempDir: r.options.TempDir,
		Seed: r.seed})
	return g, err
}

// add adds the selected records of the batch to their groups.
func (g *grouper) add(w *worker, sel records.Selection) error {
	sel = g.find(w, sel)
	w.clock.lap(stageKeys)
	if len(sel) == 0 {
		return nil
	}
	ids := g.ids[:len(sel)]
	if len(g.keys) == 0 { // all are one group
		if err := g.table.Lookup(w.text, g.spans, sel[:1], ids[:1]); err != nil {
			return err
		}
		for i := range ids {
			ids[i] = ids[0]
		}
	} else if err := g.table.Lookup(w.text, g.spans, sel, ids); err != nil {
		return err
	}
	w.clock.lap(stageHash)
	words, stride := g.table.States()
	if len(g.keys) == 0 {
		words[int(ids[0])*stride] += uint64(len(sel))
	} else {
		for _, id := range ids {
			words[int(id)*stride]++
		}
	}
	for i := range g.answer.figures {
		f := &g.answer.figures[i]
		if n := w.numbers[f.number]; n.AllPlain {
			f.addAll(n, sel, ids, words, stride)
		} else {
			g.addSome(w, f, sel, ids, words, stride)
		}
	}
	for i := range g.answer.objects {
		g.store.add(w, &g.answer.objects[i], sel, ids, words, stride)
	}
	w.clock.lap(stageAdd)
	return nil
}

// find finds the keys of the selected records, and returns those that have one.
func (g *grouper) find(w *worker, sel records.Selection) records.Selection {
	switch len(g.keys) {
	case 0:
		g.spans[0] = records.Span{}
		if len(sel) > 0 {
			g.spans[sel[0]] = records.Span{}
		}
		return sel
	case 1:
		k := g.answer.keys[0]
		return g.keys[0].Spans(w.text, w.column(k.Column), sel, g.spans, g.sel[:0])
	}
	for i, k := range g.keys {
		sel = k.Spans(w.text, w.column(g.answer.keys[i].Column), sel, g.parts[i], g.sel[:0])
	}
	for _, i := range sel {
		g.joined = g.joined[:0]
		for _, part := range g.parts {
			g.joined = appendPart(g.joined, part[i].Of(w.text))
		}
		g.spans[i] = w.add(g.joined)
	}
	return sel
}

// A key of several parts is one text that has the order of its parts: each ends with two
// bytes that are less than all others, and a zero byte in it is followed by the greatest.
const (
	partZero = 0xff
	partEnd  = 0x00
)

func appendPart(joined, part []byte) []byte {
	for _, c := range part {
		if joined = append(joined, c); c == 0 {
			joined = append(joined, partZero)
		}
	}
	return append(joined, 0, partEnd)
}

// cutPart takes the first part off a key. It appends what it was to part.
func cutPart(joined, part []byte) (rest, out []byte) {
	for i := 0; i < len(joined); i++ {
		if joined[i] == 0 {
			if i++; joined[i] == partEnd {
				return joined[i+1:], part
			}
			part = append(part, 0)
			continue
		}
		part = append(part, joined[i])
	}
	panic("thresh: bug: a key of several parts that does not end")
}

// addAll adds numbers that are all integers of the common scale.
func (f *figure) addAll(n *decimal.Numbers, sel records.Selection, ids []uint32, words []uint64, stride int) {
	at := f.at
	if f.sum {
		for j, i := range sel {
			s := words[int(ids[j])*stride:][:at.high+1]
			v := n.Mantissa[i&(records.Max-1)]
			low, carry := bits.Add64(s[at.low], uint64(v), 0)
			s[at.low] = low
			s[at.high] += uint64(v>>63) + carry
			s[at.n]++
		}
	}
	if f.min {
		for j, i := range sel {
			p := &words[int(ids[j])*stride+at.min]
			*p = uint64(min(int64(*p), n.Mantissa[i&(records.Max-1)]))
		}
	}
	if f.max {
		for j, i := range sel {
			p := &words[int(ids[j])*stride+at.max]
			*p = uint64(max(int64(*p), n.Mantissa[i&(records.Max-1)]))
		}
	}
}

// addSome adds numbers of which some are missing, bad, or no integers of the common scale.
func (g *grouper) addSome(w *worker, f *figure, sel records.Selection, ids []uint32, words []uint64, stride int) {
	n, column := w.numbers[f.number], w.columns[w.slots[f.number]]
	for j, i := range sel {
		s := words[int(ids[j])*stride:][:g.answer.words]
		switch n.Kinds[i] {
		case decimal.Plain:
			v := n.Mantissa[i]
			if f.sum {
				var carry uint64
				s[f.at.low], carry = bits.Add64(s[f.at.low], uint64(v), 0)
				s[f.at.high] += uint64(v>>63) + carry
				s[f.at.n]++
			}
			if f.min {
				s[f.at.min] = uint64(min(int64(s[f.at.min]), v))
			}
			if f.max {
				s[f.at.max] = uint64(max(int64(s[f.at.max]), v))
			}
		case decimal.Odd:
			number, _ := decimal.Parse(column[i].Of(w.text))
			g.store.odd(&s[f.at.odd]).add(number)
		}
	}
}
