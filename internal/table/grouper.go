package table

import (
	"slices"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/agg"
	"github.com/thresh-dev/thresh/internal/table/batch"
	"github.com/thresh-dev/thresh/internal/table/key"
	"github.com/thresh-dev/thresh/internal/table/query"
	"github.com/thresh-dev/thresh/internal/table/value"
)

// grouper is one worker's share of a group answer.
type grouper struct {
	answer *query.GroupPlan
	groups *agg.Groups
	keys   []*key.Worker
	parts  []records.Column // of the batch: columns, or in the memory of own
	own    []records.Column
	spans  records.Column // the joined keys of several parts, or what Spans found
	at     records.Column // the keys of the batch: either spans or a column
	sel    records.Selection
	joined []byte
}

func newGrouper(r *Run, a *query.GroupPlan) (g *grouper, err error) {
	g = &grouper{answer: a, spans: make(records.Column, records.Max), sel: make(records.Selection, 0, records.Max)}
	for _, k := range a.Keys {
		g.keys = append(g.keys, k.Worker())
		g.own = append(g.own, make(records.Column, records.Max))
		g.parts = append(g.parts, nil)
	}
	g.groups, err = agg.NewGroups(a.State, agg.Options{MemBytes: r.groupBytes(a), TempDir: r.temp, Seed: r.seed,
		AnyOrder: a.InAnyOrder()})
	return g, err
}

// groupBytes returns the memory for the groups of one worker and answer. What sorts them afterwards has its share.
func (r *Run) groupBytes(a *query.GroupPlan) int64 {
	n := r.options.MemBytes / int64(max(1, r.options.Workers)*len(r.query.Groups))
	if a.Order != nil {
		n -= n / sortShare
	}
	return n
}

// Close drops the groups.
func (g *grouper) Close() error { return g.groups.Close() }

// add adds the records of the batch that are in the scope of the answer to their groups.
func (g *grouper) add(w *worker, _ records.Selection) error {
	sel := g.find(w, w.scopes[g.answer.Scope].sel)
	w.clock.lap(stageKeys)
	if len(sel) == 0 {
		return nil
	}
	if err := g.groups.Enter(&w.Batch, g.at, sel); err != nil {
		return err
	}
	w.clock.lap(stageHash)
	if err := g.groups.Add(&w.Batch, sel); err != nil {
		return err
	}
	w.clock.lap(stageAdd)
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
		return g.findOne(w, sel)
	}
	for i, k := range g.answer.Keys {
		if g.parts[i] = g.own[i]; k.IsColumn() {
			g.parts[i] = w.TextColumn(k.Column)
		} else {
			sel = g.findPart(w, i, sel, g.own[i])
		}
	}
	room, least := batch.JoinBytes(g.parts, sel)
	nulls, null := 0, records.Span{}
	if least == 0 {
		null = w.Batch.Add([]byte(value.NullPart))
		nulls = g.markNulls(w, sel, null)
		room += nulls * len(value.NullPart)
	}
	w.Reserve(room)
	if text, ok := batch.Join(w.Text, w.Text, g.parts, len(g.parts), nulls, sel, g.spans); ok {
		w.Text = text
		return sel
	}
	for _, i := range sel {
		g.joined = g.joined[:0]
		for _, part := range g.parts {
			if nulls > 0 && part[i] == null {
				g.joined = value.AppendNullPart(g.joined)
			} else {
				g.joined = value.AppendPart(g.joined, part[i].Of(w.Text))
			}
		}
		g.spans[i] = w.Batch.Add(g.joined)
	}
	return sel
}

// findPart stores the fields that are a key, or a part of one, in out.
func (g *grouper) findPart(w *worker, part int, sel records.Selection, out records.Column) records.Selection {
	k := g.answer.Keys[part]
	column := w.TextColumn(k.Column)
	sel = g.keys[part].Spans(w.Text, column, sel, out, g.sel[:0])
	if !k.MatchesEmpty() {
		return sel
	}
	return slices.DeleteFunc(sel, func(i uint16) bool { return w.IsNull(column[i]) }) // null matches nothing
}

// markNulls replaces the parts that are null by a span, and returns how many they are. A slice of null is null.
func (g *grouper) markNulls(w *worker, sel records.Selection, null records.Span) (n int) {
	for p, part := range g.parts {
		if g.answer.Keys[p].IsRegex() {
			continue
		}
		column := w.TextColumn(g.answer.Keys[p].Column)
		g.parts[p] = g.own[p]
		for _, i := range sel {
			s := part[i]
			if s.Len == 0 && w.IsNull(column[i]) {
				s = null
				n++
			}
			g.own[p][i] = s
		}
	}
	return n
}

// findOne is find for one key.
func (g *grouper) findOne(w *worker, sel records.Selection) records.Selection {
	k := g.answer.Keys[0]
	column := w.TextColumn(k.Column)
	from := column
	if !k.IsColumn() {
		sel = g.findPart(w, 0, sel, g.spans)
		from = g.spans
	}
	if g.answer.Form != query.EitherKey || k.IsPrefix() && !w.Odd[w.Slot(k.Column)] {
		g.at = from
		return sel
	}
	empty := records.Span{} // the key of the empty text, once there is one
	for _, i := range sel {
		s := from[i]
		switch {
		case s.Len > 0 && w.Text[s.Off] != 0: // nearly all fields are their own keys
		case s.Len == 0 && w.IsNull(column[i]):
			s = value.Null
		case s.Len == 0 && empty.Len > 0:
			s = empty
		default:
			w.value = value.AppendKey(w.value[:0], value.OfText(s.Of(w.Text)))
			if key := w.Batch.Add(w.value); s.Len == 0 {
				s, empty = key, key
			} else {
				s = key
			}
		}
		g.spans[i] = s
	}
	return sel
}
