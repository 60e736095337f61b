package table

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/query"
)

// Inputs that together form one table have the columns of the first one, by their names: the header of another input
// may have them in another order, lack some, which are null there, and have more, which are not read unless a
// question names them.

// layout is where the columns are in an input.
type layout struct {
	fields int   // of each record
	wanted []int // by slot of the columns in the file: the number of the field
	same   bool  // the header is that of the first input
}

// noField is the number of a field that no record has.
const noField = 1 << 30

// layout returns where the columns are in an input that begins like this, and notes those that it lacks.
func (r *Run) layout(name string, in query.First) (layout, error) {
	first := &r.query.First
	l := layout{fields: first.Fields, wanted: r.query.InFile(), same: slices.Equal(in.Names, first.Names)}
	if in.Names == nil || l.same && len(first.Others) == 0 {
		return l, nil
	}
	all := first.AllNames()
	has := func(column string) bool { return r.fieldOf(column, 0, in.Names) != noField }
	known := slices.ContainsFunc(first.Names, has)
	l.fields, l.wanted = in.Fields, slices.Clone(l.wanted)
	for slot, column := range l.wanted {
		if slot == r.query.FileSlot {
			continue
		}
		before := 0 // columns of the same name
		for _, other := range all[:column] {
			if other == all[column] {
				before++
			}
		}
		if l.wanted[slot] = r.fieldOf(all[column], before, in.Names); l.wanted[slot] == noField {
			r.noteMissing(all[column], name, 1)
		} else {
			known = true
		}
	}
	if !known {
		return l, fmt.Errorf("%s has none of the columns of the table (%s), but %s", name, strings.Join(first.Names, ", "),
			strings.Join(in.Names, ", "))
	}
	return l, nil
}

// fieldOf returns the number of the field with a name: the first one but so many, as it is written or, in SQL, in
// another case.
func (r *Run) fieldOf(name string, skip int, names []string) int {
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		left := skip
		for i, other := range names {
			if same(other, name) {
				if left == 0 {
					return i
				}
				left--
			}
		}
		if !r.spec.SQL {
			break
		}
	}
	return noField
}

func (r *Run) noteMissing(column, input string, inputs int64) {
	for i := range r.Report.Missing {
		if m := &r.Report.Missing[i]; m.Column == column {
			m.Inputs += inputs
			return
		}
	}
	r.Report.Missing = append(r.Report.Missing, answer.Missing{Column: column, Name: input, Inputs: inputs})
}

// compileWithOthers compiles the questions. Where that fails, they may name columns that only other inputs have.
func (r *Run) compileWithOthers(first query.First) (*query.Query, error) {
	q, err := r.spec.Compile(first)
	if err == nil || first.Names == nil || r.Others == nil {
		return q, err
	}
	for _, names := range r.Others() {
		for _, name := range names {
			if !slices.Contains(first.AllNames(), name) {
				first.Others = append(first.Others, name)
			}
		}
	}
	if len(first.Others) == 0 {
		return q, err
	}
	return r.spec.Compile(first)
}

// ReadHeader returns the names in the header at the beginning of an input, and whether that is all of it, see
// Dialect.ReadFirst.
func (r *Run) ReadHeader(head []byte, ended bool) (names []string, ok bool, err error) {
	first, ok, err := r.spec.Dialect.ReadFirst(head, ended)
	if err == nil && first.Bad != nil {
		err = errors.New(first.Bad.Reason)
	}
	return first.Names, ok, err
}

// nameInput puts the name of the input into its column. A line of JSON may have such a value of its own.
func (w *worker) nameInput(sel records.Selection) {
	name, column := w.Batch.Add([]byte(w.pass.file.Name)), w.Columns[w.query.FileSlot]
	for _, i := range sel {
		if w.json == nil || w.IsNull(column[i]) {
			column[i] = name
		}
	}
}
