package table

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/group"
	"github.com/thresh-dev/thresh/internal/table/sketch"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// errLimitReached ends a merge when the limit of groups has been written.
var errLimitReached = errors.New("enough groups")

func (a *groupAnswer) write(ctx context.Context, r *Run, out Output) error {
	t := &groupWriter{groupAnswer: a, run: r, out: out, columns: a.heading(r), inexact: make([]int64, len(a.aggregates)),
		groupers: r.groupersOf(a), rankers: make([]*ranker, len(a.objects))}
	if err := out.Begin(a.title, t.columns); err != nil {
		return err
	}
	if err := a.settle(ctx, r); err != nil {
		return err
	}
	err := group.Merge(ctx, r.tables(a), r.options.Workers, t.group)
	if err == nil && len(a.keys) == 0 && t.seen == 0 { // without keys there is one group, even of no records
		err = t.group(nil, a.init, nil)
	}
	if err != nil && err != errLimitReached {
		return err
	}
	if err := t.writeKept(); err != nil {
		return err
	}
	return out.End(t.notes())
}

// groupWriter writes groups as rows: at once in key order, or after sorting by an aggregate.
type groupWriter struct {
	*groupAnswer
	run     *Run
	out     Output
	columns []Column
	cells   []Cell
	part    []byte
	seen    int64
	kept    []row
	bytes   int64   // memory of the kept rows
	inexact []int64 // by aggregate: groups for which it is an estimate

	groupers []*grouper
	rankers  []*ranker // by object; nil until there is one
	err      error     // the first error of a quantile

	full  bool  // the limit of rows is kept, and least is valid
	least int64 // the smallest value of the kept rows
}

// row is a group that is kept for sorting.
type row struct {
	key   []byte
	cells []Cell // of the aggregates
	order decimal.Number
	null  bool
}

// group takes the next group. Groups come in key order.
func (t *groupWriter) group(key []byte, words []uint64, objects group.ObjectStore) error {
	t.seen++
	store, _ := objects.(*store)
	defer t.release()
	if t.by >= 0 {
		return errors.Join(t.keep(key, words, store), t.err)
	}
	t.cells = t.keyCells(t.cells[:0], key)
	for i := range t.aggregates {
		t.cells = append(t.cells, t.cell(i, words, store))
	}
	if t.err != nil {
		return t.err
	}
	if err := t.out.Row(t.cells); err != nil {
		return err
	}
	if t.seen == t.limit {
		return errLimitReached
	}
	return nil
}

// release drops the objects that were decoded or merged for the current group.
func (t *groupWriter) release() {
	for _, g := range t.groupers {
		if g.store != nil {
			g.store.release()
		}
	}
}

// rowBytes is the approximate memory of a row without its key, and of a cell.
const rowBytes = 96

// keep keeps a group for sorting, and now and then drops the groups beyond the limit.
func (t *groupWriter) keep(key []byte, words []uint64, store *store) error {
	if t.isBelow(words) {
		return nil
	}
	next := row{key: slices.Clone(key)}
	next.order, next.null, _ = t.number(t.by, words, store)
	if t.columns[len(t.keys)+t.by].Type == Float {
		next.order = decimal.FromFloat(next.order.Float64())
	}
	for i := range t.aggregates {
		next.cells = append(next.cells, t.cell(i, words, store))
	}
	t.kept = append(t.kept, next)
	t.bytes += int64(len(key)+len(next.cells)*rowBytes) + rowBytes
	if n := int64(len(t.kept)); t.limit > 0 && n >= 2*t.limit+int64(sparesMax.Get()) {
		t.sort()
		t.bytes = t.bytes / n * int64(len(t.kept))
	}
	if bound := t.run.options.MemBytes; bound > 0 && t.bytes > bound {
		return fmt.Errorf("sort %d groups by %s: they do not fit in the %d bytes of --mem; "+
			"give --limit, raise --mem, or sort by key", t.seen, t.aggregates[t.by].text, bound)
	}
	return nil
}

// isBelow reports whether a group certainly comes after all kept groups, so that it need not be
// kept. That is the case if the limit is reached and the group's value is not greater than any
// kept one: at equal values, the group comes later because its key does.
func (t *groupWriter) isBelow(words []uint64) bool {
	if !t.full {
		return false
	}
	cell, ok := t.quick(&t.aggregates[t.by], t.columns[len(t.keys)+t.by], words)
	return ok && !cell.Null && cell.Int <= t.least && t.columns[len(t.keys)+t.by].Type != Float
}

// sparesMax is how many rows are kept beyond twice the limit before they are sorted. It makes
// sorting rare when the limit is small.
var sparesMax = threshold.New("table: rows kept beyond the limit", 4096, 1)

// sort sorts the kept rows, and drops those beyond the limit.
func (t *groupWriter) sort() {
	slices.SortFunc(t.kept, compareRows)
	if t.limit > 0 && int64(len(t.kept)) > t.limit {
		clear(t.kept[t.limit:])
		t.kept = t.kept[:t.limit]
		last := t.kept[t.limit-1]
		cell := last.cells[t.by]
		t.full, t.least = !last.null && cell.Big == nil, cell.Int
	}
}

// compareRows orders by value, descending, with null last; then by key.
func compareRows(a, b row) int {
	if a.null != b.null {
		if a.null {
			return 1
		}
		return -1
	}
	if c := b.order.Compare(a.order); c != 0 && !a.null {
		return c
	}
	return cmp.Compare(string(a.key), string(b.key))
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

func (t *groupWriter) notes() (notes []string) {
	for i, n := range t.inexact {
		g := &t.aggregates[i]
		switch {
		case n == 0:
		case g.function == approxDistinct:
			notes = append(notes, fmt.Sprintf("%s: an estimate in %d groups, usually within %.2g %%",
				g.text, n, 100*sketch.DistinctError))
		default:
			notes = append(notes, fmt.Sprintf("%s: an estimate in %d groups, within %.2g %%",
				g.text, n, 100*sketch.QuantileError))
		}
	}
	return notes
}

// keyCells appends the parts of a key.
func (t *groupWriter) keyCells(cells []Cell, key []byte) []Cell {
	if len(t.keys) < 2 {
		for range t.keys {
			cells = append(cells, Cell{Text: key})
		}
		return cells
	}
	t.part = t.part[:0]
	for range t.keys {
		from := len(t.part)
		key, t.part = cutPart(key, t.part)
		cells = append(cells, Cell{Text: t.part[from:len(t.part):len(t.part)]})
	}
	return cells
}

// number returns an aggregate of a group. null is true if the group has no values for it.
func (t *groupWriter) number(i int, words []uint64, s *store) (n decimal.Number, null, exact bool) {
	g := &t.aggregates[i]
	switch g.function {
	case count:
		return decimal.FromPlain(int64(words[0]), 0), false, true
	case distinct:
		return decimal.FromPlain(int64(words[t.objects[g.object].at.first]), 0), false, true
	case quantile:
		k := t.ranker(g.object, words, s)
		if k.n == 0 {
			return n, true, true
		}
		n, err := k.at(rankOf(k.n, g))
		if t.err == nil {
			t.err = err
		}
		return n, false, true
	case approxDistinct:
		handle := words[t.objects[g.object].at.first]
		if handle == 0 {
			return decimal.FromPlain(0, 0), false, true
		}
		n, exact := s.distincts[handle-1].Count()
		return decimal.FromPlain(n, 0), false, exact
	case approxQuantile:
		handle := words[t.objects[g.object].at.first]
		if handle == 0 {
			return n, true, true
		}
		q := &s.quantiles[handle-1]
		f, exact := q.Quantile(rankOf(q.N(), g))
		return decimal.FromFloat(f), false, exact
	}
	n, null = t.accumulated(g, words, s)
	return n, null, true
}

// accumulated returns an aggregate of a group that an accumulator holds: sum, mean, min or max.
func (t *groupWriter) accumulated(g *aggregate, words []uint64, s *store) (n decimal.Number, null bool) {
	f := &t.accumulators[g.accumulator]
	scale := t.run.scales[f.number]
	var o *irregularSum
	if h := words[f.at.irregular]; h > 0 {
		o = &s.irregular[h-1]
	}
	switch g.function {
	case minOf, maxOf:
		word, none := f.at.min, int64(noneBelow)
		if g.function == maxOf {
			word, none = f.at.max, noneAbove
		}
		v := int64(words[word])
		if v == none {
			if o == nil {
				return n, true
			}
			if g.function == minOf {
				return o.min, false
			}
			return o.max, false
		}
		n = decimal.FromPlain(v, scale)
		switch {
		case o != nil && g.function == minOf && o.min.Compare(n) < 0:
			n = o.min
		case o != nil && g.function == maxOf && o.max.Compare(n) > 0:
			n = o.max
		}
		return n, false
	}
	all := int64(words[0] - words[f.at.notAdded])
	low := int64(words[f.at.low])
	var sum decimal.Sum
	sum.AddPlain(int64(words[f.at.high])+low>>63, uint64(low), scale)
	if o != nil {
		all += o.n
		sum.Merge(&o.sum)
	}
	switch {
	case all == 0: // the sum of no number is not 0
		return n, true
	case g.function == mean:
		return decimal.FromFloat(sum.Mean(all)), false
	}
	return sum.Number(), false
}

// quick returns an aggregate without large numbers. ok is false if they are needed, which is rare.
func (t *groupWriter) quick(g *aggregate, c Column, words []uint64) (cell Cell, ok bool) {
	if g.function == count {
		return Cell{Int: int64(words[0])}, true
	}
	if g.function >= distinct {
		return cell, false
	}
	f := &t.accumulators[g.accumulator]
	if words[f.at.irregular] != 0 {
		return cell, false
	}
	var v int64
	switch scale := t.run.scales[f.number]; g.function {
	case minOf:
		if v = int64(words[f.at.min]); v == noneBelow {
			return Cell{Null: true}, true
		}
	case maxOf:
		if v = int64(words[f.at.max]); v == noneAbove {
			return Cell{Null: true}, true
		}
	case mean:
		v = int64(words[f.at.low])
		n := int64(words[0] - words[f.at.notAdded])
		most := int64(exactInteger.Get())
		if words[f.at.high] != 0 || n <= 0 || n >= most/tens[scale] || max(v, -v) >= most {
			return cell, false
		}
		// Both integers are exact as float64, so the quotient is rounded only once.
		return Cell{Float: float64(v) / float64(n*tens[scale])}, true
	default:
		if words[0] == words[f.at.notAdded] {
			return Cell{Null: true}, true
		}
		if v = int64(words[f.at.low]); words[f.at.high] != 0 {
			return cell, false
		}
	}
	more := t.run.scales[f.number] - c.Scale
	if c.Type == Float || more < 0 {
		return cell, false
	}
	return Cell{Int: v / tens[more]}, true // exact: no number has more decimals than the column
}

// exactInteger is the bound up to which float64 holds every integer. Beyond it, a mean is
// computed with exact fractions.
var exactInteger = threshold.New("table: integers that are divided as float64", 1<<53, 1)

var tens = [decimal.ScaleMax + 1]int64{1, 10, 100, 1000, 10_000, 100_000, 1_000_000}

// cell returns an aggregate of a group in the type of its column.
func (t *groupWriter) cell(i int, words []uint64, s *store) Cell {
	c := t.columns[len(t.keys)+i]
	if cell, ok := t.quick(&t.aggregates[i], c, words); ok {
		return cell
	}
	n, null, exact := t.number(i, words, s)
	if null {
		return Cell{Null: true}
	}
	if !exact {
		t.inexact[i]++
	}
	if c.Type == Float {
		return Cell{Float: n.Float64()}
	}
	if m, whole, ok := n.Mantissa(c.Scale); ok && whole {
		return Cell{Int: m}
	}
	m := rounded(n, c.Scale)
	if m.IsInt64() { // always true in an Integer column
		return Cell{Int: m.Int64()}
	}
	return Cell{Big: m}
}

// rounded returns a number as an integer times 10^-scale. Only estimates of a sketch need
// rounding; all other numbers fit exactly.
func rounded(n decimal.Number, scale int) *big.Int {
	r := n.Rat()
	r.Mul(r, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)))
	half := big.NewRat(1, 2)
	if r.Sign() < 0 {
		half.Neg(half)
	}
	r.Add(r, half)
	return new(big.Int).Quo(r.Num(), r.Denom())
}

// The following methods combine what all workers know of a number column.

func (r *Run) decimals(number int) (most int) {
	for _, w := range r.all {
		most = max(most, w.numbers[number].Decimals)
	}
	return most
}

func (r *Run) anyFloat(number int) bool {
	return slices.ContainsFunc(r.all, func(w *worker) bool { return w.floats[number] })
}

func (r *Run) anyLarge(number int) bool {
	return slices.ContainsFunc(r.all, func(w *worker) bool { return w.large[number] })
}

// groupersOf returns the groupers of all workers for an answer.
func (r *Run) groupersOf(a *groupAnswer) (all []*grouper) {
	i := slices.Index(r.groups, a)
	for _, w := range r.all {
		all = append(all, w.groups[i])
	}
	return all
}

// tables returns the tables of all workers for an answer.
func (r *Run) tables(a *groupAnswer) (tables []*group.Table) {
	for _, g := range r.groupersOf(a) {
		tables = append(tables, g.table)
	}
	return tables
}
