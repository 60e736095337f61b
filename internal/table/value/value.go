// Package value defines what a value of a table is: what is null, what is a number, a time or a text, and how
// values are ordered, compared and written. Keys, aggregates, descriptions of columns and expressions use it, so
// that one value is the same everywhere.
//
// A field is null or a text. What a text means is decided where it is used:
//
//   - Null is no value. In delimited text it is an unquoted empty field, or one that a record lacks; in lines of
//     JSON it is null or a missing key. It equals nothing, no comparison with it holds, and aggregates skip it. It
//     comes last in every order.
//   - A text equals another one with the same bytes, and texts are ordered byte by byte. The empty text "" and a
//     text of spaces are texts like others. In delimited text the empty one is written in quotes.
//   - A number is a text that package decimal parses, perhaps with spaces around it: an exact decimal, or a
//     float64 if it has an exponent. Numbers are ordered by their exact values.
//   - A time is a text that ParseTime reads. Times are ordered by the moment, and the same moment by its text.
//
// A column is of numbers if any value of it is a number. Otherwise it is of times if all its values are times, and
// of texts if not.
package value

import (
	"bytes"
	"cmp"
	"strconv"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/decimal"
)

// IsNull reports whether a field of a batch is null. A null field is empty. So is the empty text, which lies
// right before a mark: the quote that closes it. A field at the beginning of the text is never in quotes.
func IsNull(text []byte, field records.Span, mark byte) bool {
	return field.Len == 0 && (field.Off == 0 || text[:field.Off+1][field.Off] != mark)
}

var zero decimal.Number

// Null is the span of a null field that lies nowhere.
var Null = records.Span{}

// Value is a value that an expression computes: null, a text, or a number that has not been written as a text.
// The zero Value is null.
type Value struct {
	text   []byte // nil if there is none
	number decimal.Number
	kind   kind
}

type kind uint8

const (
	isNull kind = iota
	isText
	isNumber
)

// OfText returns the value of a field; nil is null.
func OfText(text []byte) Value {
	if text == nil {
		return Value{}
	}
	return Value{text: text, kind: isText}
}

// OfNumber returns the value of a number.
func OfNumber(n decimal.Number) Value { return Value{number: n, kind: isNumber} }

// IsNull reports whether the value is null.
func (v Value) IsNull() bool { return v.kind == isNull }

// Number returns the number of the value; ok is false if it is none.
func (v Value) Number() (n decimal.Number, ok bool) {
	if v.kind != isText {
		return v.number, v.kind == isNumber
	}
	n, kind := decimal.Parse(v.text)
	return n, kind == decimal.Plain || kind == decimal.Irregular
}

// Text returns the value as a text, and nil if it is null.
func (v Value) Text() []byte {
	if v.kind == isNumber {
		return AppendNumber(nil, v.number)
	}
	return v.text
}

// Append appends the value as a text. A number that is a float gets floatMark after it, which tells who reads the
// text as a number that it is a float. textLen is the length of what was appended without the mark.
func (v Value) Append(b []byte) (out []byte, textLen int) {
	from := len(b)
	if v.kind != isNumber {
		return append(b, v.text...), len(v.text)
	}
	b = AppendNumber(b, v.number)
	textLen = len(b) - from
	if v.number.IsFloat() && !v.number.IsInfinite() {
		b = append(b, floatMark...)
	}
	return b, textLen
}

// floatMark makes the text of a number that of a float.
const floatMark = "e0"

// AppendNumber appends a number as it is written where its text counts: as a key, and among texts. Numbers with
// the same digits are written alike, exact decimals and floats: without zeros at the end and without an exponent.
func AppendNumber(b []byte, n decimal.Number) []byte {
	if n.IsFloat() && !n.IsInfinite() {
		return strconv.AppendFloat(b, n.Float64(), 'f', -1, 64)
	}
	return n.AppendText(b, 0)
}

// areAlike reports whether times are ordered as their bytes: they are dates, or both have the same separator, seconds,
// no fraction and no zone.
func areAlike(a, b []byte) bool {
	const date, clock = len("2026-11-23"), len("2026-11-23T10:35:07")
	return len(a) == len(b) && (len(a) == date || len(a) == clock && a[10] == b[10] && a[16] == ':' && b[16] == ':')
}

// CompareTimes orders texts that are times by the moment, and the same moment by its text.
func CompareTimes(a, b []byte) int {
	if areAlike(a, b) {
		return bytes.Compare(a, b)
	}
	t, _ := ParseTime(a)
	u, _ := ParseTime(b)
	return cmp.Or(t.Compare(u), bytes.Compare(a, b))
}
