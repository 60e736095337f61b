package sketch

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/decimal"
)

// QuantileError is the largest relative error of a quantile that is not exact, of values
// from 1e-300 to 1e300 on either side of 0. What is nearer to 0 may be told as 0.
const QuantileError = 1.0 / (2 * bucketsPerPage)

// Quantiles knows values by their rank: exactly while there are at most ExactMax, and
// beyond that by a histogram. The zero Quantiles has no values and no memory of its own.
//
// An answer depends only on the values, never on their order or on how they were split.
type Quantiles struct {
	n     int64
	plain []int64 // times 10^-scale
	scale int
	more  *more
}

// more is what few Quantiles have.
type more struct {
	odd       []decimal.Number // values that are no integer of the scale
	histogram *histogram       // all values, beyond ExactMax
}

// AddPlain adds mantissa * 10^-scale.
func (q *Quantiles) AddPlain(mantissa int64, scale int) {
	if scale == q.scale && q.n < ExactMax {
		q.plain = append(q.plain, mantissa)
		q.n++
		return
	}
	q.Add(decimal.FromPlain(mantissa, scale))
}

// Add adds v.
func (q *Quantiles) Add(v decimal.Number) {
	if q.n++; q.n > ExactMax {
		q.toHistogram().add(v.Float64(), 1)
		return
	}
	q.keep(v)
}

// keep notes a value exactly. Decimals of more digits than the scale raise it.
func (q *Quantiles) keep(v decimal.Number) {
	if !v.IsFloat() && v.Decimals() > q.scale && v.Decimals() <= decimal.ScaleMax {
		old := q.plain
		was := q.scale
		q.plain, q.scale = make([]int64, 0, len(old)+1), v.Decimals()
		for _, m := range old {
			q.keep(decimal.FromPlain(m, was))
		}
	}
	if !v.IsFloat() {
		if m, exact, ok := v.Mantissa(q.scale); ok && exact {
			q.plain = append(q.plain, m)
			return
		}
	}
	q.extend().odd = append(q.more.odd, v)
}

func (q *Quantiles) extend() *more {
	if q.more == nil {
		q.more = new(more)
	}
	return q.more
}

// toHistogram returns the histogram, and makes it of the values when they have become too
// many.
func (q *Quantiles) toHistogram() *histogram {
	m := q.extend()
	if m.histogram == nil {
		m.histogram = new(histogram)
		for _, v := range q.plain {
			m.histogram.add(decimal.FromPlain(v, q.scale).Float64(), 1)
		}
		for _, v := range m.odd {
			m.histogram.add(v.Float64(), 1)
		}
		q.plain, m.odd = nil, nil
	}
	return m.histogram
}

// Merge adds the values of o, and leaves o as it is.
func (q *Quantiles) Merge(o *Quantiles) {
	if q.n += o.n; q.n > ExactMax {
		h := q.toHistogram()
		if o.more != nil && o.more.histogram != nil {
			h.merge(o.more.histogram)
		}
		o.each(func(v decimal.Number) { h.add(v.Float64(), 1) })
		return
	}
	o.each(q.keep)
}

// each visits the values that are known exactly.
func (q *Quantiles) each(visit func(decimal.Number)) {
	for _, m := range q.plain {
		visit(decimal.FromPlain(m, q.scale))
	}
	if q.more != nil {
		for _, v := range q.more.odd {
			visit(v)
		}
	}
}

// N returns how many values there are.
func (q *Quantiles) N() int64 { return q.n }

// Quantile returns value number ceil(n*parts/of), at least 1, in ascending order, and whether
// it is exact: it is if there are at most ExactMax values, and has an error of at most
// QuantileError otherwise. Parts is from 0 to of; without values the answer is 0. The values
// may change their order, so that calls must not overlap.
func (q *Quantiles) Quantile(parts, of uint64) (v decimal.Number, exact bool) {
	if q.n == 0 {
		return v, true
	}
	high, low := bits.Mul64(uint64(q.n), parts)
	ceil, rest := bits.Div64(high, low, of)
	if rest > 0 {
		ceil++
	}
	rank := max(int64(ceil), 1)
	if q.more == nil {
		slices.Sort(q.plain)
		return decimal.FromPlain(q.plain[rank-1], q.scale), true
	}
	if q.more.histogram != nil {
		return decimal.FromFloat(q.more.histogram.at(uint64(rank))), false
	}
	all := make([]decimal.Number, 0, q.n)
	q.each(func(v decimal.Number) { all = append(all, v) })
	slices.SortFunc(all, ascending)
	return all[rank-1], true
}

// ascending orders as Number.Before does.
func ascending(a, b decimal.Number) int {
	if c := a.Compare(b); c != 0 || a.IsFloat() == b.IsFloat() {
		return c
	}
	if a.IsFloat() {
		return 1
	}
	return -1
}

// Bytes returns about how much memory is in use besides the Quantiles itself.
func (q *Quantiles) Bytes() int {
	total := 8 * cap(q.plain)
	if q.more != nil {
		total += int(unsafe.Sizeof(more{})) + int(unsafe.Sizeof(decimal.Number{}))*cap(q.more.odd)
		if q.more.histogram != nil {
			total += q.more.histogram.bytes()
		}
	}
	return total
}

// AppendBinary appends the values in a form that Decode reads.
func (q *Quantiles) AppendBinary(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(q.n))
	if q.more != nil && q.more.histogram != nil {
		return q.more.histogram.appendBinary(b)
	}
	b = binary.AppendUvarint(b, uint64(q.scale))
	b = binary.AppendUvarint(b, uint64(len(q.plain)))
	for _, m := range q.plain {
		b = binary.AppendVarint(b, m)
	}
	if q.more != nil {
		for _, v := range q.more.odd {
			b = v.AppendBinary(b)
		}
	}
	return b
}

// Decode sets q to what AppendBinary appended, and returns what stands behind it.
func (q *Quantiles) Decode(b []byte) (rest []byte, err error) {
	*q = Quantiles{}
	r := reader{rest: b}
	n := r.number(math.MaxInt64)
	if n > ExactMax {
		h := new(histogram)
		if h.decode(&r); h.total != n {
			r.bad = true
		}
		q.more = &more{histogram: h}
	} else {
		q.scale = int(r.number(decimal.ScaleMax))
		plain := r.number(n)
		for range plain {
			q.plain = append(q.plain, r.varint())
			if r.bad {
				break
			}
		}
		for range n - plain {
			var v decimal.Number
			if r.rest, err = v.Decode(r.rest); err != nil || r.bad {
				r.bad = true
				break
			}
			q.extend().odd = append(q.more.odd, v)
		}
	}
	q.n = int64(n)
	if r.bad {
		*q = Quantiles{}
		return nil, fmt.Errorf("decode values for quantiles: %w", errCorrupt)
	}
	return r.rest, nil
}
