package table

import (
	"errors"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/thresh-dev/thresh/internal/spelling"
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
	bind func(s *state, q columns, g *call) result
}

// functions has a row for each aggregate function, by family.
var functions = [...][]function{
	counting, adding, extreme, commonest, ranked, estimated, logical, choosing, listing, multiplying, pairwise}

// columns is where the values of a question's columns come from.
type columns interface {
	// Want has columns found in the records.
	Want(columns ...int)
	// WantNumbers has a column parsed as numbers, and returns its index among the number columns.
	WantNumbers(column int, u use) (number int)
	// WantLinear is WantNumbers for the sum of a column only. Ok is false if that of another column does not tell it.
	WantLinear(column int) (number int, l linear, ok bool)
}

// call is an aggregate that a question asks for.
type call struct {
	text     string // its name in answers
	function *function
	columns  []int // of its arguments; nil if it is of records
	constants
}

// constants are what is the same for all records.
type constants struct {
	fraction            fraction
	ordered, descending bool // the last column is what the values are ordered by
	separator           string
	separated           bool // there is a separator
}

// noColumn is the column of an aggregate that has none.
const noColumn = -1

// column returns the first column; noColumn if the aggregate is of records.
func (g *call) column() int {
	if len(g.columns) == 0 {
		return noColumn
	}
	return g.columns[0]
}

// same reports whether two aggregates are the same, perhaps written differently.
func (g *call) same(o *call) bool {
	return g.function == o.function && slices.Equal(g.columns, o.columns) && g.constants == o.constants
}

// countOfRecords returns the aggregate that a question without any asks for.
func countOfRecords() call { return call{text: "count", function: &counting[0]} }

// named returns the aggregate with a name, without arguments.
func named(name string) (g call, err error) {
	g.text, name = name, strings.ToLower(name)
	var known []string
	for _, family := range functions {
		for i := range family {
			f, ok := &family[i], false
			if f.fraction != nil {
				g.fraction, ok = f.fraction(name)
			}
			if ok || slices.Contains(f.names, name) {
				g.function = f
				return g, nil
			}
			known = append(known, f.names...)
		}
	}
	if near := spelling.Nearest(name, known); near != "" {
		return g, errors.New(strconv.Quote(name) + " is unknown; did you mean " + near + "?")
	}
	slices.Sort(known)
	return g, errors.New(strconv.Quote(name) + " is unknown (known: " + strings.Join(known, " ") +
		", quantiles like p50 and p99.9, approx_p50 and the like)")
}

// IsAggregate reports whether a name is that of an aggregate function.
func IsAggregate(name string) bool {
	_, err := named(name)
	return err == nil
}

// parameter is what an argument of a function is: a column or an expression, or a constant.
type parameter struct {
	name     string                                // in messages
	set      func(to *constants, c constant) error // takes a constant; nil for a column
	optional bool                                  // it may be left out, as may those after it
	repeated bool                                  // there may be any number of them; of the last one
}

// constant is an argument that is the same for all records.
type constant struct {
	text   string // without quotes
	quoted bool
}

// oneColumn are the parameters of most functions.
var oneColumn = []parameter{{name: "COLUMN"}}

func (f *function) parameters() []parameter {
	if f.takes == nil {
		return oneColumn
	}
	return f.takes
}

// usage shows how the function is written.
func (f *function) usage(name string) string {
	var b strings.Builder
	for i, p := range f.parameters() {
		separator := ""
		if i > 0 {
			separator = ", "
		}
		switch {
		case p.optional:
			b.WriteString("[" + separator + p.name + "]")
		case p.repeated:
			b.WriteString(separator + p.name + ", ...")
		default:
			b.WriteString(separator + p.name)
		}
	}
	return name + "(" + b.String() + ")"
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
