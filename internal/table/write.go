package table

import (
	"bytes"
	"context"
	"errors"
	"math/big"
	"slices"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/table/agg"
	"github.com/thresh-dev/thresh/internal/table/batch"
	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/group"
	"github.com/thresh-dev/thresh/internal/table/order"
	"github.com/thresh-dev/thresh/internal/table/query"
	"github.com/thresh-dev/thresh/internal/table/value"
)

// errLimitReached ends a merge when the limit of groups has been written.
var errLimitReached = errors.New("enough groups")

func (r *Run) writeGroups(ctx context.Context, a *query.GroupPlan, out answer.Writer) error {
	k := r.known()
	t := r.newGroupWriter(a, k, out, a.Heading(k), new(order.Bound))
	t.workers = r.groupsOf(a)
	if err := out.Begin(a.Title, t.columns[:len(a.Keys)+a.Shown]); err != nil {
		return err
	}
	if err := agg.Settle(ctx, t.workers, r.options.Workers); err != nil {
		return err
	}
	if err := t.writeAll(ctx); err != nil {
		return err
	}
	return out.End(t.notes())
}

// writeAll writes all groups that are wanted.
func (t *groupWriter) writeAll(ctx context.Context) (err error) {
	writers, err := t.visit(ctx)
	defer func() {
		for _, w := range writers {
			if w.sorter != nil {
				err = errors.Join(err, w.sorter.Close())
			}
		}
	}()
	if err == nil && len(t.Keys) == 0 && t.Begun == 0 { // without keys there is one group, even of no records
		err = t.group(nil, t.Init, nil)
	}
	switch {
	case err != nil:
	case t.Order != nil:
		err = t.writeSorted(ctx, writers)
	case t.null != nil:
		err = t.emit(t.null)
	}
	if errors.Is(err, errLimitReached) {
		err = nil
	}
	return err
}

func (r *Run) newGroupWriter(a *query.GroupPlan, k []batch.Known, out answer.Writer, columns []answer.Column,
	sorted *order.Bound) *groupWriter {
	t := &groupWriter{GroupPlan: a, Reader: agg.NewReader(a.State, k, r.options.Workers), run: r, out: out,
		columns: columns, inexact: make([]int64, len(a.Aggregates)), sorted: sorted}
	for i := range a.Aggregates {
		g := a.Aggregates[i].Result
		if c := a.Aggregates[i].Computed; c != nil {
			g = evaluation{c, t}
		}
		t.results = append(t.results, g)
		t.divisors = append(t.divisors, divisor(k, g, columns[len(a.Keys)+i]))
	}
	if a.Having != nil {
		t.worker = newHavingWorker(a.Having, columns)
	}
	return t
}

// visit visits all groups. If they come in any order, several goroutines keep those that are wanted. It returns the
// writers that have kept groups.
func (t *groupWriter) visit(ctx context.Context) (writers []*groupWriter, err error) {
	tables, workers := agg.Tables(t.workers), t.run.options.Workers
	t.sortBytes = t.run.sortBytesOf(tables, 1)
	if !t.InAnyOrder() {
		return []*groupWriter{t}, group.Merge(ctx, tables, workers, t.group)
	}
	err = group.Each(ctx, tables, workers, func() group.Visit {
		fork := t.run.newGroupWriter(t.GroupPlan, t.Known, nil, t.columns, t.sorted)
		fork.sortBytes = t.sortBytes / int64(max(workers, 1))
		writers = append(writers, fork)
		return fork.group
	})
	for _, fork := range writers {
		t.Begun += fork.Begun
		for i, n := range fork.inexact {
			t.inexact[i] += n
		}
	}
	return writers, err
}

// groupWriter writes groups as rows: at once in key order, or after sorting by an aggregate.
type groupWriter struct {
	*query.GroupPlan
	agg.Reader
	run      *Run
	out      answer.Writer
	columns  []answer.Column
	results  []agg.Result // by aggregate
	divisors []int64      // by aggregate, see divisor
	cells    []answer.Cell
	part     []byte
	sorting  []byte        // what the current group is sorted by
	key      []byte        // of the current group
	written  int64         // rows, with those that are skipped
	worker   *havingWorker // nil if all groups are wanted
	null     []answer.Cell // the row of the group that comes last in the order of keys
	inexact  []int64       // by aggregate: groups for which it is an estimate

	workers []*agg.Groups // whose stores hold what was decoded for the current group; nil if there is no such thing

	sorter     *order.Sorter // of groups in an order; nil before the first
	sortBytes  int64
	sorted     *order.Bound  // of all writers of the answer
	seen       *[]byte       // the bound when it was last looked at
	bound      []byte        // no group after it is wanted; nil if none is known
	full       bool          // least and leastPlace are valid
	least      int64         // the first value of the bound, as a word
	leastPlace []byte        // its key, see appendKey
	place      []byte        // that of the current group
	shown      []answer.Cell // of the current group
	text       []byte        // of its row
}

// group takes the next group. Groups come in key order if the answer is in that order.
func (t *groupWriter) group(key []byte, words []uint64, objects group.ObjectStore) error {
	t.Begun++
	t.key = key
	store, _ := objects.(*agg.Store)
	defer agg.Release(t.workers)
	if t.worker != nil {
		if wanted, err := t.wanted(key, words, store); err != nil || !wanted {
			return err
		}
	}
	if t.Order != nil {
		return errors.Join(t.keep(key, words, store), t.Err)
	}
	t.cells = t.keyCells(t.cells[:0], key)
	for i := range t.Shown {
		t.cells = append(t.cells, t.cell(i, words, store))
	}
	if t.Err != nil {
		return t.Err
	}
	if t.NullFirst(key) {
		t.null = slices.Clone(t.cells)
		return nil
	}
	return t.emit(t.cells)
}

func (t *groupWriter) notes() (notes []string) {
	for i, n := range t.inexact {
		if n > 0 {
			g := &t.Aggregates[i]
			notes = append(notes, g.Text+": "+g.Remark(n))
		}
	}
	return notes
}

// keyCells appends the parts of a key.
func (t *groupWriter) keyCells(cells []answer.Cell, key []byte) []answer.Cell {
	switch {
	case len(t.Keys) == 0:
		return cells
	case len(t.Keys) == 1 && t.Form == query.EitherKey:
		text := value.Key(key)
		return append(cells, answer.Cell{Text: text, Null: text == nil})
	case len(t.Keys) == 1:
		return append(cells, answer.Cell{Text: key, Null: t.NullFirst(key)})
	}
	t.part = t.part[:0]
	for range t.Keys {
		from, null := len(t.part), false
		key, t.part, null = value.CutPart(key, t.part)
		cells = append(cells, answer.Cell{Text: t.part[from:len(t.part):len(t.part)], Null: null})
	}
	return cells
}

// divisor returns what the word of a result is divided by for its column; 0 if the result is no word, for a column of
// texts or floats, and if no power of ten will do.
func divisor(k []batch.Known, g agg.Result, c answer.Column) int64 {
	scale, ok := g.Scale(k)
	if !ok || c.Type == answer.ColumnText || c.Type == answer.ColumnFloat || scale < c.Scale {
		return 0
	}
	return agg.Tens[scale-c.Scale]
}

// cell returns an aggregate of a group in the type of its column.
func (t *groupWriter) cell(i int, words []uint64, s *agg.Store) answer.Cell {
	c, g := t.columns[len(t.Keys)+i], t.results[i]
	if c.Type == answer.ColumnText {
		text, exact := g.Text(&t.Reader, words, s)
		if !exact {
			t.inexact[i]++
		}
		return answer.Cell{Text: bytes.Clone(text), Null: text == nil}
	}
	if by := t.divisors[i]; by > 0 {
		if v, null, ok := g.Word(words); null && ok {
			return answer.Cell{Null: true}
		} else if ok {
			return answer.Cell{Int: v / by} // exact: no number has more decimals than the column
		}
	} else if f, ok := g.Quick(&t.Reader, words); ok {
		return answer.Cell{Float: f}
	}
	n, null, exact := g.Number(&t.Reader, words, s)
	if null || t.Err != nil { // of an error there is no number, and the row is not written
		return answer.Cell{Null: true}
	}
	if !exact {
		t.inexact[i]++
	}
	if c.Type == answer.ColumnFloat {
		return answer.Cell{Float: n.Float64()}
	}
	if m, whole, ok := n.Mantissa(c.Scale); ok && whole {
		return answer.Cell{Int: m}
	}
	m := rounded(n, c.Scale)
	if m.IsInt64() { // always true in an Integer column
		return answer.Cell{Int: m.Int64()}
	}
	return answer.Cell{Big: m}
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

// seenOf returns what all workers saw of a number column.
func (r *Run) seenOf(number int) (all batch.Seen) {
	for _, w := range r.all {
		all.Merge(w.Seen[number])
		all.Decimals = max(all.Decimals, w.Numbers[number].Decimals)
	}
	return all
}

// known returns what is known of the number columns when all records have been read.
func (r *Run) known() (all []batch.Known) {
	for i := range r.query.Numbers {
		all = append(all, batch.Known{Seen: r.seenOf(i), Scale: r.scales[i]})
	}
	return all
}

// groupsOf returns the groups of all workers for an answer.
func (r *Run) groupsOf(a *query.GroupPlan) (all []*agg.Groups) {
	for _, g := range operatorsOf(r, func(g *grouper) bool { return g.answer == a }) {
		all = append(all, g.groups)
	}
	return all
}
