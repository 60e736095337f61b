package sketch

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/DataDog/sketches-go/ddsketch"
	"github.com/DataDog/sketches-go/ddsketch/mapping"
	"github.com/DataDog/sketches-go/ddsketch/store"
)

// QuantileError is the largest relative error of a quantile, rounded to the decimals of its
// column, of values from 1e-300 to 1e300 on either side of 0. What is nearer to 0 may be told
// as 0.
const QuantileError = 0.01

// accuracy is that of the sketch. Half of QuantileError is left for rounding, which is by half
// a unit of the column: what is less than 100 units is within half a unit of its estimate.
const accuracy = QuantileError / 2

// valuesFew is how many values are kept as they are.
const valuesFew = 32

// Quantiles estimates which value stands at a rank, by a DDSketch (Masson, Rim and Lee, VLDB
// 2019) once there are more than a few. The zero Quantiles has no values.
//
// An answer depends only on the values, never on their order or on how they were split.
type Quantiles struct {
	n         int64
	min, max  float64
	near, far float64 // the least and the greatest magnitude but 0, of what is in the sketch
	few       []float64
	sketch    *ddsketch.DDSketch
}

// buckets is the mapping of all sketches.
var buckets = func() mapping.IndexMapping {
	m, err := mapping.NewLogarithmicMapping(accuracy)
	if err != nil {
		panic("thresh: bug: " + err.Error())
	}
	return m
}()

// Add adds a value that is not NaN.
func (q *Quantiles) Add(v float64) {
	if q.n == 0 {
		q.min, q.max = v, v
	}
	q.min, q.max = min(q.min, v), max(q.max, v)
	q.n++
	q.keep(v)
}

// keep takes a value that is counted already.
func (q *Quantiles) keep(v float64) {
	if q.sketch == nil && len(q.few) < valuesFew {
		q.few = append(q.few, v)
		return
	}
	q.toSketch()
	q.insert(v)
}

func (q *Quantiles) toSketch() {
	if q.sketch != nil {
		return
	}
	q.sketch = ddsketch.NewDDSketchFromStoreProvider(buckets, store.BufferedPaginatedStoreConstructor)
	for _, v := range q.few {
		q.insert(v)
	}
	q.few = nil
}

// insert adds a value to the sketch. One beyond its range counts as the last within: of those
// answers are not told beyond the greatest value there was.
func (q *Quantiles) insert(v float64) {
	most := buckets.MaxIndexableValue()
	v = min(max(v, -most), most)
	if err := q.sketch.Add(v); err != nil {
		panic("thresh: bug: " + err.Error())
	}
	if v != 0 {
		q.reach(math.Abs(v), math.Abs(v))
	}
}

// reach widens what is known of magnitudes.
func (q *Quantiles) reach(near, far float64) {
	if q.far == 0 {
		q.near, q.far = near, far
	}
	q.near, q.far = min(q.near, near), max(q.far, far)
}

// Merge adds the values of o, and leaves o as it is.
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
	if o.sketch == nil {
		return
	}
	q.toSketch()
	if o.far > 0 {
		q.reach(o.near, o.far)
	}
	if err := q.sketch.MergeWith(o.sketch); err != nil {
		panic("thresh: bug: " + err.Error()) // only sketches of other mappings do not go together
	}
}

// N returns how many values there are.
func (q *Quantiles) N() int64 { return q.n }

// Quantile estimates value number rank in ascending order, from 1 to N, and reports whether
// it is exact. It lies between the least and the greatest value, both as float64.
func (q *Quantiles) Quantile(rank int64) (v float64, exact bool) {
	if q.sketch == nil {
		few := slices.Clone(q.few)
		slices.Sort(few)
		return few[rank-1], true
	}
	below, above, zeros := q.sketch.GetNegativeValueStore(), q.sketch.GetPositiveValueStore(), q.sketch.GetZeroCount()
	switch at := float64(rank - 1); {
	case at < below.TotalCount():
		v = -buckets.Value(below.KeyAtRank(below.TotalCount() - 1 - at))
	case at >= below.TotalCount()+zeros:
		v = buckets.Value(above.KeyAtRank(at - below.TotalCount() - zeros))
	}
	return min(max(v, q.min), q.max), q.min == q.max
}

// Bytes returns about how much memory is in use besides the Quantiles itself.
func (q *Quantiles) Bytes() int {
	if q.sketch == nil {
		return 8 * cap(q.few)
	}
	// A page holds the counters of 32 buckets, and there is a slice for each up to the last.
	const pageValues, pageBytes, sliceBytes, objectsBytes = 32, 256, 24, 1024
	pages := 2
	if q.far > 0 {
		near := max(q.near, buckets.MinIndexableValue())
		pages += (buckets.Index(max(q.far, near)) - buckets.Index(near)) / pageValues
	}
	return objectsBytes + 2*pages*(sliceBytes+pageBytes) // of either sign
}

// AppendBinary appends the values in a form that Decode reads.
func (q *Quantiles) AppendBinary(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(q.n))
	for _, v := range []float64{q.min, q.max, q.near, q.far} {
		b = appendFloat(b, v)
	}
	if q.sketch == nil {
		for _, v := range q.few {
			b = appendFloat(b, v)
		}
		return b
	}
	var data []byte
	q.sketch.Encode(&data, true)
	return append(binary.AppendUvarint(b, uint64(len(data))), data...)
}

func appendFloat(b []byte, v float64) []byte {
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
}

// Decode sets q to what AppendBinary appended, and returns what stands behind it.
func (q *Quantiles) Decode(b []byte) (rest []byte, err error) {
	*q = Quantiles{}
	r := reader{rest: b}
	q.n = int64(r.number(math.MaxInt64))
	q.min, q.max, q.near, q.far = r.float(), r.float(), r.float(), r.float()
	if q.n <= valuesFew {
		for range q.n {
			q.few = append(q.few, r.float())
		}
	} else if data := r.bytes(r.number(1 << 32)); !r.bad {
		q.sketch, err = ddsketch.DecodeDDSketch(data, store.BufferedPaginatedStoreConstructor, buckets)
		r.bad = err != nil || q.sketch.GetCount() != float64(q.n)
	}
	if r.bad {
		*q = Quantiles{}
		return nil, fmt.Errorf("decode values for quantiles: %w", errCorrupt)
	}
	return r.rest, nil
}
