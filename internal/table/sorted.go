package table

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/order"
	"github.com/thresh-dev/thresh/internal/table/query"
)

// Records in an order are formatted as others are, and sorted with what they are ordered by as a key, see package
// order. If only the first ones are wanted, most records are dropped by their first value alone: it is compared
// with that of the last record that is wanted so far, a batch at a time.

// sortBytes returns the memory of each worker for records that are sorted.
func (r *Run) sortBytes() int64 {
	return max(r.options.MemBytes/int64(max(r.options.Workers, 1)), order.LeastBytes())
}

// explainSort describes how the records are sorted.
func (r *Run) explainSort() string {
	a := r.query.Sorted
	var by []string
	for _, item := range a.By {
		by = append(by, item.String())
	}
	what := "all records, "
	if a.Most > 0 {
		what = fmt.Sprintf("the first %d records, ", a.Most)
	}
	return fmt.Sprintf("%sby %s: %d KiB for each worker, then sorted runs in temporary files", what,
		strings.Join(by, ", "), r.sortBytes()>>10)
}

// writeSorted writes the records.
func (r *Run) writeSorted(ctx context.Context, a *query.SortPlan, out answer.Writer) error {
	p := r.printer
	if p.out == nil { // no record was read
		p.out = out
	}
	if err := p.begin(); err != nil {
		return err
	}
	var sorters []*order.Sorter
	f := formatted{}
	for _, s := range operatorsOf(r, func(*sorter) bool { return true }) {
		sorters = append(sorters, s.Sorter)
	}
	for _, w := range r.all {
		f.format = w.formatted.format
	}
	passed := int64(0)
	err := order.Merge(ctx, sorters, r.options.Workers, func(rows order.Rows) error {
		n := int64(len(rows.Ends))
		rows = rows.From(int(min(n, max(a.Skip-passed, 0))))
		passed += n
		if over := passed - a.Most; a.Most > 0 && over > 0 {
			rows = rows.To(len(rows.Ends) - int(min(over, int64(len(rows.Ends)))))
		}
		f.text, f.n = rows.Text, int64(len(rows.Ends))
		if err := p.writeRows(&f); err != nil {
			return err
		}
		if a.Most > 0 && passed >= a.Most {
			return errLimitReached
		}
		return nil
	})
	if err != nil && !errors.Is(err, errLimitReached) {
		return err
	}
	return p.end()
}

// sorter sorts the records of a worker.
type sorter struct {
	*order.Sorter
	of      *query.SortPlan
	numbers []*decimal.Numbers // by what records are ordered by
	sel     records.Selection
	one     [1]uint16 // the record that is formatted
	rows    uint64    // that were sorted, where several may have the same place
	key     []byte
	bound   *[]byte // the shared bound when it was last looked at
	first   order.First
	known   bool // first is the value that the bound begins with
}

func (r *Run) newSorter() (*sorter, error) {
	a := r.query.Sorted
	s := &sorter{of: a, sel: make(records.Selection, 0, records.Max)}
	for range a.By {
		s.numbers = append(s.numbers, new(decimal.Numbers))
	}
	var err error
	s.Sorter, err = order.New(order.Options{MemBytes: r.sortBytes(), TempDir: r.temp, First: a.Most,
		Bound: r.bound})
	return s, err
}

// add adds the selected records of a batch that may be wanted.
func (s *sorter) add(w *worker, sel records.Selection) error {
	sel = s.mayBeWanted(w, sel)
	for k := range s.of.By[1:] {
		s.numbers[k+1].Parse(w.Text, w.Column(s.of.By[k+1].Column), sel)
	}
	for _, i := range sel {
		s.key = s.key[:0]
		for k := range s.of.By {
			s.key = s.appendValue(w, s.key, k, i)
		}
		s.key = order.AppendPlace(s.key, w.pass.number, w.At(i))
		if len(w.probes) > 0 { // a record may have several rows
			s.rows++
			s.key = binary.BigEndian.AppendUint64(s.key, s.rows)
		}
		if !s.Wants(s.key) {
			continue
		}
		w.formatted.reset()
		if w.format(append(s.one[:0], i)); w.dead { // which has ended the run
			return nil
		}
		if err := s.Add(s.key, w.formatted.text); err != nil {
			return err
		}
	}
	w.clock.lap(stageSort)
	return nil
}

// appendValue appends what record i is ordered by in the k-th place. Its number was parsed.
func (s *sorter) appendValue(w *worker, key []byte, k int, i uint16) []byte {
	by, n := &s.of.By[k], s.numbers[k]
	if n.Kinds[i] == decimal.Plain {
		return by.AppendPlain(key, n.Mantissa[i], n.Scale)
	}
	field := w.Field(w.Column(by.Column)[i])
	if n.Kinds[i] == decimal.Bad && field != nil {
		return by.AppendWords(key, field)
	}
	return by.Append(key, field)
}

// mayBeWanted returns the records whose first value is not after that of the bound, as far as that is cheap to tell. It
// parses the numbers of these values.
func (s *sorter) mayBeWanted(w *worker, sel records.Selection) records.Selection {
	by, n := &s.of.By[0], s.numbers[0]
	column := w.Column(by.Column)
	if s.Bound != nil && s.Bound.Key() != s.bound {
		s.bound = s.Bound.Key()
		s.first, s.known = by.First(*s.bound)
	}
	if s.known && s.first.Kind != order.Number {
		sel = s.wordsWanted(w, column, sel)
	}
	n.Parse(w.Text, column, sel)
	if s.known && s.first.Kind == order.Number {
		return s.numbersWanted(w, column, sel)
	}
	return sel
}

// numbersWanted returns the records that may be wanted if the bound begins with a number.
func (s *sorter) numbersWanted(w *worker, column records.Column, sel records.Selection) records.Selection {
	by, n := &s.of.By[0], s.numbers[0]
	floor, exact, ok := s.first.Number.Mantissa(n.Scale)
	if !ok || floor < -mantissaMax || floor > mantissaMax {
		return sel
	}
	if by.Descending && !exact {
		floor++
	}
	turn := by.Turn()
	last := floor * turn // no mantissa after it is wanted, if they are turned round as the values are
	if n.AllPlain {
		kept, k := s.sel[:len(sel)], 0
		for _, i := range sel {
			kept[k] = i
			k += int(1 - uint64(last-n.Mantissa[i%records.Max]*turn)>>63) // 0 if the difference is negative
		}
		return kept[:k]
	}
	kept := s.sel[:0]
	for _, i := range sel {
		after := false
		switch n.Kinds[i] {
		case decimal.Plain:
			after = n.Mantissa[i]*turn > last
		case decimal.Missing, decimal.Bad:
			after = !by.NullsFirst || w.Field(column[i]) != nil
		}
		if !after {
			kept = append(kept, i)
		}
	}
	return kept
}

// mantissaMax is more than any mantissa of decimal.Numbers.
const mantissaMax = 1 << 62

// wordsWanted returns the records that may be wanted if the bound begins with a time, a text or null. No value is
// parsed: those that may be of another kind are kept.
func (s *sorter) wordsWanted(w *worker, column records.Column, sel records.Selection) records.Selection {
	by, kept := &s.of.By[0], s.sel[:0]
	for _, i := range sel {
		after := false
		switch field := w.Field(column[i]); {
		case s.first.Kind == order.Null:
			after = by.NullsFirst && field != nil
		case field == nil:
			after = !by.NullsFirst
		case s.first.Kind == order.Time:
			after = sameLayout(field, s.first.Text) && by.After(field, s.first.Text)
		default:
			after = isWord(field) && by.After(field, s.first.Text)
		}
		if !after {
			kept = append(kept, i)
		}
	}
	return kept
}

// isWord reports whether a text is neither a number nor a time, as far as its first byte tells.
func isWord(field []byte) bool {
	if len(field) == 0 {
		return true
	}
	switch c := field[0]; c {
	case '+', '-', '.', ' ', '\t':
		return false
	default:
		return c-'0' > 9
	}
}

// sameLayout reports whether a text has digits where a time has them, and is the same elsewhere. Then both are
// ordered byte by byte: if it is a time, as the moments are, and otherwise it comes after all times, also where
// they descend. Zones with digits are left out.
func sameLayout(field, of []byte) bool {
	const dateBytes = len("2026-11-23")
	if len(field) != len(of) || len(of) < dateBytes || bytes.ContainsAny(of[dateBytes:], "+-") {
		return false
	}
	for i, c := range of {
		if isDigit := c-'0' <= 9; isDigit != (field[i]-'0' <= 9) || !isDigit && field[i] != c {
			return false
		}
	}
	return true
}
