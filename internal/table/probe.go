package table

import (
	"slices"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/hashjoin"
	"github.com/thresh-dev/thresh/internal/table/query"
	"github.com/thresh-dev/thresh/internal/table/value"
)

// The records of a batch are joined all at once, join by join. Their keys are looked up, and the fields of the rows
// that are found are copied after the text of the batch. As long as no record has several rows, the batch stays as it
// is but for the records that have none. Otherwise it becomes batches in which each record comes once for each of its
// rows.

// probe is a worker's share of a join.
type probe struct {
	*query.SourceJoin
	marks   *marks         // of the rows that were found; nil if that does not matter
	parts   []byte         // the keys of the batch that are made of several
	spans   records.Column // where they are in parts
	rows    [records.Max]hashjoin.Row
	sel     records.Selection
	filled  []filled
	touched byte

	saved [][2]records.Column // by slot: columns and texts before records are repeated
	from  [records.Max]uint16 // by row of the batch that is made: its record
}

// filled is a column that rows are copied to.
type filled struct {
	slot   int
	column records.Column
}

// beginProbes prepares a worker to join.
func (w *worker) beginProbes(r *Run) {
	for _, j := range r.query.Joins {
		p := &probe{SourceJoin: j, spans: make(records.Column, records.Max)}
		p.sel = make(records.Selection, 0, records.Max)
		if j.KeepsRows() {
			p.marks = r.marks
		}
		for _, d := range j.Columns {
			slot := r.query.Slot(r.query.Derived.First + d)
			p.filled = append(p.filled, filled{slot, w.Columns[slot]})
		}
		w.probes = append(w.probes, p)
	}
}

// answerJoined joins the selected records, and adds the rows to the answers.
func (w *worker) answerJoined(sel records.Selection) {
	w.derive(0, w.query.Derived.Early, sel)
	sel = w.narrow(w.where.Early, w.narrowable(sel))
	w.clock.lap(stageFilter)
	w.join(0, sel)
}

// join makes the joins from the k-th on.
func (w *worker) join(k int, sel records.Selection) {
	if len(sel) == 0 || w.dead {
		return
	}
	if k == len(w.probes) {
		w.answerRows(w.probes[k-1].Known, sel)
		return
	}
	p := w.probes[k]
	w.derive(w.computed(k), p.Known, sel)
	known := p.find(w, sel)
	w.clock.lap(stageJoin)
	switch {
	case p.How == query.NotIn && p.Rows.Rows() == 0:
		w.join(k+1, sel)
	case p.How == query.NotIn && p.Rows.NullKeys():
	case p.Flipped && p.How.KeepsOne():
	case p.How == query.Semi:
		w.join(k+1, p.matched(known, true))
	case p.How == query.NotIn:
		w.join(k+1, p.matched(known, false))
	case p.How == query.Anti:
		w.join(k+1, p.matched(sel, false))
	default:
		if p.How == query.Inner || p.Flipped && p.How != query.Full {
			sel = p.matched(known, true)
		} else {
			sel = append(p.sel[:0], sel...) // of its own while records are repeated
		}
		w.attach(k, sel)
	}
}

// computed returns how many derived columns are known before the k-th join.
func (w *worker) computed(k int) int {
	if k == 0 {
		return w.query.Derived.Early
	}
	return w.probes[k-1].Known
}

// find looks up the keys of the selected records. It returns those whose key is not null; the others have no row.
func (p *probe) find(w *worker, sel records.Selection) (known records.Selection) {
	known = append(p.sel[:0], sel...)
	for _, i := range sel {
		p.rows[i] = 0
	}
	for _, c := range p.Keys {
		n, column := 0, w.TextColumn(c)
		for _, i := range known {
			known[n] = i
			if s := column[i]; s.Len != 0 || !w.IsNull(s) {
				n++
			}
		}
		known = known[:n]
	}
	text, keys := w.Text, w.TextColumn(p.Keys[0])
	if len(p.Keys) > 1 || p.Numbers[0] {
		known = p.makeKeys(w, known)
		text, keys = p.parts, p.spans
	}
	p.touched += p.Rows.Find(text, keys, known, &p.rows)
	if p.marks != nil {
		for _, i := range known {
			p.marks.mark(p.Rows, p.rows[i])
		}
	}
	return known
}

// makeKeys makes the keys of the selected records, and returns those that have one: a text where numbers are compared
// has none.
func (p *probe) makeKeys(w *worker, sel records.Selection) (known records.Selection) {
	p.parts, known = p.parts[:0], sel[:0]
	for _, i := range sel {
		from := len(p.parts)
		ok := true
		for k, c := range p.Keys {
			if p.parts, ok = appendJoinKey(p.parts, w.TextColumn(c)[i].Of(w.Text), p.Numbers[k], len(p.Keys) > 1); !ok {
				break
			}
		}
		p.spans[i] = records.Span{Off: uint32(from), Len: uint32(len(p.parts) - from)}
		if ok {
			known = append(known, i)
		}
	}
	return known
}

// appendJoinKey appends a value to the key of a join, which may have several. ok is false if it is no number where one
// is compared.
func appendJoinKey(key, field []byte, number, several bool) (_ []byte, ok bool) {
	from := len(key)
	if !number {
		key = append(key, field...)
	} else if n, kind := decimal.Parse(field); kind == decimal.Plain || kind == decimal.Irregular {
		key = value.AppendNumber(key, n)
	} else {
		return key, false
	}
	if several {
		part := slices.Clone(key[from:])
		key = value.AppendPart(key[:from], part)
	}
	return key, true
}

// matched returns the records that have a row, or those that have none.
func (p *probe) matched(sel records.Selection, has bool) records.Selection {
	kept := p.sel[:0]
	for _, i := range sel {
		if (p.rows[i] != 0) == has {
			kept = append(kept, i)
		}
	}
	return kept
}

// attach joins the selected records with the rows that were found for them.
func (w *worker) attach(k int, sel records.Selection) {
	p := w.probes[k]
	several := func(i uint16) bool { return p.rows[i] != 0 && p.Rows.Next(p.rows[i]) != 0 }
	if !p.Rows.Unique() && slices.ContainsFunc(sel, several) {
		w.repeat(k, sel)
		return
	}
	if len(p.filled) > 0 {
		for _, i := range sel {
			p.fill(w, i, p.rows[i])
		}
	}
	w.clock.lap(stageJoin)
	w.join(k+1, sel)
}

// fill puts the fields of a row into record i of the batch; of no row they are null.
func (p *probe) fill(w *worker, i uint16, row hashjoin.Row) {
	if row == 0 {
		for _, f := range p.filled {
			f.column[i] = value.Null
		}
		return
	}
	fields := p.Rows.Fields(row)
	w.Reserve(len(fields) + 1)
	if len(w.Text) == 0 { // what lies at the beginning is null
		w.Text = append(w.Text, 0)
	}
	off := len(w.Text)
	w.Text = append(w.Text, fields...)
	for _, f := range p.filled {
		from, n, end, null := hashjoin.CutField(fields)
		s := records.Span{Off: uint32(off + from), Len: uint32(n)}
		switch {
		case null:
			s = value.Null
		case n == 0:
			w.Text[s.Off], w.Odd[f.slot] = w.Batch.Mark, true
		default:
			w.Odd[f.slot] = w.Odd[f.slot] || fields[from] == 0
		}
		f.column[i] = s
		fields, off = fields[end:], off+end
	}
}

// repeat makes batches in which each selected record comes once for each of its rows, in their order.
func (w *worker) repeat(k int, sel records.Selection) {
	p := w.probes[k]
	p.save(w)
	at, text, n := w.At, len(w.Text), 0
	defer func() { w.At = at }()
	flush := func() {
		w.At = func(i uint16) int64 { return at(p.from[i]) }
		w.join(k+1, w.every[:n])
		w.Text, n = w.Text[:text], 0
	}
	most := batchRecords.Get()
	for _, i := range sel {
		for row := p.rows[i]; ; {
			for slot, s := range p.saved {
				w.Columns[slot][n], w.Texts[slot][n] = s[0][i], s[1][i]
			}
			p.fill(w, uint16(n), row)
			p.from[n] = i
			if n++; n == most {
				flush()
			}
			if w.block.enough || w.dead {
				return
			}
			if row == 0 {
				break
			}
			if row = p.Rows.Next(row); row == 0 {
				break
			}
		}
	}
	if n > 0 {
		flush()
	}
}

// save keeps the columns of the batch as they are.
func (p *probe) save(w *worker) {
	if p.saved == nil {
		p.saved = make([][2]records.Column, len(w.Columns))
		for slot := range p.saved {
			p.saved[slot][0] = make(records.Column, records.Max)
			if p.saved[slot][1] = p.saved[slot][0]; &w.Texts[slot][0] != &w.Columns[slot][0] {
				p.saved[slot][1] = make(records.Column, records.Max)
			}
		}
	}
	for slot, s := range p.saved {
		copy(s[0], w.Columns[slot])
		copy(s[1], w.Texts[slot])
	}
}

// stream formats the selected rows, to be printed in their order. If a limit is near, no more are formatted at once
// than it leaves: a record may have many rows.
func (w *worker) stream(sel records.Selection) {
	for len(sel) > 0 && !w.block.enough {
		n := len(sel)
		if len(w.probes) > 0 {
			n = w.quota(n)
		}
		w.format(sel[:n])
		w.clock.lap(stageFormat)
		w.printMuch()
		sel = sel[n:]
	}
}

// narrowable returns a selection that may be narrowed in place.
func (w *worker) narrowable(sel records.Selection) records.Selection {
	if len(sel) > 0 && &sel[0] == &w.every[0] {
		return append(w.sel[:0], sel...)
	}
	return sel
}
