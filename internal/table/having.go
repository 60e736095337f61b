package table

import (
	"errors"
	"fmt"
	"strings"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/spelling"
	"github.com/thresh-dev/thresh/internal/table/agg"
	"github.com/thresh-dev/thresh/internal/table/expr"
	"github.com/thresh-dev/thresh/internal/table/filter"
	"github.com/thresh-dev/thresh/internal/table/value"
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
	scope := expr.Scope{QuotedNames: q.SQL, SQL: q.SQL,
		Resolve: func(name string, quoted bool) (int, error) {
			if i := a.keyOrNamed(q, name, quoted); i >= 0 {
				return i, nil
			}
			if !quoted && strings.EqualFold(name, "count") {
				return len(a.keys) + a.add(aggregate{Call: agg.CountOfRecords()}), nil
			}
			return 0, a.unknown(name)
		},
		Call: func(text string, at int) (column, end int, ok bool, err error) {
			name, _, _ := strings.Cut(text[at:], "(")
			if !agg.IsFunction(strings.TrimSpace(name)) {
				return 0, at, false, nil
			}
			g, end, err := q.parseCall(text, at)
			if err != nil {
				return 0, at, false, err
			}
			if i := a.named(text[at:end]); i >= 0 {
				return i, end, true, nil
			}
			return len(a.keys) + a.add(aggregate{Call: g}), end, true, nil
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
		names = append(names, a.aggregates[i].Text)
	}
	if near := spelling.Nearest(name, names); near != "" {
		return fmt.Errorf("the answer has no column %q; did you mean %s?", name, near)
	}
	return fmt.Errorf("the answer has no column %q; it has %s. An aggregate is written like sum(amount)",
		name, strings.Join(names, ", "))
}

// havingWorker filters groups one by one.
type havingWorker struct {
	*having
	headings []answer.Column
	filter   *filter.Worker
	cells    []answer.Cell
	memory   []byte // slack, then the text
	spans    []records.Column
	computed []records.Column
	value    []byte
	inexact  []int64
}

func (h *having) worker(headings []answer.Column) *havingWorker {
	w := &havingWorker{having: h, headings: headings, filter: h.filter.Worker()}
	w.filter.Mark = havingMark
	for range headings {
		w.spans = append(w.spans, make(records.Column, 1))
	}
	for range h.derived {
		w.computed = append(w.computed, make(records.Column, 1))
	}
	return w
}

// wanted reports whether the filter matches a group.
func (t *groupWriter) wanted(key []byte, words []uint64, store *agg.Store) (bool, error) {
	w := t.worker
	w.inexact = append(w.inexact[:0], t.inexact...)
	w.cells = t.keyCells(w.cells[:0], key)
	for i := range t.aggregates {
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
	for i, e := range w.derived {
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
		if i >= w.columns {
			return w.computed[i-w.columns]
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
