package table

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/group"
	"github.com/thresh-dev/thresh/internal/table/quantiles"
	"github.com/thresh-dev/thresh/internal/table/sketch"
	"github.com/thresh-dev/thresh/internal/table/spill"
)

// irregularNumbers marks handles of irregularSum objects.
const irregularNumbers function = 1 << 7

// otherNumbers marks handles of others objects, which say where a group's other numbers are.
const otherNumbers function = 1<<7 + 1

// handle describes a word of a group that is the handle of an object.
type handle struct {
	word     int
	function function
}

// irregularSum accumulates the numbers that are not integers of the common scale.
type irregularSum struct {
	n        int64
	sum      decimal.Sum
	min, max decimal.Number
	squares  decimal.Squares // only if something needs them
}

func (o *irregularSum) add(n decimal.Number, squares bool) {
	o.widen(n, n)
	o.sum.Add(n)
	o.n++
	if squares {
		o.squares.Add(n)
	}
}

// widen extends the minimum and the maximum.
func (o *irregularSum) widen(least, greatest decimal.Number) {
	if o.n == 0 {
		o.min, o.max = least, greatest
		return
	}
	if least.Before(o.min) {
		o.min = least
	}
	if o.max.Before(greatest) {
		o.max = greatest
	}
}

func (o *irregularSum) merge(from *irregularSum) {
	if from.n == 0 {
		return
	}
	o.widen(from.min, from.max)
	o.sum.Merge(&from.sum)
	o.squares.Merge(&from.squares)
	o.n += from.n
}

// store holds a worker's objects. A handle is the index of an object, from 1. Handles of values
// are defined by package quantiles.
type store struct {
	functions map[int]function // of words
	irregular []irregularSum
	values    *quantiles.Store
	others    []others
	settled   int         // others[:settled] are those of groups in memory; copies follow
	file      *spill.File // holds the numbers of others; nil until there are any
	texts     []keptTexts
	distincts []sketch.Distinct
	quantiles []sketch.Quantiles
	bytes     int64 // memory of everything but values
}

func newStore(a *groupAnswer, tempDir string) *store {
	s := &store{functions: map[int]function{}, values: quantiles.New(tempDir)}
	for _, h := range a.handles {
		s.functions[h.word] = h.function
	}
	return s
}

// release drops the values and others that were merged or decoded for one group.
func (s *store) release() {
	s.values.Release()
	s.bytes -= othersBytes * int64(len(s.others)-s.settled)
	s.others = s.others[:s.settled]
}

func (s *store) close() error {
	err := s.values.Close()
	if s.file != nil {
		err = errors.Join(err, s.file.Close())
		s.file = nil
	}
	return err
}

// irregularBytes is the approximate memory of an irregularSum.
const irregularBytes = 256

// irregularOf returns the object of a handle. If there is none yet, it makes one and sets the
// handle.
func (s *store) irregularOf(handle *uint64) *irregularSum {
	if *handle == 0 {
		s.irregular = append(s.irregular, irregularSum{})
		s.bytes += irregularBytes
		*handle = uint64(len(s.irregular))
	}
	return &s.irregular[*handle-1]
}

func (s *store) distinctOf(handle *uint64) *sketch.Distinct {
	if *handle == 0 {
		s.distincts = append(s.distincts, sketch.Distinct{})
		*handle = uint64(len(s.distincts))
		s.bytes += int64(s.distincts[*handle-1].Bytes())
	}
	return &s.distincts[*handle-1]
}

func (s *store) quantileOf(handle *uint64) *sketch.Quantiles {
	if *handle == 0 {
		s.quantiles = append(s.quantiles, sketch.Quantiles{})
		*handle = uint64(len(s.quantiles))
		s.bytes += int64(s.quantiles[*handle-1].Bytes())
	}
	return &s.quantiles[*handle-1]
}

// addTexts adds the texts of the selected records to the distinct sketches of their groups.
func (s *store) addTexts(w *worker, o *object, sel records.Selection, ids []uint32, words []uint64) {
	column := w.column(o.column)
	for j, i := range sel {
		if text := column[i].Of(w.text); len(text) > 0 {
			d := s.distinctOf(&words[int(ids[j])+o.at.first])
			before := d.Bytes()
			d.Add(text)
			s.bytes += int64(d.Bytes() - before)
		}
	}
}

// addNumbers adds the numbers of the selected records to the quantile sketches of their groups.
func (s *store) addNumbers(w *worker, o *object, sel records.Selection, ids []uint32, words []uint64) {
	n, column := w.numbers[o.number], w.columns[w.slots[o.number]]
	for j, i := range sel {
		number := decimal.FromPlain(n.Mantissa[i], n.Scale)
		switch n.Kinds[i] {
		case decimal.Plain:
		case decimal.Irregular:
			number, _ = decimal.Parse(column[i].Of(w.text))
		default:
			continue
		}
		q := s.quantileOf(&words[int(ids[j])+o.at.first])
		before := q.Bytes()
		q.Add(number.Float64())
		s.bytes += int64(q.Bytes() - before)
	}
}

// addValues adds the numbers of the selected records to the values of their groups. It adds
// other numbers to pairs.
func (s *store) addValues(w *worker, o *object, at records.Column, sel records.Selection, ids []uint32,
	words []uint64, pairs *pairs) error {
	n, column := w.numbers[o.number], w.columns[w.slots[o.number]]
	if n.AllPlain {
		s.values.AddInts(words, o.at.first, ids, sel, &n.Mantissa)
		return nil
	}
	pairs.begin()
	for j, i := range sel {
		word := words[ids[j]:]
		switch n.Kinds[i] {
		case decimal.Plain:
			s.values.Add(&word[o.at.first], quantiles.FromInt(n.Mantissa[i]))
		case decimal.Irregular:
			number, _ := decimal.Parse(column[i].Of(w.text))
			if number.IsFloat() {
				s.values.Add(&word[o.at.floats], quantiles.FromFloat(number.Float64()))
			} else if f, ok := number.Shortest(); ok {
				s.values.Add(&word[o.at.floats], quantiles.FromFloat(f))
			} else {
				pairs.put(i, at[i].Of(w.text), number.AppendOrdered(nil))
			}
		}
	}
	return pairs.end()
}

// MergeFrom implements group.ObjectStore, as do the methods that follow.
func (s *store) MergeFrom(word int, into uint64, from group.ObjectStore, handle uint64) (uint64, error) {
	other := from.(*store)
	switch s.functions[word] {
	case irregularNumbers:
		s.irregularOf(&into).merge(&other.irregular[handle-1])
	case quantile:
		return s.values.Merge(into, other.values, handle), nil
	case otherNumbers:
		if into != 0 {
			panic("thresh: bug: other numbers of a group in two places")
		}
		s.others = append(s.others, other.others[handle-1])
		s.bytes += othersBytes
		return uint64(len(s.others)), nil
	case extremes, mode:
		s.changeTexts(&into, func(k *keptTexts) { k.merge(&other.texts[handle-1]) })
	case approxDistinct:
		d := s.distinctOf(&into)
		before := d.Bytes()
		d.Merge(&other.distincts[handle-1])
		s.bytes += int64(d.Bytes() - before)
	default:
		q := s.quantileOf(&into)
		before := q.Bytes()
		q.Merge(&other.quantiles[handle-1])
		s.bytes += int64(q.Bytes() - before)
	}
	return into, nil
}

// AppendBinary appends an encoding from which Decode restores the object.
func (s *store) AppendBinary(word int, handle uint64, b []byte) ([]byte, error) {
	switch s.functions[word] {
	case irregularNumbers:
		o := &s.irregular[handle-1]
		b = binary.AppendVarint(b, o.n)
		b = o.sum.AppendBinary(b)
		b = o.squares.AppendBinary(b)
		return appendNumber(appendNumber(b, o.min), o.max), nil
	case quantile:
		return s.values.AppendBinary(handle, b)
	case otherNumbers:
		return s.others[handle-1].appendBinary(b), nil
	case extremes, mode:
		return s.texts[handle-1].appendBinary(b), nil
	case approxDistinct:
		return s.distincts[handle-1].AppendBinary(b), nil
	}
	return s.quantiles[handle-1].AppendBinary(b), nil
}

// Decode restores an object from the encoding of AppendBinary.
func (s *store) Decode(word int, b []byte) (handle uint64, err error) {
	switch s.functions[word] {
	case irregularNumbers:
		b, err = s.irregularOf(&handle).decode(b)
	case quantile:
		return s.values.Decode(b)
	case otherNumbers:
		s.others = append(s.others, others{})
		s.bytes += othersBytes
		handle = uint64(len(s.others))
		b, err = s.others[handle-1].decode(b, s.file)
	case extremes, mode:
		s.changeTexts(&handle, func(k *keptTexts) { b, err = k.decode(b) })
	case approxDistinct:
		d := s.distinctOf(&handle)
		b, err = d.Decode(b)
		s.bytes += int64(d.Bytes())
	default:
		q := s.quantileOf(&handle)
		b, err = q.Decode(b)
		s.bytes += int64(q.Bytes())
	}
	if err == nil && len(b) > 0 {
		err = fmt.Errorf("%d bytes too many", len(b))
	}
	return handle, err
}

func (o *irregularSum) decode(b []byte) (rest []byte, err error) {
	n, size := binary.Varint(b)
	if size <= 0 {
		return b, errors.New("a sum without its count")
	}
	o.n = n
	if b, err = o.sum.Decode(b[size:]); err != nil {
		return b, err
	}
	if b, err = o.squares.Decode(b); err != nil {
		return b, err
	}
	if o.min, b, err = decodeNumber(b); err != nil {
		return b, err
	}
	o.max, b, err = decodeNumber(b)
	return b, err
}

// appendNumber encodes a number as a Sum.
func appendNumber(b []byte, n decimal.Number) []byte {
	var s decimal.Sum
	s.Add(n)
	return s.AppendBinary(b)
}

func decodeNumber(b []byte) (n decimal.Number, rest []byte, err error) {
	var s decimal.Sum
	rest, err = s.Decode(b)
	return s.Number(), rest, err
}

// Bytes returns approximately how much memory the objects use.
func (s *store) Bytes() int64 { return s.bytes + s.values.Bytes() }

// Reset drops all objects.
func (s *store) Reset() {
	s.irregular, s.texts, s.distincts, s.quantiles, s.others, s.bytes = s.irregular[:0], nil, nil, nil, s.others[:0], 0
	s.settled = 0
	s.values.Reset()
}
