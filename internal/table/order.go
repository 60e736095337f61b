package table

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/key"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// byKey as order.by orders by all keys.
const byKey = -1

// order is the order of the groups.
type order struct {
	by         int // a column of the answer, or byKey
	descending bool
}

// orderBy sets the order: "key", "value" for the first aggregate, a key, or an aggregate, by its name in the
// answer or as it is written in a list; then perhaps "asc" or "desc". Keys are ascending otherwise, and
// aggregates descending. If the aggregate is not in the answer, orderBy adds it.
func (a *groupAnswer) orderBy(q *query, by string) error {
	name, direction := strings.TrimSpace(by), ""
	for _, d := range []string{"asc", "desc"} {
		n := len(name) - len(d)
		if n > 0 && strings.EqualFold(name[n:], d) && strings.IndexByte(" \t", name[n-1]) >= 0 {
			name, direction = strings.TrimSpace(name[:n]), d
		}
	}
	column, err := a.orderColumn(q, name)
	a.order = order{column, direction == "desc" || direction == "" && column >= len(a.keys)}
	return err
}

func (a *groupAnswer) orderColumn(q *query, name string) (column int, err error) {
	switch name {
	case "key":
		return byKey, nil
	case ByFirst:
		return len(a.keys), nil
	}
	if column = a.named(name); column >= 0 {
		return column, nil
	}
	g, err := q.parseOnly(name)
	switch {
	case err == nil:
		return len(a.keys) + a.add(g), nil
	case strings.Contains(name, "("):
		return 0, err
	}
	return 0, a.unknown(name)
}

// named returns the column of the answer that has a name, -1 if there is none.
func (a *groupAnswer) named(name string) int {
	for _, nameOf := range []func(*key.Key) string{
		func(k *key.Key) string { return k.Text },
		func(k *key.Key) string { return k.Spec },
		func(k *key.Key) string { return k.Name },
	} {
		if i := slices.IndexFunc(a.keys, func(k *key.Key) bool { return nameOf(k) == name }); i >= 0 {
			return i
		}
	}
	if i := slices.IndexFunc(a.aggregates, func(g aggregate) bool { return g.text == name }); i >= 0 {
		return len(a.keys) + i
	}
	return -1
}

// add returns the index of an aggregate that may be written differently, and adds it if it is new.
func (a *groupAnswer) add(g aggregate) int {
	i := slices.IndexFunc(a.aggregates, func(o aggregate) bool { return o.same(&g) })
	if i < 0 {
		i = len(a.aggregates)
		a.aggregates = append(a.aggregates, g)
	}
	return i
}

// inAnyOrder reports whether the groups are kept and sorted at the end, so that they may come in any order. That is
// of use if few of them have objects: with many, partitions cost more than they save.
func (a *groupAnswer) inAnyOrder() bool {
	rare := func(o object) bool {
		return o.function == distinct || o.function == countOf || o.function == extremes && o.needs == needsValues
	}
	return len(a.keys) > 0 && a.order != (order{by: byKey}) &&
		!slices.ContainsFunc(a.objects, func(o object) bool { return !rare(o) })
}

// ByFirst sorts groups by their first aggregate.
const ByFirst = "value"

// row is a group that is kept for sorting.
type row struct {
	key   []byte
	cells []Cell // of the aggregates
	order decimal.Number
	text  []byte // orders by keys and texts, instead of order
	null  bool
}

// rowBytes is the approximate memory of a row without its key, and of a cell.
const rowBytes = 96

// keep keeps a group for sorting, and now and then drops the groups beyond the limit.
func (t *groupWriter) keep(key []byte, words []uint64, store *store) error {
	if t.isBelow(key, words) {
		return nil
	}
	next := row{key: slices.Clone(key)}
	for i := range t.shown {
		next.cells = append(next.cells, t.cell(i, words, store))
	}
	t.place(&next, words, store)
	t.kept = append(t.kept, next)
	size := int64(len(key)+len(next.cells)*rowBytes) + rowBytes
	if n := int64(len(t.kept)); t.limit > 0 && n >= 2*t.limit+int64(sparesMax.Get()) {
		t.sort()
		size += t.bytes/n*int64(len(t.kept)) - t.bytes
	}
	t.bytes += size
	if bound := t.run.options.MemBytes; t.held.Add(size) > bound && bound > 0 {
		return fmt.Errorf("sort %d groups by %s: they do not fit in the %d bytes of --mem; "+
			"give --limit, raise --mem, or sort by key", t.seen, t.orderName(), bound)
	}
	return nil
}

func (t *groupWriter) orderName() string {
	if t.order.by == byKey {
		return "key"
	}
	return t.columns[t.order.by].Name
}

// place sets what a row is sorted by.
func (t *groupWriter) place(r *row, words []uint64, store *store) {
	by := t.order.by
	switch {
	case by == byKey:
		r.text = r.key
		return
	case by < len(t.keys):
		r.text = slices.Clone(t.keyCells(nil, r.key)[by].Text)
	case t.columns[by].Type == Text:
		r.text, r.null = r.cells[by-len(t.keys)].Text, r.cells[by-len(t.keys)].Null
	default:
		r.order, r.null, _ = t.number(by-len(t.keys), words, store)
		if t.columns[by].Type == Float {
			r.order = decimal.FromFloat(r.order.Float64())
		}
	}
}

// isBelow reports whether a group certainly comes after all kept groups, so that it need not be
// kept. That is the case if the limit is reached and the group's value is not better than any
// kept one, or is as good as the last one's, whose key comes first.
func (t *groupWriter) isBelow(key []byte, words []uint64) bool {
	if !t.full {
		return false
	}
	v, null, ok := t.word(&t.aggregates[t.order.by-len(t.keys)], words)
	if !ok || null {
		return false
	}
	if v == t.least {
		return bytes.Compare(key, t.leastKey) > 0
	}
	return v < t.least == t.order.descending
}

// sparesMax is how many rows are kept beyond twice the limit before they are sorted. It makes
// sorting rare when the limit is small.
var sparesMax = threshold.New("table: rows kept beyond the limit", 4096, 1)

// sort sorts the kept rows, and drops those beyond the limit.
func (t *groupWriter) sort() {
	slices.SortFunc(t.kept, t.compareRows)
	if t.limit > 0 && int64(len(t.kept)) > t.limit {
		clear(t.kept[t.limit:])
		t.kept = t.kept[:t.limit]
		t.full = t.limits(&t.kept[t.limit-1])
	}
}

// limits reports whether the word of a group tells if the group comes after the last kept row, and sets least and
// leastKey.
func (t *groupWriter) limits(last *row) bool {
	by := t.order.by
	if by < len(t.keys) || last.null {
		return false
	}
	cell := last.cells[by-len(t.keys)]
	scaled, ok := t.scaled(&t.aggregates[by-len(t.keys)], t.columns[by])
	if !ok || cell.Big != nil {
		return false
	}
	t.least, t.leastKey = cell.Int*scaled, last.key
	return t.least/scaled == cell.Int
}

// compareRows orders by value, with null last; then by key, ascending.
func (t *groupWriter) compareRows(a, b row) int {
	if a.null != b.null {
		if a.null {
			return 1
		}
		return -1
	}
	c := 0
	switch {
	case a.null:
	case t.order.by >= len(t.keys) && t.timed(t.order.by-len(t.keys)):
		c = compareTimes(a.text, b.text)
	case t.order.by < len(t.keys), t.columns[t.order.by].Type == Text:
		c = bytes.Compare(a.text, b.text)
	default:
		c = a.order.Compare(b.order)
	}
	if t.order.descending {
		c = -c
	}
	return cmp.Or(c, bytes.Compare(a.key, b.key))
}

// timed reports whether an aggregate is a time.
func (t *groupWriter) timed(i int) bool {
	g := &t.aggregates[i]
	return g.function.byValues() && t.run.kinds(t.objects[g.object].number) == hasTimes
}

// writeKept writes the kept rows.
func (t *groupWriter) writeKept() error {
	t.sort()
	for _, r := range t.kept {
		t.cells = append(t.keyCells(t.cells[:0], r.key), r.cells...)
		if err := t.out.Row(t.cells); err != nil {
			return err
		}
	}
	return nil
}
