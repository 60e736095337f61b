package agg

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/batch"
	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/encoded"
	"github.com/thresh-dev/thresh/internal/table/value"
)

// extreme has the functions whose results may be numbers, times or texts, as the values of the column are.
var extreme = []Function{
	{names: []string{"min"}, Distinct: "min", bind: func(s *State, q Columns, g *Call) Result {
		r := boundOf(s, q, g)
		r.numbers.min = true
		return r
	}},
	{names: []string{"max"}, Distinct: "max", bind: func(s *State, q Columns, g *Call) Result {
		r := boundOf(s, q, g)
		r.numbers.max, r.greatest = true, true
		return r
	}},
	{names: []string{"first", "any_value"}, bind: func(s *State, q Columns, g *Call) Result {
		return &end{ofValues: keepExtremes(s, q, g, needsPlaces)}
	}},
	{names: []string{"last"}, bind: func(s *State, q Columns, g *Call) Result {
		return &end{ofValues: keepExtremes(s, q, g, needsPlaces), last: true}
	}},
}

// What min, max, first and last return depends on all values of a column, over the records that match
// the filter:
//
//   - If any field is a number, they are about numbers, and other fields are skipped and reported.
//   - Otherwise, if all fields that are not null are times, they are about times.
//   - Otherwise they are about texts.
//
// That is known when all records have been read. Until then, a group keeps what each of the three would
// return. So the answer does not depend on the order in which the records are processed.

// placed is the text of a field and where its record is. Without a field, text is nil.
type placed struct {
	input, off int64
	text       []byte
}

func (p *placed) compare(o *placed) int {
	return cmp.Or(cmp.Compare(p.input, o.input), cmp.Compare(p.off, o.off))
}

// keptTexts is what a group keeps of a column: candidates for min, max, first and last.
type keptTexts struct {
	first, last             placed // of all fields that are not null
	firstNumber, lastNumber placed
	min, max                placed // texts
	earliest, latest        placed // times
}

// fields returns all candidates.
func (k *keptTexts) fields() [8]*placed {
	return [...]*placed{&k.first, &k.last, &k.firstNumber, &k.lastNumber, &k.min, &k.max, &k.earliest, &k.latest}
}

func (k *keptTexts) Merge(o *keptTexts) {
	keep(&k.first, &o.first, (*placed).compare, -1)
	keep(&k.last, &o.last, (*placed).compare, 1)
	keep(&k.firstNumber, &o.firstNumber, (*placed).compare, -1)
	keep(&k.lastNumber, &o.lastNumber, (*placed).compare, 1)
	keep(&k.min, &o.min, (*placed).compareTexts, -1)
	keep(&k.max, &o.max, (*placed).compareTexts, 1)
	keep(&k.earliest, &o.earliest, (*placed).compareTimes, -1)
	keep(&k.latest, &o.latest, (*placed).compareTimes, 1)
}

// keep replaces into by a copy of from if there is nothing yet, or from compares as better with it.
func keep(into, from *placed, compare func(a, b *placed) int, better int) {
	if from.text != nil && (into.text == nil || compare(from, into) == better) {
		into.input, into.off = from.input, from.off
		into.text = append(into.text[:0], from.text...)
		if into.text == nil { // the empty text
			into.text = []byte{}
		}
	}
}

func (p *placed) compareTexts(o *placed) int { return bytes.Compare(p.text, o.text) }

// compareTimes orders times by the moment, and the same moment by its text.
func (p *placed) compareTimes(o *placed) int { return value.CompareTimes(p.text, o.text) }

// Bytes returns the approximate memory.
func (k *keptTexts) Bytes() int {
	n := 400
	for _, p := range k.fields() {
		n += cap(p.text)
	}
	return n
}

func (k *keptTexts) AppendBinary(b []byte) []byte {
	for _, p := range k.fields() {
		if p.text == nil {
			b = append(b, 0)
			continue
		}
		b = p.appendBinary(append(b, 1))
	}
	return b
}

func (p *placed) appendBinary(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(p.input))
	return encoded.AppendBytes(binary.AppendUvarint(b, uint64(p.off)), p.text)
}

func (p *placed) decode(r *encoded.Reader) {
	p.input, p.off = int64(r.Uvarint()), int64(r.Uvarint())
	if p.text = bytes.Clone(r.Bytes()); p.text == nil {
		p.text = []byte{}
	}
}

func (k *keptTexts) Decode(b []byte) (rest []byte, err error) {
	r := encoded.Reader{Rest: b}
	for _, p := range k.fields() {
		if r.Uvarint() == 1 {
			p.decode(&r)
		}
	}
	if r.Bad {
		return nil, errors.New("texts without their length")
	}
	return r.Rest, nil
}

// extremes keeps the candidates of a column.
type extremes struct {
	kept
	number int // among the number columns
	needs  needs
}

// needs says which candidates an object keeps.
type needs uint8

const (
	needsValues needs = 1 << iota // for min and max
	needsPlaces                   // for first and last
)

func keepExtremes(s *State, q Columns, g *Call, n needs) ofValues {
	number := q.WantNumbers(g.column(), batch.ByValues)
	e := objectOf(s, q, g.Columns, func(k kept) *extremes { return &extremes{kept: k, number: number} })
	e.needs |= n
	return ofValues{texts: e}
}

func (e *extremes) layout(s *State) { s.addHandle(e.needs == needsValues, newSlots[keptTexts]) }

// add adds the fields of the selected records to the candidates of their groups. Numbers among
// them are candidates for first and last only: the accumulators keep the least and the greatest.
func (e *extremes) add(b *batch.Batch, g *Groups, sel records.Selection, ids []uint32, words []uint64) error {
	n, column := b.Numbers[e.number], b.Column(e.column)
	ordered := e.needs&needsPlaces != 0
	if n.AllPlain && !ordered {
		return nil
	}
	texts := slotsOf[keptTexts](g.store, e.at)
	for j, i := range sel {
		isNumber := n.Kinds[i] == decimal.Plain || n.Kinds[i] == decimal.Irregular
		if n.Kinds[i] == decimal.Missing || isNumber && !ordered {
			continue
		}
		if !isNumber && b.Seen[e.number].Kinds&batch.HasNumbers != 0 {
			continue // texts are no candidates any more
		}
		field := placed{b.Input, b.At(i), column[i].Of(b.Text)}
		k := texts.at(&words[int(ids[j])+e.at])
		before := k.Bytes()
		k.add(&field, isNumber, n.Kinds[i] == decimal.Bad && b.Seen[e.number].Kinds&batch.HasTexts == 0, e.needs)
		texts.size += int64(k.Bytes() - before)
	}
	return nil
}

func (k *keptTexts) add(field *placed, isNumber, isTime bool, n needs) {
	if n&needsPlaces != 0 {
		keep(&k.first, field, (*placed).compare, -1)
		keep(&k.last, field, (*placed).compare, 1)
		if isNumber {
			keep(&k.firstNumber, field, (*placed).compare, -1)
			keep(&k.lastNumber, field, (*placed).compare, 1)
		}
	}
	if n&needsValues == 0 || isNumber {
		return
	}
	keep(&k.min, field, (*placed).compareTexts, -1)
	keep(&k.max, field, (*placed).compareTexts, 1)
	if isTime {
		keep(&k.earliest, field, (*placed).compareTimes, -1)
		keep(&k.latest, field, (*placed).compareTimes, 1)
	}
}

// ofValues is the part of a result whose type the values of a column decide.
type ofValues struct {
	numeric
	texts *extremes
}

func (r *ofValues) Heading(k []batch.Known) answer.Column {
	if k[r.texts.number].AsText() {
		return answer.Column{Type: answer.ColumnText}
	}
	return k[r.texts.number].Heading(false)
}

func (r *ofValues) Times(k []batch.Known) bool { return k[r.texts.number].Kinds == batch.HasTimes }

// candidates returns what a group keeps, nothing if it has no field.
func (r *ofValues) candidates(words []uint64, s *Store) *keptTexts {
	if words[r.texts.at] == 0 { // of no records there is no store
		return &keptTexts{}
	}
	return find[keptTexts](s, r.texts.at, words[r.texts.at])
}

// bound is the least or the greatest value.
type bound struct {
	ofValues
	numbers  *accumulator
	greatest bool
}

func boundOf(s *State, q Columns, g *Call) *bound {
	return &bound{ofValues: keepExtremes(s, q, g, needsValues), numbers: s.accumulate(q, g.column(), batch.ByValues)}
}

func (r *bound) Text(t *Reader, words []uint64, s *Store) (text []byte, exact bool) {
	k := r.candidates(words, s)
	switch times := r.Times(t.Known); {
	case r.greatest && times:
		return k.latest.text, true
	case r.greatest:
		return k.max.text, true
	case times:
		return k.earliest.text, true
	}
	return k.min.text, true
}

// plain returns the word of the numbers that are integers of the common scale; none is true if there are none.
func (r *bound) plain(words []uint64) (v int64, none bool) {
	if r.greatest {
		v = int64(words[r.numbers.at.max])
		return v, v == noneAbove
	}
	v = int64(words[r.numbers.at.min])
	return v, v == noneBelow
}

func (r *bound) Number(t *Reader, words []uint64, s *Store) (n decimal.Number, null, exact bool) {
	v, none := r.plain(words)
	o := r.numbers.irregular(words, s)
	if none && o == nil {
		return n, true, true
	}
	n = decimal.FromPlain(v, t.Known[r.numbers.number].Scale)
	if o != nil {
		switch {
		case r.greatest && (none || o.max.Compare(n) > 0):
			n = o.max
		case !r.greatest && (none || o.min.Compare(n) < 0):
			n = o.min
		}
	}
	return n, n.IsNaN(), true
}

func (r *bound) Word(words []uint64) (v int64, null, ok bool) {
	if words[r.numbers.at.irregular] != 0 {
		return 0, false, false
	}
	v, null = r.plain(words)
	return v, null, true
}

func (r *bound) Scale(k []batch.Known) (scale int, ok bool) { return k[r.numbers.number].Scale, true }

// end is the value of the first or the last record that has one.
type end struct {
	ofValues
	last bool
}

func (r *end) Text(t *Reader, words []uint64, s *Store) (text []byte, exact bool) {
	k := r.candidates(words, s)
	switch numbers := t.Known[r.texts.number].Kinds&batch.HasNumbers != 0; {
	case r.last && numbers:
		return k.lastNumber.text, true
	case r.last:
		return k.last.text, true
	case numbers:
		return k.firstNumber.text, true
	}
	return k.first.text, true
}

func (r *end) Number(t *Reader, words []uint64, s *Store) (n decimal.Number, null, exact bool) {
	text, _ := r.Text(t, words, s)
	n, kind := decimal.Parse(text)
	return n, kind == decimal.Missing, true
}
