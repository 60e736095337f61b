package table

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/expr"
)

// What min, max, first and last return depends on all values of a column, over the records that match
// the filter:
//
//   - If any field is a number, they are about numbers, and other fields are skipped and reported.
//   - Otherwise, if all fields that are not empty are times, they are about times.
//   - Otherwise they are about texts.
//
// That is known when all records have been read. Until then, a group keeps what each of the three would
// return. So the answer does not depend on the order in which the records are processed.

// kinds says what kinds of values a column has.
type kinds uint8

const (
	hasNumbers kinds = 1 << iota
	hasTimes
	hasTexts // neither numbers nor times
)

// kindOf returns the kind of a field that is not a number, as far as an aggregate needs to know it.
func (w *worker) kindOf(number int, field []byte) kinds {
	if w.uses[number]&byValues == 0 || w.seenKinds[number]&hasTexts != 0 {
		return 0
	}
	if _, ok := expr.ParseTime(field); ok {
		return hasTimes
	}
	return hasTexts
}

// kinds returns what kinds of values a number column has.
func (r *Run) kinds(number int) (all kinds) {
	for _, w := range r.all {
		all |= w.seenKinds[number]
	}
	return all
}

// asText reports whether min, max, first and last of a number column are about times or texts.
func (r *Run) asText(number int) bool {
	k := r.kinds(number)
	return k != 0 && k&hasNumbers == 0
}

// inQuotes reports whether an empty field was written in quotes. It then lies between them.
func (w *worker) inQuotes(f records.Span) bool {
	return w.Dialect.Quote != 0 && w.text[:f.Off+1][f.Off] == w.Dialect.Quote
}

// placed is the text of a field and where its record is. Without a field, text is nil.
type placed struct {
	input, off int64
	text       []byte
}

func (p *placed) compare(o *placed) int {
	return cmp.Or(cmp.Compare(p.input, o.input), cmp.Compare(p.off, o.off))
}

// keptTexts is what a group keeps of a column: candidates for min, max, first and last. For mode it is one
// text, in first.
type keptTexts struct {
	first, last             placed // of all fields that are not empty
	firstNumber, lastNumber placed
	min, max                placed // texts
	earliest, latest        placed // times
}

// fields returns all candidates.
func (k *keptTexts) fields() [8]*placed {
	return [...]*placed{&k.first, &k.last, &k.firstNumber, &k.lastNumber, &k.min, &k.max, &k.earliest, &k.latest}
}

func (k *keptTexts) merge(o *keptTexts) {
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
	}
}

func (p *placed) compareTexts(o *placed) int { return bytes.Compare(p.text, o.text) }

// compareTimes orders times by the moment, and the same moment by its text.
func (p *placed) compareTimes(o *placed) int { return compareTimes(p.text, o.text) }

func compareTimes(a, b []byte) int {
	t, _ := expr.ParseTime(a)
	u, _ := expr.ParseTime(b)
	return cmp.Or(t.Compare(u), bytes.Compare(a, b))
}

// bytes returns the memory of the texts.
func (k *keptTexts) bytes() (n int64) {
	for _, p := range k.fields() {
		n += int64(cap(p.text))
	}
	return n
}

func (k *keptTexts) appendBinary(b []byte) []byte {
	for _, p := range k.fields() {
		if p.text == nil {
			b = append(b, 0)
			continue
		}
		b = binary.AppendUvarint(append(b, 1), uint64(p.input))
		b = appendText(binary.AppendUvarint(b, uint64(p.off)), p.text)
	}
	return b
}

func (k *keptTexts) decode(b []byte) (rest []byte, err error) {
	r := partReader{rest: b}
	for _, p := range k.fields() {
		if r.number() == 1 {
			p.input, p.off = int64(r.number()), int64(r.number())
			p.text = bytes.Clone(r.text())
		}
	}
	if r.bad {
		return nil, errors.New("texts without their length")
	}
	return r.rest, nil
}

// keptBytes is the approximate memory of a keptTexts without its texts.
const keptBytes = 400

// changeTexts changes the kept texts of a handle. If there are none yet, it makes them and sets the handle.
func (s *store) changeTexts(handle *uint64, change func(*keptTexts)) {
	if *handle == 0 {
		s.texts = append(s.texts, keptTexts{})
		*handle = uint64(len(s.texts))
		s.bytes += keptBytes
	}
	k := &s.texts[*handle-1]
	s.bytes -= k.bytes()
	change(k)
	s.bytes += k.bytes()
}

// addExtremes adds the fields of the selected records to the candidates of their groups. Numbers among
// them are candidates for first and last only: the accumulators keep the least and the greatest.
func (s *store) addExtremes(w *worker, o *object, sel records.Selection, ids []uint32, words []uint64) {
	n, column := w.numbers[o.number], w.column(o.column)
	ordered := o.needs&needsPlaces != 0
	if n.AllPlain && !ordered {
		return
	}
	for j, i := range sel {
		isNumber := n.Kinds[i] == decimal.Plain || n.Kinds[i] == decimal.Irregular
		if n.Kinds[i] == decimal.Missing || isNumber && !ordered {
			continue
		}
		if !isNumber && w.seenKinds[o.number]&hasNumbers != 0 {
			continue // texts are no candidates any more
		}
		field := placed{w.pass.number, w.at(i), column[i].Of(w.text)}
		s.changeTexts(&words[int(ids[j])+o.at.first], func(k *keptTexts) {
			k.add(&field, isNumber, n.Kinds[i] == decimal.Bad && w.seenKinds[o.number]&hasTexts == 0, o.needs)
		})
	}
}

// needs says which candidates an object keeps.
type needs uint8

const (
	needsValues needs = 1 << iota // for min and max
	needsPlaces                   // for first and last
)

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

// choose returns the candidate that an aggregate returns, nil if there is none.
func (k *keptTexts) choose(f function, all kinds) []byte {
	numbers, times := all&hasNumbers != 0, all == hasTimes
	switch {
	case f == minOf && times:
		return k.earliest.text
	case f == maxOf && times:
		return k.latest.text
	case f == minOf:
		return k.min.text
	case f == maxOf:
		return k.max.text
	case f == firstOf && numbers:
		return k.firstNumber.text
	case f == lastOf && numbers:
		return k.lastNumber.text
	case f == lastOf:
		return k.last.text
	}
	return k.first.text
}
