package sketch

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/thresh-dev/thresh/internal/table/encoded"
)

// QuantileError is the maximum relative error of a quantile that is rounded to the decimals of
// its column. It applies to magnitudes from 1e-300 to 1e300. Values nearer to 0 may be reported
// as 0.
const QuantileError = 0.01

// accuracy is the accuracy of the sketch. The other half of QuantileError is for rounding to the
// column's decimals, by at most half a unit: from 100 units on, that is within half a percent;
// for less than 100 units, the sketch itself is within half a unit of the value.
const accuracy = QuantileError / 2

// valuesFew is up to how many values are kept exactly.
const valuesFew = 32

// Quantiles estimates the value at a rank. It keeps a few values exactly, and more in a DDSketch
// (Masson, Rim and Lee, VLDB 2019). The zero Quantiles is empty.
//
// The estimate depends only on the values, never on their order or on how they were split.
type Quantiles struct {
	n        int64
	min, max float64
	few      []float64 // all values, while they are few
	sketch   buckets   // all values, if it is not empty
}

// Add adds a value that is not NaN.
func (q *Quantiles) Add(v float64) {
	if q.n == 0 {
		q.min, q.max = v, v
	}
	q.min, q.max = min(q.min, v), max(q.max, v)
	q.n++
	q.keep(v)
}

// keep stores a value that is already counted.
func (q *Quantiles) keep(v float64) {
	if q.sketch.used == 0 && len(q.few) < valuesFew {
		q.few = append(q.few, v)
		return
	}
	q.toSketch()
	q.insert(v)
}

func (q *Quantiles) toSketch() {
	for _, v := range q.few {
		q.insert(v)
	}
	q.few = nil
}

// insert adds a value to the sketch. A value beyond the sketch's range counts as the last value
// within it. No estimate is beyond the largest value that was added.
func (q *Quantiles) insert(v float64) {
	q.sketch.add(keyOf(min(max(v, -magnitudeMax), magnitudeMax)), 1)
}

// Merge adds the values of o, and does not change o.
func (q *Quantiles) Merge(o *Quantiles) {
	if o.n == 0 {
		return
	}
	if q.n == 0 {
		q.min, q.max = o.min, o.max
	}
	q.min, q.max = min(q.min, o.min), max(q.max, o.max)
	q.n += o.n
	for _, v := range o.few {
		q.keep(v)
	}
	if o.sketch.used > 0 {
		q.toSketch()
		q.sketch.merge(&o.sketch)
	}
}

// N returns the number of values.
func (q *Quantiles) N() int64 { return q.n }

// Quantile estimates the value at a rank in ascending order, from 1 to N, and reports whether it
// is exact. The estimate is between the smallest and the largest value.
func (q *Quantiles) Quantile(rank int64) (v float64, exact bool) {
	if q.sketch.used == 0 {
		few := slices.Clone(q.few)
		slices.Sort(few)
		return few[rank-1], true
	}
	v = q.sketch.atRank(rank)
	return min(max(v, q.min), q.max), q.min == q.max
}

// Bytes returns how much memory is used, without the Quantiles itself.
func (q *Quantiles) Bytes() int { return 8*cap(q.few) + bucketBytes*len(q.sketch.slots) }

// AppendBinary appends an encoding of the values, for Decode.
func (q *Quantiles) AppendBinary(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(q.n))
	for _, v := range []float64{q.min, q.max} {
		b = appendFloat(b, v)
	}
	if q.sketch.used > 0 {
		return q.sketch.appendBinary(b)
	}
	for _, v := range q.few {
		b = appendFloat(b, v)
	}
	return b
}

func appendFloat(b []byte, v float64) []byte {
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
}

// Decode sets q to what AppendBinary encoded, and returns the bytes after it.
func (q *Quantiles) Decode(b []byte) (rest []byte, err error) {
	*q = Quantiles{}
	r := encoded.Reader{Rest: b}
	q.n = int64(r.UvarintTo(math.MaxInt64))
	q.min, q.max = math.Float64frombits(r.Word()), math.Float64frombits(r.Word())
	if q.n <= valuesFew {
		for range q.n {
			q.few = append(q.few, math.Float64frombits(r.Word()))
		}
	} else {
		q.sketch.read(&r, q.n)
	}
	if r.Bad {
		*q = Quantiles{}
		return nil, fmt.Errorf("decode values for quantiles: %w", encoded.ErrCorrupt)
	}
	return r.Rest, nil
}
