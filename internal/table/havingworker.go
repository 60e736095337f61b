package table

import (
	"errors"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/agg"
	"github.com/thresh-dev/thresh/internal/table/filter"
	"github.com/thresh-dev/thresh/internal/table/query"
	"github.com/thresh-dev/thresh/internal/table/value"
)

// havingWorker filters groups one by one.
type havingWorker struct {
	*query.Having
	headings []answer.Column
	filter   *filter.Worker
	cells    []answer.Cell
	memory   []byte // slack, then the text
	spans    []records.Column
	computed []records.Column
	value    []byte
	inexact  []int64
}

func newHavingWorker(h *query.Having, headings []answer.Column) *havingWorker {
	w := &havingWorker{Having: h, headings: headings, filter: h.Filter.Worker()}
	w.filter.Mark = havingMark
	for range headings {
		w.spans = append(w.spans, make(records.Column, 1))
	}
	for range h.Derived {
		w.computed = append(w.computed, make(records.Column, 1))
	}
	return w
}

// wanted reports whether the filter matches a group.
func (t *groupWriter) wanted(key []byte, words []uint64, store *agg.Store) (bool, error) {
	w := t.worker
	w.inexact = append(w.inexact[:0], t.inexact...)
	w.cells = t.keyCells(w.cells[:0], key)
	for i := range t.Aggregates {
		w.cells = append(w.cells, t.cell(i, words, store))
	}
	copy(t.inexact, w.inexact) // notes are about what is shown
	if t.Err != nil {
		return false, t.Err
	}
	return w.matches()
}

func (w *havingWorker) matches() (bool, error) {
	// The first slack lies before the text, because null lies at its beginning; with the second one no cell does.
	w.memory = append(w.memory[:0], make([]byte, 2*records.SlackBytes)...)
	for i, c := range w.cells {
		w.value = w.headings[i].AppendText(w.value[:0], &c)
		w.add(w.spans[i], c.Null)
	}
	for i, e := range w.Derived {
		v := e.Value(func(column int) []byte {
			if s := w.spans[column][0]; s != value.Null {
				return s.Of(w.memory[records.SlackBytes:])
			}
			return nil
		})
		w.value, _ = v.Append(w.value[:0])
		w.add(w.computed[i], v.IsNull())
	}
	text := append(w.memory, make([]byte, records.SlackBytes)...)[records.SlackBytes:]
	if len(text) > longestGroup {
		return false, errors.New("Groups.Having: the names of a group are too long to filter by")
	}
	column := func(i int) records.Column {
		if i >= w.Columns {
			return w.computed[i-w.Columns]
		}
		return w.spans[i]
	}
	return len(w.filter.Select(text, column, records.Selection{0})) > 0, nil
}

// longestGroup limits the text of the cells of a group, so that places in it fit.
const longestGroup = 1 << 31

// add appends the value to the text, and stores its place.
func (w *havingWorker) add(column records.Column, null bool) {
	if column[0] = value.Null; null {
		return
	}
	column[0] = records.Span{Off: uint32(len(w.memory) - records.SlackBytes), Len: uint32(len(w.value))}
	w.memory = append(append(w.memory, w.value...), havingMark)
}

// havingMark follows the cells that are not null.
const havingMark = '"'
