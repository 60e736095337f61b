package encode

import (
	"fmt"
	"io"
	"strings"
)

// csvWriter writes RFC 4180 with line feeds: a heading, then rows. It writes the bytes of a text
// unchanged. Null and an empty text are both written as an empty field. Answers are separated by
// an empty line, so in an answer of one column an empty field is written as two quotes.
type csvWriter struct {
	output
	delim   byte
	numeric bool      // the delimiter may be part of a number
	special [256]bool // bytes that require quotes around a field
	columns []Column
	begun   int
}

func newCSV(w io.Writer, o Options) (*csvWriter, error) {
	c := &csvWriter{output: newOutput(w), delim: o.Delim}
	if c.delim == 0 {
		c.delim = ','
	}
	switch c.delim {
	case '"', '\n', '\r':
		return nil, fmt.Errorf("output delimiter %q is the quote or a line ending of CSV: use another", c.delim)
	}
	c.numeric = strings.IndexByte("+-.0123456789eInfNa", c.delim) >= 0
	for _, b := range []byte{'"', '\n', '\r', c.delim} {
		c.special[b] = true
	}
	return c, nil
}

// Begin writes the heading: the names of the columns.
func (c *csvWriter) Begin(_ string, columns []Column) error {
	if c.begun++; c.begun > 1 {
		c.buf = append(c.buf, '\n')
	}
	c.columns = columnsOf(columns)
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
func (c *csvWriter) Row(values []Value) error {
	check(c.columns, values)
	for i := range values {
		if i > 0 {
			c.buf = append(c.buf, c.delim)
		}
		column, v := &c.columns[i], &values[i]
		switch {
		case v.Null:
			c.field(nil)
		case column.Type == Text:
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

// number writes a number. It quotes the number if the delimiter may be part of it, such as a
// digit, sign or point.
func (c *csvWriter) number(column *Column, v *Value) {
	if c.numeric {
		c.field(appendNumber(nil, column, v))
		return
	}
	c.buf = appendNumber(c.buf, column, v)
}

func (c *csvWriter) field(text []byte) {
	if len(text) == 0 && len(c.columns) == 1 {
		c.buf = append(c.buf, '"', '"')
		return
	}
	special := &c.special // load the pointer once, not for every byte
	for _, b := range text {
		if special[b] {
			c.quoted(text)
			return
		}
	}
	c.buf = append(c.buf, text...)
}

func (c *csvWriter) quoted(text []byte) {
	c.buf = append(c.buf, '"')
	for _, b := range text {
		if b == '"' {
			c.buf = append(c.buf, '"')
		}
		c.buf = append(c.buf, b)
	}
	c.buf = append(c.buf, '"')
}
