package table

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/table/agg"
	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/order"
	"github.com/thresh-dev/thresh/internal/table/query"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// keptRow is a group that is kept for sorting.
type keptRow struct {
	order  []byte        // what the row is sorted by: see package order
	keyLen int           // the key of the group is at its end
	cells  []answer.Cell // of the aggregates
}

func (r *keptRow) key() []byte { return r.order[len(r.order)-r.keyLen:] }

// rowBytes is the approximate memory of a row without its key, and of a cell.
const rowBytes = 96

// keep keeps a group for sorting, and now and then drops the groups beyond the limit.
func (t *groupWriter) keep(key []byte, words []uint64, store *agg.Store) error {
	if t.isBelow(key, words) {
		return nil
	}
	next := keptRow{keyLen: len(key)}
	if !t.orderOf(key, &next, words, store) {
		return nil
	}
	t.fill(&next, words, store)
	next.order = slices.Clone(t.sorting)
	t.kept = append(t.kept, next)
	size := int64(len(next.order)+len(next.cells)*rowBytes) + rowBytes
	t.bytes += size
	bound := t.run.options.MemBytes
	held := t.held.Add(size)
	over := bound > 0 && held > bound
	if n := int64(len(t.kept)); t.Most > 0 && n > t.Most && (over || n >= 2*t.Most+int64(sparesMax.Get())) {
		t.sort()
		dropped := t.bytes / n * (n - int64(len(t.kept)))
		t.bytes -= dropped
		held = t.held.Add(-dropped)
	}
	if bound > 0 && held > bound {
		return fmt.Errorf("sort %d groups by %s: they do not fit in %d bytes, the part of Run.MemoryBytes for them; "+
			"give Groups.Limit, raise Run.MemoryBytes, or sort by key", t.Begun, t.orderName(), bound)
	}
	return nil
}

func (t *groupWriter) orderName() string {
	var names []string
	for _, by := range t.Order {
		names = append(names, by.Text)
	}
	return strings.Join(names, ", ")
}

// fill sets the cells of a row.
func (t *groupWriter) fill(r *keptRow, words []uint64, store *agg.Store) {
	for i := len(r.cells); i < t.Shown; i++ {
		r.cells = append(r.cells, t.cell(i, words, store))
	}
}

// orderOf sets sorting to what a group is sorted by, and its key. It stops and returns false if the group comes after
// the last one that may be kept.
func (t *groupWriter) orderOf(key []byte, r *keptRow, words []uint64, store *agg.Store) (wanted bool) {
	b := t.sorting[:0]
	t.cells = t.cells[:0]
	for i := range t.Order {
		by := &t.Order[i]
		if by.Column < len(t.Keys) && len(t.cells) == 0 {
			t.cells = t.keyCells(t.cells, key)
		}
		switch {
		case by.Column == query.ByKey:
			for _, cell := range t.cells {
				b = appendText(b, by.Direction, cell)
			}
		case by.Column < len(t.Keys):
			if cell := t.cells[by.Column]; by.ByValue && len(cell.Text) > 0 {
				b = by.Append(b, cell.Text)
			} else {
				b = appendText(b, by.Direction, cell)
			}
		default:
			b = t.appendResult(b, by, r, words, store)
		}
		if t.bound != nil && bytes.Compare(b, t.bound[:min(len(b), len(t.bound))]) > 0 {
			t.sorting = b
			return false
		}
	}
	last := byte(0)
	if t.NullFirst(key) { // it comes last
		last = 1
	}
	t.sorting = append(append(b, last), key...)
	return t.bound == nil || bytes.Compare(t.sorting, t.bound) < 0
}

// appendText appends a key: keys are texts, and ordered byte by byte.
func appendText(b []byte, d order.Direction, cell answer.Cell) []byte {
	if cell.Null {
		return d.AppendNull(b)
	}
	return d.AppendText(b, cell.Text)
}

// appendResult appends an aggregate.
func (t *groupWriter) appendResult(b []byte, by *query.OrderItem, r *keptRow, words []uint64, store *agg.Store) []byte {
	i, column := by.Column-len(t.Keys), t.columns[by.Column]
	if column.Type == answer.ColumnText {
		var cell answer.Cell
		if i < t.Shown {
			t.fill(r, words, store)
			cell = r.cells[i]
		} else {
			cell = t.cell(i, words, store)
		}
		if !cell.Null && t.results[i].Times(t.Known) {
			return by.AppendWords(b, cell.Text)
		}
		return appendText(b, by.Direction, cell)
	}
	n, null, _ := t.results[i].Number(&t.Reader, words, store)
	switch {
	case null:
		return by.AppendNull(b)
	case column.Type == answer.ColumnFloat:
		n = decimal.FromFloat(n.Float64())
	}
	return by.AppendNumber(b, n)
}

// isBelow reports whether a group certainly comes after all kept groups, so that it need not be
// kept. That is the case if the limit is reached and the group's value is not better than any
// kept one, or is as good as the last one's, whose key comes first.
func (t *groupWriter) isBelow(key []byte, words []uint64) bool {
	if !t.full {
		return false
	}
	v, null, ok := t.results[t.Order[0].Column-len(t.Keys)].Word(words)
	if !ok || null {
		return false
	}
	if v == t.least {
		return len(t.Order) == 1 && t.compareKeys(key, t.leastKey) > 0
	}
	return v < t.least == t.Order[0].Descending
}

// sparesMax is how many rows are kept beyond twice the limit before they are sorted. It makes
// sorting rare when the limit is small.
var sparesMax = threshold.New("table: rows kept beyond the limit", 4096, 1)

// sort sorts the kept rows, and drops those beyond the limit.
func (t *groupWriter) sort() {
	slices.SortFunc(t.kept, func(a, b keptRow) int { return bytes.Compare(a.order, b.order) })
	if t.Most > 0 && int64(len(t.kept)) > t.Most {
		clear(t.kept[t.Most:])
		t.kept = t.kept[:t.Most]
		t.bound = t.kept[t.Most-1].order
		t.full = t.limits(&t.kept[t.Most-1])
	}
}

// limits reports whether the word of a group tells if the group comes after the last kept row, and sets least and
// leastKey.
func (t *groupWriter) limits(last *keptRow) bool {
	if len(t.Order) == 0 || t.Order[0].Column < len(t.Keys) {
		return false
	}
	i := t.Order[0].Column - len(t.Keys)
	if i >= len(last.cells) || last.cells[i].Null || last.cells[i].Big != nil || t.divisors[i] == 0 {
		return false
	}
	t.least, t.leastKey = last.cells[i].Int*t.divisors[i], last.key()
	return t.least/t.divisors[i] == last.cells[i].Int
}

// compareKeys orders keys, with null last.
func (t *groupWriter) compareKeys(a, b []byte) int {
	if null := t.NullFirst(a); null != t.NullFirst(b) {
		if null {
			return 1
		}
		return -1
	}
	return bytes.Compare(a, b)
}

// emit writes a row, unless it is to be skipped.
func (t *groupWriter) emit(cells []answer.Cell) error {
	if t.written++; t.written > t.Skip {
		if err := t.out.Row(cells); err != nil {
			return err
		}
	}
	if t.written == t.Most {
		return errLimitReached
	}
	return nil
}

// writeKept writes the kept rows, unless as many as are wanted were written.
func (t *groupWriter) writeKept() error {
	if t.Most > 0 && t.written == t.Most {
		return nil
	}
	t.sort()
	for i := range t.kept {
		r := &t.kept[i]
		if err := t.emit(append(t.keyCells(t.cells[:0], r.key()), r.cells...)); err != nil {
			return err
		}
	}
	return nil
}
