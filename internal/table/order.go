package table

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"math/big"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/table/agg"
	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/encoded"
	"github.com/thresh-dev/thresh/internal/table/group"
	"github.com/thresh-dev/thresh/internal/table/order"
	"github.com/thresh-dev/thresh/internal/table/query"
)

// Groups in an order are rows of a sorter, see package order: their text is their key and what is shown of them.

// keep adds a group to those that are sorted.
func (t *groupWriter) keep(key []byte, words []uint64, store *agg.Store) error {
	if now := t.sorted.Key(); now != nil && now != t.seen {
		t.seen, t.bound = now, *now
		t.full = t.limits()
	}
	if t.isBelow(key, words) {
		return nil
	}
	t.shown = t.shown[:0]
	if !t.orderOf(key, words, store) {
		return nil
	}
	t.fill(words, store)
	b := encoded.AppendBytes(t.text[:0], key)
	for i := range t.shown {
		b = appendCell(b, t.columns[len(t.Keys)+i].Type, &t.shown[i])
	}
	t.text = b
	if t.sorter == nil {
		var err error
		if t.sorter, err = order.New(order.Options{MemBytes: t.sortBytes, TempDir: t.run.temp, First: t.Most,
			Bound: t.sorted}); err != nil {
			return err
		}
	}
	return t.sorter.Add(t.sorting, b)
}

// A cell is kept as what it is: nothing, a value of its type, or a number of more than 64 bits.
const (
	cellNull = iota
	cellValue
	cellBig
)

func appendCell(b []byte, of answer.ColumnType, c *answer.Cell) []byte {
	switch {
	case c.Null:
		return append(b, cellNull)
	case of == answer.ColumnText:
		return encoded.AppendBytes(append(b, cellValue), c.Text)
	case of == answer.ColumnFloat:
		return binary.LittleEndian.AppendUint64(append(b, cellValue), math.Float64bits(c.Float))
	case c.Big != nil:
		return encoded.AppendBytes(append(b, cellBig), c.Big.Append(nil, 10))
	}
	return binary.AppendVarint(append(b, cellValue), c.Int)
}

func readCell(r *encoded.Reader, of answer.ColumnType) (c answer.Cell) {
	switch kind := r.Uvarint(); {
	case kind == cellNull:
		c.Null = true
	case kind == cellBig:
		c.Big, _ = new(big.Int).SetString(string(r.Bytes()), 10)
	case of == answer.ColumnText:
		c.Text = r.Bytes()
	case of == answer.ColumnFloat:
		c.Float = math.Float64frombits(r.Word())
	default:
		c.Int = r.Varint()
	}
	return c
}

// sortShare is the part of the memory of an answer's groups that is for sorting them.
const sortShare = 4

// sortBytesOf returns the memory of each of some goroutines that sort the groups of a table. What is not used of it is
// not taken; but of much, the first row takes a huge page.
func (r *Run) sortBytesOf(tables []*group.Table, workers int) int64 {
	const rowBytes, many = 1 << 10, 64 << 20
	share := r.options.MemBytes / int64(sortShare*len(r.query.Groups))
	if share == 0 { // there is no bound
		share = many
	}
	groups := 0
	for _, t := range tables {
		if groups += t.Len(); !t.IsWhole() {
			return share / int64(workers)
		}
	}
	return min(share/int64(workers), int64(groups)*rowBytes)
}

// fill sets the cells that are shown of a group.
func (t *groupWriter) fill(words []uint64, store *agg.Store) {
	for i := len(t.shown); i < t.Shown; i++ {
		t.shown = append(t.shown, t.cell(i, words, store))
	}
}

// orderOf sets sorting to what a group is sorted by, and its key. It stops and returns false if the group comes after
// the last one that may be kept.
func (t *groupWriter) orderOf(key []byte, words []uint64, store *agg.Store) (wanted bool) {
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
			b = t.appendResult(b, by, words, store)
		}
		if t.bound != nil && bytes.Compare(b, t.bound[:min(len(b), len(t.bound))]) > 0 {
			t.sorting = b
			return false
		}
	}
	t.sorting = t.appendKey(b, key)
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
func (t *groupWriter) appendResult(b []byte, by *query.OrderItem, words []uint64, store *agg.Store) []byte {
	i, column := by.Column-len(t.Keys), t.columns[by.Column]
	if column.Type == answer.ColumnText {
		var cell answer.Cell
		if i < t.Shown {
			t.fill(words, store)
			cell = t.shown[i]
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
		t.place = t.appendKey(t.place[:0], key)
		return len(t.Order) == 1 && bytes.Compare(t.place, t.leastPlace) > 0
	}
	return v < t.least == t.Order[0].Descending
}

// appendKey appends the key by which groups are ordered that have the same values, with null last.
func (t *groupWriter) appendKey(b, key []byte) []byte {
	last := byte(0)
	if t.NullFirst(key) {
		last = 1
	}
	return append(append(b, last), key...)
}

// limits reports whether the word of a group tells if the group comes after the bound, and sets least and leastPlace.
func (t *groupWriter) limits() bool {
	by := &t.Order[0]
	if by.Column < len(t.Keys) {
		return false
	}
	first, ok := by.First(t.bound)
	divisor := t.divisors[by.Column-len(t.Keys)]
	if !ok || first.Kind != order.Number || divisor == 0 {
		return false
	}
	place, found := bytes.CutPrefix(t.bound, by.AppendNumber(nil, first.Number))
	m, exact, ok := first.Number.Mantissa(t.columns[by.Column].Scale)
	t.least, t.leastPlace = m*divisor, place
	return found && ok && exact && t.least/divisor == m
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

// writeSorted writes the sorted groups of all writers of an answer.
func (t *groupWriter) writeSorted(ctx context.Context, writers []*groupWriter) (err error) {
	var sorters []*order.Sorter
	for _, w := range writers {
		if w.sorter != nil {
			sorters = append(sorters, w.sorter)
		}
	}
	return order.Merge(ctx, sorters, t.run.options.Workers, func(rows order.Rows) error {
		return rows.Each(func(row []byte) error {
			r := encoded.Reader{Rest: row}
			t.cells = t.keyCells(t.cells[:0], r.Bytes())
			for i := range t.Shown {
				t.cells = append(t.cells, readCell(&r, t.columns[len(t.Keys)+i].Type))
			}
			return t.emit(t.cells)
		})
	})
}
