package encode

import (
	"io"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/table/row"
	"github.com/thresh-dev/thresh/options"
)

// lines is a format without quotes: a line for each row, in which some bytes of texts are written as others.
type lines struct {
	begin, between, end string
	null                string                        // how null is written; Options.Null says otherwise
	escapes             [256]string                   // by byte; "" for one that is written as it is
	rule                func(c *answer.Column) string // below the heading, by column; nil for none
}

// newTSV separates fields by tabs. Tabs, line ends and backslashes in texts are escaped, so \N is nothing but null.
func newTSV(w io.Writer, o options.Writer) *linesWriter {
	l := &lines{between: "\t", end: "\n", null: `\N`}
	l.escapes['\t'], l.escapes['\n'], l.escapes['\r'], l.escapes['\\'] = `\t`, `\n`, `\r`, `\\`
	return newLines(w, o, l)
}

// newMarkdown writes a table of GitHub's Markdown. What would end a cell is escaped; other marks keep their meaning.
func newMarkdown(w io.Writer, o options.Writer) *linesWriter {
	l := &lines{begin: "| ", between: " | ", end: " |\n", rule: func(c *answer.Column) string {
		if c.Type == answer.ColumnText {
			return "---"
		}
		return "--:"
	}}
	l.escapes['|'], l.escapes['\n'], l.escapes['\r'], l.escapes['\\'] = `\|`, "<br>", " ", `\\`
	return newLines(w, o, l)
}

// linesWriter writes answers in such a format, with an empty line between them.
type linesWriter struct {
	output
	*lines
	columns []answer.Column
	begun   int
}

func newLines(w io.Writer, o options.Writer, l *lines) *linesWriter {
	if o.Null != nil {
		l.null = *o.Null
	}
	return &linesWriter{output: newOutput(w), lines: l}
}

// Begin writes the names of the columns.
func (l *linesWriter) Begin(_ string, columns []answer.Column) error {
	if l.begun++; l.begun > 1 {
		l.buf = append(l.buf, '\n')
	}
	l.columns = columnsOf(columns)
	l.row(func(i int) { l.buf = l.text(l.buf, []byte(columns[i].Name)) })
	if l.rule != nil {
		l.row(func(i int) { l.buf = append(l.buf, l.rule(&columns[i])...) })
	}
	return l.spill()
}

// Row writes a line.
func (l *linesWriter) Row(values []answer.Cell) error {
	check(l.columns, values)
	l.row(func(i int) {
		switch column, v := &l.columns[i], &values[i]; {
		case v.Null:
			l.buf = append(l.buf, l.null...)
		case column.Type == answer.ColumnText:
			l.buf = l.text(l.buf, v.Text)
		default:
			l.buf = column.AppendText(l.buf, v)
		}
	})
	return l.spill()
}

// row writes a line of cells.
func (l *linesWriter) row(cell func(i int)) {
	l.buf = append(l.buf, l.begin...)
	for i := range l.columns {
		if i > 0 {
			l.buf = append(l.buf, l.between...)
		}
		cell(i)
	}
	l.buf = append(l.buf, l.end...)
}

// End leaves the notes to the caller.
func (l *linesWriter) End(notes []string) error {
	l.notes = append(l.notes, notes...)
	return l.err
}

// Format returns the format of rows of texts.
func (l *linesWriter) Format([]answer.Column) row.Format { return l.lines }

// Append appends a row of texts.
func (l *lines) Append(dst []byte, fields [][]byte) ([]byte, error) {
	dst = append(dst, l.begin...)
	for i, text := range fields {
		if i > 0 {
			dst = append(dst, l.between...)
		}
		if text == nil {
			dst = append(dst, l.null...)
		} else {
			dst = l.text(dst, text)
		}
	}
	return append(dst, l.end...), nil
}

// KeepsJSON reports that this format is not JSON.
func (l *lines) KeepsJSON() bool { return false }

// AsWritten reports that no table is written like this one.
func (l *lines) AsWritten(byte, byte) bool { return false }

// text appends a text.
func (l *lines) text(dst, text []byte) []byte {
	done := 0
	for i, b := range text {
		if escape := l.escapes[b]; escape != "" {
			dst = append(append(dst, text[done:i]...), escape...)
			done = i + 1
		}
	}
	return append(dst, text[done:]...)
}
