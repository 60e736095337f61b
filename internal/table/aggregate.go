package table

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/thresh-dev/thresh/internal/table/key"
)

// function is an aggregate function.
type function uint8

const (
	count function = iota
	sumOf
	minOf
	maxOf
	mean
	distinct
	quantile
	approxDistinct
	approxQuantile
)

var functions = map[string]function{
	"count": count, "sum": sumOf, "min": minOf, "max": maxOf, "mean": mean, "avg": mean,
	"distinct": distinct, "approx_distinct": approxDistinct,
}

// aggregate is an aggregate that a question asks for.
type aggregate struct {
	text        string // its name in answers
	function    function
	column      int
	parts       uint64 // of a quantile: the fraction parts/of of the values is not above it
	of          uint64
	accumulator int // index in groupAnswer.accumulators: for sum, mean, min and max
	object      int // index in groupAnswer.objects: for distinct and quantiles
}

// accumulator accumulates the numbers of a column for each group: their sum, minimum and maximum.
type accumulator struct {
	number        int // index in query.numbers
	sum, min, max bool
	at            accumulatorWords
}

// accumulatorWords holds the indexes of an accumulator's words within the words of a group; -1
// for words that are not needed. The sum is low, as a signed number, plus high times 2^64. The
// word notAdded counts the records of the group whose number is not in that sum; they are few.
// The word irregular is a handle of an irregularSum.
type accumulatorWords struct{ low, high, min, max, notAdded, irregular int }

// object describes an object that is kept of a column for each group, because it does not fit in
// words.
type object struct {
	function function // distinct, quantile, or an estimate of one of them
	column   int
	number   int // of a quantile: index in query.numbers
	at       objectWords
}

// objectWords holds the indexes of an object's words. The word first is either the number of
// distinct texts, known after all records have been read, or the handle of a sketch, or the
// handle of the values that are integers of the common scale. The words floats and others are
// the handles of the values that are ordered as float64, and of all other values.
type objectWords struct{ first, floats, others int }

// parseAggregates parses a list of aggregates: "count,sum(amount),p99(amount)".
func parseAggregates(list string, resolve key.Resolve) (all []aggregate, err error) {
	if strings.TrimSpace(list) == "" {
		return []aggregate{{text: "count"}}, nil
	}
	for _, text := range split(list) {
		a, err := parseAggregate(strings.TrimSpace(text), resolve)
		if err != nil {
			return nil, fmt.Errorf("--agg %q: %w", list, err)
		}
		all = append(all, a)
	}
	return all, nil
}

// split splits a list at its commas, except those in parentheses, quotes and backquotes.
func split(list string) (parts []string) {
	depth, quote, from := 0, byte(0), 0
	for i := range len(list) {
		switch c := list[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '`':
			quote = c
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			parts = append(parts, list[from:i])
			from = i + 1
		}
	}
	return append(parts, list[from:])
}

func parseAggregate(text string, resolve key.Resolve) (a aggregate, err error) {
	name, rest, parens := strings.Cut(text, "(")
	name = strings.ToLower(strings.TrimSpace(name))
	a.text = text
	function, known := functions[name]
	percent, approx := strings.CutPrefix(name, "approx_")
	if parts, of, ok := quantileOf(percent); ok {
		a.function, a.parts, a.of = quantile, parts, of
		if approx {
			a.function = approxQuantile
		}
	} else if known {
		a.function = function
	} else {
		return a, fmt.Errorf("%q is unknown (known: count, sum, min, max, mean, distinct, p50, p99 and the like, "+
			"approx_distinct, approx_p50 and the like)", text)
	}
	if a.function == count {
		if parens {
			return a, fmt.Errorf("%q: count counts records, and has no column", text)
		}
		return a, nil
	}
	column, closed := strings.CutSuffix(strings.TrimSpace(rest), ")")
	if !parens || !closed {
		return a, fmt.Errorf("%q: which column? write %s(COLUMN)", text, name)
	}
	k, err := key.Parse(column, resolve)
	if err != nil {
		return a, err
	}
	if !k.IsColumn() {
		return a, fmt.Errorf("%q: %s is not a column", text, column)
	}
	a.column = k.Column
	return a, nil
}

// quantileOf returns the fraction of the values that is not above a quantile: for p99.9, 999 of
// 1000.
func quantileOf(name string) (parts, of uint64, ok bool) {
	percent, ok := strings.CutPrefix(name, "p")
	whole, behind, _ := strings.Cut(percent, ".")
	parts, err := strconv.ParseUint(whole+behind, 10, 32)
	if !ok || err != nil || whole == "" {
		return 0, 0, false
	}
	of = 100
	for range behind {
		of *= 10
	}
	return parts, of, parts <= of
}

// layout assigns words to the aggregates. The first word of a group counts its records.
func (a *groupAnswer) layout(q *query) {
	a.words = 1
	for i := range a.aggregates {
		switch g := &a.aggregates[i]; g.function {
		case count:
		case distinct, quantile, approxDistinct, approxQuantile:
			g.object = a.addObject(q, g)
		default:
			g.accumulator = a.addAccumulator(q, g)
		}
	}
	for i := range a.accumulators {
		f := &a.accumulators[i]
		f.at = accumulatorWords{-1, -1, -1, -1, -1, -1}
		if f.sum {
			f.at.low, f.at.high = a.addWord(0), a.addWord(0)
		}
		if f.min {
			f.at.min = a.addWord(noneBelow)
		}
		if f.max {
			f.at.max = a.addWord(noneAbove)
		}
	}
	// Words that are rarely used come last.
	for i := range a.accumulators {
		if f := &a.accumulators[i]; f.sum {
			f.at.notAdded = a.addWord(0)
		}
		a.accumulators[i].at.irregular = a.addWord(0)
		a.handles = append(a.handles, handle{a.accumulators[i].at.irregular, irregularNumbers})
	}
	for i := range a.objects {
		o := &a.objects[i]
		o.at.first = a.addWord(0)
		if o.function != distinct {
			a.handles = append(a.handles, handle{o.at.first, o.function})
		}
		if o.function == quantile {
			o.at.floats, o.at.others = a.addWord(0), a.addWord(0)
			a.handles = append(a.handles, handle{o.at.floats, quantile}, handle{o.at.others, otherNumbers})
		}
	}
}

// noneBelow and noneAbove are the minimum and the maximum of no numbers. They are beyond the range
// of a batch's mantissas.
const (
	noneBelow = math.MaxInt64
	noneAbove = math.MinInt64
)

func (a *groupAnswer) addWord(first int64) int {
	a.init = append(a.init, uint64(first))
	a.words++
	return a.words - 1
}

func (a *groupAnswer) addAccumulator(q *query, g *aggregate) int {
	number := q.wantNumbers(g.column)
	i := slices.IndexFunc(a.accumulators, func(f accumulator) bool { return f.number == number })
	if i < 0 {
		i = len(a.accumulators)
		a.accumulators = append(a.accumulators, accumulator{number: number})
	}
	f := &a.accumulators[i]
	f.sum = f.sum || g.function == sumOf || g.function == mean
	f.min = f.min || g.function == minOf
	f.max = f.max || g.function == maxOf
	return i
}

func (a *groupAnswer) addObject(q *query, g *aggregate) int {
	o := object{function: g.function, column: g.column}
	if g.function == quantile || g.function == approxQuantile {
		o.number = q.wantNumbers(g.column)
	}
	q.want(g.column)
	if i := slices.Index(a.objects, o); i >= 0 {
		return i
	}
	a.objects = append(a.objects, o)
	return len(a.objects) - 1
}

// merge adds the words of a group to those of the same group in another table or run.
func (a *groupAnswer) merge(into, from []uint64) {
	into[0] += from[0]
	for i := range a.accumulators {
		at := &a.accumulators[i].at
		if at.low >= 0 {
			v := int64(from[at.low])
			sum := int64(into[at.low]) + v
			into[at.high] += from[at.high]
			if (int64(into[at.low])^sum)&(v^sum) < 0 {
				into[at.high] += uint64(v>>63) | 1
			}
			into[at.low] = uint64(sum)
			into[at.notAdded] += from[at.notAdded]
		}
		if at.min >= 0 {
			into[at.min] = uint64(min(int64(into[at.min]), int64(from[at.min])))
		}
		if at.max >= 0 {
			into[at.max] = uint64(max(int64(into[at.max]), int64(from[at.max])))
		}
	}
	for i := range a.objects {
		if o := &a.objects[i]; o.function == distinct {
			into[o.at.first] += from[o.at.first]
		}
	}
}
