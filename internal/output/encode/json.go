package encode

import (
	"fmt"
	"io"
	"math"
	"slices"
	"sync"
	"unicode/utf8"
)

// jsonWriter writes one object per line, with the columns in order.
type jsonWriter struct {
	output
	jsonFormat
	titled  bool
	columns []Column
	rows    []*jsonFormat // of RowFormat
	mu      sync.Mutex    // guards rows
}

// jsonFormat says how a row is written. The text before each value (punctuation and key) is built once
// per answer.
type jsonFormat struct {
	before  [][]byte
	changed bool // invalid UTF-8 was replaced
}

func newJSON(w io.Writer, o Options) *jsonWriter {
	return &jsonWriter{output: newOutput(w), titled: o.Answers > 1}
}

// Begin prepares the text before each value.
func (j *jsonWriter) Begin(title string, columns []Column) error {
	j.columns = columnsOf(columns)
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
func (j *jsonFormat) begin(lead []byte, columns []Column) {
	j.before = j.before[:0]
	for i := range columns {
		text := []byte{','}
		if i == 0 {
			text = append([]byte{'{'}, lead...)
		}
		j.before = append(j.before, append(j.quoted(text, []byte(columns[i].Name)), ':'))
	}
}

// RowFormat returns the format of rows of texts.
func (j *jsonWriter) RowFormat(columns []Column) RowFormat {
	f := new(jsonFormat)
	f.begin(nil, columns)
	j.mu.Lock()
	defer j.mu.Unlock()
	j.rows = append(j.rows, f)
	return f
}

// Append appends a row of texts.
func (j *jsonFormat) Append(dst []byte, fields [][]byte) []byte {
	for i, text := range fields {
		dst = append(dst, j.before[i]...)
		if text == nil {
			dst = append(dst, "null"...)
		} else {
			dst = j.quoted(dst, text)
		}
	}
	return append(dst, '}', '\n')
}

// AppendJSON appends a row of values that are JSON. Nil is null.
func (j *jsonFormat) AppendJSON(dst []byte, values [][]byte) ([]byte, bool) {
	for i, text := range values {
		dst = append(dst, j.before[i]...)
		if text == nil {
			dst = append(dst, "null"...)
		} else {
			dst = append(dst, text...)
		}
	}
	return append(dst, '}', '\n'), true
}

// AsWritten reports that no table of delimited text is JSON.
func (j *jsonFormat) AsWritten(byte, byte) bool { return false }

// titleName is the key of the answer's title, which is written if there are several answers.
const titleName = "answer"

// rename renames a column whose name is titleName to an unused name.
func (j *jsonWriter) rename() {
	named := func(name string) int {
		return slices.IndexFunc(j.columns, func(c Column) bool { return c.Name == name })
	}
	i := named(titleName)
	for n := 2; i >= 0 && j.columns[i].Name == titleName; n++ {
		if again := fmt.Sprintf("%s_%d", titleName, n); named(again) < 0 {
			j.columns[i].Name = again
		}
	}
}

// Row writes a line.
func (j *jsonWriter) Row(values []Value) error {
	check(j.columns, values)
	for i := range values {
		j.buf = append(j.buf, j.before[i]...)
		column, v := &j.columns[i], &values[i]
		switch {
		case v.Null:
			j.buf = append(j.buf, "null"...)
		case column.Type == Float && (math.IsNaN(v.Float) || math.IsInf(v.Float, 0)):
			j.buf = j.quoted(j.buf, appendFloat(nil, v.Float)) // JSON has no such number, and null would mean no value
		case column.Type == Text:
			j.buf = j.quoted(j.buf, v.Text)
		default:
			j.buf = appendNumber(j.buf, column, v)
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

const noteUTF8 = "text that is not UTF-8: invalid bytes are written as U+FFFD; --format csv keeps them"

// quoted appends a JSON string. It copies runs of bytes that need no escaping as a whole.
func (j *jsonFormat) quoted(dst, text []byte) []byte {
	dst = append(dst, '"')
	done := 0
	for i := 0; i < len(text); {
		b := text[i]
		if b < utf8.RuneSelf {
			i++
			if b >= ' ' && b != '"' && b != '\\' {
				continue
			}
			dst = append(dst, text[done:i-1]...)
			dst = appendEscape(dst, b)
			done = i
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			dst = append(dst, text[done:i]...)
			dst = utf8.AppendRune(dst, utf8.RuneError)
			done, j.changed = i+1, true
		}
		i += size
	}
	return append(append(dst, text[done:]...), '"')
}

func appendEscape(dst []byte, b byte) []byte {
	const hex = "0123456789abcdef"
	switch b {
	case '"', '\\':
		return append(dst, '\\', b)
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	return append(dst, '\\', 'u', '0', '0', hex[b>>4], hex[b&15])
}
