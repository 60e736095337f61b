package agg

import (
	"bytes"
	"context"
	"errors"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/batch"
	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/encoded"
)

// commonest has the function of the text that occurs most often.
var commonest = []Function{
	{names: []string{"mode"}, bind: func(s *State, q Columns, g *Call) Result {
		return &mode{texts: objectOf(s, q, g.Columns, func(k kept) *countedTexts { return &countedTexts{k} })}
	}},
}

// mode is the text that occurs most often in a group, the least of several.
type mode struct {
	numeric
	texts *countedTexts
}

func (*mode) Heading([]batch.Known) answer.Column { return answer.Column{Type: answer.ColumnText} }

func (m *mode) Text(_ *Reader, words []uint64, s *Store) (text []byte, exact bool) {
	if words[m.texts.at] == 0 {
		return nil, true
	}
	return find[commonText](s, m.texts.at, words[m.texts.at]).text, true
}

func (m *mode) Number(t *Reader, words []uint64, s *Store) (n decimal.Number, null, exact bool) {
	panic("thresh: bug: a text as number")
}

// countedTexts counts how often each text of a column occurs.
type countedTexts struct{ kept }

func (*countedTexts) layout(s *State)                        { s.addHandle(false, newSlots[commonText]) }
func (*countedTexts) pairing() (weight int64, anyOrder bool) { return weightUsual, false }

func (c *countedTexts) add(b *batch.Batch, g *Groups, sel records.Selection, _ []uint32, _ []uint64) error {
	return g.pairs[c.index].addWhole(b, g.keys, b.TextColumn(c.column), sel)
}

// settle keeps the text of each group that occurs most often, the least of several.
func (c *countedTexts) settle(ctx context.Context, g *Groups, all []*pairs, workers int) error {
	most, commonest := uint64(0), []byte{}
	texts := slotsOf[commonText](g.store, c.at)
	return eachGroup(ctx, all, workers, func(text []byte, count uint64) error {
		if count > most { // texts come in ascending order
			most, commonest = count, append(commonest[:0], text...)
		}
		return nil
	}, func(key []byte) error {
		words, err := g.wordsOf(key)
		if err == nil {
			t := texts.at(&words[c.at])
			t.text = bytes.Clone(commonest)
			texts.size += int64(cap(t.text))
			most = 0
		}
		return err
	})
}

// commonText is the text of a group that occurs most often. It is known when all pairs have been counted, and then
// no two parts of a group have one.
type commonText struct{ text []byte }

func (t *commonText) Merge(from *commonText)       { t.text = bytes.Clone(from.text) }
func (t *commonText) AppendBinary(b []byte) []byte { return encoded.AppendBytes(b, t.text) }
func (t *commonText) Bytes() int                   { return 64 + cap(t.text) }

func (t *commonText) Decode(b []byte) (rest []byte, err error) {
	r := encoded.Reader{Rest: b}
	if t.text = bytes.Clone(r.Bytes()); r.Bad {
		return nil, errors.New("a text without its length")
	}
	return r.Rest, nil
}
