package agg

import (
	"bytes"
	"fmt"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/output/numeral"
	"github.com/thresh-dev/thresh/internal/table/batch"
	"github.com/thresh-dev/thresh/internal/table/decimal"
)

// logical has the functions of values that are true or false.
var logical = []Function{
	{names: []string{"bool_and"}, Distinct: "bool_and", bind: func(s *State, q Columns, g *Call) Result {
		return &junction{truths: objectOf(s, q, g.Columns, newTruths), and: true}
	}},
	{names: []string{"bool_or"}, Distinct: "bool_or", bind: func(s *State, q Columns, g *Call) Result {
		return &junction{truths: objectOf(s, q, g.Columns, newTruths)}
	}},
}

// junction is whether all values of a group are true, or any of them.
type junction struct {
	numeric
	truths *truths
	and    bool
}

func (*junction) Heading([]batch.Known) answer.Column { return answer.Column{JSON: true} }

func (r *junction) Text(_ *Reader, words []uint64, _ *Store) (text []byte, exact bool) {
	words = words[r.truths.at:]
	exact = words[neither] == 0
	switch yes, no := words[yes], words[no]; {
	case yes+no == 0:
		return nil, exact
	case r.and && no > 0, !r.and && yes == 0:
		return []byte("false"), exact
	}
	return []byte("true"), exact
}

func (*junction) Remark(groups int64) string {
	return fmt.Sprintf("values that are neither true nor false were skipped in %s", numeral.Count(int(groups), "group"))
}

func (*junction) Number(*Reader, []uint64, *Store) (n decimal.Number, null, exact bool) {
	panic("thresh: bug: a text as number")
}

// truths counts the values of a column that are true, that are false, and that are neither.
type truths struct{ kept }

// The words of truths, from the first.
const (
	yes = iota
	no
	neither
)

func newTruths(k kept) *truths { return &truths{k} }

func (*truths) layout(s *State) {
	s.addCounter()
	s.addCounter()
	s.addCounter()
}

func (o *truths) add(b *batch.Batch, _ *Groups, sel records.Selection, ids []uint32, words []uint64) error {
	column := b.TextColumn(o.column)
	for j, i := range sel {
		if f := column[i]; f.Len > 0 || !b.IsNull(f) {
			words[int(ids[j])+o.at+truthOf(f.Of(b.Text))]++
		}
	}
	return nil
}

// truthOf returns the word of truths that counts a text.
func truthOf(text []byte) int {
	switch {
	case len(text) == len("true") && bytes.EqualFold(text, []byte("true")):
		return yes
	case len(text) == len("false") && bytes.EqualFold(text, []byte("false")):
		return no
	}
	return neither
}
