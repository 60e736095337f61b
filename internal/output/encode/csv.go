package encode

import (
	"fmt"
	"io"
	"strings"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/table/row"
	"github.com/thresh-dev/thresh/options"
)

// csvWriter writes RFC 4180 with line feeds: a heading, then rows. It writes the bytes of a text
// unchanged. Null is an empty field, and an empty text two quotes; where there are no quotes it is an error. Answers
// are separated by an empty line.
type csvWriter struct {
	output
	csvFormat
	numeric  bool // the delimiter may be part of a number
	headless bool // no heading is written
	columns  []answer.Column
	begun    int
}

// csvFormat says how fields are written.
type csvFormat struct {
	delim   byte
	quote   byte
	bare    bool      // there are no quotes
	null    string    // how null is written; a text that looks like it is quoted
	special [256]bool // bytes that require quotes around a field
}

func newCSV(w io.Writer, o options.Writer) (*csvWriter, error) {
	c := &csvWriter{output: newOutput(w), headless: o.NoHeading,
		csvFormat: csvFormat{delim: o.Delim, quote: o.Quote, bare: o.Unquoted}}
	if o.Null != nil {
		c.null = *o.Null
	}
	if c.delim == 0 {
		c.delim = ','
	}
	if c.quote == 0 {
		c.quote = '"'
	}
	switch {
	case c.delim == '\n' || c.delim == '\r', c.delim == c.quote && !c.bare:
		return nil, fmt.Errorf("output delimiter %q is the quote or a line ending of CSV: use another", c.delim)
	}
	c.numeric = strings.IndexByte("+-.0123456789eInfNa", c.delim) >= 0
	if !c.bare {
		for _, b := range []byte{c.quote, '\n', '\r', c.delim} {
			c.special[b] = true
		}
	}
	return c, nil
}

// Begin writes the heading: the names of the columns.
func (c *csvWriter) Begin(_ string, columns []answer.Column) error {
	if c.begun++; c.begun > 1 {
		c.buf = append(c.buf, '\n')
	}
	c.columns = columnsOf(columns)
	if c.headless {
		return c.err
	}
	for i := range columns {
		if i > 0 {
			c.buf = append(c.buf, c.delim)
		}
		c.field([]byte(columns[i].Name))
	}
	c.buf = append(c.buf, '\n')
	return c.spill()
}

// Row writes a line.
func (c *csvWriter) Row(values []answer.Cell) error {
	check(c.columns, values)
	for i := range values {
		if i > 0 {
			c.buf = append(c.buf, c.delim)
		}
		column, v := &c.columns[i], &values[i]
		switch {
		case v.Null:
			c.buf = append(c.buf, c.null...)
		case column.Type == answer.ColumnText && len(v.Text) == 0 && c.bare && c.null == "":
			c.err = errEmptyText(column.Name)
			return c.err
		case column.Type == answer.ColumnText:
			c.field(v.Text)
		default:
			c.number(column, v)
		}
	}
	c.buf = append(c.buf, '\n')
	return c.spill()
}

// End leaves the notes to the caller: a CSV file has no place for them.
func (c *csvWriter) End(notes []string) error {
	c.notes = append(c.notes, notes...)
	return c.err
}

// errEmptyText is the error for an empty text where there are no quotes.
func errEmptyText(column string) error {
	return fmt.Errorf("column %s: an empty text needs quotes, or it reads as null: write CSV with quotes, or JSON", column)
}

// Format returns the format of rows of texts.
func (c *csvWriter) Format(columns []answer.Column) row.Format {
	return &csvRows{csvFormat: &c.csvFormat, columns: columns}
}

// csvRows formats rows of texts.
type csvRows struct {
	*csvFormat
	columns []answer.Column
}

// number writes a number. It quotes the number if the delimiter may be part of it, such as a
// digit, sign or point.
func (c *csvWriter) number(column *answer.Column, v *answer.Cell) {
	if c.numeric {
		c.field(column.AppendText(nil, v))
		return
	}
	c.buf = column.AppendText(c.buf, v)
}

func (c *csvWriter) field(text []byte) { c.buf = c.append(c.buf, text) }

// Append appends a row of texts.
func (f *csvRows) Append(dst []byte, fields [][]byte) ([]byte, error) {
	for i, text := range fields {
		if i > 0 {
			dst = append(dst, f.delim)
		}
		if text == nil {
			dst = append(dst, f.null...)
			continue
		}
		if len(text) == 0 && f.bare && f.null == "" {
			return dst, errEmptyText(f.columns[i].Name)
		}
		dst = f.append(dst, text)
	}
	if n := len(dst); f.bare && n > 0 && dst[n-1] == '\r' {
		dst = append(dst, '\r') // or readers would take the one of the text for a part of the line's end
	}
	return append(dst, '\n'), nil
}

// KeepsJSON reports that this format is not JSON.
func (f *csvFormat) KeepsJSON() bool { return false }

// AsWritten reports whether the table is written like the output.
func (f *csvFormat) AsWritten(delim, quote byte) bool {
	if f.null != "" {
		return false
	}
	if f.bare {
		return f.delim == delim && quote == 0
	}
	return f.delim == delim && f.quote == quote
}

// append appends a field that is not null.
func (f *csvFormat) append(dst, text []byte) []byte {
	switch {
	case len(text) == 0 && !f.bare:
		return append(dst, f.quote, f.quote)
	case f.null != "" && string(text) == f.null && !f.bare:
		return f.quoted(dst, text)
	}
	special := &f.special // load the pointer once, not for every byte
	for _, b := range text {
		if special[b] {
			return f.quoted(dst, text)
		}
	}
	return append(dst, text...)
}

func (f *csvFormat) quoted(dst, text []byte) []byte {
	dst = append(dst, f.quote)
	for _, b := range text {
		if b == f.quote {
			dst = append(dst, b)
		}
		dst = append(dst, b)
	}
	return append(dst, f.quote)
}
