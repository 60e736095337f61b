// Package encode writes answers: as aligned tables for people, as CSV and JSON lines for other
// programs, and as Arrow and Parquet for programs that read columns. It takes rows one at a
// time and writes them in pieces, so memory does not grow with the length of an answer.
//
// Arrow and Parquet are written here, because libraries take 1 to 5 ms of the start of every run, whatever it is
// asked. The tests read the files with pyarrow and DuckDB.
package encode

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/table/row"
	"github.com/thresh-dev/thresh/internal/threshold"
	"github.com/thresh-dev/thresh/options"
)

// Writer writes answers one after the other: for each answer Begin, any number of Row, and End;
// at the end Close. It is for one goroutine. After an error it writes nothing more, and returns
// the same error again.
type Writer interface {
	answer.Writer
	// Notes returns the notes that the format has no place for, and the writer's own notes, for
	// example that it replaced text that is not UTF-8. The caller shows them.
	Notes() []string
	// Close writes buffered data. It does not close the underlying file.
	Close() error
}

// RowWriter is a Writer in a format in which no row depends on another. So rows of texts can be formatted
// by several goroutines at once. Format may be called before Begin has been called for the same columns.
type RowWriter interface {
	Writer
	row.Formatter
}

// formats are the formats, with the endings of files' names that stand for them.
var formats = []struct {
	name    options.Format
	endings []string
	single  bool // it holds one table
	binary  bool // it is not for a terminal
	open    func(w io.Writer, o options.Writer) (Writer, error)
}{
	{options.FormatTable, nil, false, false, always(newTable)},
	{options.FormatCSV, []string{".csv"}, false, false,
		func(w io.Writer, o options.Writer) (Writer, error) { return newCSV(w, o) }},
	{options.FormatTSV, []string{".tsv"}, false, false, always(newTSV)},
	{options.FormatJSON, []string{".json", ".jsonl", ".ndjson"}, false, false, always(newJSON)},
	{options.FormatMarkdown, []string{".md"}, false, false, always(newMarkdown)},
	{options.FormatArrow, []string{".arrow"}, true, true, always(newArrow)},
	{options.FormatParquet, []string{".parquet"}, true, true, always(newParquet)},
	{options.FormatChart, nil, false, false, always(newChart)},
	{options.FormatSVG, []string{".svg"}, true, false, always(newChart)},
	{options.FormatHTML, []string{".html", ".htm"}, false, false, always(newChart)},
}

// always returns a function for a writer that any options will do for.
func always[W Writer](open func(io.Writer, options.Writer) W) func(io.Writer, options.Writer) (Writer, error) {
	return func(w io.Writer, o options.Writer) (Writer, error) { return open(w, o), nil }
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
func New(w io.Writer, o options.Writer) (Writer, error) {
	for _, f := range formats {
		switch {
		case f.name != cmp.Or(o.Format, options.FormatTable):
		case f.single && o.Answers > 1:
			return nil, fmt.Errorf("%s holds one table and there are %d answers: ask one question, or use Writer.Format json",
				o.Format, o.Answers)
		case f.binary && o.Terminal:
			return nil, fmt.Errorf("%s is not for a terminal: write it to a file with Writer.File, or to a pipe", o.Format)
		default:
			return f.open(w, o)
		}
	}
	return nil, fmt.Errorf("output format %q is unknown: use %s", o.Format, strings.Join(formatNames(), ", "))
}

// FormatByName returns the format that the extension of a file name stands for. ok is false if it
// stands for none.
func FormatByName(name string) (options.Format, bool) {
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
func columnsOf(columns []answer.Column) []answer.Column {
	if len(columns) == 0 {
		panic("thresh: bug: an answer without columns")
	}
	return slices.Clone(columns)
}

// check panics if a row does not fit its columns.
func check(columns []answer.Column, values []answer.Cell) {
	if len(columns) != len(values) {
		panic("thresh: bug: a row with more or fewer values than its answer has columns")
	}
}
