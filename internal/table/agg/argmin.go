package agg

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/batch"
	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/encoded"
	"github.com/thresh-dev/thresh/internal/table/value"
)

// choosing has the functions that choose the value of one column by that of another.
var choosing = []Function{
	{names: []string{"arg_min", "argmin", "min_by"}, takes: valueAndOrder, bind: choose(false)},
	{names: []string{"arg_max", "argmax", "max_by"}, takes: valueAndOrder, bind: choose(true)},
}

var valueAndOrder = []Parameter{{name: "COLUMN"}, {name: "ORDER"}}

// What the least and the greatest value of a column is depends on all its values, as for min and max. So a group
// keeps a candidate for each of numbers, times and texts. Of records with the same value, it keeps the first.

func choose(greatest bool) func(s *State, q Columns, g *Call) Result {
	return func(s *State, q Columns, g *Call) Result {
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

func (r *chosen) candidate(t *Reader, words []uint64, s *Store) (c choice, found bool) {
	handle := words[r.choices.at+choiceHandle]
	if handle == 0 {
		return c, false
	}
	by := byText
	switch kinds := t.Known[r.by].Kinds; {
	case kinds&batch.HasNumbers != 0:
		by = byNumber
	case kinds == batch.HasTimes:
		by = byTime
	}
	encoded := find[choicesOfGroup](s, r.choices.at+choiceHandle, handle).of(by)
	t.failed(c.decode(encoded))
	return c, encoded != nil
}

func (r *chosen) Text(t *Reader, words []uint64, s *Store) (text []byte, exact bool) {
	c, found := r.candidate(t, words, s)
	if !found {
		return nil, true
	}
	return c.text[:c.textLen], true
}

func (r *chosen) Number(t *Reader, words []uint64, s *Store) (n decimal.Number, null, exact bool) {
	c, _ := r.candidate(t, words, s)
	n, kind := decimal.Parse(c.text)
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
		next := choice{placed{b.Input, b.At(i), field.Of(b.Text)}, int(texts[i].Len), by[i].Of(b.Text)}
		if kind == decimal.Plain {
			word[choiceBound] = uint64(v)
		}
		c := slots.at(&word[choiceHandle])
		before := c.Bytes()
		c.greatest = o.greatest
		switch {
		case isNumber:
			c.improve(byNumber, &next)
		case seen&batch.HasTexts == 0:
			c.improve(byTime, &next)
			fallthrough
		default:
			c.improve(byText, &next)
		}
		slots.size += int64(c.Bytes() - before)
	}
	return nil
}

// choice is a value, and what it is chosen by.
type choice struct {
	placed
	textLen int // of the value as a text: without the mark of a float
	by      []byte
}

func (c *choice) appendBinary(b []byte) []byte {
	return encoded.AppendBytes(binary.AppendUvarint(c.placed.appendBinary(b), uint64(c.textLen)), c.by)
}

// decode reads a choice, which is nothing in no bytes. It holds the bytes.
func (c *choice) decode(b []byte) error {
	if b == nil {
		return nil
	}
	r := encoded.Reader{Rest: b}
	c.input, c.off, c.text = int64(r.Uvarint()), int64(r.Uvarint()), r.Bytes()
	c.textLen = int(r.UvarintTo(uint64(len(c.text))))
	if c.by = r.Bytes(); r.Bad || len(r.Rest) > 0 {
		return errChoice
	}
	return nil
}

// choiceBytes is about what a choice takes besides its texts: an input, an offset and lengths.
const choiceBytes = 12

var errChoice = errors.New("values without their length")

// The candidates of a group, by what the order is if they are the ones that count.
const (
	byNumber = iota
	byTime
	byText
	choiceKinds
)

// orders compare what choices are made by.
var orders = [choiceKinds]func(a, b []byte) int{
	byNumber: func(a, b []byte) int {
		n, _ := decimal.Parse(a)
		m, _ := decimal.Parse(b)
		return n.Compare(m)
	},
	byTime: func(a, b []byte) int {
		t, _ := value.ParseTime(a)
		u, _ := value.ParseTime(b)
		return t.Compare(u)
	},
	byText: bytes.Compare,
}

// choicesOfGroup are a group's candidates, each as it is encoded, so that a million groups are little more than their
// texts. Nearly all groups have one.
type choicesOfGroup struct {
	first    []byte
	kind     uint8 // of first
	greatest bool
	others   *[choiceKinds][]byte
}

// of returns the candidate of a kind, which is nil if there is none.
func (c *choicesOfGroup) of(kind int) []byte {
	switch {
	case int(c.kind) == kind:
		return c.first
	case c.others == nil:
		return nil
	}
	return c.others[kind]
}

func (c *choicesOfGroup) set(kind int, b []byte) {
	switch {
	case c.first == nil || int(c.kind) == kind:
		c.first, c.kind = b, uint8(kind)
		return
	case c.others == nil:
		c.others = new([choiceKinds][]byte)
	}
	c.others[kind] = b
}

// improve replaces a candidate by a better one, which it copies.
func (c *choicesOfGroup) improve(kind int, next *choice) {
	kept := c.of(kind)
	if kept != nil {
		var before choice
		if before.decode(kept) != nil {
			panic("thresh: bug: a choice that was not encoded")
		}
		order := orders[kind](next.by, before.by)
		if c.greatest {
			order = -order
		}
		if order > 0 || order == 0 && next.compare(&before.placed) >= 0 {
			return
		}
	}
	c.set(kind, next.appendBinary(slices.Grow(kept[:0], len(next.text)+len(next.by)+choiceBytes)))
}

func (c *choicesOfGroup) Merge(o *choicesOfGroup) {
	c.greatest = o.greatest
	for kind := range choiceKinds {
		var next choice
		switch b := o.of(kind); {
		case b == nil:
		case c.of(kind) == nil:
			c.set(kind, bytes.Clone(b))
		case next.decode(b) == nil:
			c.improve(kind, &next)
		}
	}
}

// Bytes returns the approximate memory.
func (c *choicesOfGroup) Bytes() int {
	n := 48 + cap(c.first)
	if c.others != nil {
		n += 80
		for _, b := range c.others {
			n += cap(b)
		}
	}
	return n
}

func (c *choicesOfGroup) AppendBinary(b []byte) []byte {
	greatest := byte(0)
	if c.greatest {
		greatest = 1
	}
	b = append(b, greatest)
	for kind := range choiceKinds {
		b = encoded.AppendBytes(b, c.of(kind))
	}
	return b
}

func (c *choicesOfGroup) Decode(b []byte) (rest []byte, err error) {
	r := encoded.Reader{Rest: b}
	c.greatest = r.Uvarint() == 1
	for kind := range choiceKinds {
		if one := r.Bytes(); len(one) > 0 {
			c.set(kind, bytes.Clone(one))
			err = errors.Join(err, new(choice).decode(one))
		}
	}
	if r.Bad {
		err = errChoice
	}
	return r.Rest, err
}
