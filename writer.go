package thresh

import (
	"errors"
	"io"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/output/encode"
	"github.com/thresh-dev/thresh/internal/table/row"
)

// Format is a way to write answers.
type Format string

// The formats. Arrow and Parquet hold one answer.
const (
	FormatTable Format = "table" // aligned columns, for people
	FormatCSV   Format = "csv"   // RFC 4180, with a header
	// FormatTSV separates fields by tabs, with a header. Tabs, line ends and backslashes in texts are \t, \n, \r and
	// \\, and null is \N.
	FormatTSV      Format = "tsv"
	FormatJSON     Format = "json"     // an object a row, a line each
	FormatMarkdown Format = "markdown" // a table of GitHub's Markdown: | and backslashes are escaped, line feeds are <br>
	FormatArrow    Format = "arrow"    // an Arrow IPC stream, or a file if WriterOptions.File is set
	FormatParquet  Format = "parquet"  // a Parquet file
	// FormatChart draws an answer as text: bars for a key and numbers, lines for times, histograms for numbers at equal
	// distances. An answer that nothing of it suits is an error that says what can be drawn.
	FormatChart Format = "chart"
	FormatSVG   Format = "svg"  // the drawing of one answer as SVG, in colours for light and for dark
	FormatHTML  Format = "html" // a page: each answer as a table that can be sorted, with its drawing if one suits it
)

// FormatOf returns the format that the ending of a file's name asks for.
func FormatOf(name string) (f Format, ok bool) {
	format, ok := encode.FormatByName(name)
	return Format(format), ok
}

// WriterOptions say how answers are written. The zero value is right for one answer.
type WriterOptions struct {
	Answers int // how many there will be; 0 means 1
	// MemoryBytes bounds memory as that of options.Run does: Arrow and Parquet gather rows of up to a sixteenth of it,
	// in bytes, as far as that is at most 16 MiB. 0 means 256 MiB.
	MemoryBytes int64
	Delim       byte // of CSV; 0 means a comma
	Quote       byte // of CSV; 0 means "
	// Unquoted writes texts of CSV as they are, without quotes, for tables whose dialect has none.
	Unquoted bool
	// NoHeading leaves the line with the names of columns out of CSV.
	NoHeading bool
	// Null is what null is written as, except in JSON, Arrow and Parquet. Nil is an empty field, and \N in FormatTSV. A
	// text that looks like it is quoted in CSV, and cannot be told from it in a table.
	Null  *string
	File  bool // the output is a file of its own: Arrow is then written so that it can be read at random
	ASCII bool // FormatChart draws with nothing but ASCII
	// For FormatTable and FormatChart on a screen:
	Terminal bool // the output is a screen; texts may be cut
	Color    bool // headings and notes are dim
	Width    int  // columns of the screen; 0 means that they are not known
	// Height is the lines of the screen: rows and columns of an answer that do not fit are left out, and counted below
	// it, with Hint after it. 0 means that all are written.
	Height int
	Hint   string
}

// Writer is a TableWriter that writes answers in a Format. It serves one goroutine. After an error it
// writes nothing more and returns that error again.
type Writer struct {
	w       encode.Writer
	columns int // of the answer that was begun; -1 if there is none
	values  []encode.Value
	err     error
}

// NewWriter returns a writer of answers to w. Rows are gathered; Close writes the rest. An unknown
// format, or several answers in a format that holds one, is a *failure.OptionError.
func NewWriter(w io.Writer, f Format, o WriterOptions) (*Writer, error) {
	if err := required("w", w); err != nil {
		return nil, err
	}
	if err := errors.Join(notNegative("Answers", int64(o.Answers)), notNegative("Width", int64(o.Width)),
		notNegative("Height", int64(o.Height)), notNegative("MemoryBytes", o.MemoryBytes)); err != nil {
		return nil, err
	}
	e, err := encode.New(w, encode.Options{Format: encode.Format(f), Answers: o.Answers, Delim: o.Delim, Quote: o.Quote,
		Unquoted: o.Unquoted, NoHeading: o.NoHeading, Color: o.Color, Null: o.Null,
		ASCII: o.ASCII, Terminal: o.Terminal, WidthMax: o.Width, HeightMax: o.Height, Hint: o.Hint, File: o.File,
		MemBytes: o.MemoryBytes})
	if err != nil {
		return nil, &failure.OptionError{Field: "Format", Value: f, Reason: err.Error()}
	}
	return &Writer{w: e, columns: -1}, nil
}

// Begin starts an answer, which needs a column. The answer before must have ended.
func (w *Writer) Begin(title string, columns []Column) error {
	if !w.may(w.columns < 0 && len(columns) > 0, "begin an answer: it has no columns, or the one before has not ended") {
		return w.err
	}
	w.columns = len(columns)
	return w.keep(w.w.Begin(title, encoded(columns)))
}

func encoded(columns []Column) []encode.Column {
	headings := make([]encode.Column, len(columns))
	for i, c := range columns {
		headings[i] = encode.Column{Name: c.Name, Type: encode.Type(c.Type), Scale: c.Scale}
	}
	return headings
}

// rowFormat returns the format of rows of texts, nil if the Writer's format has none.
func (w *Writer) rowFormat(columns []Column) row.Format {
	if rows, ok := w.w.(encode.RowWriter); ok {
		return rows.RowFormat(encoded(columns))
	}
	return nil
}

// rows writes formatted rows.
func (w *Writer) rows(text []byte) error {
	if !w.may(w.columns >= 0, "write rows: no answer has begun") {
		return w.err
	}
	return w.keep(w.w.(encode.RowWriter).Rows(text))
}

// Row writes a row, which has a cell for each column. Nothing of it is kept.
func (w *Writer) Row(cells []Cell) error {
	if !w.may(len(cells) == w.columns, "write a row: it has more or fewer cells than the answer has columns") {
		return w.err
	}
	w.values = w.values[:0]
	for _, c := range cells {
		w.values = append(w.values, encode.Value{Null: c.Null, Text: c.Text, Int: c.Int, Big: c.Big, Float: c.Float})
	}
	return w.keep(w.w.Row(w.values))
}

// End ends an answer.
func (w *Writer) End(notes []string) error {
	if !w.may(w.columns >= 0, "end an answer: none has begun") {
		return w.err
	}
	w.columns = -1
	return w.keep(w.w.End(notes))
}

// Notes returns the notes for which the format has no place, and those of the writer's own: that text
// was changed because it was not UTF-8, for example. They are complete after Close.
func (w *Writer) Notes() []string {
	if w.w == nil {
		return nil
	}
	return w.w.Notes()
}

// Close writes what was gathered. It does not close the writer below.
func (w *Writer) Close() error {
	if !w.may(w.columns < 0, "close the writer: an answer has not ended") {
		return w.err
	}
	return w.keep(w.w.Close())
}

// may reports whether a call is allowed. If not, the writer keeps the error.
func (w *Writer) may(allowed bool, problem string) bool {
	switch {
	case w.err != nil:
	case w.w == nil:
		w.err = errors.New("the writer is empty; make one by NewWriter")
	case !allowed:
		w.err = errors.New(problem)
	}
	return w.err == nil
}

// keep keeps an error for later calls.
func (w *Writer) keep(err error) error {
	w.err = err
	return err
}
