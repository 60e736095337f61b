package table

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
)

// A record that is printed whole, and has neither quotes nor carriage returns, is copied as it is written, and
// records that follow each other are copied as one. What is printed depends on the values of the fields alone:
// any other record is written again from them.

// bounds is where the records of a batch lie. Record i ends with the line feed at ends[i], and its text at
// stops[i].
type bounds struct {
	begin       uint32
	ends, stops []uint32
	regular     bool // each record has as many fields as the first one, and no misplaced quote
	plain       bool // there is no quote and no carriage return, and the format leaves such records as they are

	long []byte // the only record, if it is not in the text of the batch
}

// from returns where record i begins.
func (b *bounds) from(i uint16) uint32 {
	if i == 0 {
		return b.begin
	}
	return b.ends[i-1] + 1
}

// record returns record i without its line feed.
func (b *bounds) record(text []byte, i uint16) []byte {
	if b.ends == nil {
		return bytes.TrimSuffix(b.long, []byte{'\n'})
	}
	return text[b.from(i):b.ends[i]]
}

// beginFormat prepares a worker to format records.
func (w *worker) beginFormat(r *Run) error {
	q := r.query
	f := formatOf(q.Printed.Heading, r.out)
	w.formatted.format = f
	for _, c := range q.Printed.Columns {
		w.output = append(w.output, w.TextColumn(c))
	}
	if q.Dialect.JSON {
		return w.beginLines(r)
	}
	w.asWritten = len(q.Dialect.Nulls) == 0 && q.Dialect.Numbers == "" && q.FileSlot < 0 &&
		len(q.Joins) == 0 && q.First.Fields > 1 && f.AsWritten(q.Dialect.Delim, q.Dialect.Quote)
	w.lean = q.InFile()
	if q.Printed.Verbatim {
		w.lean = slices.Clone(q.Sorted.KeyColumns())
		if q.Filter != nil {
			w.lean = append(w.lean, q.Filter.Columns()...)
		}
		for _, d := range q.Derived.All {
			w.lean = append(w.lean, d.From()...)
		}
		slices.Sort(w.lean)
		w.lean = slices.DeleteFunc(slices.Compact(w.lean), q.Derived.Has)
	}
	for _, c := range w.lean {
		w.leanColumns = append(w.leanColumns, w.Columns[q.Slot(c)])
	}
	return nil
}

// beginLines prepares a worker to format lines of JSON.
func (w *worker) beginLines(r *Run) error {
	p, same := r.query.Printed, w.formatted.format.KeepsJSON()
	if p.Verbatim && !same && r.out != nil {
		return &failure.SpecError{Err: errors.New("thresh.Select: lines of JSON may have any keys: name columns, " +
			"or print this answer alone as JSON (Writer.Format json)")}
	}
	if !same || len(r.query.Joins) > 0 && p.Derived { // some values are not written in the input
		return nil
	}
	heading := slices.Clone(p.Heading)
	for k, c := range p.Columns {
		if w.raw = append(w.raw, w.output[k]); !r.query.Derived.Has(c) && r.query.Slot(c) != r.query.FileSlot {
			w.raw[k], heading[k].JSON = make(records.Column, records.Max), true
		}
	}
	w.formatted.format = formatOf(heading, r.out)
	return nil
}

// isPlain reports whether the records of a text can be printed as they are written.
func (w *worker) isPlain(text []byte) bool {
	return w.asWritten && w.pass.same && bytes.IndexByte(text, '\r') < 0 &&
		(w.query.Dialect.Quote == 0 || bytes.IndexByte(text, w.query.Dialect.Quote) < 0)
}

// format formats the selected records.
func (w *worker) format(sel records.Selection) {
	f := &w.formatted
	f.n += int64(len(sel))
	switch {
	case w.json != nil && w.query.Printed.Verbatim:
		w.copyLines(sel)
	case w.bounds.plain && w.query.Printed.Verbatim:
		w.copyStretches(sel)
	case w.bounds.plain && len(w.query.Printed.Columns) > 1 && !w.query.Printed.Derived:
		w.joinFields(sel)
	default:
		w.writeRecords(sel)
	}
}

// copyStretches copies records as they are written.
func (w *worker) copyStretches(sel records.Selection) {
	f, s := &w.formatted, &w.bounds
	for i := 0; i < len(sel); {
		from, last := s.from(sel[i]), sel[i]
		for i++; i < len(sel) && sel[i] == last+1; i++ {
			last++
		}
		f.text = append(f.text, w.Text[from:s.ends[last]+1]...)
	}
}

// joinFields writes fields that need no quotes.
func (w *worker) joinFields(sel records.Selection) {
	text, delim := w.formatted.text, w.query.Dialect.Delim
	for _, i := range sel {
		for _, column := range w.output {
			text = append(append(text, column[i].Of(w.Text)...), delim)
		}
		text[len(text)-1] = '\n'
	}
	w.formatted.text = text
}

// writeRecords writes records from the values of their fields, except for those that are printed as they are.
func (w *worker) writeRecords(sel records.Selection) {
	f, s, output := &w.formatted, &w.bounds, w.output
	if w.raw != nil {
		output = w.raw
	}
	verbatim := s.regular && w.query.Printed.Verbatim
	for _, i := range sel {
		if verbatim {
			if record := w.Text[s.from(i):s.stops[i]]; w.isPlain(record) {
				f.text = append(append(f.text, record...), '\n')
				continue
			}
		}
		f.fields = f.fields[:0]
		for _, column := range output {
			f.fields = append(f.fields, w.Field(column[i]))
		}
		var err error
		if f.text, err = f.format.Append(f.text, f.fields); err != nil {
			w.fail(fmt.Errorf("%s at %d: %w", w.pass.file.Name, w.At(i), err))
			return
		}
	}
}
