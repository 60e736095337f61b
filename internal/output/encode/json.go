package encode

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"sync"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/json/escape"
	"github.com/thresh-dev/thresh/internal/table/row"
	"github.com/thresh-dev/thresh/options"
)

// jsonWriter writes one object per line, with the columns in order.
type jsonWriter struct {
	output
	jsonFormat
	titled  bool
	begun   int
	columns []answer.Column
	rows    []*jsonFormat // of Format
	mu      sync.Mutex    // guards rows
}

// jsonFormat says how a row is written. The text before each value (punctuation and key) is built once
// per answer.
type jsonFormat struct {
	before  [][]byte
	values  []bool // by column: texts are values of JSON, as far as they can be
	changed bool   // invalid UTF-8 was replaced
}

func newJSON(w io.Writer, o options.Writer) *jsonWriter {
	return &jsonWriter{output: newOutput(w), titled: o.Answers > 1}
}

// Begin prepares the text before each value.
func (j *jsonWriter) Begin(title string, columns []answer.Column) error {
	j.columns = columnsOf(columns)
	j.begun++
	if title == "" {
		title = strconv.Itoa(j.begun)
	}
	var lead []byte
	if j.titled {
		j.rename()
		lead = append(j.quoted(lead, []byte(titleName)), ':')
		lead = append(j.quoted(lead, []byte(title)), ',')
	}
	j.begin(lead, j.columns)
	return j.err
}

// begin sets the text before each value. Lead is what stands before the first one.
func (j *jsonFormat) begin(lead []byte, columns []answer.Column) {
	j.before, j.values = j.before[:0], j.values[:0]
	for i := range columns {
		j.values = append(j.values, columns[i].JSON)
		text := []byte{','}
		if i == 0 {
			text = append([]byte{'{'}, lead...)
		}
		j.before = append(j.before, append(j.quoted(text, []byte(columns[i].Name)), ':'))
	}
}

// Format returns the format of rows of texts. Where rows name their answer, that must have begun, so there is none.
func (j *jsonWriter) Format(columns []answer.Column) row.Format {
	if j.titled {
		return nil
	}
	f := new(jsonFormat)
	f.begin(nil, columns)
	j.mu.Lock()
	defer j.mu.Unlock()
	j.rows = append(j.rows, f)
	return f
}

// Append appends a row of texts.
func (j *jsonFormat) Append(dst []byte, fields [][]byte) ([]byte, error) {
	for i, text := range fields {
		dst = append(dst, j.before[i]...)
		switch {
		case text == nil:
			dst = append(dst, "null"...)
		case j.values[i] && isValue(text):
			dst = append(dst, text...)
		default:
			dst = j.quoted(dst, text)
		}
	}
	return append(dst, '}', '\n'), nil
}

// isValue reports whether the text of a column of JSON is a value as it is: JSON has no infinity, for one.
func isValue(text []byte) bool {
	switch string(text) {
	case "true", "false", "null":
		return true
	case "":
		return false
	}
	if c := text[0]; c == '"' || c == '{' || c == '[' {
		return true
	}
	digits := func() (n int) {
		for n < len(text) && '0' <= text[n] && text[n] <= '9' {
			n++
		}
		text = text[n:]
		return n
	}
	text = bytes.TrimPrefix(text, []byte{'-'})
	zero := len(text) > 0 && text[0] == '0'
	n := digits()
	ok := n > 0 && (n == 1 || !zero)
	if ok && len(text) > 0 && text[0] == '.' {
		text = text[1:]
		ok = digits() > 0
	}
	if ok && len(text) > 0 && text[0]|0x20 == 'e' {
		if text = text[1:]; len(text) > 0 && (text[0] == '+' || text[0] == '-') {
			text = text[1:]
		}
		ok = digits() > 0
	}
	return ok && len(text) == 0
}

// KeepsJSON reports that values of JSON stay as they are.
func (j *jsonFormat) KeepsJSON() bool { return true }

// AsWritten reports that no table of delimited text is JSON.
func (j *jsonFormat) AsWritten(byte, byte) bool { return false }

// titleName is the key of the answer's title, which is written if there are several answers.
const titleName = "answer"

// rename renames a column whose name is titleName to an unused name.
func (j *jsonWriter) rename() {
	named := func(name string) int {
		return slices.IndexFunc(j.columns, func(c answer.Column) bool { return c.Name == name })
	}
	i := named(titleName)
	for n := 2; i >= 0 && j.columns[i].Name == titleName; n++ {
		if again := fmt.Sprintf("%s_%d", titleName, n); named(again) < 0 {
			j.columns[i].Name = again
		}
	}
}

// Row writes a line.
func (j *jsonWriter) Row(values []answer.Cell) error {
	check(j.columns, values)
	for i := range values {
		j.buf = append(j.buf, j.before[i]...)
		column, v := &j.columns[i], &values[i]
		switch {
		case v.Null:
			j.buf = append(j.buf, "null"...)
		case column.Type == answer.ColumnFloat && (math.IsNaN(v.Float) || math.IsInf(v.Float, 0)):
			j.buf = j.quoted(j.buf, column.AppendText(nil, v)) // JSON has no such number, and null would mean no value
		case column.Type == answer.ColumnText && !(column.JSON && isValue(v.Text)):
			j.buf = j.quoted(j.buf, v.Text)
		default:
			j.buf = column.AppendText(j.buf, v)
		}
	}
	j.buf = append(j.buf, '}', '\n')
	return j.spill()
}

// End leaves the notes to the caller: every line is a row.
func (j *jsonWriter) End(notes []string) error {
	j.notes = append(j.notes, notes...)
	for _, f := range j.rows {
		j.changed = j.changed || f.changed
	}
	j.rows = nil
	if j.changed {
		j.notes, j.changed = append(j.notes, noteUTF8), false
	}
	return j.err
}

const noteUTF8 = "text that is not UTF-8: invalid bytes are written as U+FFFD; Writer.Format csv keeps them"

// quoted appends a JSON string.
func (j *jsonFormat) quoted(dst, text []byte) []byte {
	dst, valid := escape.Append(append(dst, '"'), text)
	j.changed = j.changed || !valid
	return append(dst, '"')
}
