package agg

import (
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/table/batch"
	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// adding has the functions of sums of numbers, and of their squares.
var adding = []Function{
	{names: []string{"sum"}, bind: func(s *State, q Columns, g *Call) Result {
		return &total{sums: s.linearSums(q, g)}
	}},
	{names: []string{"mean", "avg"}, bind: func(s *State, q Columns, g *Call) Result {
		return &mean{sums: s.linearSums(q, g)}
	}},
	{names: []string{"variance", "var_samp"}, bind: spreadOf(spread{sample: true})},
	{names: []string{"var_pop"}, bind: spreadOf(spread{})},
	{names: []string{"stddev", "stddev_samp"}, bind: spreadOf(spread{sample: true, root: true})},
	{names: []string{"stddev_pop"}, bind: spreadOf(spread{root: true})},
}

// sums is the part of a result that is computed from the sum of an accumulator.
type sums struct {
	numeric
	*accumulator
}

func (s *State) sums(q Columns, g *Call) sums {
	f := s.accumulate(q, g.column(), batch.Strict)
	f.sum = true
	return sums{accumulator: f}
}

// linearSums is sums, but takes the sum of another column if that is enough.
func (s *State) linearSums(q Columns, g *Call) sums {
	number, l, ok := q.WantLinear(g.column())
	if !ok {
		return s.sums(q, g)
	}
	f := s.accumulatorOf(number, true)
	if f.of == nil {
		f.Linear, f.of = l.Linear, s.accumulatorOf(l.Number, false)
		f.of.sum = true
	}
	return sums{accumulator: f}
}

// summing returns the accumulator that has the sum.
func (f *accumulator) summing() *accumulator {
	if f.of != nil {
		return f.of
	}
	return f
}

// over returns the sum of a group's numbers, and how many they are.
func (s *sums) over(t *Reader, words []uint64, o *irregularSum) (sum decimal.Sum, n int64) {
	f := s.summing()
	n = int64(words[0] - words[f.at.notAdded])
	low := int64(words[f.at.low])
	sum.AddPlain(int64(words[f.at.high])+low>>63, uint64(low), t.Known[f.number].Scale)
	if s.of != nil {
		sum = linearSum(&s.Linear, &sum, n)
	}
	if o != nil {
		n += o.n
		sum.Merge(&o.sum)
	}
	return sum, n
}

// irregular returns what an accumulator has in a store for a group, nil for nothing.
func (f *accumulator) irregular(words []uint64, s *Store) *irregularSum {
	if words[f.at.irregular] == 0 { // of no records there is no store
		return nil
	}
	return find[irregularSum](s, f.at.irregular, words[f.at.irregular])
}

// total is the sum of the numbers of a group. The sum of no number is null.
type total struct{ sums }

func (r *total) Heading(k []batch.Known) answer.Column { return k[r.accumulator.number].Heading(true) }

func (r *total) Number(t *Reader, words []uint64, s *Store) (n decimal.Number, null, exact bool) {
	sum, all := r.over(t, words, r.irregular(words, s))
	if all == 0 {
		return n, true, true
	}
	n = sum.Number()
	return n, n.IsNaN(), true
}

func (r *total) Word(words []uint64) (v int64, null, ok bool) {
	at := &r.summing().at
	if words[r.at.irregular] != 0 || words[at.high] != 0 {
		return 0, false, false
	}
	v, n := int64(words[at.low]), int64(words[0]-words[at.notAdded])
	if ok = true; r.of != nil {
		v, _, ok = linearWord(&r.Linear, v, n, r.of.digits)
	}
	return v, n == 0, ok
}

func (r *total) Scale(k []batch.Known) (scale int, ok bool) {
	scale = k[r.summing().number].Scale
	if r.of != nil {
		scale = r.Decimals(scale)
	}
	return scale, scale < len(Tens)
}

// mean is the arithmetic mean, rounded once.
type mean struct{ sums }

func (*mean) Heading([]batch.Known) answer.Column { return answer.Column{Type: answer.ColumnFloat} }

func (r *mean) Number(t *Reader, words []uint64, s *Store) (n decimal.Number, null, exact bool) {
	sum, all := r.over(t, words, r.irregular(words, s))
	if all == 0 {
		return n, true, true
	}
	n = decimal.FromFloat(sum.Mean(all))
	return n, n.IsNaN(), true
}

// exactInteger is the bound up to which float64 holds every integer. Beyond it, a mean is
// computed with exact fractions.
var exactInteger = threshold.New("table: integers that are divided as float64", 1<<53, 1)

var Tens = [decimal.ScaleMax + 1]int64{1, 10, 100, 1000, 10_000, 100_000, 1_000_000}

func (r *mean) Quick(t *Reader, words []uint64) (f float64, ok bool) {
	s := r.summing()
	scale, v := t.Known[s.number].Scale, int64(words[s.at.low])
	n := int64(words[0] - words[s.at.notAdded])
	if ok = true; r.of != nil {
		v, scale, ok = linearWord(&r.Linear, v, n, scale)
		ok = ok && scale < len(Tens)
	}
	most := int64(exactInteger.Get())
	ok = ok && words[r.at.irregular] == 0 && words[s.at.high] == 0
	if !ok || n <= 0 || n >= most/Tens[scale] || max(v, -v) >= most {
		return 0, false
	}
	// Both integers are exact as float64, so the quotient is rounded only once.
	return float64(v) / float64(n*Tens[scale]), true
}

// spread is a variance or a standard deviation.
type spread struct {
	sums
	sample bool // the numbers are a sample of all
	root   bool
}

func spreadOf(kind spread) func(s *State, q Columns, g *Call) Result {
	return func(s *State, q Columns, g *Call) Result {
		r := kind
		r.sums = s.sums(q, g)
		r.squares = true
		return &r
	}
}

func (*spread) Heading([]batch.Known) answer.Column { return answer.Column{Type: answer.ColumnFloat} }

func (r *spread) Number(t *Reader, words []uint64, s *Store) (n decimal.Number, null, exact bool) {
	o := r.irregular(words, s)
	sum, all := r.over(t, words, o)
	divisor := all
	if r.sample {
		divisor--
	}
	if all == 0 || divisor == 0 { // one number has no spread that says anything about others
		return n, true, true
	}
	var squares decimal.Squares
	at := words[r.at.square:]
	squares.AddPlain(at[2], at[1], at[0], 2*t.Known[r.accumulator.number].Scale)
	if o != nil {
		squares.Merge(&o.squares)
	}
	n = decimal.FromFloat(squares.Variance(&sum, all, divisor, r.root))
	return n, n.IsNaN(), true
}
