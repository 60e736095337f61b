package tabletest

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// ofRecords reports whether an aggregate needs more of the records than the values of one column.
func (a Agg) ofRecords() bool { return a.With != nil || a.Func == "string_agg" }

// overRecords returns such an aggregate of a group.
func (a Agg) overRecords(records [][]string, styles map[string]style) cell {
	switch a.Func {
	case "distinct":
		return a.distinctRows(records)
	case "string_agg":
		return a.list(records, styles)
	case "corr", "covar_pop", "covar_samp":
		return a.coefficient(records)
	}
	return a.choose(records, styles)
}

// distinctRows counts the different pairs of texts, without those of which one is null.
func (a Agg) distinctRows(records [][]string) cell {
	pairs := map[string]bool{}
	for _, fields := range records {
		if x, y := a.value().Of(fields), a.With.Of(fields); x != Null && y != Null {
			pairs[fmt.Sprintf("%q %q", textOf(x), textOf(y))] = true
		}
	}
	return whole(len(pairs))
}

// before compares values as what the column is about. ok is false if one of them is none of these.
func (s style) before(x, y string) (order int, ok bool) {
	a, _, xOK := parse(x)
	b, _, yOK := parse(y)
	switch {
	case x == Null || y == Null:
		return 0, false
	case s.times:
		t, _ := parseTime(x)
		u, _ := parseTime(y)
		return t.Compare(u), true
	case s.texts:
		return strings.Compare(x, y), true
	case !xOK || !yOK:
		return 0, false
	}
	return a.value.Cmp(b.value), true
}

// choose returns the value of the first record that has the least, or the greatest, of the other values.
func (a Agg) choose(records [][]string, styles map[string]style) cell {
	best, by, s := Null, "", styles[a.With.Text]
	for _, fields := range records {
		x, y := a.value().Of(fields), a.With.Of(fields)
		if _, ok := s.before(y, y); x == Null || !ok {
			continue
		}
		order, _ := s.before(y, by)
		if best == Null || a.Func == "arg_min" && order < 0 || a.Func == "arg_max" && order > 0 {
			best, by = x, y
		}
	}
	if best == Null {
		return cell{}
	}
	if of := styles[a.value().Text]; of.numbers {
		n, _, _ := parse(best)
		return n.cell(of)
	}
	c := cell{text: textOf(best), isText: true}
	if styles[a.value().Text].times {
		c.at, _ = parseTime(best)
	}
	return c
}

// list returns the texts of a group with separators between them.
func (a Agg) list(records [][]string, styles map[string]style) cell {
	type item struct{ text, by string }
	var all []item
	for _, fields := range records {
		if x := a.value().Of(fields); x != Null {
			next := item{text: textOf(x)}
			if a.With != nil {
				next.by = a.With.Of(fields)
			}
			all = append(all, next)
		}
	}
	if a.With != nil {
		s := styles[a.With.Text]
		slices.SortStableFunc(all, func(x, y item) int {
			_, xOK := s.before(x.by, x.by)
			_, yOK := s.before(y.by, y.by)
			switch {
			case !xOK && !yOK:
				return 0
			case !xOK:
				return 1
			case !yOK:
				return -1
			case a.Descending:
				x, y = y, x
			}
			order, _ := s.before(x.by, y.by)
			return order
		})
	}
	separator := ","
	if a.Constant != "" {
		separator = strings.ReplaceAll(strings.Trim(a.Constant, "'"), "''", "'")
	}
	var texts []string
	for _, i := range all {
		texts = append(texts, i.text)
	}
	if texts == nil {
		return cell{}
	}
	return cell{text: strings.Join(texts, separator), isText: true}
}

// junction returns whether all values are true, or any of them.
func (a Agg) junction(f columnValues) cell {
	yes, no := 0, 0
	for text, n := range f.texts {
		switch strings.ToLower(text) {
		case "true":
			yes += n
		case "false":
			no += n
		}
	}
	if yes+no == 0 {
		return cell{}
	}
	return cell{text: fmt.Sprint(a.Func == "bool_and" && no == 0 || a.Func == "bool_or" && yes > 0), isText: true}
}

// geomean returns e to the mean of the logarithms as floats.
func (f columnValues) geomean(s style) cell {
	sum, zero, infinite := new(big.Rat), false, false
	for _, n := range f.ordered {
		v, _ := n.value.Float64()
		switch {
		case v < 0:
			return cell{}
		case v == 0:
			zero = true
		case math.IsInf(v, 1):
			infinite = true
		default:
			sum.Add(sum, new(big.Rat).SetFloat64(math.Log(v)))
		}
	}
	if zero {
		return number{value: new(big.Rat), isFloat: true}.cell(s)
	}
	if infinite {
		return cell{text: "+Inf", value: f.ordered[len(f.ordered)-1].value}
	}
	mean, _ := sum.Quo(sum, new(big.Rat).SetInt64(int64(len(f.ordered)))).Float64()
	return number{value: new(big.Rat).SetFloat64(min(math.Exp(mean), math.MaxFloat64)), isFloat: true}.cell(s)
}

// histogram returns how many numbers are in each bin.
func (a Agg) histogram(f columnValues, s style) cell {
	from, to := f.ordered[0], f.ordered[len(f.ordered)-1]
	counts := []string{strconv.Itoa(len(f.ordered))}
	if bins, _ := strconv.Atoi(a.Constant); from.value.Cmp(to.value) < 0 {
		counts = nil
		width := new(big.Rat).Sub(to.value, from.value)
		width.Quo(width, big.NewRat(int64(bins), 1))
		n, end := 0, new(big.Rat).Set(from.value)
		for i := range bins {
			end.Add(end, width)
			before := n
			for n < len(f.ordered) && (i == bins-1 || f.ordered[n].value.Cmp(end) < 0) {
				n++
			}
			counts = append(counts, strconv.Itoa(n-before))
		}
	}
	text := func(n number) string {
		n.isFloat = n.isFloat || s.float
		t := n.text(s.decimals)
		if strings.Contains(t, ".") && !n.isFloat {
			t = strings.TrimSuffix(strings.TrimRight(t, "0"), ".")
		}
		return t
	}
	return cell{isText: true, text: fmt.Sprintf(`{"from":%s,"to":%s,"counts":[%s]}`, text(from), text(to),
		strings.Join(counts, ","))}
}

// coefficient returns a covariance or the correlation, from the distances from the means.
func (a Agg) coefficient(records [][]string) cell {
	infinite := false
	product := func(x, y number) *big.Rat {
		if !x.isFloat && !y.isFloat {
			return new(big.Rat).Mul(x.value, y.value)
		}
		f, _ := x.value.Float64()
		g, _ := y.value.Float64()
		if math.IsInf(f, 0) || math.IsInf(g, 0) {
			infinite = true
			return new(big.Rat)
		}
		return new(big.Rat).Mul(new(big.Rat).SetFloat64(f), new(big.Rat).SetFloat64(g))
	}
	var n int64
	var sums [5]big.Rat // of x, y, x*x, y*y, x*y
	for _, fields := range records {
		y, _, yOK := parse(a.value().Of(fields))
		x, _, xOK := parse(a.With.Of(fields))
		if !xOK || !yOK {
			continue
		}
		n++
		for i, v := range []*big.Rat{x.value, y.value, product(x, x), product(y, y), product(x, y)} {
			sums[i].Add(&sums[i], v)
		}
	}
	divisor := n
	if a.Func == "covar_samp" {
		divisor--
	}
	if divisor <= 0 || infinite {
		return cell{}
	}
	distances := func(products, left, right int) *big.Rat { // divided by n
		mean := new(big.Rat).Mul(&sums[left], &sums[right])
		return mean.Sub(&sums[products], mean.Quo(mean, new(big.Rat).SetInt64(n)))
	}
	r := distances(4, 0, 1)
	if a.Func != "corr" {
		return number{value: r.Quo(r, new(big.Rat).SetInt64(divisor)), isFloat: true}.cell(style{})
	}
	spread := distances(2, 0, 0)
	if spread.Mul(spread, distances(3, 1, 1)); spread.Sign() <= 0 {
		return cell{}
	}
	root := new(big.Float).SetPrec(2000).SetRat(spread)
	quotient := new(big.Float).SetPrec(2000).SetRat(r)
	value, _ := quotient.Quo(quotient, root.Sqrt(root)).Rat(nil)
	return number{value: value, isFloat: true}.cell(style{})
}
