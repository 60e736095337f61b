package agg

import (
	"bytes"
	"encoding/binary"
	"errors"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/batch"
	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/encoded"
	"github.com/thresh-dev/thresh/internal/table/value"
)

// choosing has the functions that choose the value of one column by that of another.
var choosing = []Function{
	{names: []string{"arg_min", "argmin", "min_by"}, takes: valueAndOrder, bind: func(s *State, q Columns, g *Call) Result {
		return choose(s, q, g, false)
	}},
	{names: []string{"arg_max", "argmax", "max_by"}, takes: valueAndOrder, bind: func(s *State, q Columns, g *Call) Result {
		return choose(s, q, g, true)
	}},
}

var valueAndOrder = []Parameter{{name: "COLUMN"}, {name: "ORDER"}}

// What the least and the greatest value of a column is depends on all its values, as for min and max. So a group
// keeps a candidate for each of numbers, times and texts. Of records with the same value, it keeps the first.

func choose(s *State, q Columns, g *Call, greatest bool) Result {
	r := &chosen{value: q.WantNumbers(g.Columns[0], batch.AsWritten), by: q.WantNumbers(g.Columns[1], batch.ByValues)}
	for _, o := range s.objects {
		if c, ok := o.(*choices); ok && c.is(g.Columns, greatest) {
			r.choices = c
			return r
		}
	}
	r.choices = newObject(s, q, g.Columns, func(k kept) *choices { return &choices{k, r.by, greatest} })
	return r
}

// chosen is the value of the record that has the least or the greatest one in another column.
type chosen struct {
	numeric
	choices   *choices
	value, by int // among the number columns
}

// isNumber reports whether the values are numbers: that all are. If some are not, they are texts.
func (r *chosen) isNumber(k []batch.Known) bool { return k[r.value].Kinds == batch.HasNumbers }

func (r *chosen) Heading(k []batch.Known) answer.Column {
	if r.isNumber(k) {
		return k[r.value].Heading(false)
	}
	return answer.Column{Type: answer.ColumnText}
}

func (r *chosen) Times(k []batch.Known) bool { return k[r.value].Kinds == batch.HasTimes }

func (r *chosen) candidate(t *Reader, words []uint64, s *Store) *choice {
	handle := words[r.choices.at+choiceHandle]
	if handle == 0 {
		return &choice{}
	}
	c := find[choicesOfGroup](s, r.choices.at+choiceHandle, handle)
	switch kinds := t.Known[r.by].Kinds; {
	case kinds&batch.HasNumbers != 0:
		return &c.byNumber
	case kinds == batch.HasTimes:
		return &c.byTime
	}
	return &c.byText
}

func (r *chosen) Text(t *Reader, words []uint64, s *Store) (text []byte, exact bool) {
	c := r.candidate(t, words, s)
	if c.value.text == nil {
		return nil, true
	}
	return c.value.text[:c.textLen], true
}

func (r *chosen) Number(t *Reader, words []uint64, s *Store) (n decimal.Number, null, exact bool) {
	n, kind := decimal.Parse(r.candidate(t, words, s).value.text)
	return n, kind == decimal.Missing, true
}

// choices keeps, for each group, the value of one column in the record that has the least or the greatest in another.
type choices struct {
	kept
	by       int // among the number columns
	greatest bool
}

// The words of choices, from the first. The bound is that of the integers of the common scale: others are worse than
// what the group has. Integers are compared as their complements if the greatest is wanted.
const (
	choiceBound = iota
	choiceHandle
)

func (o *choices) layout(s *State) {
	s.addWord(noneBelow)
	s.addHandle(false, newSlots[choicesOfGroup])
}

func (o *choices) is(columns []int, greatest bool) bool {
	return o.columns[0] == columns[0] && o.columns[1] == columns[1] && o.greatest == greatest
}

func (o *choices) add(b *batch.Batch, g *Groups, sel records.Selection, ids []uint32, words []uint64) error {
	n, seen := b.Numbers[o.by], b.Seen[o.by].Kinds
	values, texts, by := b.Column(o.columns[0]), b.TextColumn(o.columns[0]), b.Column(o.columns[1])
	slots := slotsOf[choicesOfGroup](g.store, o.at+choiceHandle)
	reverse := int64(0)
	if o.greatest {
		reverse = -1
	}
	for j, i := range sel {
		word := words[int(ids[j])+o.at:]
		kind, v := n.Kinds[i], n.Mantissa[i]^reverse
		isNumber := kind == decimal.Plain || kind == decimal.Irregular
		if kind == decimal.Plain && v > int64(word[choiceBound]) || kind == decimal.Missing ||
			!isNumber && seen&batch.HasNumbers != 0 { // texts are no candidates any more
			continue
		}
		field := values[i]
		if field.Len == 0 && b.IsNull(field) {
			continue
		}
		next := choice{textLen: int(texts[i].Len), by: by[i].Of(b.Text)}
		next.value = placed{b.Input, b.At(i), field.Of(b.Text)}
		switch kind {
		case decimal.Plain:
			next.number = decimal.FromPlain(n.Mantissa[i], n.Scale)
			word[choiceBound] = uint64(v)
		case decimal.Irregular:
			next.number, _ = decimal.Parse(next.by)
		}
		c := slots.at(&word[choiceHandle])
		before := c.Bytes()
		c.greatest = o.greatest
		switch {
		case isNumber:
			c.byNumber.improve(&next, c.greatest, (*choice).compareNumbers)
		default:
			c.byText.improve(&next, c.greatest, (*choice).compareTexts)
			if seen&batch.HasTexts == 0 {
				c.byTime.improve(&next, c.greatest, (*choice).compareTimes)
			}
		}
		slots.size += int64(c.Bytes() - before)
	}
	return nil
}

// choice is a value, and what it is chosen by.
type choice struct {
	value   placed
	textLen int // of the value as a text: without the mark of a float
	by      []byte
	number  decimal.Number // that by is, if it is one
}

// improve replaces a choice by a better one, which it copies.
func (c *choice) improve(o *choice, greatest bool, compare func(a, b *choice) int) {
	if o.value.text == nil {
		return
	}
	if c.value.text != nil {
		order := compare(o, c)
		if greatest {
			order = -order
		}
		if order > 0 || order == 0 && o.value.compare(&c.value) >= 0 {
			return
		}
	}
	text, by := append(c.value.text[:0], o.value.text...), append(c.by[:0], o.by...)
	*c = *o
	if c.value.text, c.by = text, by; text == nil { // the empty text
		c.value.text = []byte{}
	}
}

func (c *choice) compareNumbers(o *choice) int { return c.number.Compare(o.number) }
func (c *choice) compareTexts(o *choice) int   { return bytes.Compare(c.by, o.by) }

// compareTimes compares moments.
func (c *choice) compareTimes(o *choice) int {
	t, _ := value.ParseTime(c.by)
	u, _ := value.ParseTime(o.by)
	return t.Compare(u)
}

// choicesOfGroup are a group's candidates: by numbers, by times and by texts.
type choicesOfGroup struct {
	greatest                 bool
	byNumber, byTime, byText choice
}

func (c *choicesOfGroup) all() [3]*choice { return [...]*choice{&c.byNumber, &c.byTime, &c.byText} }

func (c *choicesOfGroup) Merge(o *choicesOfGroup) {
	c.greatest = o.greatest
	c.byNumber.improve(&o.byNumber, c.greatest, (*choice).compareNumbers)
	c.byTime.improve(&o.byTime, c.greatest, (*choice).compareTimes)
	c.byText.improve(&o.byText, c.greatest, (*choice).compareTexts)
}

// Bytes returns the approximate memory.
func (c *choicesOfGroup) Bytes() int {
	n := 400
	for _, p := range c.all() {
		n += cap(p.value.text) + cap(p.by)
	}
	return n
}

func (c *choicesOfGroup) AppendBinary(b []byte) []byte {
	greatest := uint64(0)
	if c.greatest {
		greatest = 1
	}
	b = binary.AppendUvarint(b, greatest)
	for _, p := range c.all() {
		if p.value.text == nil {
			b = append(b, 0)
			continue
		}
		b = encoded.AppendBytes(p.value.appendBinary(append(b, 1)), p.by)
		b = binary.AppendUvarint(b, uint64(p.textLen))
	}
	return b
}

func (c *choicesOfGroup) Decode(b []byte) (rest []byte, err error) {
	r := encoded.Reader{Rest: b}
	c.greatest = r.Uvarint() == 1
	for _, p := range c.all() {
		if r.Uvarint() != 1 {
			continue
		}
		p.value.decode(&r)
		p.by = bytes.Clone(r.Bytes())
		p.textLen = int(r.UvarintTo(uint64(len(p.value.text))))
		p.number, _ = decimal.Parse(p.by)
	}
	if r.Bad {
		return nil, errors.New("values without their length")
	}
	return r.Rest, nil
}
