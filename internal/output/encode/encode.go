// Package encode writes answers: as aligned tables for people, as CSV and JSON lines for other
// programs, and as Arrow and Parquet for programs that read columns. It takes rows one at a
// time and writes them in pieces, so memory does not grow with the length of an answer.
//
// Arrow and Parquet are written here, because libraries take 1 to 5 ms of the start of every run, whatever it is
// asked. The tests read the files with pyarrow and DuckDB.
package encode

import (
	"fmt"
	"io"
	"math/big"
	"path/filepath"
	"slices"
	"strings"

	"github.com/thresh-dev/thresh/internal/threshold"
)

// Type is the type of a column's values. It determines which field of Value holds them.
type Type uint8

const (
	Text    Type = iota // bytes, in Value.Text
	Integer             // in Value.Int
	Decimal             // an exact decimal: Value.Int or Value.Big, times 10^-Scale
	Float               // in Value.Float
)

// Column describes one column of an answer.
type Column struct {
	Name  string
	Type  Type
	Scale int // of Decimal: digits after the point, from 0
	// Digits is the maximum number of digits of a Decimal in this column, 0 if unknown. Arrow and
	// Parquet declare a width before the first value: 38 or 76 digits. If Digits is 0, the first
	// batch of rows determines the width, and a longer value after that is an error.
	Digits int
}

// Value is one cell. If Null is true, the other fields are ignored.
type Value struct {
	Null  bool
	Text  []byte // any bytes; not kept after Row returns
	Int   int64
	Big   *big.Int // of Decimal: the mantissa, if it does not fit in Int; else nil
	Float float64
}

// Writer writes answers one after the other: for each answer Begin, any number of Row, and End;
// at the end Close. It is for one goroutine. After an error it writes nothing more, and returns
// the same error again.
type Writer interface {
	// Begin starts an answer. The title distinguishes several answers.
	Begin(title string, columns []Column) error
	// Row writes one row: a value for each column. It keeps none of the values.
	Row(values []Value) error
	// End ends the answer. Notes say what the reader of the answer should know, for example how
	// exact its percentiles are.
	End(notes []string) error
	// Notes returns the notes that the format has no place for, and the writer's own notes, for
	// example that it replaced text that is not UTF-8. The caller shows them.
	Notes() []string
	// Close writes buffered data. It does not close the underlying file.
	Close() error
}

// RowWriter is a Writer in a format in which no row depends on another. So rows of texts can be formatted
// by several goroutines at once.
type RowWriter interface {
	Writer
	// RowFormat returns the format of rows of texts, for one goroutine. It may be called before Begin
	// has been called for the same columns. End must not be called while a format is in use.
	RowFormat(columns []Column) RowFormat
	// Rows writes formatted rows.
	Rows(text []byte) error
}

// RowFormat formats rows.
type RowFormat interface {
	// Append appends a row of texts to dst. A nil text is null. It keeps none of them. The error is that of a row
	// that cannot be written.
	Append(dst []byte, fields [][]byte) ([]byte, error)
	// AppendJSON appends a row of values that are JSON. It returns false if the format is another.
	AppendJSON(dst []byte, values [][]byte) ([]byte, bool)
	// AsWritten reports whether a row of a table with this delimiter and this quote, 0 for none, looks the same
	// in this format if there is neither a quote nor a carriage return in it, and more than one field.
	AsWritten(delim, quote byte) bool
}

// Format is the name of an output format.
type Format string

// The formats.
const (
	FormatTable    Format = "table"
	FormatCSV      Format = "csv"
	FormatTSV      Format = "tsv"
	FormatJSON     Format = "json"
	FormatMarkdown Format = "markdown"
	FormatArrow    Format = "arrow"
	FormatParquet  Format = "parquet"
	FormatChart    Format = "chart"
	FormatSVG      Format = "svg"
	FormatHTML     Format = "html"
)

// Options configures a writer.
type Options struct {
	Format   Format
	Answers  int  // how many answers there will be; 0 counts as 1
	Delim    byte // of CSV; 0 means comma
	Quote    byte // of CSV; 0 means "
	Unquoted bool // of CSV: texts are written as they are, without quotes
	// NoHeading leaves the line with the names of columns out of CSV.
	NoHeading bool
	Null      *string // what null is written as in text formats but JSON; nil for what the format has for it
	Color     bool    // of a table: headings and notes are dim
	ASCII     bool    // of a chart: nothing but ASCII
	Terminal  bool    // the output is a terminal: a table may cut text, binary formats are refused
	WidthMax  int     // of a table on a terminal: columns of the screen, 0 if unknown
	HeightMax int     // of a table on a terminal: lines of the screen; the other rows and columns are left out. 0: all
	Hint      string  // after how many were left out: how to get them
	File      bool    // the output is a file of its own, not a stream
	MemBytes  int64   // bound on the memory of the whole program; 0 for one that does not matter
}

// formats are the formats, with the endings of files' names that stand for them.
var formats = []struct {
	name    Format
	endings []string
	single  bool // it holds one table
	binary  bool // it is not for a terminal
	open    func(w io.Writer, o Options) (Writer, error)
}{
	{FormatTable, nil, false, false, always(newTable)},
	{FormatCSV, []string{".csv"}, false, false,
		func(w io.Writer, o Options) (Writer, error) { return newCSV(w, o) }},
	{FormatTSV, []string{".tsv"}, false, false, always(newTSV)},
	{FormatJSON, []string{".json", ".jsonl", ".ndjson"}, false, false, always(newJSON)},
	{FormatMarkdown, []string{".md"}, false, false, always(newMarkdown)},
	{FormatArrow, []string{".arrow"}, true, true, always(newArrow)},
	{FormatParquet, []string{".parquet"}, true, true, always(newParquet)},
	{FormatChart, nil, false, false, always(newChart)},
	{FormatSVG, []string{".svg"}, true, false, always(newChart)},
	{FormatHTML, []string{".html", ".htm"}, false, false, always(newChart)},
}

// always returns a function for a writer that any options will do for.
func always[W Writer](open func(io.Writer, Options) W) func(io.Writer, Options) (Writer, error) {
	return func(w io.Writer, o Options) (Writer, error) { return open(w, o), nil }
}

// formatNames returns the names of all formats.
func formatNames() (names []string) {
	for _, f := range formats {
		names = append(names, string(f.name))
	}
	return names
}

// New returns a writer of answers to w. If o.File is set, Arrow uses its file format, which
// allows random access; otherwise it uses the stream format.
func New(w io.Writer, o Options) (Writer, error) {
	for _, f := range formats {
		switch {
		case f.name != o.Format:
		case f.single && o.Answers > 1:
			return nil, fmt.Errorf("%s holds one table and there are %d answers: ask one question, or use thresh.Format json",
				o.Format, o.Answers)
		case f.binary && o.Terminal:
			return nil, fmt.Errorf("%s is not for a terminal: write it to a file with -o, or to a pipe", o.Format)
		default:
			return f.open(w, o)
		}
	}
	return nil, fmt.Errorf("output format %q is unknown: use %s", o.Format, strings.Join(formatNames(), ", "))
}

// FormatByName returns the format that the extension of a file name stands for. ok is false if it
// stands for none.
func FormatByName(name string) (Format, bool) {
	ending := strings.ToLower(filepath.Ext(name))
	for _, f := range formats {
		if slices.Contains(f.endings, ending) {
			return f.name, true
		}
	}
	return "", false
}

// outputBytes is how much is buffered before a write. A system call for every 64 KiB costs little,
// and a larger buffer would only delay the reader of a pipe.
var outputBytes = threshold.New("output: bytes buffered before a write", 64<<10, 1)

// output buffers bytes for w. Writers append to buf and call spill after each row.
type output struct {
	w   io.Writer
	buf []byte
	off int64 // bytes written before buf

	flushBytes int // spill writes buf from this size on

	err   error
	notes []string // notes that the format has no place for
}

func newOutput(w io.Writer) output {
	return output{w: w, flushBytes: outputBytes.Get(), buf: make([]byte, 0, outputBytes.Get()/4*5)}
}

// spill writes the buffer if it is large enough.
func (o *output) spill() error {
	if len(o.buf) < o.flushBytes {
		return o.err
	}
	return o.flush()
}

// flush writes the buffer.
func (o *output) flush() error {
	if o.err == nil && len(o.buf) > 0 {
		n, err := o.w.Write(o.buf)
		if err == nil && n < len(o.buf) {
			err = io.ErrShortWrite
		}
		o.off += int64(n)
		o.err = err
	}
	o.buf = o.buf[:0]
	return o.err
}

// Rows writes formatted rows, after what is in the buffer. Many are written from where they are.
func (o *output) Rows(text []byte) error {
	if len(text) < o.flushBytes {
		o.buf = append(o.buf, text...)
		return o.flush()
	}
	if o.flush() == nil {
		buf := o.buf
		o.buf = text
		o.err = o.flush()
		o.buf = buf
	}
	return o.err
}

// fail keeps the first error.
func (o *output) fail(err error) error {
	if o.err == nil {
		o.err = err
	}
	return o.err
}

// Notes returns the notes that the caller should show.
func (o *output) Notes() []string { return o.notes }

// Close writes the buffer.
func (o *output) Close() error { return o.flush() }

// columnsOf returns a copy of the columns. It panics if there are none: not every format can
// write an answer without columns.
func columnsOf(columns []Column) []Column {
	if len(columns) == 0 {
		panic("thresh: bug: an answer without columns")
	}
	return slices.Clone(columns)
}

// check panics if a row does not fit its columns.
func check(columns []Column, values []Value) {
	if len(columns) != len(values) {
		panic("thresh: bug: a row with more or fewer values than its answer has columns")
	}
}
