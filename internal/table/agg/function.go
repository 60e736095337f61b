// Package agg has the aggregate functions of groups. A file has a family of them: its rows of the table of functions,
// how their results are computed, and the objects that groups keep for that. Which words and objects a group has is its
// State, and the groups of one worker, with their keys, are Groups. A question binds its aggregates to a state; workers
// add batches to their groups; then all groups are merged, and a Reader computes the results.
package agg

import (
	"errors"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/thresh-dev/thresh/internal/spelling"
	"github.com/thresh-dev/thresh/internal/table/batch"
)

// Function is a row of the table of aggregate functions. A new one is a row and its result; and if no group keeps what
// the result is computed from, a new kind of object. All three are in one file, that of the family.
type Function struct {
	names    []string    // as people write it
	Alone    bool        // it may stand without arguments
	takes    []Parameter // nil is one column
	Ordered  bool        // "order by" may follow the arguments
	Within   bool        // it is of what follows them: within group (order by COLUMN)
	Distinct string      // the function that is meant by "distinct" before the arguments; "" for none
	// fraction reads a name that has a number in it, like p99.9; nil if the names are all there are.
	fraction func(name string) (f fraction, ok bool)
	// bind has the groups keep what the aggregate is computed from, and returns how.
	bind func(s *State, q Columns, g *Call) Result
}

// functions has a row for each aggregate function, by family.
var functions = [...][]Function{
	counting, adding, extreme, commonest, ranked, binned, estimated, logical, choosing, listing, multiplying, pairwise}

// Columns is where the values of a question's columns come from.
type Columns interface {
	// Want has columns found in the records.
	Want(columns ...int)
	// WantNumbers has a column parsed as numbers, and returns its index among the number columns.
	WantNumbers(column int, u batch.Use) (number int)
	// WantLinear is WantNumbers for the sum of a column only. Ok is false if that of another column does not tell it.
	WantLinear(column int) (number int, l Linear, ok bool)
}

// Call is an aggregate that a question asks for.
type Call struct {
	Text     string // its name in answers
	Function *Function
	Columns  []int // of its arguments; nil if it is of records
	Constants
}

// Constants are what is the same for all records.
type Constants struct {
	fraction            fraction
	Ordered, Descending bool // the last column is what the values are ordered by
	Once                bool // each value counts once: "distinct" was before the arguments
	separator           string
	separated           bool // there is a separator
	bins                int
}

// noColumn is the column of an aggregate that has none.
const noColumn = -1

// column returns the first column; noColumn if the aggregate is of records.
func (g *Call) column() int {
	if len(g.Columns) == 0 {
		return noColumn
	}
	return g.Columns[0]
}

// Bind has the groups of a state keep what the aggregate is computed from, and returns how.
func (g *Call) Bind(s *State, q Columns) Result { return g.Function.bind(s, q, g) }

// Same reports whether two aggregates are the same, perhaps written differently.
func (g *Call) Same(o *Call) bool {
	return g.Function == o.Function && slices.Equal(g.Columns, o.Columns) && g.Constants == o.Constants
}

// CountOfRecords returns the aggregate that a question without any asks for.
func CountOfRecords() Call { return Call{Text: "count", Function: &counting[0]} }

// Named returns the aggregate with a name, without arguments.
func Named(name string) (g Call, err error) {
	g.Text, name = name, strings.ToLower(name)
	if named(name, &g) {
		return g, nil
	}
	var known []string
	for _, family := range functions {
		for i := range family {
			known = append(known, family[i].names...)
		}
	}
	if near := spelling.Nearest(name, known); near != "" {
		return g, errors.New(strconv.Quote(name) + " is unknown; did you mean " + near + "?")
	}
	slices.Sort(known)
	return g, errors.New(strconv.Quote(name) + " is unknown (known: " + strings.Join(known, " ") +
		", quantiles like p50 and p99.9, approx_p50 and the like)")
}

// named sets the function of a name, and reports whether there is one.
func named(name string, g *Call) (ok bool) {
	for _, family := range functions {
		for i := range family {
			f := &family[i]
			if f.fraction != nil {
				g.fraction, ok = f.fraction(name)
			}
			if ok || slices.Contains(f.names, name) {
				g.Function = f
				return true
			}
		}
	}
	return false
}

// IsFunction reports whether a name is that of an aggregate function.
func IsFunction(name string) bool {
	return named(strings.ToLower(name), new(Call))
}

// Parameter is what an argument of a function is: a column or an expression, or a constant.
type Parameter struct {
	name     string                                // in messages
	Set      func(to *Constants, c Constant) error // takes a constant; nil for a column
	Optional bool                                  // it may be left out, as may those after it
	Repeated bool                                  // there may be any number of them; of the last one
}

// Constant is an argument that is the same for all records.
type Constant struct {
	Text   string // without quotes
	Quoted bool
}

// oneColumn are the parameters of most functions.
var oneColumn = []Parameter{{name: "COLUMN"}}

// Parameters returns what the arguments are.
func (f *Function) Parameters() []Parameter {
	if f.takes == nil {
		return oneColumn
	}
	return f.takes
}

// Usage shows how the function is written.
func (f *Function) Usage(name string) string {
	var b strings.Builder
	for i, p := range f.Parameters() {
		separator := ""
		if i > 0 {
			separator = ", "
		}
		switch {
		case p.Optional:
			b.WriteString("[" + separator + p.name + "]")
		case p.Repeated:
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
