package agg

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/batch"
	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/encoded"
)

// multiplying has the function of products of numbers.
var multiplying = []Function{
	{names: []string{"geomean", "geometric_mean"}, bind: func(s *State, q Columns, g *Call) Result {
		number := q.WantNumbers(g.column(), batch.Strict)
		return &geomean{logs: objectOf(s, q, g.Columns, func(k kept) *logs { return &logs{k, number} })}
	}},
}

// geomean is the geometric mean: e to the mean of the logarithms, which are added exactly. It is null if a number is
// negative, and 0 if one is 0.
type geomean struct {
	numeric
	logs *logs
}

func (*geomean) Heading([]batch.Known) answer.Column { return answer.Column{Type: answer.ColumnFloat} }

func (r *geomean) Number(_ *Reader, words []uint64, s *Store) (n decimal.Number, null, exact bool) {
	if words[r.logs.at] == 0 {
		return n, true, true
	}
	l := find[logSum](s, r.logs.at, words[r.logs.at])
	switch {
	case l.negative > 0:
		return n, true, true
	case l.zero > 0:
		return decimal.FromFloat(0), false, true
	}
	mean := l.sum.Mean(l.n)
	if f := math.Exp(mean); !math.IsInf(f, 1) || math.IsInf(mean, 1) {
		return decimal.FromFloat(f), false, true
	}
	return decimal.FromFloat(math.MaxFloat64), false, true // which it is: none is greater
}

// logs adds up the logarithms of a column.
type logs struct {
	kept
	number int // among the number columns
}

func (*logs) layout(s *State) { s.addHandle(false, newSlots[logSum]) }

func (o *logs) add(b *batch.Batch, g *Groups, sel records.Selection, ids []uint32, words []uint64) error {
	sums := slotsOf[logSum](g.store, o.at)
	for j, i := range sel {
		if number, ok := b.Number(o.number, i); ok {
			sums.at(&words[int(ids[j])+o.at]).add(number.Float64())
		}
	}
	return nil
}

// logSum is the sum of the logarithms of n numbers, and how many others are negative or 0.
type logSum struct {
	n, negative, zero int64
	sum               decimal.Sum
}

func (l *logSum) add(f float64) {
	switch {
	case f < 0:
		l.negative++
	case f == 0:
		l.zero++
	default:
		l.n++
		l.sum.Add(decimal.FromFloat(math.Log(f)))
	}
}

func (l *logSum) Merge(o *logSum) {
	l.n, l.negative, l.zero = l.n+o.n, l.negative+o.negative, l.zero+o.zero
	l.sum.Merge(&o.sum)
}

// Bytes returns the approximate memory.
func (*logSum) Bytes() int { return 512 }

func (l *logSum) AppendBinary(b []byte) []byte {
	for _, n := range []int64{l.n, l.negative, l.zero} {
		b = binary.AppendVarint(b, n)
	}
	return l.sum.AppendBinary(b)
}

func (l *logSum) Decode(b []byte) (rest []byte, err error) {
	r := encoded.Reader{Rest: b}
	l.n, l.negative, l.zero = r.Varint(), r.Varint(), r.Varint()
	if r.Bad {
		return nil, errors.New("logarithms without their count")
	}
	return l.sum.Decode(r.Rest)
}
