package query

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/thresh-dev/thresh/internal/output/bytesize"
	"github.com/thresh-dev/thresh/internal/output/numeral"
	"github.com/thresh-dev/thresh/internal/table/expr"
)

// SourceJoin is a source in memory, and how records find its rows.
type SourceJoin struct {
	*Source
	How     JoinKind
	Index   int
	Flipped bool         // its rows are those of the left side, and the records those of the right one
	Keys    []int        // columns that hold what is looked up
	Sides   []*expr.Expr // of its own columns: what keys are compared with
	Numbers []bool       // by key: both sides are compared as numbers
	Columns []int        // derived.all[columns[k]] is the k-th field of its rows
	Where   []expr.Node  // of its own columns: only rows for which these are true
	Known   int          // derived.all[:known] are computed before rows are looked up
}

// Need says what of a source is needed in memory.
type Need struct {
	Source  int
	Columns []string // for a Select: the keys, and then the others
	Numbers []bool   // by key: it is compared as a number
	Where   string   // which rows; empty for all
	All     bool     // rows whose key is null are needed, too
}

// OwnName returns how a column of a join is written where only that source is asked.
func (q *Query) OwnName(j *SourceJoin, column int) string {
	own := q.Derived.All[column-q.Derived.First].Joined.column
	if j.First.Paths != nil || own >= j.First.Fields && j.First.Fields > 0 {
		return j.First.Name(own)
	}
	return strconv.Itoa(own + 1)
}

// narrowsOnly reports whether joins, if there are any, do no more than leave records out.
func (q *Query) narrowsOnly() bool {
	return !slices.ContainsFunc(q.Joins, func(j *SourceJoin) bool { return j.Flipped || !j.How.KeepsOne() })
}

// KeepsRows reports whether rows in memory that no record matches, or some does, belong to the answer at its end.
func (j *SourceJoin) KeepsRows() bool { return j.Flipped || j.How == Full }

// Plan describes the join.
func (j *SourceJoin) Plan(q *Query) string {
	var on []string
	for k, column := range j.Keys {
		side := j.Sides[k].Named(q.written)
		if j.Numbers[k] {
			side += ", as numbers"
		}
		on = append(on, q.written(column)+" = "+side)
	}
	where, memory := "", "to be read into memory"
	if j.Where != nil {
		where = " where " + expr.All(j.Where...).Named(q.written)
	}
	if j.Rows != nil {
		memory = fmt.Sprintf("%s, %s in memory", numeral.Count(j.Rows.Rows(), "row"), bytesize.Short(j.Rows.Bytes()))
	}
	return fmt.Sprintf("%v, %s on %s%s: %s", j.How, j.title(), strings.Join(on, " and "), where, memory)
}
