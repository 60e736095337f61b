// Package encode writes answers: as aligned tables for people, as CSV and JSON lines for
// other programs, as Arrow and Parquet for what reads columns. Rows come one at a time and
// go out in pieces, so that an answer of any length takes no memory in proportion to it.
package encode

import (
	"fmt"
	"io"
	"math/big"
	"path/filepath"
	"strings"
)

// Type says what a column's values are, and which field of Value holds them.
type Type uint8

const (
	Text    Type = iota // bytes, in Value.Text
	Integer             // in Value.Int
	Decimal             // an exact decimal: Value.Int, or Value.Big, times 10 to the -Scale
	Float               // in Value.Float
)

// Column describes one column of an answer.
type Column struct {
	Name  string
	Type  Type
	Scale int // of Decimal: digits behind the point, from 0
	// Digits is the most that a Decimal of this column has, 0 where nobody knows. Arrow and
	// Parquet name a width before the first value: 38 digits, or 76. Where Digits is 0 the
	// first batch of rows decides, and a longer value behind it is an error.
	Digits int
}

// Value is one cell. Null goes before all: nothing else is looked at.
type Value struct {
	Null  bool
	Text  []byte // any bytes; not kept after Row returns
	Int   int64
	Big   *big.Int // of Decimal: the mantissa, where Int does not hold it; else nil
	Float float64
}

// Writer writes answers one after the other: Begin, any number of Row, End; at last Close.
// It is for one goroutine. After an error it writes nothing more and returns that error again.
type Writer interface {
	// Begin starts an answer. The title tells answers apart where there are several.
	Begin(title string, columns []Column) error
	// Row writes one row: a value for each column. Nothing of it is kept.
	Row(values []Value) error
	// End ends the answer. Notes say what the reader of it should know, such as how exact
	// its percentiles are.
	End(notes []string) error
	// Notes returns the notes that the format had no place for, and those of the writer's
	// own, such as that text was changed because it was not UTF-8. The caller shows them.
	Notes() []string
	// Close writes what is held back. It leaves the file below open.
	Close() error
}

// Format is the name of a way to write answers.
type Format string

// The formats.
const (
	FormatTable   Format = "table"
	FormatCSV     Format = "csv"
	FormatJSON    Format = "json"
	FormatArrow   Format = "arrow"
	FormatParquet Format = "parquet"
)

// Options say how to write.
type Options struct {
	Format   Format
	Answers  int  // how many there will be; 0 counts as 1
	Delim    byte // of CSV; 0 is a comma
	Color    bool // of a table: headings and notes are dim
	Terminal bool // the output is a screen: a table may cut text, and binary formats stay away
	WidthMax int  // of a table on a terminal: columns of the screen, 0 if not known
	File     bool // the output is a file of its own, not a stream
}

// New returns a writer of answers to w. Arrow is written as a file, which can be read at
// random, where w is a file of its own, and else as a stream.
func New(w io.Writer, o Options) (Writer, error) {
	switch o.Format {
	case FormatTable:
		return newTable(w, o), nil
	case FormatCSV:
		return newCSV(w, o)
	case FormatJSON:
		return newJSON(w, o), nil
	case FormatArrow, FormatParquet:
		if o.Answers > 1 {
			return nil, fmt.Errorf("%s holds one table and there are %d answers: ask one question, or use --format json",
				o.Format, o.Answers)
		}
		if o.Terminal {
			return nil, fmt.Errorf("%s is not for a terminal: name a file for it by -o, or pass it on by a pipe", o.Format)
		}
		if o.Format == FormatParquet {
			return newParquet(w), nil
		}
		return newArrow(w, o.File), nil
	}
	return nil, fmt.Errorf("output format %q is not known: use table, csv, json, arrow or parquet", o.Format)
}

// FormatByName returns the format that the ending of a file's name asks for, if it does.
func FormatByName(name string) (Format, bool) {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".csv":
		return FormatCSV, true
	case ".json", ".jsonl", ".ndjson":
		return FormatJSON, true
	case ".arrow":
		return FormatArrow, true
	case ".parquet":
		return FormatParquet, true
	}
	return "", false
}
