package table

import (
	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/expr"
	"github.com/thresh-dev/thresh/internal/table/value"
)

// derive computes the derived columns from, up to to, of the selected records, as texts. Those that are
// needed as numbers only are left to parseNumbers.
func (w *worker) derive(from, to int, sel records.Selection) {
	for i := from; i < to; i++ {
		v, rest := w.vectors[i], sel
		switch {
		case w.finders[i] != nil:
			w.find(i, sel)
			continue
		case w.query.Derived.All[i].Joined != nil, v != nil && v.Numeric && w.query.NumbersOnly(i):
			continue
		case v != nil:
			rest = w.deriveBatch(i, sel)
		}
		w.deriveEach(i, rest)
	}
}

// deriveBatch computes a derived column at once, and returns the records that are left out.
func (w *worker) deriveBatch(i int, sel records.Selection) (rest records.Selection) {
	values, done, rest := w.vectors[i].Compute(vectorBatch{w}, sel)
	slot := w.Slot(w.query.Derived.First + i)
	out, texts, odd := w.Columns[slot], w.Texts[slot], w.Odd[slot]
	for _, record := range done {
		s := values[record]
		out[record], texts[record] = s, s
		if s.Len == 0 {
			odd = odd || !w.IsNull(s)
		} else {
			odd = odd || w.Text[s.Off] == 0
		}
	}
	w.Odd[slot] = odd
	return rest
}

// vectorBatch is the batch of a worker as an expr.Batch.
type vectorBatch struct{ w *worker }

func (b vectorBatch) Column(column int) records.Column { return b.w.Column(column) }
func (b vectorBatch) Text() []byte                     { return b.w.Text }
func (b vectorBatch) Add(value []byte) records.Span    { return b.w.Batch.Add(value) }
func (b vectorBatch) Mark() byte                       { return b.w.Batch.Mark }

// find finds what a regular expression matches. The column is null where it matches nothing.
func (w *worker) find(i int, sel records.Selection) {
	k := w.query.Derived.All[i].Key
	slot, from := w.Slot(w.query.Derived.First+i), w.TextColumn(k.Column)
	out, texts := w.Columns[slot], w.Texts[slot]
	w.found = w.finders[i].Spans(w.Text, from, sel, out, w.found[:0])
	found := w.found
	for _, record := range sel {
		s := value.Null
		if len(found) > 0 && found[0] == record {
			found = found[1:]
			switch s = out[record]; {
			case from[record].Len == 0 && w.IsNull(from[record]):
				s = value.Null // null matches nothing
			case s.Len == 0:
				s, w.Odd[slot] = w.AddEmpty(), true
			default:
				w.Odd[slot] = w.Odd[slot] || w.Text[s.Off] == 0
			}
		}
		out[record], texts[record] = s, s
	}
}

// deriveEach computes a derived column record by record.
func (w *worker) deriveEach(i int, sel records.Selection) {
	slot, e := w.Slot(w.query.Derived.First+i), w.query.Derived.All[i]
	out, texts := w.Columns[slot], w.Texts[slot]
	var record uint16
	row := expr.Row{Field: func(column int) []byte { return w.Field(w.Column(column)[record]) }}
	if e.Watched {
		row.Bad = func(of expr.Node, text []byte, asked expr.Asked) { w.badOf(i, record, of, text, asked) }
	}
	for _, record = range sel {
		v := e.ValueOf(&row)
		if v.IsNull() {
			texts[record], out[record] = value.Null, value.Null
			continue
		}
		var textLen int
		w.value, textLen = v.Append(w.value[:0])
		if len(w.value) == 0 {
			w.Odd[slot] = true
			texts[record], out[record] = w.AddEmpty(), w.AddEmpty()
			continue
		}
		w.Odd[slot] = w.Odd[slot] || w.value[0] == 0
		s := w.Batch.Add(w.value)
		texts[record], out[record] = records.Span{Off: s.Off, Len: uint32(textLen)}, s
	}
}

// parseNumbers makes the numbers of a number column. Those of an expression need no text if nothing else
// does, except for the few that do not fit.
func (w *worker) parseNumbers(number int, sel records.Selection) {
	n, column := w.Numbers[number], w.query.Numbers[number]
	if w.query.Linear[number].Number >= 0 {
		w.parseLinear(number, sel)
		return
	}
	if i := column - w.query.Derived.First; w.query.Derived.Has(column) && w.query.NumbersOnly(i) {
		if v := w.vectors[i]; v != nil && v.Numeric {
			_, sel = v.ComputeNumbers(n, vectorBatch{w}, sel)
			w.deriveEach(i, sel)
		}
	}
	n.Parse(w.Text, w.NumberColumn(number), sel)
}

// parseLinear makes the numbers of a linear column where those of the other one are not Plain.
func (w *worker) parseLinear(number int, sel records.Selection) {
	l, n := &w.query.Linear[number], w.Numbers[number]
	of := w.Numbers[l.Number]
	n.AllPlain = true
	w.rest = w.rest[:0]
	if !of.AllPlain {
		for _, i := range sel {
			if of.Kinds[i] != decimal.Plain {
				w.rest = append(w.rest, i)
			}
		}
	}
	w.deriveEach(w.query.Numbers[number]-w.query.Derived.First, w.rest)
	n.Parse(w.Text, w.NumberColumn(number), w.rest)
	n.Decimals = max(n.Decimals, l.Digits(of, n.Decimals, sel))
}
