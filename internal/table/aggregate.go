package table

import (
	"math/bits"
	"slices"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/row"
)

// function is a row of the table of aggregate functions. A new one is a row and its result; and if no group keeps what
// the result is computed from, a new kind of object. All three are in one file, that of the family.
type function struct {
	names    []string    // as people write it
	alone    bool        // it may stand without arguments
	takes    []parameter // nil is one column
	ordered  bool        // "order by" may follow the arguments
	distinct string      // the function that is meant by "distinct" before the arguments; "" for none
	// fraction reads a name that has a number in it, like p99.9; nil if the names are all there are.
	fraction func(name string) (f fraction, ok bool)
	// bind has the groups keep what the aggregate is computed from, and returns how.
	bind func(a *groupAnswer, q *query, g *aggregate) result
}

// functions has a row for each aggregate function, by family.
var functions = [...][]function{
	counting, adding, extreme, commonest, ranked, estimated, logical, choosing, listing, multiplying, pairwise}

// aggregate is an aggregate that a question asks for.
type aggregate struct {
	text     string // its name in answers
	function *function
	columns  []int // of its arguments; nil if it is of records
	constants
	result   result    // how it is computed; see layout
	computed *computed // nil unless it is an expression over aggregates; then there is no function
}

// constants are what is the same for all records.
type constants struct {
	fraction            fraction
	ordered, descending bool // the last column is what the values are ordered by
	separator           string
	separated           bool // there is a separator
}

// column returns the first column; noColumn if the aggregate is of records.
func (g *aggregate) column() int {
	if len(g.columns) == 0 {
		return noColumn
	}
	return g.columns[0]
}

// IsAggregate reports whether a name is that of an aggregate function.
func IsAggregate(name string) bool { return (&aggregate{}).setFunction(name) == nil }

// noColumn is the column of an aggregate that has none.
const noColumn = -1

// same reports whether two aggregates are the same, perhaps written differently.
func (g *aggregate) same(o *aggregate) bool {
	return g.function == o.function && slices.Equal(g.columns, o.columns) && g.constants == o.constants &&
		g.computed == o.computed
}

// result computes an aggregate from the words and the objects that a group keeps.
type result interface {
	// heading returns the type and the scale of the results. It is known after all records have been read.
	heading(r *Run) row.Column
	// number returns the result for a group. null is true if the group has no values for it, exact is false if it
	// is an estimate. It is not called if the results are texts.
	number(t *groupWriter, words []uint64, s *store) (n decimal.Number, null, exact bool)
	// text returns the result, nil for null, if the results are texts. It may belong to the store.
	text(t *groupWriter, words []uint64, s *store) (text []byte, exact bool)
	// times reports whether the texts are times, and ordered as such.
	times(r *Run) bool
	// word returns the result if it is a word of the group: times 10 to the power of scale. null is true if the group
	// has no numbers, ok is false if the word is not all of it.
	word(words []uint64) (v int64, null, ok bool)
	// scale returns the scale of the word; ok is false if the result is never a word.
	scale(r *Run) (scale int, ok bool)
	// quick returns a result that is a float and no word without large numbers. ok is false if they are needed.
	quick(t *groupWriter, words []uint64) (f float64, ok bool)
	// remark is the note on groups for which the result is not exact.
	remark(groups int64) string
}

// numeric is the part of a result that is always a number, exact, and not in one word.
type numeric struct{}

func (numeric) text(*groupWriter, []uint64, *store) ([]byte, bool) {
	panic("thresh: bug: a number as text")
}
func (numeric) times(*Run) bool                                   { return false }
func (numeric) word([]uint64) (v int64, null, ok bool)            { return 0, false, false }
func (numeric) scale(*Run) (scale int, ok bool)                   { return 0, false }
func (numeric) quick(*groupWriter, []uint64) (f float64, ok bool) { return 0, false }
func (numeric) remark(int64) string                               { panic("thresh: bug: an exact result") }

// numbersHeading returns the type of results that are numbers of a number column, or sums of such numbers.
func (r *Run) numbersHeading(number int, sums bool) row.Column {
	scale := r.decimals(number)
	switch {
	case r.anyFloat(number):
		return row.Column{Type: row.Float}
	case scale == 0 && !sums && !r.anyLarge(number):
		return row.Column{Type: row.Integer}
	}
	return row.Column{Type: row.Decimal, Scale: scale}
}

// object is what a group keeps of a column, for one or more aggregates, that an accumulator cannot: handles of what is
// in a store, or a number that is known after all records have been read.
type object interface {
	base() *kept
	// layout assigns words to the object.
	layout(a *groupAnswer)
	// add adds the selected records of a batch to their groups.
	add(w *worker, g *grouper, sel records.Selection, ids []uint32, words []uint64) error
}

// kept is the part of an object that all kinds have.
type kept struct {
	column  int
	columns []int // column, and others if there are any
	index   int   // in groupAnswer.objects, and in grouper.pairs
	at      int   // the first of its words
}

func (k *kept) base() *kept { return k }

// joinsColumns reports whether an object needs the texts of several columns, which may be put together.
func joinsColumns(o object) bool { return len(o.base().columns) > 1 }

// objectOf returns the object of kind O for some columns. It makes it if there is none.
func objectOf[O object](a *groupAnswer, q *query, columns []int, fresh func(kept) O) O {
	for _, o := range a.objects {
		if o, ok := o.(O); ok && slices.Equal(o.base().columns, columns) {
			return o
		}
	}
	return newObject(a, q, columns, fresh)
}

func newObject[O object](a *groupAnswer, q *query, columns []int, fresh func(kept) O) O {
	q.want(columns...)
	o := fresh(kept{column: columns[0], columns: columns, index: len(a.objects)})
	a.objects = append(a.objects, o)
	return o
}

// layout assigns words to what the aggregates need. The first word of a group counts its records.
func (a *groupAnswer) layout(q *query) {
	a.words = 1
	for i := range a.aggregates {
		g := &a.aggregates[i]
		if g.computed != nil {
			g.result = g.computed
			continue
		}
		g.result = g.function.bind(a, q, g)
	}
	for _, f := range a.accumulators {
		f.layout(a)
	}
	for _, f := range a.accumulators {
		f.layoutRare(a)
	}
	for _, o := range a.objects {
		o.base().at = a.words
		o.layout(a)
	}
}

func (a *groupAnswer) addWord(first int64) int {
	a.init = append(a.init, uint64(first))
	a.words++
	return a.words - 1
}

// addCounter adds a word that is a number of records or texts.
func (a *groupAnswer) addCounter() {
	a.counters = append(a.counters, a.addWord(0))
}

// addHandle adds a word that is a handle. rare is true if few groups have an object there.
func (a *groupAnswer) addHandle(rare bool, make func(s *store) objects) int {
	word := a.addWord(0)
	a.handles = append(a.handles, handle{word, rare, make})
	return word
}

// merge adds the words of a group to those of the same group in another table or run.
func (a *groupAnswer) merge(into, from []uint64) {
	into[0] += from[0]
	for _, f := range a.accumulators {
		f.merge(into, from)
	}
	for _, i := range a.counters {
		into[i] += from[i]
	}
}

// fraction is the part parts/of of all values.
type fraction struct{ parts, of uint64 }

// rank returns the rank of a quantile among n values in ascending order: ceil(n*parts/of), at least 1. Ranks count
// from 1.
func (f fraction) rank(n int64) int64 {
	high, low := bits.Mul64(uint64(n), f.parts)
	rank, rest := bits.Div64(high, low, f.of)
	if rest > 0 {
		rank++
	}
	return max(int64(rank), 1)
}
