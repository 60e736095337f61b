package matrix

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"sort"
	"strconv"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/question"
)

// statistics asks for minimum, maximum, sum and mean.
func statistics(r *rand.Rand) (asked, error) {
	c := randomColumn(r, r.IntN(2))
	query, err := thresh.Statistics(c.asked())
	if err != nil && c.nothing() {
		return statistics(r)
	}
	return asked{name: "statistics of " + c.String(), query: query, parts: c.parts, trailing: c.trailing,
		check: func(span []byte, report *answer.Report) error { return c.checkStats(span, report) }}, err
}

// figures are the results of plain loops over a column.
type figures struct {
	n, nan         int64
	least, most    value
	sum            *big.Rat
	plus, minus    bool // infinities
	leastZero      bool // the column has a -0, which is below +0
	mostZero       bool // the column has a +0
	valuesNotNaN   int64
	floats, filled bool
}

func (c *column) figures(span []byte) figures {
	f := figures{sum: new(big.Rat), floats: c.kind == 'f'}
	c.each(span, func(_ int, v value) {
		f.n++
		if math.IsNaN(v.f) {
			f.nan++
			return
		}
		if !f.filled || v.compare(f.least) < 0 {
			f.least = v
		}
		if !f.filled || v.compare(f.most) > 0 {
			f.most = v
		}
		f.filled = true
		f.leastZero = f.leastZero || v.f == 0 && math.Signbit(v.f)
		f.mostZero = f.mostZero || v.f == 0 && !math.Signbit(v.f)
		switch {
		case math.IsInf(v.f, 1):
			f.plus = true
		case math.IsInf(v.f, -1):
			f.minus = true
		default:
			f.sum.Add(f.sum, v.rat())
		}
	})
	f.valuesNotNaN = f.n - f.nan
	return f
}

// rat returns the exact value of a finite number.
func (v value) rat() *big.Rat {
	switch v.kind {
	case 'i':
		return new(big.Rat).SetInt64(v.i)
	case 'u':
		return new(big.Rat).SetUint64(v.u)
	}
	return new(big.Rat).SetFloat64(v.f)
}

func (c *column) checkStats(span []byte, report *answer.Report) error {
	want, got := c.figures(span), report.Stats
	if got == nil {
		return errors.New("a report without statistics")
	}
	err := errors.Join(same("count", report.Hits, want.n), same("n", got.N, want.n), same("NaN", got.NaN, want.nan))
	if want.valuesNotNaN == 0 {
		return errors.Join(err, same("figures of nothing", got.Min+got.Max+got.Sum+got.Mean, ""))
	}
	mean := new(big.Rat).Quo(want.sum, new(big.Rat).SetInt64(want.valuesNotNaN))
	return errors.Join(err, c.checkText("min", got.Min, want.least), c.checkText("max", got.Max, want.most),
		want.checkSum("sum", got.Sum, want.sum, !want.floats), want.checkSum("mean", got.Mean, mean, false))
}

// checkText compares a value with a printed number.
func (c *column) checkText(what, got string, want value) error {
	if c.kind != 'f' {
		return same(what, got, want.text(c.width))
	}
	f, err := c.nearest(got)
	if err != nil || f != want.f {
		return fmt.Errorf("%s: got %q, want %v: %v", what, got, want.f, err)
	}
	return nil
}

// checkSum checks a sum or a mean: it must be exact, or the nearest float64.
func (f *figures) checkSum(what, got string, want *big.Rat, exact bool) error {
	nearest, _ := want.Float64()
	switch {
	case exact:
		return same(what, got, want.Num().String())
	case f.plus && f.minus:
		nearest = math.NaN()
	case f.plus:
		nearest = math.Inf(1)
	case f.minus:
		nearest = math.Inf(-1)
	}
	g, err := strconv.ParseFloat(got, 64)
	if errors.Is(err, strconv.ErrRange) && math.IsInf(g, 0) {
		err = nil
	}
	if err != nil || g != nearest && !(math.IsNaN(g) && math.IsNaN(nearest)) {
		return fmt.Errorf("%s: got %q, want %v: %v", what, got, nearest, err)
	}
	return nil
}

// histogram asks for the number of values in each bin.
func histogram(r *rand.Rand) (asked, error) {
	c := randomColumn(r, r.IntN(2))
	var d question.Bins
	var low, high value
	limits := chance(r, 2)
	if limits {
		low, high = c.finite(r), c.finite(r)
		if low.compare(high) > 0 {
			low, high = high, low
		}
		d.Low, d.High = low.text(c.width), high.text(c.width)
	}
	width := pick(r, 1, 2, 7, 100)
	switch {
	case c.kind != 'f' && c.width <= 2 && chance(r, 3):
		width = 1
	case limits && low.compare(high) < 0 && chance(r, 2):
		width, d.Number = 0, 1+r.IntN(20)
	default:
		d.Width = strconv.Itoa(width)
	}
	query, err := thresh.Histogram(c.asked(), d)
	if err != nil && d.Number > 0 && c.kind == 'f' && (high.f-low.f)/float64(d.Number) < c.leastNormal() { // too narrow for the type
		d.Number, d.Width = 0, "1"
		width = 1
		query, err = thresh.Histogram(c.asked(), d)
	}
	if err != nil && c.nothing() {
		return histogram(r)
	}
	return asked{name: fmt.Sprintf("histogram %+v of %s", d, c.String()), query: query, parts: c.parts, trailing: c.trailing,
		refused: func(span []byte) bool { return c.tooWide(span, d, low, high, width) },
		check: func(span []byte, report *answer.Report) error {
			return c.checkBins(span, report, d, low, high, width)
		}}, err
}

// leastNormal returns the smallest positive normal number of a float type.
func (c *column) leastNormal() float64 {
	if c.width == 4 {
		return 0x1p-126
	}
	return 0x1p-1022
}

// finite returns a finite number from the parts.
func (c *column) finite(r *rand.Rand) value {
	for {
		v := c.decode([]byte(pick(r, c.parts...)))
		if !math.IsNaN(v.f) && !math.IsInf(v.f, 0) {
			return v
		}
	}
}

// checkBins compares a histogram with the values: each bin counts those between its printed edges,
// the bins are adjacent, and every value is in one of them or outside the limits.
func (c *column) checkBins(span []byte, report *answer.Report, d question.Bins, low, high value, width int) error {
	got := report.Histogram
	if got == nil {
		return errors.New("a report without bins")
	}
	edges := make([]value, len(got.Bins)+1)
	for i, b := range got.Bins {
		var err, highErr error
		edges[i], err = c.parse(b.Low)
		edges[i+1], highErr = c.parse(b.High)
		if err = errors.Join(err, highErr); err != nil {
			return err
		}
		if i > 0 && b.Low != got.Bins[i-1].High {
			return fmt.Errorf("bins are not adjacent: %v, %v", got.Bins[i-1], b)
		}
		if width > 0 && c.kind != 'f' {
			if err := c.checkWidth(b, width); err != nil {
				return err
			}
		}
	}
	var below, above, nan uint64
	bins := make([]uint64, len(got.Bins))
	var lost error
	c.each(span, func(_ int, v value) {
		last := d.Number > 0 && c.kind == 'f' && v.compare(high) == 0
		at := sort.Search(len(bins), func(i int) bool { return v.inBin(edges[i+1], last) })
		switch {
		case math.IsNaN(v.f):
			nan++
		case math.IsInf(v.f, -1) || !math.IsInf(v.f, 1) && d.Low != "" && v.compare(low) < 0:
			below++
		case math.IsInf(v.f, 1) || d.High != "" && v.compare(high) > 0:
			above++
		case at < len(bins) && v.compare(edges[at]) >= 0:
			bins[at]++
		default:
			lost = fmt.Errorf("%s is in no bin of %v", v.text(c.width), got.Bins)
		}
	})
	for i, b := range got.Bins {
		lost = errors.Join(lost, same(fmt.Sprintf("bin from %s to %s", b.Low, b.High), b.Count, bins[i]))
	}
	if n := len(bins); n > 0 && (bins[0] == 0 || bins[n-1] == 0) {
		lost = errors.Join(lost, fmt.Errorf("the first or the last bin is empty: %v", got.Bins))
	}
	return errors.Join(lost, same("below", got.Below, below), same("above", got.Above, above), same("NaN", got.NaN, nan))
}

// inBin reports whether a value that is not below a bin is in it. The last bin of floats, marked
// by last, includes the upper limit.
func (v value) inBin(edge value, last bool) bool {
	return v.compare(edge) < 0 || last && v.compare(edge) == 0
}

// checkWidth checks that a bin of integers has this width and that 0 is an edge.
func (c *column) checkWidth(b answer.Bin, width int) error {
	low, lowOK := new(big.Int).SetString(b.Low, 10)
	high, highOK := new(big.Int).SetString(b.High, 10)
	w := big.NewInt(int64(width))
	if !lowOK || !highOK || new(big.Int).Sub(high, low).Cmp(w) != 0 || new(big.Int).Mod(low, w).Sign() != 0 {
		return fmt.Errorf("a bin from %s to %s, with a width of %d", b.Low, b.High, width)
	}
	return nil
}

// parse parses an edge as a value of the type. An integer edge may lie just outside the type's range.
func (c *column) parse(s string) (v value, err error) {
	v.kind = c.kind
	switch c.kind {
	case 'f':
		v.f, err = strconv.ParseFloat(s, precision(c.width))
		return v, err
	case 'i':
		v.i, err = strconv.ParseInt(s, 10, 64)
	default:
		v.u, err = strconv.ParseUint(s, 10, 64)
	}
	switch {
	case c.kind == 'u' && s[0] == '-':
		return value{kind: 'u'}, nil
	case errors.Is(err, strconv.ErrRange):
		v.beyond, err = s[0] != '-', nil
	}
	return v, err
}

// binsMost is the number of bins that the documentation promises.
const binsMost = 1 << 20

// farthest is how many bins away from 0 a float may be.
const farthest = 1 << 50

// tooWide reports whether the values of a range may need more than binsMost bins.
func (c *column) tooWide(span []byte, d question.Bins, low, high value, width int) bool {
	var least, most *big.Rat
	c.each(span, func(_ int, v value) {
		if math.IsNaN(v.f) || math.IsInf(v.f, 0) || d.Low != "" && (v.compare(low) < 0 || v.compare(high) > 0) {
			return
		}
		n := v.rat()
		if least == nil || n.Cmp(least) < 0 {
			least = n
		}
		if most == nil || n.Cmp(most) > 0 {
			most = n
		}
	})
	if least == nil || width == 0 {
		return false
	}
	most = new(big.Rat).Set(most)
	if c.kind == 'f' {
		far := new(big.Rat).SetInt64(farthest / 2 * int64(width))
		if most.Cmp(far) > 0 || least.Cmp(far.Neg(far)) < 0 {
			return true
		}
	}
	bins := new(big.Rat).Quo(most.Sub(most, least), big.NewRat(int64(width), 1))
	return bins.Cmp(big.NewRat(binsMost-2, 1)) > 0
}
