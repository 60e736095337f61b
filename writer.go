package thresh

import (
	"errors"
	"io"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/output/encode"
	"github.com/thresh-dev/thresh/internal/table/row"
	"github.com/thresh-dev/thresh/options"
)

// FormatOf returns the format that the ending of a file's name asks for.
func FormatOf(name string) (f options.Format, ok bool) { return encode.FormatByName(name) }

// Writer writes answers in a format. It is an answer.Writer. It serves one goroutine. After an error it
// writes nothing more and returns that error again.
type Writer struct {
	w       encode.Writer
	columns int // of the answer that was begun; -1 if there is none
	err     error
}

// NewWriter returns a writer of answers to w. Rows are gathered; Close writes the rest. An unknown
// format, or several answers in a format that holds one, is a *failure.OptionError.
func NewWriter(w io.Writer, o options.Writer) (*Writer, error) {
	if err := required("w", w); err != nil {
		return nil, err
	}
	if err := errors.Join(notNegative("Answers", int64(o.Answers)), notNegative("Width", int64(o.Width)),
		notNegative("Height", int64(o.Height)), notNegative("MemoryBytes", o.MemoryBytes)); err != nil {
		return nil, err
	}
	e, err := encode.New(w, o)
	if err != nil {
		return nil, &failure.OptionError{Field: "Format", Value: o.Format, Reason: err.Error()}
	}
	return &Writer{w: e, columns: -1}, nil
}

// Begin starts an answer, which needs a column. The answer before must have ended.
func (w *Writer) Begin(title string, columns []answer.Column) error {
	if !w.may(w.columns < 0 && len(columns) > 0, "begin an answer: it has no columns, or the one before has not ended") {
		return w.err
	}
	w.columns = len(columns)
	return w.keep(w.w.Begin(title, columns))
}

// Row writes a row, which has a cell for each column. Nothing of it is kept.
func (w *Writer) Row(cells []answer.Cell) error {
	if !w.may(len(cells) == w.columns, "write a row: it has more or fewer cells than the answer has columns") {
		return w.err
	}
	return w.keep(w.w.Row(cells))
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

// output returns where a table writes its answers. Rows of a Writer are formatted by all workers at once, if its format
// allows that.
func output(out answer.Writer) answer.Writer {
	if w, ok := out.(*Writer); ok {
		return formatting{w}
	}
	return out
}

// formatting is a Writer as a row.Formatter.
type formatting struct{ *Writer }

// Format returns the format of rows of texts, nil if the Writer's format has none.
func (f formatting) Format(columns []answer.Column) row.Format {
	if rows, ok := f.w.(encode.RowWriter); ok {
		return rows.Format(columns)
	}
	return nil
}

// Rows writes formatted rows.
func (f formatting) Rows(text []byte) error {
	if !f.may(f.columns >= 0, "write rows: no answer has begun") {
		return f.err
	}
	return f.keep(f.w.(encode.RowWriter).Rows(text))
}
