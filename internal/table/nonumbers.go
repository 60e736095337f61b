package table

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/batch"
	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/expr"
	"github.com/thresh-dev/thresh/internal/table/filter"
	"github.com/thresh-dev/thresh/internal/table/query"
	"github.com/thresh-dev/thresh/internal/table/value"
)

// CheckNumbers returns a *failure.NotNumbersError if a question needs the numbers of a column, and the column has
// values but no number. Its sum would be null as if it were empty, which is hardly what was meant. The same goes for a
// filter that compares such a column with a number, if no record fits. All inputs must have been read to their ends: a
// number could be in what was not. It is about a question, or AllQuestions.
func (r *Run) CheckNumbers(question int) error {
	if r.query == nil || r.err != nil {
		return nil
	}
	r.count()
	for i := range r.Report.bad {
		b := &r.Report.bad[i]
		if r.query.UsesOf(b.number, question)&batch.Strict == 0 || r.seenOf(b.number).Kinds&batch.HasNumbers != 0 {
			continue
		}
		return r.notNumbers(b, r.query.Numbers[b.number])
	}
	for i := range r.Report.compared {
		b := &r.Report.compared[i]
		of := r.compared()[b.number]
		asked := question == query.AllQuestions || of.scope == query.PassFilter || of.scope == r.query.ScopeOf[question]
		if asked && r.records(of.scope) == 0 {
			return r.notNumbers(b, of.Column)
		}
	}
	return nil
}

func (r *Run) notNumbers(b *badNumbers, column int) error {
	return &failure.NotNumbersError{Column: b.Column, Count: b.Count, First: b.First,
		Instead: r.insteadOf(column, &b.First)}
}

// compared returns the operands that filters compare with numbers, as a worker has them.
func (r *Run) compared() []comparison {
	if len(r.all) > 0 {
		return r.all[0].comparisons
	}
	_, _, all := filtersOf(r.query)
	return all
}

// noFirsts returns the first fields that are not numbers, before any is known.
func (r *Run) noFirsts() []*failure.Problem {
	return make([]*failure.Problem, len(r.query.Numbers)+len(r.compared()))
}

// narrow narrows the selected records to those that meet the filter, or the part of it that is passed.
func (w *worker) narrow(meet func([]byte, func(int) records.Column, records.Selection) records.Selection,
	sel records.Selection) records.Selection {
	w.where.Again, w.where.Bad, w.asking.scope = w.second(), w.comparedBad, query.PassFilter
	sel = meet(w.Text, w.Column, sel)
	w.markCompared(query.PassFilter)
	return sel
}

// meet narrows the selected records to those that meet the filter of a scope.
func (w *worker) meet(where *filter.Worker, scope int, sel records.Selection) records.Selection {
	where.Again, where.Bad, w.asking.scope = w.second(), w.comparedBad, scope
	sel = where.Select(w.Text, w.Column, sel)
	w.markCompared(scope)
	return sel
}

// markCompared marks the first value of the batch that a filter compared with a number and that is none.
func (w *worker) markCompared(scope int) {
	for k, c := range w.comparisons {
		if number := len(w.Numbers) + k; c.scope == scope && c.First >= 0 && !c.Numbers && !w.marked(number) {
			reason := badNumber(w.query.Name(c.Column), w.asIs(c.Field.Of(w.Text)))
			w.mark(mark{off: w.At(uint16(c.First)), column: number, reason: reason})
		}
	}
}

// reviewNumbers counts and marks the fields of a column that are not numbers, and notes whether
// any numbers are floats or large decimals.
func (w *worker) reviewNumbers(number int, sel records.Selection, at func(i uint16) int64) {
	n, column, seen := w.Numbers[number], w.NumberColumn(number), &w.Seen[number]
	for _, i := range sel {
		switch n.Kinds[i] {
		case decimal.Plain:
			seen.Kinds |= batch.HasNumbers
		case decimal.Missing, decimal.Bad:
			if w.IsNull(column[i]) {
				seen.Nulls++
				continue
			}
			n.Kinds[i] = decimal.Bad // an empty text is no number
			field := column[i].Of(w.Text)
			seen.AddBad(field, w.query.Uses[number])
			switch use := w.query.Uses[number]; {
			case use&batch.Strict != 0:
				w.reject(i, noNumber)
			case use&batch.ByValues != 0:
				w.reject(i, number)
			}
			if !w.marked(number) {
				w.mark(mark{off: at(i), column: number, reason: badNumber(w.query.Name(w.query.Numbers[number]), w.asIs(field))})
			}
		case decimal.Irregular:
			seen.Kinds |= batch.HasNumbers
			if _, _, ok := n.Wide(i); ok {
				seen.Large = true
			} else if !seen.Floats || !seen.Large {
				_, kind := decimal.Parse(column[i].Of(w.Text))
				seen.Floats = seen.Floats || kind == decimal.Irregular
				seen.Large = seen.Large || kind == decimal.Plain
			}
		}
	}
}

// countCompared reports the columns that filters compared with numbers, and that have values but no number.
func (r *Run) countCompared() {
	r.Report.compared = nil
	if r.query == nil || r.Enough() {
		return
	}
	for k, c := range r.compared() {
		bad, numbers := badNumbers{answer.NonNumeric{Column: r.query.Name(c.Column)}, k}, false
		for _, w := range r.all {
			c := w.comparisons[k]
			bad.Count += c.Bad
			numbers = numbers || c.Numbers
		}
		if first := r.firsts[len(r.query.Numbers)+k]; first != nil && !numbers {
			bad.First, bad.Number = *first, r.numberOf(c.Column)
			r.Report.compared = append(r.Report.compared, bad)
		}
	}
}

// numberOf returns the number of a column, from 1; 0 if it is a path or an expression.
func (r *Run) numberOf(column int) int {
	if column >= r.query.First.Fields || r.query.First.Paths != nil {
		return 0
	}
	return column + 1
}

// insteadOf returns an expression for the digits in the values of a column, "" if the first one has none or is a time.
func (r *Run) insteadOf(column int, first *failure.Problem) string {
	field := badValue(r.query.Name(column), first.Reason)
	at := bytes.IndexAny(field, "0123456789")
	if _, isTime := value.ParseTime(field); at < 0 || isTime || r.query.Derived.Has(column) {
		return ""
	}
	pattern := "([0-9.]+)"
	if at == 1 && field[0] == '-' {
		pattern = "(-?[0-9.]+)"
	}
	name := r.query.Name(column)
	switch {
	case r.query.First.Names == nil && r.query.First.Paths == nil:
		name = "$" + name
	case !expr.IsWord(name) && r.query.First.Paths == nil:
		name = "`" + strings.ReplaceAll(name, "`", "``") + "`"
	}
	return "regexp_extract(" + name + ", '" + pattern + "', 1)"
}

// badValue returns the field that a reason of badNumber quotes.
func badValue(column, reason string) []byte {
	quoted, err := strconv.QuotedPrefix(strings.TrimPrefix(reason, "column "+column+": "))
	if err != nil {
		return nil
	}
	text, _ := strconv.Unquote(quoted)
	return []byte(text)
}
