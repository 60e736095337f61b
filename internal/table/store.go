package table

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/thresh-dev/thresh/internal/decimal"
	"github.com/thresh-dev/thresh/internal/group"
	"github.com/thresh-dev/thresh/internal/records"
	"github.com/thresh-dev/thresh/internal/sketch"
)

// oddNumbers is the function of the objects that hold numbers which are no integers of the
// common scale.
const oddNumbers function = 1 << 7

// handle is a word of a group that stands for an object.
type handle struct {
	word     int
	function function
}

// odd is what numbers add up to that are no integers of the common scale.
type odd struct {
	n        int64
	sum      decimal.Sum
	min, max decimal.Number
}

func (o *odd) add(n decimal.Number) {
	o.see(n, n)
	o.sum.Add(n)
	o.n++
}

// see takes a least and a greatest number into account.
func (o *odd) see(least, greatest decimal.Number) {
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

func (o *odd) merge(from *odd) {
	if from.n == 0 {
		return
	}
	o.see(from.min, from.max)
	o.sum.Merge(&from.sum)
	o.n += from.n
}

// store holds a worker's objects. A handle is the place of an object, from 1.
type store struct {
	functions map[int]function // of words
	odds      []odd
	distincts []sketch.Distinct
	quantiles []sketch.Quantiles
	bytes     int64
}

func newStore(a *groupAnswer) *store {
	s := &store{functions: map[int]function{}}
	for _, h := range a.handles {
		s.functions[h.word] = h.function
	}
	return s
}

// oddBytes is about what an odd takes.
const oddBytes = 256

// odd returns the object of a handle, which it makes if there is none yet.
func (s *store) odd(handle *uint64) *odd {
	if *handle == 0 {
		s.odds = append(s.odds, odd{})
		s.bytes += oddBytes
		*handle = uint64(len(s.odds))
	}
	return &s.odds[*handle-1]
}

func (s *store) distinct(handle *uint64) *sketch.Distinct {
	if *handle == 0 {
		s.distincts = append(s.distincts, sketch.Distinct{})
		*handle = uint64(len(s.distincts))
		s.bytes += int64(s.distincts[*handle-1].Bytes())
	}
	return &s.distincts[*handle-1]
}

func (s *store) quantile(handle *uint64) *sketch.Quantiles {
	if *handle == 0 {
		s.quantiles = append(s.quantiles, sketch.Quantiles{})
		*handle = uint64(len(s.quantiles))
		s.bytes += int64(s.quantiles[*handle-1].Bytes())
	}
	return &s.quantiles[*handle-1]
}

// add adds the selected records to objects of their groups.
func (s *store) add(w *worker, o *object, sel records.Selection, ids []uint32, words []uint64) {
	if o.function == distinct {
		column := w.column(o.column)
		for j, i := range sel {
			if text := column[i].Of(w.text); len(text) > 0 {
				d := s.distinct(&words[int(ids[j])+o.word])
				before := d.Bytes()
				d.Add(text)
				s.bytes += int64(d.Bytes() - before)
			}
		}
		return
	}
	n, column := w.numbers[o.number], w.columns[w.slots[o.number]]
	for j, i := range sel {
		kind := n.Kinds[i]
		if kind != decimal.Plain && kind != decimal.Odd {
			continue
		}
		q := s.quantile(&words[int(ids[j])+o.word])
		before := q.Bytes()
		if kind == decimal.Plain {
			q.AddPlain(n.Mantissa[i], n.Scale)
		} else {
			number, _ := decimal.Parse(column[i].Of(w.text))
			q.Add(number)
		}
		s.bytes += int64(q.Bytes() - before)
	}
}

// MergeFrom is that of group.ObjectStore, as are those that follow.
func (s *store) MergeFrom(word int, into uint64, from group.ObjectStore, handle uint64) (uint64, error) {
	other := from.(*store)
	switch s.functions[word] {
	case oddNumbers:
		s.odd(&into).merge(&other.odds[handle-1])
	case distinct:
		d := s.distinct(&into)
		before := d.Bytes()
		d.Merge(&other.distincts[handle-1])
		s.bytes += int64(d.Bytes() - before)
	default:
		q := s.quantile(&into)
		before := q.Bytes()
		q.Merge(&other.quantiles[handle-1])
		s.bytes += int64(q.Bytes() - before)
	}
	return into, nil
}

// AppendBinary appends what Decode makes the same object from.
func (s *store) AppendBinary(word int, handle uint64, b []byte) []byte {
	switch s.functions[word] {
	case oddNumbers:
		o := &s.odds[handle-1]
		b = binary.AppendVarint(b, o.n)
		b = o.sum.AppendBinary(b)
		return appendNumber(appendNumber(b, o.min), o.max)
	case distinct:
		return s.distincts[handle-1].AppendBinary(b)
	}
	return s.quantiles[handle-1].AppendBinary(b)
}

// Decode makes an object of what AppendBinary appended.
func (s *store) Decode(word int, b []byte) (handle uint64, err error) {
	switch s.functions[word] {
	case oddNumbers:
		b, err = s.odd(&handle).decode(b)
	case distinct:
		d := s.distinct(&handle)
		b, err = d.Decode(b)
		s.bytes += int64(d.Bytes())
	default:
		q := s.quantile(&handle)
		b, err = q.Decode(b)
		s.bytes += int64(q.Bytes())
	}
	if err == nil && len(b) > 0 {
		err = fmt.Errorf("%d bytes too many", len(b))
	}
	return handle, err
}

func (o *odd) decode(b []byte) (rest []byte, err error) {
	n, size := binary.Varint(b)
	if size <= 0 {
		return b, errors.New("a sum without its count")
	}
	o.n = n
	if b, err = o.sum.Decode(b[size:]); err != nil {
		return b, err
	}
	if o.min, b, err = decodeNumber(b); err != nil {
		return b, err
	}
	o.max, b, err = decodeNumber(b)
	return b, err
}

// appendNumber appends a number as the sum that it is.
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

// Bytes is about how much memory the objects take.
func (s *store) Bytes() int64 { return s.bytes }

// Reset drops all objects.
func (s *store) Reset() {
	s.odds, s.distincts, s.quantiles, s.bytes = s.odds[:0], nil, nil, 0
}
