package agg

import (
	"math"
	"slices"
	"sort"

	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/quantiles"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// ranker finds quantiles, group by group.
type ranker struct {
	group   int64 // number of the current group, from 1; 0 before the first
	scale   int
	isFloat bool // the column is Float, so results are float64
	plain   quantiles.Set
	floats  quantiles.Set
	decimal quantiles.Set // decimals that their float64 determines
	others  *others
	plains  quantiles.Selector // over plain
	all     quantiles.Selector // over all numbers, as float64
	mixed   bool
	n       int64
	workers int
}

// begin begins the next group.
func (k *ranker) begin(v *numberValues, words []uint64, s *Store) {
	k.plain.Reset()
	k.floats.Reset()
	k.decimal.Reset()
	k.plains.Reset(k.workers)
	k.n, k.others = 0, nil
	if s == nil {
		return // no record at all
	}
	words = words[v.at:]
	s.values.AppendTo(&k.plain, words[plainValues])
	k.plains.Add(&k.plain, nil)
	k.n = k.plains.Len()
	k.mixed = words[floatValues] != 0 || words[decimalValues] != 0 || words[otherValues] != 0
	if !k.mixed {
		return
	}
	s.values.AppendTo(&k.floats, words[floatValues])
	s.values.AppendTo(&k.decimal, words[decimalValues])
	k.all.Reset(k.workers)
	k.all.Add(&k.plain, k.toFloats)
	k.all.Add(&k.floats, nil)
	k.all.Add(&k.decimal, nil)
	if h := words[otherValues]; h != 0 {
		k.others = &s.objects[v.at+otherValues].(*otherSlots).all[h-1]
		k.all.AddWalk(k.others.n, k.walkOthers)
	}
	k.n = k.all.Len()
}

// toFloats converts words of integers of the common scale to words of the nearest float64.
func (k *ranker) toFloats(words []uint64) {
	for i, w := range words {
		words[i] = k.toFloat(quantiles.ToInt(w))
	}
}

func (k *ranker) toFloat(v int64) uint64 {
	return quantiles.FromFloat(decimal.FromPlain(v, k.scale).Float64())
}

// othersMax is how many other numbers are visited at a time.
var othersMax = threshold.New("table: other numbers at once", 512, 1)

// walkOthers visits the other numbers, as words of the nearest float64.
func (k *ranker) walkOthers(visit func([]uint64)) error {
	buf := make([]uint64, 0, othersMax.Get())
	err := k.others.each(func(n decimal.Number, count int64) bool {
		for range count {
			if buf = append(buf, quantiles.FromFloat(n.Float64())); len(buf) == cap(buf) {
				visit(buf)
				buf = buf[:0]
			}
		}
		return true
	})
	visit(buf)
	return err
}

// at returns the number at a rank, from 1. Of a column of floats it is the nearest float64.
func (k *ranker) at(rank int64) (n decimal.Number, err error) {
	if !k.mixed || !k.isFloat {
		return k.exact(rank)
	}
	w, _, err := k.all.At(rank - 1)
	return decimal.FromFloat(quantiles.ToFloat(w)), err
}

// exact returns the number at a rank, from 1, as it was read.
func (k *ranker) exact(rank int64) (n decimal.Number, err error) {
	if !k.mixed {
		w, _, err := k.plains.At(rank - 1)
		return decimal.FromPlain(quantiles.ToInt(w), k.scale), err
	}
	w, below, err := k.all.At(rank - 1)
	if err != nil {
		return n, err
	}
	return k.among(w, rank-1-below)
}

// counted is a number and how often it occurs.
type counted struct {
	decimal.Number
	n int64
}

// among returns the number at a rank, from 0, among the numbers whose nearest float64 is float.
func (k *ranker) among(float uint64, rank int64) (found decimal.Number, err error) {
	few, err := k.near(float)
	if err != nil {
		return found, err
	}
	done := false
	take := func(c counted) bool {
		if !done {
			found, done = c.Number, rank < c.n
			rank -= c.n
		}
		return !done
	}
	if k.others != nil {
		err = k.others.each(func(n decimal.Number, count int64) bool {
			at := quantiles.FromFloat(n.Float64())
			for len(few) > 0 && at >= float && few[0].Compare(n) <= 0 && take(few[0]) {
				few = few[1:]
			}
			return at < float || at == float && take(counted{n, count})
		})
	}
	for _, c := range few {
		take(c)
	}
	return found, err
}

// near returns the numbers, except others, whose nearest float64 is float, in ascending order.
// They are few: integers that are that close to each other, the one decimal that the float64 determines, and the
// float64 itself.
func (k *ranker) near(float uint64) (few []counted, err error) {
	from := k.firstNear(float)
	to := k.firstNear(float + 1)
	counts := map[uint64]int64{}
	if from < to {
		err = k.plains.Each(quantiles.FromInt(from), quantiles.FromInt(to-1), func(w uint64) { counts[w]++ })
		if err != nil {
			return nil, err
		}
	}
	for w, n := range counts {
		few = append(few, counted{decimal.FromPlain(quantiles.ToInt(w), k.scale), n})
	}
	for _, of := range []struct {
		set    *quantiles.Set
		number func(float64) decimal.Number
	}{{&k.decimal, decimal.FromShortest}, {&k.floats, decimal.FromFloat}} {
		var same quantiles.Selector
		same.Reset(1)
		same.Add(of.set, nil)
		n := int64(0)
		if err := same.Each(float, float, func(uint64) { n++ }); err != nil {
			return nil, err
		}
		if n > 0 {
			few = append(few, counted{of.number(quantiles.ToFloat(float)), n})
		}
	}
	slices.SortFunc(few, func(a, b counted) int { return a.Compare(b.Number) })
	return few, nil
}

// firstNear returns the smallest integer of the common scale whose nearest float64 is at least
// float.
func (k *ranker) firstNear(float uint64) int64 {
	const most = math.MaxInt64 >> 1 // mantissas are less
	i := sort.Search(2*most, func(i int) bool { return k.toFloat(int64(i)-most) >= float })
	return int64(i) - most
}
