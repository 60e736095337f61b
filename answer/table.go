package answer

import (
	"errors"
	"math/big"
	"slices"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/receipt"
)

// TableReport says what a pass over a table did.
type TableReport struct {
	Records   int64 // how many meet the filter
	Empty     int64 // lines without any bytes, which are not records
	Malformed int64 // malformed records
	// MalformedLines and MalformedBytes are the size of the malformed records. A record with a quoted
	// field that is not closed may have many lines.
	MalformedLines, MalformedBytes int64
	Problems                       []failure.Problem // the first malformed records
	NonNumeric                     []NonNumeric      // in columns that were aggregated as numbers
	Compared                       []NonNumeric      // that Where compares with numbers, and of which no value is one
	Absent                         []Absent          // paths of lines of JSON that are most likely misspelled
	Missing                        []Missing         // columns that some of several inputs lack

	Bytes          int64
	TruncatedBytes int64 // bytes of records that are not in the answers because a part of them could not be read
	Complete       bool
	Unread         []failure.UnreadError
	Receipt        receipt.Receipt
}

// NonNumeric describes the fields of a column, or the values of an expression, that are not the numbers they are asked
// to be. They are left out of aggregates, and null elsewhere in SQL.
type NonNumeric struct {
	Column string
	Number int // of the column, from 1; 0 in lines of JSON, and if it is an expression
	Count  int64
	Of     int64 // values that were looked at, null not among them; 0 in Compared, and if not all were counted
	Times  bool  // they were asked to be times
	First  failure.Problem
}

// Absent is a path that occurs in no line that was read.
type Absent struct {
	Column string
	Like   string // similar paths that do occur, quoted, with "or" between them; "" for none
}

// Missing is a column that some of several inputs lack by their headers. It is null there.
type Missing struct {
	Column string
	Name   string // of the first of these inputs
	Inputs int64  // how many lack it
}

// Writer receives answers one after the other: a call of Begin, any number of Row, one of End. Cells
// are valid during the call only. An error ends the run and is returned. Tables is an
// implementation, and so is the Writer of package thresh.
type Writer interface {
	// Begin starts the answer to the next question. The title tells answers apart.
	Begin(title string, columns []Column) error
	// Row adds a row, which has a cell for each column.
	Row(cells []Cell) error
	// End ends the answer. Notes are for people: how exact an estimate is, for example.
	End(notes []string) error
}

// Column is the heading of a column of an answer.
type Column struct {
	Name  string
	Type  ColumnType
	Scale int // of ColumnDecimal: digits after the point
	// JSON, of ColumnText, says that the texts are values of JSON, which writers of JSON leave as they are.
	JSON bool
}

// ColumnType says what the cells of a column are, and which field of Cell holds them.
type ColumnType uint8

// The types of columns.
const (
	ColumnText    ColumnType = iota // bytes, in Text
	ColumnInteger                   // in Int
	ColumnDecimal                   // exact: Int, or Big if it is not nil, times 10^-Scale
	ColumnFloat                     // in Float
)

// Table is an answer in memory.
type Table struct {
	Title   string
	Columns []Column
	Rows    [][]Cell
	Notes   []string
}

// errNotBegun is returned for a row or an end without an answer.
var errNotBegun = errors.New("no answer has begun")

// Tables keeps answers in memory. It is a Writer.
type Tables []Table

// Begin starts an answer.
func (t *Tables) Begin(title string, columns []Column) error {
	*t = append(*t, Table{Title: title, Columns: slices.Clone(columns)})
	return nil
}

// Row keeps a copy of a row.
func (t *Tables) Row(cells []Cell) error {
	row := slices.Clone(cells)
	for i := range row {
		row[i].Text = slices.Clone(row[i].Text)
		if row[i].Big != nil {
			row[i].Big = new(big.Int).Set(row[i].Big)
		}
	}
	if len(*t) == 0 {
		return errNotBegun
	}
	last := &(*t)[len(*t)-1]
	last.Rows = append(last.Rows, row)
	return nil
}

// End ends an answer.
func (t *Tables) End(notes []string) error {
	if len(*t) == 0 {
		return errNotBegun
	}
	(*t)[len(*t)-1].Notes = slices.Clone(notes)
	return nil
}
