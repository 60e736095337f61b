package table

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"sync/atomic"

	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/group"
	"github.com/thresh-dev/thresh/internal/table/sketch"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// errLimitReached ends a merge when the limit of groups has been written.
var errLimitReached = errors.New("enough groups")

func (a *groupAnswer) write(ctx context.Context, r *Run, out Output) error {
	t := a.newWriter(r, out, a.heading(r), new(atomic.Int64))
	t.groupers = r.groupersOf(a)
	if err := out.Begin(a.title, t.columns[:len(a.keys)+a.shown]); err != nil {
		return err
	}
	if err := a.settle(ctx, r); err != nil {
		return err
	}
	err := t.visit(ctx)
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

func (a *groupAnswer) newWriter(r *Run, out Output, columns []Column, held *atomic.Int64) *groupWriter {
	t := &groupWriter{groupAnswer: a, run: r, out: out, columns: columns, inexact: make([]int64, len(a.aggregates)),
		rankers: make([]*ranker, len(a.objects)), held: held}
	if a.having != nil {
		t.worker = a.having.worker(columns)
	}
	return t
}

// visit visits all groups. If they come in any order, several goroutines keep those that are wanted.
func (t *groupWriter) visit(ctx context.Context) error {
	tables, workers := t.run.tables(t.groupAnswer), t.run.options.Workers
	if !t.inAnyOrder() {
		return group.Merge(ctx, tables, workers, t.group)
	}
	if bound := t.run.options.MemBytes; bound > 0 && t.limit > 0 { // each keeps so many rows
		rows := (2*t.limit + int64(sparesMax.Get())) * rowBytes * int64(t.shown+2)
		workers = int(max(1, min(int64(workers), bound/2/rows)))
	}
	var forks []*groupWriter
	err := group.Each(ctx, tables, workers, func() group.Visit {
		fork := t.newWriter(t.run, nil, t.columns, t.held)
		forks = append(forks, fork)
		return fork.group
	})
	for _, fork := range forks {
		t.kept = append(t.kept, fork.kept...)
		t.bytes += fork.bytes
		t.seen += fork.seen
		for i, n := range fork.inexact {
			t.inexact[i] += n
		}
	}
	return err
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
	written int64
	worker  *havingWorker // nil if all groups are wanted
	kept    []row
	bytes   int64         // memory of the kept rows
	held    *atomic.Int64 // the same of all writers of the answer
	inexact []int64       // by aggregate: groups for which it is an estimate

	groupers []*grouper // whose stores hold what was decoded for the current group; nil if there is no such thing
	rankers  []*ranker  // by object; nil until there is one
	err      error      // the first error of a quantile

	full     bool // the limit of rows is kept, and least and leastKey are valid
	least    int64
	leastKey []byte // of the last of the kept rows, whose word least is
}

// group takes the next group. Groups come in key order if the answer is in that order.
func (t *groupWriter) group(key []byte, words []uint64, objects group.ObjectStore) error {
	t.seen++
	store, _ := objects.(*store)
	defer t.release()
	if t.worker != nil {
		if wanted, err := t.wanted(key, words, store); err != nil || !wanted {
			return err
		}
	}
	if t.order != (order{by: byKey}) {
		return errors.Join(t.keep(key, words, store), t.err)
	}
	t.cells = t.keyCells(t.cells[:0], key)
	for i := range t.shown {
		t.cells = append(t.cells, t.cell(i, words, store))
	}
	if t.err != nil {
		return t.err
	}
	if err := t.out.Row(t.cells); err != nil {
		return err
	}
	if t.written++; t.written == t.limit {
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
	case distinct, countOf:
		return decimal.FromPlain(int64(words[t.objects[g.object].at.first]), 0), false, true
	case firstOf, lastOf:
		n, kind := decimal.Parse(t.keptText(g, words, s))
		return n, kind == decimal.Missing, true
	case quantile, median:
		k := t.ranker(g.object, words, s)
		if k.n == 0 {
			return n, true, true
		}
		rank := rankOf(k.n, g)
		n, err := k.at(rank)
		if g.function == median && k.n%2 == 0 && err == nil {
			var next decimal.Number
			next, err = k.at(rank + 1)
			n = n.Midway(next)
		}
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

// keptText returns the text that a group keeps for an aggregate, nil if there is none.
func (t *groupWriter) keptText(g *aggregate, words []uint64, s *store) []byte {
	o := &t.objects[g.object]
	handle := words[o.at.first]
	if handle == 0 {
		return nil
	}
	if g.function == mode {
		return s.texts[handle-1].choose(mode, 0)
	}
	return s.texts[handle-1].choose(g.function, t.run.kinds(o.number))
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
	case g.function.spread():
		divisor := all
		if g.function == variance || g.function == deviation {
			divisor--
		}
		if divisor == 0 { // one number has no spread that says anything about others
			return n, true
		}
		var squares decimal.Squares
		at := words[f.at.square:]
		squares.AddPlain(at[2], at[1], at[0], 2*scale)
		if o != nil {
			squares.Merge(&o.squares)
		}
		root := g.function == deviation || g.function == populationDeviation
		return decimal.FromFloat(squares.Variance(&sum, all, divisor, root)), false
	}
	return sum.Number(), false
}

// quick returns an aggregate without large numbers. ok is false if they are needed, which is rare.
func (t *groupWriter) quick(g *aggregate, c Column, words []uint64) (cell Cell, ok bool) {
	if g.function == mean {
		f := &t.accumulators[g.accumulator]
		scale, v := t.run.scales[f.number], int64(words[f.at.low])
		n := int64(words[0] - words[f.at.notAdded])
		most := int64(exactInteger.Get())
		if words[f.at.irregular] != 0 || words[f.at.high] != 0 || n <= 0 || n >= most/tens[scale] || max(v, -v) >= most {
			return cell, false
		}
		// Both integers are exact as float64, so the quotient is rounded only once.
		return Cell{Float: float64(v) / float64(n*tens[scale])}, true
	}
	v, null, ok := t.word(g, words)
	if !ok || null {
		return Cell{Null: null}, ok
	}
	scaled, ok := t.scaled(g, c)
	if !ok {
		return cell, false
	}
	return Cell{Int: v / scaled}, true // exact: no number has more decimals than the column
}

// word returns the word that is an aggregate: a number of records, or a sum, a minimum or a maximum in the scale of its
// numbers. null is true if the group has no numbers, ok is false if the word is not all of it.
func (t *groupWriter) word(g *aggregate, words []uint64) (v int64, null, ok bool) {
	if g.function == count {
		return int64(words[0]), false, true
	}
	if g.function != sumOf && g.function != minOf && g.function != maxOf {
		return 0, false, false
	}
	at := &t.accumulators[g.accumulator].at
	if words[at.irregular] != 0 {
		return 0, false, false
	}
	switch g.function {
	case minOf:
		v = int64(words[at.min])
		return v, v == noneBelow, true
	case maxOf:
		v = int64(words[at.max])
		return v, v == noneAbove, true
	}
	return int64(words[at.low]), words[0] == words[at.notAdded], words[at.high] == 0
}

// scaled returns what an aggregate's word is divided by for its column; ok is false for a column of texts or floats,
// and if no power of ten will do.
func (t *groupWriter) scaled(g *aggregate, c Column) (divisor int64, ok bool) {
	if g.function == count {
		return 1, true
	}
	if g.function > maxOf || c.Type == Text || c.Type == Float {
		return 0, false
	}
	more := t.run.scales[t.accumulators[g.accumulator].number] - c.Scale
	if more < 0 {
		return 0, false
	}
	return tens[more], true
}

// exactInteger is the bound up to which float64 holds every integer. Beyond it, a mean is
// computed with exact fractions.
var exactInteger = threshold.New("table: integers that are divided as float64", 1<<53, 1)

var tens = [decimal.ScaleMax + 1]int64{1, 10, 100, 1000, 10_000, 100_000, 1_000_000}

// cell returns an aggregate of a group in the type of its column.
func (t *groupWriter) cell(i int, words []uint64, s *store) Cell {
	c := t.columns[len(t.keys)+i]
	if c.Type == Text {
		text := t.keptText(&t.aggregates[i], words, s)
		return Cell{Text: bytes.Clone(text), Null: text == nil}
	}
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
