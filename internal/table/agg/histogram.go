package agg

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/table/batch"
	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/quantiles"
	"github.com/thresh-dev/thresh/internal/table/value"
)

// binned has the function that counts numbers in bins.
var binned = []Function{{
	names: []string{"hist"},
	takes: []Parameter{{name: "COLUMN"}, {name: "BINS", Set: setBins}},
	bind: func(s *State, q Columns, g *Call) Result {
		return &histogram{values: keepValues(s, q, g.Columns), bins: g.bins}
	},
}}

// binsMax is the most bins of a histogram.
const binsMax = 1000

func setBins(to *Constants, c Constant) error {
	n, err := strconv.ParseUint(c.Text, 10, 16)
	if to.bins = int(n); err != nil || n == 0 || n > binsMax {
		return fmt.Errorf("the bins of a histogram are from 1 to %d", binsMax)
	}
	return nil
}

// histogram is how many numbers are in each of some bins of the same width, from the least number to the greatest. A
// bin ends before the next one begins; the last one has the greatest number too. Equal numbers are one bin.
type histogram struct {
	values *numberValues
	bins   int
	numeric
}

func (*histogram) Heading([]batch.Known) answer.Column { return answer.Column{JSON: true} }

func (*histogram) Number(*Reader, []uint64, *Store) (n decimal.Number, null, exact bool) {
	panic("thresh: bug: a text as number")
}

func (r *histogram) Text(t *Reader, words []uint64, s *Store) (text []byte, exact bool) {
	k := t.ranker(r.values, words, s)
	if k.n == 0 {
		return nil, true
	}
	from, err := k.exact(1)
	t.failed(err)
	to, err := k.exact(k.n)
	t.failed(err)
	if t.Err != nil || from.IsInfinite() || to.IsInfinite() {
		return nil, true
	}
	counts := []int64{k.n}
	if from.Compare(to) < 0 {
		counts, err = k.between(from.Rat(), to.Rat(), r.bins)
		t.failed(err)
	}
	text = k.appendNumber([]byte(`{"from":`), from)
	text = append(k.appendNumber(append(text, `,"to":`...), to), `,"counts":[`...)
	for i, n := range counts {
		if i > 0 {
			text = append(text, ',')
		}
		text = strconv.AppendInt(text, n, 10)
	}
	return append(text, ']', '}'), true
}

func (k *ranker) appendNumber(b []byte, n decimal.Number) []byte {
	if k.isFloat || n.IsFloat() {
		column := answer.Column{Type: answer.ColumnFloat}
		return column.AppendText(b, &answer.Cell{Float: n.Float64()})
	}
	b, _ = value.OfNumber(n).Append(b)
	return b
}

// between returns how many numbers are in each of some bins.
func (k *ranker) between(from, to *big.Rat, bins int) (counts []int64, err error) {
	all := &k.plains
	if k.mixed {
		all = &k.all
	}
	width := to.Sub(to, from)
	width.Quo(width, new(big.Rat).SetInt64(int64(bins)))
	begins, words := make([]*big.Rat, bins), make([]uint64, bins) // of the bins after the first
	for i := range begins {
		begins[i] = new(big.Rat).SetInt64(int64(i))
		begins[i].Add(from, begins[i].Mul(begins[i], width))
		words[i] = k.wordAt(begins[i])
	}
	counts = make([]int64, bins)
	ties := make([]bool, bins) // a number is, as a word, where a bin begins
	err = all.Each(0, ^uint64(0), func(w uint64) {
		i, tie := slices.BinarySearch(words[1:], w)
		for ; tie && i+1 < bins && words[i+1] == w; i++ { // the last of those that begin there
			ties[i+1] = true
		}
		counts[i]++
	})
	for i := 1; i < bins && err == nil && k.mixed; i++ {
		if ties[i] && (i == 1 || words[i-1] != words[i]) {
			err = k.moveBack(counts, begins, words, i)
		}
	}
	return counts, err
}

// wordAt returns the least word of the numbers that are not less than a number.
func (k *ranker) wordAt(n *big.Rat) uint64 {
	if k.mixed {
		f, _ := n.Float64()
		return quantiles.FromFloat(f)
	}
	scaled := new(big.Rat).Mul(n, new(big.Rat).SetInt64(Tens[k.scale]))
	ceil, rest := new(big.Int).DivMod(scaled.Num(), scaled.Denom(), new(big.Int))
	if rest.Sign() > 0 {
		ceil.Add(ceil, big.NewInt(1))
	}
	return quantiles.FromInt(ceil.Int64())
}

// moveBack moves numbers from the last of the bins that begin with one word, of which bin i is the first, to where they
// belong: they are that word, and may be less than where a bin begins.
func (k *ranker) moveBack(counts []int64, begins []*big.Rat, words []uint64, i int) error {
	few, err := k.near(words[i])
	if err == nil && k.others != nil {
		err = k.others.each(func(n decimal.Number, count int64) bool {
			at := quantiles.FromFloat(n.Float64())
			if at == words[i] {
				few = append(few, counted{n, count})
			}
			return at <= words[i]
		})
	}
	last := i
	for last+1 < len(words) && words[last+1] == words[i] {
		last++
	}
	for _, c := range few {
		at := last
		for n := c.Rat(); at >= i && n.Cmp(begins[at]) < 0; {
			at--
		}
		counts[last] -= c.n
		counts[at] += c.n
	}
	return err
}
