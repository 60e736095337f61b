package matrix

import (
	"cmp"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
)

// recordGroup has the records with one key.
type recordGroup struct {
	keys    []string
	records [][]field
}

// grouped groups records by key, in the order of the keys. Records without a key are left out.
func grouped(records [][]field, of []func([]field) (string, bool)) (groups []recordGroup) {
	places := map[string]int{}
records:
	for _, record := range records {
		var keys []string
		for _, key := range of {
			k, ok := key(record)
			if !ok {
				continue records
			}
			keys = append(keys, k)
		}
		id := fmt.Sprintf("%q", keys)
		at, ok := places[id]
		if !ok {
			at = len(groups)
			places[id], groups = at, append(groups, recordGroup{keys: keys})
		}
		groups[at].records = append(groups[at].records, record)
	}
	slices.SortFunc(groups, func(a, b recordGroup) int { return slices.CompareFunc(a.keys, b.keys, compareKeys) })
	return groups
}

// compareKeys orders keys, with null last.
func compareKeys(a, b string) int {
	if a == nullText || b == nullText {
		return cmp.Compare(strings.Count(a, nullText), strings.Count(b, nullText))
	}
	return cmp.Compare(a, b)
}

// aggregate is an aggregate function of a column.
type aggregate struct {
	name    string
	column  int
	numbers bool // the function needs numbers
	float   bool // set by survey if a number of the column has an exponent
	of      func(records [][]field, column int) cell
}

var countAll = aggregate{name: "count", of: func(records [][]field, _ int) cell { return whole(len(records)) }}

func whole(n int) cell { return cell{number: new(big.Rat).SetInt64(int64(n))} }

// aggregates are the functions of --agg. TestEveryAggregateIsAsked compares them with the
// library's.
var aggregates = map[string]aggregate{
	"count":    countAll,
	"sum":      {numbers: true, of: sumOf},
	"min":      {numbers: true, of: func(records [][]field, c int) cell { return ranked(records, c, 0, 100) }},
	"max":      {numbers: true, of: func(records [][]field, c int) cell { return ranked(records, c, 100, 100) }},
	"mean":     {numbers: true, of: meanOf},
	"avg":      {numbers: true, of: meanOf},
	"distinct": {of: distinctOf},
	"p50":      {numbers: true, of: func(records [][]field, c int) cell { return ranked(records, c, 50, 100) }},
	"p99":      {numbers: true, of: func(records [][]field, c int) cell { return ranked(records, c, 99, 100) }},
	"p99.9":    {numbers: true, of: func(records [][]field, c int) cell { return ranked(records, c, 999, 1000) }},
	// Estimates are within their promised error of the exact figure, and within its bounds.
	"approx_distinct": {of: func(records [][]field, c int) cell { return around(distinctOf(records, c), 0.05, 2) }},
	"approx_p50": {numbers: true, of: func(records [][]field, c int) cell {
		return between(ranked(records, c, 0, 100), ranked(records, c, 100, 100))
	}},
	"p2.5": {numbers: true, of: func(records [][]field, c int) cell { return ranked(records, c, 25, 1000) }},
}

// around is an estimate of a number. Its error is at most a share of the number, plus more.
func around(exact cell, share, more float64) cell {
	n, _ := exact.number.Float64()
	low, high := new(big.Rat).SetFloat64(n-n*share-more), new(big.Rat).SetFloat64(n+n*share+more)
	return cell{number: exact.number, low: low, high: high}
}

// between is an estimate that lies between two numbers, as float64 or as exact numbers.
func between(low, high cell) cell {
	if low.null {
		return low
	}
	from, _ := low.number.Float64()
	to, _ := high.number.Float64()
	least, most := new(big.Rat).SetFloat64(from), new(big.Rat).SetFloat64(to)
	if least.Cmp(low.number) > 0 {
		least = low.number
	}
	if most.Cmp(high.number) < 0 {
		most = high.number
	}
	return cell{number: low.number, low: least, high: most}
}

func randomAggregate(r *rand.Rand, s *sheet, names []string) (aggregate, string) {
	name := pick(r, names...)
	a := aggregates[name]
	if a.name = name; name == "count" {
		return a, name
	}
	a.column = 1 + r.IntN(2)
	if !a.numbers {
		a.column = r.IntN(s.columns)
	}
	return a, fmt.Sprintf("%s(%s)", name, s.name(r, a.column))
}

// survey finds the columns in which some record has a number with an exponent: their figures are
// floats.
func survey(aggs []aggregate, records [][]field) {
	for i := range aggs {
		a := &aggs[i]
		a.float = a.numbers && slices.ContainsFunc(records, func(f []field) bool { return f[a.column].float })
	}
}

func numbersOf(records [][]field, column int) (all []*big.Rat) {
	for _, record := range records {
		if n := record[column].number; n != nil {
			all = append(all, n)
		}
	}
	return all
}

func sumOf(records [][]field, column int) cell {
	all, sum := numbersOf(records, column), new(big.Rat)
	for _, n := range all {
		sum.Add(sum, n)
	}
	return cell{number: sum, null: len(all) == 0}
}

func meanOf(records [][]field, column int) cell {
	all, mean := numbersOf(records, column), sumOf(records, column).number
	if len(all) == 0 {
		return cell{null: true}
	}
	return cell{number: mean.Quo(mean, new(big.Rat).SetInt64(int64(len(all)))), float: true}
}

func distinctOf(records [][]field, column int) cell {
	texts := map[string]bool{}
	for _, record := range records {
		if f := record[column]; !f.null {
			texts[f.text] = true
		}
	}
	return whole(len(texts))
}

// ranked returns the number at rank ceil(n*share/of) of n sorted numbers, at least the first.
func ranked(records [][]field, column, share, of int) cell {
	all := numbersOf(records, column)
	if len(all) == 0 {
		return cell{null: true}
	}
	slices.SortFunc(all, (*big.Rat).Cmp)
	at := (len(all)*share + of - 1) / of
	return cell{number: all[max(at, 1)-1]}
}

// answer returns the rows for groups, ordered by key, or by the first figure, greatest first and
// missing ones last.
func answerOf(groups []recordGroup, aggs []aggregate, byValue bool, limit int) (rows [][]cell) {
	figures := map[string][]cell{}
	for _, g := range groups {
		var cells []cell
		for _, a := range aggs {
			c := a.of(g.records, a.column)
			c.float = c.float || a.float
			cells = append(cells, c)
		}
		figures[fmt.Sprintf("%q", g.keys)] = cells
	}
	of := func(g recordGroup) []cell { return figures[fmt.Sprintf("%q", g.keys)] }
	if byValue {
		slices.SortStableFunc(groups, func(a, b recordGroup) int { return of(b)[0].compare(of(a)[0]) })
	}
	for _, g := range groups {
		if limit > 0 && len(rows) == limit {
			break
		}
		var row []cell
		for _, k := range g.keys {
			row = append(row, cell{text: strings.Clone(k), null: k == nullText})
		}
		rows = append(rows, append(row, of(g)...))
	}
	return rows
}

// compare orders figures as they are printed; missing ones come first.
func (c cell) compare(o cell) int {
	if c.null || o.null {
		return cmp.Compare(present(c), present(o))
	}
	if c.float && o.float {
		x, _ := c.number.Float64()
		y, _ := o.number.Float64()
		return cmp.Compare(x, y)
	}
	return c.number.Cmp(o.number)
}

func present(c cell) int {
	if c.null {
		return 0
	}
	return 1
}
