package table

import (
	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/row"
)

// counting has the functions that count records, and texts.
var counting = []function{
	{
		names: []string{"count"}, alone: true, distinct: "distinct",
		bind: func(s *state, q columns, g *call) result {
			if g.column() == noColumn {
				return &recordCount{}
			}
			return &counter{kept: objectOf(s, q, g.columns, func(k kept) *presence { return &presence{k} }).base()}
		},
	},
	{
		names: []string{"distinct"}, takes: []parameter{{name: "COLUMN", repeated: true}},
		bind: func(s *state, q columns, g *call) result {
			return &counter{kept: objectOf(s, q, g.columns, func(k kept) *distinctTexts { return &distinctTexts{k} }).base()}
		},
	},
}

// recordCount is the number of records of a group.
type recordCount struct{ numeric }

func (*recordCount) heading([]known) row.Column { return row.Column{Type: row.Integer} }

func (*recordCount) number(_ *reader, words []uint64, _ *store) (n decimal.Number, null, exact bool) {
	return decimal.FromPlain(int64(words[0]), 0), false, true
}

func (*recordCount) word(words []uint64) (v int64, null, ok bool) {
	return int64(words[0]), false, true
}
func (*recordCount) scale([]known) (scale int, ok bool) { return 0, true }

// counter is a number that is the first word of an object.
type counter struct {
	numeric
	kept *kept
}

func (*counter) heading([]known) row.Column { return row.Column{Type: row.Integer} }

func (c *counter) number(_ *reader, words []uint64, _ *store) (n decimal.Number, null, exact bool) {
	return decimal.FromPlain(int64(words[c.kept.at]), 0), false, true
}

// presence counts the records whose field is not null.
type presence struct{ kept }

func (*presence) layout(s *state) { s.addCounter() }

func (p *presence) add(b *batch, _ *groups, sel records.Selection, ids []uint32, words []uint64) error {
	column := b.column(p.column)
	for j, i := range sel {
		if f := column[i]; f.Len > 0 || !b.isNull(f) {
			words[int(ids[j])+p.at]++
		}
	}
	return nil
}
