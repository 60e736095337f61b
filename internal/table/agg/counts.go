package agg

import (
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/batch"
	"github.com/thresh-dev/thresh/internal/table/decimal"
)

// counting has the functions that count records, and texts.
var counting = []Function{
	{
		names: []string{"count"}, Alone: true, Distinct: "distinct",
		bind: func(s *State, q Columns, g *Call) Result {
			if g.column() == noColumn {
				return &recordCount{}
			}
			return &counter{kept: objectOf(s, q, g.Columns, func(k kept) *presence { return &presence{k} }).base()}
		},
	},
	{
		names: []string{"distinct"}, takes: []Parameter{{name: "COLUMN", Repeated: true}},
		bind: func(s *State, q Columns, g *Call) Result {
			return &counter{kept: objectOf(s, q, g.Columns, func(k kept) *distinctTexts { return &distinctTexts{k} }).base()}
		},
	},
}

// recordCount is the number of records of a group.
type recordCount struct{ numeric }

func (*recordCount) Heading([]batch.Known) answer.Column {
	return answer.Column{Type: answer.ColumnInteger}
}

func (*recordCount) Number(_ *Reader, words []uint64, _ *Store) (n decimal.Number, null, exact bool) {
	return decimal.FromPlain(int64(words[0]), 0), false, true
}

func (*recordCount) Word(words []uint64) (v int64, null, ok bool) {
	return int64(words[0]), false, true
}
func (*recordCount) Scale([]batch.Known) (scale int, ok bool) { return 0, true }

// counter is a number that is the first word of an object.
type counter struct {
	numeric
	kept *kept
}

func (*counter) Heading([]batch.Known) answer.Column {
	return answer.Column{Type: answer.ColumnInteger}
}

func (c *counter) Number(_ *Reader, words []uint64, _ *Store) (n decimal.Number, null, exact bool) {
	return decimal.FromPlain(int64(words[c.kept.at]), 0), false, true
}

// presence counts the records whose field is not null.
type presence struct{ kept }

func (*presence) layout(s *State) { s.addCounter() }

func (p *presence) add(b *batch.Batch, _ *Groups, sel records.Selection, ids []uint32, words []uint64) error {
	column := b.Column(p.column)
	for j, i := range sel {
		if f := column[i]; f.Len > 0 || !b.IsNull(f) {
			words[int(ids[j])+p.at]++
		}
	}
	return nil
}
