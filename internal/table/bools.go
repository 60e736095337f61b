package table

import (
	"bytes"
	"fmt"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/output/numeral"
	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/row"
)

// logical has the functions of values that are true or false.
var logical = []function{
	{names: []string{"bool_and"}, bind: func(s *state, q columns, g *call) result {
		return &junction{truths: objectOf(s, q, g.columns, newTruths), and: true}
	}},
	{names: []string{"bool_or"}, bind: func(s *state, q columns, g *call) result {
		return &junction{truths: objectOf(s, q, g.columns, newTruths)}
	}},
}

// junction is whether all values of a group are true, or any of them.
type junction struct {
	numeric
	truths *truths
	and    bool
}

func (*junction) heading([]known) row.Column { return row.Column{Type: row.Text} }

func (r *junction) text(_ *reader, words []uint64, _ *store) (text []byte, exact bool) {
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

func (*junction) remark(groups int64) string {
	return fmt.Sprintf("values that are neither true nor false were skipped in %s", numeral.Count(int(groups), "group"))
}

func (*junction) number(*reader, []uint64, *store) (n decimal.Number, null, exact bool) {
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

func (*truths) layout(s *state) {
	s.addCounter()
	s.addCounter()
	s.addCounter()
}

func (o *truths) add(b *batch, _ *groups, sel records.Selection, ids []uint32, words []uint64) error {
	column := b.textColumn(o.column)
	for j, i := range sel {
		if f := column[i]; f.Len > 0 || !b.isNull(f) {
			words[int(ids[j])+o.at+truthOf(f.Of(b.text))]++
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
