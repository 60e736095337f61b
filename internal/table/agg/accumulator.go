package agg

import (
	"encoding/binary"
	"errors"
	"math"
	"math/bits"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/batch"
	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/expr"
)

// accumulator accumulates the numbers of a column for each group: their sum, minimum and maximum, and the
// sum of their squares.
type accumulator struct {
	number                 int // among the number columns
	sum, min, max, squares bool
	at                     accumulatorWords
	digits                 int // after the point, of integers; known when the first records are

	// of, if not nil, has the sum of another column, of which that of this one is a linear function. This one has only
	// the numbers of the records that are not in that sum.
	of *accumulator
	expr.Linear
}

// accumulatorWords holds the indexes of an accumulator's words within the words of a group; -1
// for words that are not needed. The sum is low, as a signed number, plus high times 2^64. The sum of
// squares has three words, from square on, the lowest first. The word notAdded counts the records of
// the group whose number is not in these sums; they are few. The word irregular is a handle of an
// irregularSum.
type accumulatorWords struct{ low, high, min, max, square, notAdded, irregular int }

// accumulate returns the accumulator of a column.
func (s *State) accumulate(q Columns, column int, u batch.Use) *accumulator {
	number := q.WantNumbers(column, u)
	return s.accumulatorOf(number, false)
}

func (s *State) accumulatorOf(number int, linear bool) *accumulator {
	for _, f := range s.accumulators {
		if f.number == number && f.of != nil == linear {
			return f
		}
	}
	f := &accumulator{number: number}
	s.accumulators = append(s.accumulators, f)
	return f
}

// layout assigns the words that every record changes.
func (f *accumulator) layout(s *State) {
	f.at = accumulatorWords{-1, -1, -1, -1, -1, -1, -1}
	if f.sum {
		f.at.low, f.at.high = s.addWord(0), s.addWord(0)
	}
	if f.min {
		f.at.min = s.addWord(noneBelow)
	}
	if f.max {
		f.at.max = s.addWord(noneAbove)
	}
	if f.squares {
		f.at.square = s.addWord(0)
		s.addWord(0)
		s.addWord(0)
	}
}

// layoutRare assigns the words that are rarely used. They come last.
func (f *accumulator) layoutRare(s *State) {
	if f.sum {
		f.at.notAdded = s.addWord(0)
	}
	f.at.irregular = s.addHandle(true, newSlots[irregularSum])
}

// noneBelow and noneAbove are the minimum and the maximum of no numbers. They are beyond the range
// of a batch's mantissas.
const (
	noneBelow = math.MaxInt64
	noneAbove = math.MinInt64
)

// merge adds the words of a group to those of the same group in another table or run.
func (f *accumulator) merge(into, from []uint64) {
	at := &f.at
	if at.low >= 0 {
		v := int64(from[at.low])
		sum := int64(into[at.low]) + v
		into[at.high] += from[at.high]
		if (int64(into[at.low])^sum)&(v^sum) < 0 {
			into[at.high] += uint64(v>>63) | 1
		}
		into[at.low] = uint64(sum)
		into[at.notAdded] += from[at.notAdded]
	}
	if at.min >= 0 {
		into[at.min] = uint64(min(int64(into[at.min]), int64(from[at.min])))
	}
	if at.max >= 0 {
		into[at.max] = uint64(max(int64(into[at.max]), int64(from[at.max])))
	}
	if at.square >= 0 {
		addWords(into[at.square:], from[at.square], from[at.square+1], from[at.square+2])
	}
}

// addWords adds an unsigned number of three words, the lowest first.
func addWords(into []uint64, low, middle, high uint64) {
	var carry uint64
	into[0], carry = bits.Add64(into[0], low, 0)
	into[1], carry = bits.Add64(into[1], middle, carry)
	into[2] += high + carry
}

// addAll adds numbers that are all Plain.
func (f *accumulator) addAll(n *decimal.Numbers, sel records.Selection, ids []uint32, words []uint64) {
	at := f.at
	if f.squares {
		for j, i := range sel {
			addSquare(words[int(ids[j])+at.square:], n.Mantissa[i&(records.Max-1)])
		}
	}
	if f.sum && f.min && f.max {
		f.addFull(n, sel, ids, words)
		return
	}
	if f.sum {
		for j, i := range sel {
			p := &words[int(ids[j])+at.low]
			v := n.Mantissa[i&(records.Max-1)]
			sum := int64(*p) + v
			if (int64(*p)^sum)&(v^sum) < 0 {
				words[int(ids[j])+at.high] += uint64(v>>63) | 1
			}
			*p = uint64(sum)
		}
	}
	if f.min {
		for j, i := range sel {
			p := &words[int(ids[j])+at.min]
			*p = uint64(min(int64(*p), n.Mantissa[i&(records.Max-1)]))
		}
	}
	if f.max {
		for j, i := range sel {
			p := &words[int(ids[j])+at.max]
			*p = uint64(max(int64(*p), n.Mantissa[i&(records.Max-1)]))
		}
	}
}

// addSquare adds the square of a number to the three words of a sum of squares.
func addSquare(words []uint64, v int64) {
	m := uint64(max(v, -v))
	high, low := bits.Mul64(m, m)
	addWords(words, low, high, 0)
}

// fullWords is the number of words of an accumulator with sum, minimum and maximum.
const fullWords = 4

// addFull adds numbers to an accumulator with sum, minimum and maximum, whose words are adjacent.
func (f *accumulator) addFull(n *decimal.Numbers, sel records.Selection, ids []uint32, words []uint64) {
	base := unsafe.Pointer(&words[f.at.low])
	ids = ids[:len(sel)]
	for j, i := range sel {
		v := n.Mantissa[i&(records.Max-1)]
		s := (*[fullWords]int64)(unsafe.Add(base, uintptr(ids[j])*8))
		sum := s[0] + v
		if (s[0]^sum)&(v^sum) < 0 {
			s[1] += v>>63 | 1
		}
		s[0] = sum
		if v < s[2] {
			s[2] = v
		}
		if v > s[3] {
			s[3] = v
		}
	}
}

// addSome adds numbers of which some are missing, bad or irregular.
func (f *accumulator) addSome(b *batch.Batch, g *Groups, sel records.Selection, ids []uint32, words []uint64) {
	n, column := b.Numbers[f.number], b.NumberColumn(f.number)
	irregular := slotsOf[irregularSum](g.store, f.at.irregular)
	for j, i := range sel {
		s := words[ids[j]:][:g.State.words]
		switch n.Kinds[i] {
		case decimal.Plain:
			v := n.Mantissa[i]
			if f.sum {
				sum := int64(s[f.at.low]) + v
				if (int64(s[f.at.low])^sum)&(v^sum) < 0 {
					s[f.at.high] += uint64(v>>63) | 1
				}
				s[f.at.low] = uint64(sum)
			}
			if f.squares {
				addSquare(s[f.at.square:], v)
			}
			if f.min {
				s[f.at.min] = uint64(min(int64(s[f.at.min]), v))
			}
			if f.max {
				s[f.at.max] = uint64(max(int64(s[f.at.max]), v))
			}
		case decimal.Irregular:
			if high, low, ok := n.Wide(i); ok && f.sumOnly() {
				f.addWide(s, high, low)
				continue
			}
			number, _ := decimal.Parse(column[i].Of(b.Text))
			irregular.at(&s[f.at.irregular]).add(number, f.squares)
		}
		if f.sum && n.Kinds[i] != decimal.Plain {
			s[f.at.notAdded]++
		}
	}
}

// sumOnly reports whether nothing but the sum needs the numbers.
func (f *accumulator) sumOnly() bool { return f.sum && !f.min && !f.max && !f.squares }

// addWide adds a number of two words in two's complement to the sum, of which the low word is signed. Numbers are below
// 10^25, so that 2^43 of them fit.
func (f *accumulator) addWide(words []uint64, high, low uint64) {
	sum, carry := bits.Add64(words[f.at.low], low, 0)
	before := words[f.at.high] + uint64(int64(words[f.at.low])>>63) // for a low word that is not
	after := before + high + carry
	words[f.at.low], words[f.at.high] = sum, after-uint64(int64(sum)>>63)
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

func (o *irregularSum) Merge(from *irregularSum) {
	if from.n == 0 {
		return
	}
	o.widen(from.min, from.max)
	o.sum.Merge(&from.sum)
	o.squares.Merge(&from.squares)
	o.n += from.n
}

// Bytes returns the approximate memory of an irregularSum.
func (o *irregularSum) Bytes() int { return 256 }

func (o *irregularSum) AppendBinary(b []byte) []byte {
	b = binary.AppendVarint(b, o.n)
	b = o.sum.AppendBinary(b)
	b = o.squares.AppendBinary(b)
	return appendNumber(appendNumber(b, o.min), o.max)
}

func (o *irregularSum) Decode(b []byte) (rest []byte, err error) {
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
