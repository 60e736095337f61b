package table

import (
	"bytes"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/decimal"
)

// If numbers are written in a notation, a field that is one has that number as its value, and what is written as its
// text: keys and printed records are texts, and all else is about values.

// notPlain is appended to a text that is a number elsewhere and none in the notation, so that it is no number. It looks
// like nothing.
const notPlain = "\u00a0"

// readNumbers makes the values of the fields of a batch. What would be a number if it were not for the notation, such
// as 1.5 where points are between thousands, is none.
func (w *worker) readNumbers(sel records.Selection) {
	for slot, column := range w.Columns[:len(w.query.InFile())] {
		texts := w.Texts[slot]
		for _, i := range sel {
			s := column[i]
			if texts[i] = s; s.Len == 0 {
				continue
			}
			field := s.Of(w.Text)
			var ok bool
			if w.value, ok = w.notation.Append(w.value[:0], field); !ok {
				if _, kind := decimal.Parse(field); kind != decimal.Plain && kind != decimal.Irregular {
					continue
				}
				w.value = append(append(w.value, field...), notPlain...)
			}
			column[i] = w.Batch.Add(w.value)
		}
	}
}

// asIs returns a field that is no number as it is written.
func (w *worker) asIs(field []byte) []byte {
	if w.notation == nil {
		return field
	}
	return bytes.TrimSuffix(field, []byte(notPlain))
}
