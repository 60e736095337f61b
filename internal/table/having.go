package table

import (
	"errors"
	"fmt"
	"strings"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/expr"
	"github.com/thresh-dev/thresh/internal/table/filter"
	"github.com/thresh-dev/thresh/internal/table/key"
)

// having is a filter of groups. Its columns are those of the answer: keys and aggregates, also
// aggregates that are not shown, and then expressions of them. It sees what is printed, so that a mean
// that is printed as 1.1 equals 1.1.
type having struct {
	filter  *filter.Filter
	columns int // of the answer
	derived []*expr.Expr
}

// newHaving parses a filter of groups. It adds the aggregates that are not in the answer.
func (a *groupAnswer) newHaving(q *query, text string) (*having, error) {
	h := &having{}
	const most = 1 << 16 // expressions follow any number of columns
	scope := expr.Scope{
		Resolve: func(name string, quoted bool) (int, error) {
			if i := a.named(name); i >= 0 {
				return i, nil
			}
			if !quoted && strings.EqualFold(name, "count") {
				return len(a.keys) + a.add(aggregate{text: "count"}), nil
			}
			return 0, a.unknown(name)
		},
		Call: func(text string) (column int, ok bool, err error) {
			if i := a.named(text); i >= 0 {
				return i, true, nil
			}
			name, _, _ := strings.Cut(text, "(")
			if (&aggregate{}).setFunction(strings.TrimSpace(name)) != nil {
				return 0, false, nil
			}
			g, err := q.parseOnly(text)
			if err != nil {
				return 0, false, err
			}
			return len(a.keys) + a.add(g), true, nil
		},
		Derive: func(e *expr.Expr) int {
			h.derived = append(h.derived, e)
			return most + len(h.derived) - 1
		},
	}
	var err error
	h.filter, err = filter.Parse(text, scope)
	h.columns = most
	return h, err
}

// unknown is the error for a name that is not a column of the answer.
func (a *groupAnswer) unknown(name string) error {
	var names []string
	for _, k := range a.keys {
		names = append(names, k.Text)
	}
	for i := range a.aggregates {
		names = append(names, a.aggregates[i].text)
	}
	if near := key.Nearest(name, names); near != "" {
		return fmt.Errorf("the answer has no column %q; did you mean %s?", name, near)
	}
	return fmt.Errorf("the answer has no column %q; it has %s. An aggregate is written like sum(amount)",
		name, strings.Join(names, ", "))
}

// havingWorker filters groups one by one.
type havingWorker struct {
	*having
	headings []Column
	filter   *filter.Worker
	cells    []Cell
	text     []byte // the cells, with slack around
	spans    []records.Column
	computed []records.Column
	value    []byte
	inexact  []int64
}

func (h *having) worker(headings []Column) *havingWorker {
	w := &havingWorker{having: h, headings: headings, filter: h.filter.Worker()}
	for range headings {
		w.spans = append(w.spans, make(records.Column, 1))
	}
	for range h.derived {
		w.computed = append(w.computed, make(records.Column, 1))
	}
	return w
}

// wanted reports whether the filter matches a group.
func (t *groupWriter) wanted(key []byte, words []uint64, store *store) (bool, error) {
	w := t.worker
	w.inexact = append(w.inexact[:0], t.inexact...)
	w.cells = t.keyCells(w.cells[:0], key)
	for i := range t.aggregates {
		w.cells = append(w.cells, t.cell(i, words, store))
	}
	copy(t.inexact, w.inexact) // notes are about what is shown
	if t.err != nil {
		return false, t.err
	}
	return w.matches()
}

func (w *havingWorker) matches() (bool, error) {
	w.text = append(w.text[:0], make([]byte, records.SlackBytes)...)
	for i, c := range w.cells {
		w.value = appendCell(w.value[:0], w.headings[i], c)
		w.add(w.spans[i])
	}
	for i, e := range w.derived {
		w.value = e.Append(w.value[:0], func(column int) []byte { return w.spans[column][0].Of(w.text) })
		w.add(w.computed[i])
	}
	w.text = append(w.text, make([]byte, records.SlackBytes)...)
	if len(w.text) > longestGroup {
		return false, errors.New("--having: the names of a group are too long to filter by")
	}
	column := func(i int) records.Column {
		if i >= w.columns {
			return w.computed[i-w.columns]
		}
		return w.spans[i]
	}
	return len(w.filter.Select(w.text, column, records.Selection{0})) > 0, nil
}

// longestGroup limits the text of the cells of a group, so that places in it fit.
const longestGroup = 1 << 31

// add appends the value to the text, and stores its place.
func (w *havingWorker) add(column records.Column) {
	column[0] = records.Span{Off: uint32(len(w.text)), Len: uint32(len(w.value))}
	w.text = append(w.text, w.value...)
}

// appendCell appends a cell as it is printed.
func appendCell(b []byte, column Column, c Cell) []byte {
	switch {
	case c.Null:
		return b
	case column.Type == Text:
		return append(b, c.Text...)
	case column.Type == Float:
		return decimal.FromFloat(c.Float).AppendText(b, 0)
	case c.Big != nil:
		return decimal.FromBig(c.Big, column.Scale).AppendText(b, column.Scale)
	}
	return decimal.FromPlain(c.Int, column.Scale).AppendText(b, column.Scale)
}
