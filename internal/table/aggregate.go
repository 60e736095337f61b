package table

import (
	"math"
	"math/bits"
	"slices"
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
	countOf
	median
	mode
	variance
	populationVariance
	deviation
	populationDeviation
	firstOf
	lastOf

	// extremes marks the object that keeps texts and times for minOf, maxOf, firstOf and lastOf.
	extremes
)

var functions = map[string]function{
	"count": count, "sum": sumOf, "min": minOf, "max": maxOf, "mean": mean, "avg": mean,
	"distinct": distinct, "approx_distinct": approxDistinct, "median": median, "mode": mode,
	"variance": variance, "var_samp": variance, "var_pop": populationVariance,
	"stddev": deviation, "stddev_samp": deviation, "stddev_pop": populationDeviation,
	"first": firstOf, "last": lastOf,
}

// byValues reports whether the values of the column decide what the function returns: a number, a time
// or a text.
func (f function) byValues() bool { return f == minOf || f == maxOf || f == firstOf || f == lastOf }

// spread reports whether the function needs the sum of the squares.
func (f function) spread() bool { return variance <= f && f <= populationDeviation }

// aggregate is an aggregate that a question asks for.
type aggregate struct {
	text        string // its name in answers
	function    function
	column      int
	parts       uint64 // of a quantile: the fraction parts/of of the values is not above it
	of          uint64
	accumulator int // index in groupAnswer.accumulators: for sum, mean, min, max, variances and deviations
	object      int // index in groupAnswer.objects: for all others except count, and for min and max
}

// same reports whether two aggregates are the same, perhaps written differently.
func (g *aggregate) same(o *aggregate) bool {
	return g.function == o.function && g.column == o.column && g.parts == o.parts && g.of == o.of
}

// accumulator accumulates the numbers of a column for each group: their sum, minimum and maximum, and the
// sum of their squares.
type accumulator struct {
	number                 int // index in query.numbers
	sum, min, max, squares bool
	at                     accumulatorWords
}

// accumulatorWords holds the indexes of an accumulator's words within the words of a group; -1
// for words that are not needed. The sum is low, as a signed number, plus high times 2^64. The sum of
// squares has three words, from square on, the lowest first. The word notAdded counts the records of
// the group whose number is not in these sums; they are few. The word irregular is a handle of an
// irregularSum.
type accumulatorWords struct{ low, high, min, max, square, notAdded, irregular int }

// object describes an object that is kept of a column for each group, because it does not fit in
// words.
type object struct {
	function function // distinct, quantile or an estimate of one of them, countOf, mode, extremes
	column   int
	number   int   // of a quantile and of extremes: index in query.numbers
	needs    needs // of extremes
	at       objectWords
}

// objectWords holds the indexes of an object's words. The word first is the number of distinct
// texts, known after all records have been read; or a number of records; or the handle of a sketch,
// of kept texts, or of the values that are integers of the common scale. The words floats and others
// are the handles of the values that are ordered as float64, and of all other values.
type objectWords struct{ first, floats, others int }

// layout assigns words to the aggregates. The first word of a group counts its records.
func (a *groupAnswer) layout(q *query) {
	a.words = 1
	for i := range a.aggregates {
		switch g := &a.aggregates[i]; g.function {
		case count:
		case sumOf, mean, variance, populationVariance, deviation, populationDeviation:
			g.accumulator = a.addAccumulator(q, g)
		case minOf, maxOf:
			g.accumulator = a.addAccumulator(q, g)
			g.object = a.addObject(q, g)
		default:
			g.object = a.addObject(q, g)
		}
	}
	for i := range a.accumulators {
		f := &a.accumulators[i]
		f.at = accumulatorWords{-1, -1, -1, -1, -1, -1, -1}
		if f.sum {
			f.at.low, f.at.high = a.addWord(0), a.addWord(0)
		}
		if f.min {
			f.at.min = a.addWord(noneBelow)
		}
		if f.max {
			f.at.max = a.addWord(noneAbove)
		}
		if f.squares {
			f.at.square = a.addWord(0)
			a.addWord(0)
			a.addWord(0)
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
		if o.function != distinct && o.function != countOf {
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
	use := strict
	if g.function.byValues() {
		use = byValues
	}
	number := q.wantNumbers(g.column, use)
	i := slices.IndexFunc(a.accumulators, func(f accumulator) bool { return f.number == number })
	if i < 0 {
		i = len(a.accumulators)
		a.accumulators = append(a.accumulators, accumulator{number: number})
	}
	f := &a.accumulators[i]
	f.sum = f.sum || g.function == sumOf || g.function == mean || g.function.spread()
	f.squares = f.squares || g.function.spread()
	f.min = f.min || g.function == minOf
	f.max = f.max || g.function == maxOf
	return i
}

func (a *groupAnswer) addObject(q *query, g *aggregate) int {
	o := object{function: g.function, column: g.column}
	switch {
	case g.function == median:
		o.function = quantile
	case g.function.byValues():
		o.function = extremes
	}
	switch o.function {
	case quantile, approxQuantile:
		o.number = q.wantNumbers(g.column, strict)
	case extremes:
		o.number = q.wantNumbers(g.column, byValues)
	}
	q.want(g.column)
	i := slices.IndexFunc(a.objects, func(p object) bool { return p.function == o.function && p.column == o.column })
	if i < 0 {
		i = len(a.objects)
		a.objects = append(a.objects, o)
	}
	switch g.function {
	case minOf, maxOf:
		a.objects[i].needs |= needsValues
	case firstOf, lastOf:
		a.objects[i].needs |= needsPlaces
	}
	return i
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
		if at.square >= 0 {
			addWords(into[at.square:], from[at.square], from[at.square+1], from[at.square+2])
		}
	}
	for i := range a.objects {
		if o := &a.objects[i]; o.function == distinct || o.function == countOf {
			into[o.at.first] += from[o.at.first]
		}
	}
}

// addWords adds an unsigned number of three words, the lowest first.
func addWords(into []uint64, low, middle, high uint64) {
	var carry uint64
	into[0], carry = bits.Add64(into[0], low, 0)
	into[1], carry = bits.Add64(into[1], middle, carry)
	into[2] += high + carry
}
