package table

import (
	"errors"
	"math/bits"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/group"
	"github.com/thresh-dev/thresh/internal/table/key"
)

// grouper is one worker's share of a group answer.
type grouper struct {
	answer *groupAnswer
	table  *group.Table
	store  *store
	keys   []*key.Worker
	parts  []records.Column
	spans  records.Column // the joined keys of several parts, or what Spans found
	at     records.Column // the keys of the batch: either spans or a column
	sel    records.Selection
	ids    []uint32
	joined []byte

	pairs   []*pairs // by object; nil if the object needs none
	tempDir string
}

func newGrouper(r *Run, a *groupAnswer) (*grouper, error) {
	g := &grouper{answer: a, tempDir: r.options.TempDir, spans: make(records.Column, records.Max),
		sel: make(records.Selection, 0, records.Max), ids: make([]uint32, records.Max)}
	layout := group.Layout{Words: a.words, Init: a.init, Merge: a.merge}
	if len(a.handles) > 0 {
		g.store = newStore(a, r.options.TempDir)
		layout.Store = g.store
		for _, h := range a.handles {
			layout.Objects = append(layout.Objects, h.word)
		}
	}
	for _, k := range a.keys {
		g.keys = append(g.keys, k.Worker())
		g.parts = append(g.parts, make(records.Column, records.Max))
	}
	memory := r.shares(a)
	options := group.Options{Layout: layout, MemBytes: memory.groups, TempDir: r.options.TempDir, Seed: r.seed}
	for i := range a.objects {
		switch a.objects[i].function {
		case distinct, mode:
			options.MemBytes, options.AnyOrder = memory.texts, a.objects[i].function == distinct
		case quantile:
			options.MemBytes, options.AnyOrder = memory.others, false
		default:
			g.pairs = append(g.pairs, nil)
			continue
		}
		g.pairs = append(g.pairs, newPairs(options, len(a.keys)))
	}
	var err error
	options.MemBytes = memory.groups
	options.AnyOrder = a.inAnyOrder()
	g.table, err = group.New(options)
	return g, err
}

// close frees the resources of the grouper.
func (g *grouper) close() error {
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

// add adds the selected records of the batch to their groups.
func (g *grouper) add(w *worker, sel records.Selection) error {
	sel = g.find(w, sel)
	w.clock.lap(stageKeys)
	if len(sel) == 0 {
		return nil
	}
	w.prefetch.fetch()
	ids := g.ids[:len(sel)]
	if len(g.keys) == 0 { // all records form one group
		if err := g.table.Lookup(w.text, g.at, sel[:1], ids[:1]); err != nil {
			return err
		}
		for i := range ids {
			ids[i] = ids[0]
		}
	} else if err := g.table.Enter(w.text, g.at, sel, ids); err != nil {
		return err
	}
	w.clock.lap(stageHash)
	w.prefetch.fetch()
	words := g.table.States()
	switch {
	case len(g.keys) == 0:
		words[ids[0]] += uint64(len(sel))
	case g.answer.countsAlong(w):
	default:
		for _, id := range ids {
			words[id]++
		}
	}
	for i := range g.answer.accumulators {
		f := &g.answer.accumulators[i]
		if n := w.numbers[f.number]; n.AllPlain {
			f.addAll(n, sel, ids, words, i == 0 && g.answer.countsAlong(w))
		} else {
			g.addSome(w, f, sel, ids, words)
		}
	}
	for i := range g.answer.objects {
		if err := g.addObject(w, i, sel, ids, words); err != nil {
			return err
		}
	}
	if err := g.table.Leave(w.text, g.at, sel); err != nil {
		return err
	}
	w.prefetch.fetch()
	w.clock.lap(stageAdd)
	return nil
}

// addObject adds the selected records to object i.
func (g *grouper) addObject(w *worker, i int, sel records.Selection, ids []uint32, words []uint64) error {
	switch o := &g.answer.objects[i]; o.function {
	case distinct:
		return g.pairs[i].addTexts(w.text, g.at, w.column(o.column), sel)
	case mode:
		return g.pairs[i].addWhole(w.text, g.at, w.column(o.column), sel)
	case countOf:
		column, computed := w.column(o.column), w.query.derived.has(o.column)
		for j, i := range sel {
			if f := column[i]; f.Len > 0 || !computed && w.inQuotes(f) {
				words[int(ids[j])+o.at.first]++
			}
		}
	case extremes:
		g.store.addExtremes(w, o, sel, ids, words)
	case quantile:
		return g.store.addValues(w, o, g.at, sel, ids, words, g.pairs[i])
	case approxDistinct:
		g.store.addTexts(w, o, sel, ids, words)
	default:
		g.store.addNumbers(w, o, sel, ids, words)
	}
	return nil
}

// find finds the keys of the selected records, and returns the records that have one.
func (g *grouper) find(w *worker, sel records.Selection) records.Selection {
	g.at = g.spans
	switch len(g.keys) {
	case 0:
		g.spans[0] = records.Span{}
		if len(sel) > 0 {
			g.spans[sel[0]] = records.Span{}
		}
		return sel
	case 1:
		k := g.answer.keys[0]
		if k.IsColumn() {
			g.at = w.column(k.Column)
			return sel
		}
		return g.keys[0].Spans(w.text, w.column(k.Column), sel, g.spans, g.sel[:0])
	}
	for i, k := range g.keys {
		sel = k.Spans(w.text, w.column(g.answer.keys[i].Column), sel, g.parts[i], g.sel[:0])
	}
	w.reserve(joinBytes(g.parts, sel))
	if text, ok := join(w.text, w.text, g.parts, len(g.parts), sel, g.spans); ok {
		w.text = text
		return sel
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

// A key of several parts is encoded as one text that sorts like the sequence of parts. Each part
// ends with the bytes 0 partEnd, which sort before all others. A zero byte within a part is
// followed by partZero.
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

// cutPart removes the first part from a joined key, and appends its decoded text to part.
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

// addAll adds numbers that are all Plain.
func (f *accumulator) addAll(n *decimal.Numbers, sel records.Selection, ids []uint32,
	words []uint64, counts bool) {
	at := f.at
	if f.squares {
		for j, i := range sel {
			addSquare(words[int(ids[j])+at.square:], n.Mantissa[i&(records.Max-1)])
		}
	}
	if f.sum && f.min && f.max {
		one := int64(0)
		if counts {
			one = 1
		}
		f.addFull(n, sel, ids, words, one)
		return
	}
	if f.sum {
		for j, i := range sel {
			p := &words[int(ids[j])+at.low]
			v := n.Mantissa[i&(records.Max-1)]
			sum := int64(*p) + v
			if (int64(*p)^sum)&(v^sum) < 0 {
				words[int(ids[j])+at.high] += uint64(v>>63) | 1
			}
			*p = uint64(sum)
		}
	}
	if f.min {
		for j, i := range sel {
			p := &words[int(ids[j])+at.min]
			*p = uint64(min(int64(*p), n.Mantissa[i&(records.Max-1)]))
		}
	}
	if f.max {
		for j, i := range sel {
			p := &words[int(ids[j])+at.max]
			*p = uint64(max(int64(*p), n.Mantissa[i&(records.Max-1)]))
		}
	}
}

// addSquare adds the square of a number to the three words of a sum of squares.
func addSquare(words []uint64, v int64) {
	m := uint64(max(v, -v))
	high, low := bits.Mul64(m, m)
	addWords(words, low, high, 0)
}

// countsAlong reports whether addAll counts the records along with the first accumulator.
func (a *groupAnswer) countsAlong(w *worker) bool {
	if len(a.keys) == 0 || len(a.accumulators) == 0 {
		return false
	}
	f := &a.accumulators[0]
	return f.sum && f.min && f.max && w.numbers[f.number].AllPlain
}

// fullWords is the number of words of an accumulator with sum, minimum and maximum, plus the word
// before it. For the first accumulator, that word counts the records.
const fullWords = 5

// addFull adds numbers to an accumulator with sum, minimum and maximum, whose words are
// adjacent, and adds one to the word before them.
func (f *accumulator) addFull(n *decimal.Numbers, sel records.Selection, ids []uint32,
	words []uint64, one int64) {
	base := unsafe.Pointer(&words[f.at.low-1])
	ids = ids[:len(sel)]
	for j, i := range sel {
		v := n.Mantissa[i&(records.Max-1)]
		s := (*[fullWords]int64)(unsafe.Add(base, uintptr(ids[j])*8))
		s[0] += one
		sum := s[1] + v
		if (s[1]^sum)&(v^sum) < 0 {
			s[2] += v>>63 | 1
		}
		s[1] = sum
		if v < s[3] {
			s[3] = v
		}
		if v > s[4] {
			s[4] = v
		}
	}
}

// addSome adds numbers of which some are missing, bad or irregular.
func (g *grouper) addSome(w *worker, f *accumulator, sel records.Selection, ids []uint32, words []uint64) {
	n, column := w.numbers[f.number], w.columns[w.slots[f.number]]
	for j, i := range sel {
		s := words[ids[j]:][:g.answer.words]
		switch n.Kinds[i] {
		case decimal.Plain:
			v := n.Mantissa[i]
			if f.sum {
				sum := int64(s[f.at.low]) + v
				if (int64(s[f.at.low])^sum)&(v^sum) < 0 {
					s[f.at.high] += uint64(v>>63) | 1
				}
				s[f.at.low] = uint64(sum)
			}
			if f.squares {
				addSquare(s[f.at.square:], v)
			}
			if f.min {
				s[f.at.min] = uint64(min(int64(s[f.at.min]), v))
			}
			if f.max {
				s[f.at.max] = uint64(max(int64(s[f.at.max]), v))
			}
		case decimal.Irregular:
			number, _ := decimal.Parse(column[i].Of(w.text))
			g.store.irregularOf(&s[f.at.irregular]).add(number, f.squares)
		}
		if f.sum && n.Kinds[i] != decimal.Plain {
			s[f.at.notAdded]++
		}
	}
}
