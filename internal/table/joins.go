package table

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/thresh-dev/thresh/internal/output/bytesize"
	"github.com/thresh-dev/thresh/internal/output/numeral"
	"github.com/thresh-dev/thresh/internal/table/expr"
)

// sourceJoin is a source in memory, and how records find its rows.
type sourceJoin struct {
	*Source
	kind    JoinKind
	source  int
	flipped bool         // its rows are those of the left side, and the records those of the right one
	keys    []int        // columns that hold what is looked up
	sides   []*expr.Expr // of its own columns: what keys are compared with
	numbers []bool       // by key: both sides are compared as numbers
	columns []int        // derived.all[columns[k]] is the k-th field of its rows
	where   []expr.Node  // of its own columns: only rows for which these are true
	known   int          // derived.all[:known] are computed before rows are looked up
}

// Need says what of a source is needed in memory.
type Need struct {
	Source  int
	Columns []string // for a Select: the keys, and then the others
	Numbers []bool   // by key: it is compared as a number
	Where   string   // which rows; empty for all
	All     bool     // rows whose key is null are needed, too
}

// ownName returns how a column of a join is written where only that source is asked.
func (q *query) ownName(j *sourceJoin, column int) string {
	own := q.derived.all[column-q.derived.first].joined.column
	if j.First.paths != nil || own >= j.First.Fields && j.First.Fields > 0 {
		return j.First.name(own)
	}
	return strconv.Itoa(own + 1)
}

// narrowsOnly reports whether joins, if there are any, do no more than leave records out.
func (q *query) narrowsOnly() bool {
	return !slices.ContainsFunc(q.joins, func(j *sourceJoin) bool { return j.flipped || !j.kind.keepsOne() })
}

// plan describes the join.
func (j *sourceJoin) plan(q *query) string {
	var on []string
	for k, column := range j.keys {
		side := j.sides[k].Named(q.written)
		if j.numbers[k] {
			side += ", as numbers"
		}
		on = append(on, q.written(column)+" = "+side)
	}
	where, memory := "", "to be read into memory"
	if j.where != nil {
		where = " where " + expr.All(j.where...).Named(q.written)
	}
	if j.Rows != nil {
		memory = fmt.Sprintf("%s, %s in memory", numeral.Count(j.Rows.Rows(), "row"), bytesize.Short(j.Rows.Bytes()))
	}
	return fmt.Sprintf("%v, %s on %s%s: %s", j.kind, j.title(), strings.Join(on, " and "), where, memory)
}
