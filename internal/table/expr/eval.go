package expr

import (
	"bytes"
	"strconv"
	"unicode"
	"unicode/utf8"

	"github.com/thresh-dev/thresh/internal/table/decimal"
)

// value is a text, or a number that has not been written as a text yet.
type value struct {
	text   []byte
	n      decimal.Number
	isText bool
}

func textValue(text []byte) value { return value{text: text, isText: true} }

// number returns the number of the value; ok is false if it is none.
func (v value) number() (n decimal.Number, ok bool) {
	if !v.isText {
		return v.n, true
	}
	n, kind := decimal.Parse(v.text)
	return n, kind == decimal.Plain || kind == decimal.Irregular
}

// append appends the value as a text.
func (v value) append(b []byte) []byte {
	if v.isText {
		return append(b, v.text...)
	}
	from := len(b)
	b = v.n.AppendText(b, 0)
	if v.n.IsFloat() && !v.n.IsInfinite() && bytes.IndexByte(b[from:], 'e') < 0 {
		b = append(b, "e0"...)
	}
	return b
}

func (l *literal) eval(func(int) []byte) value { return value{n: l.n} }

func (f *field) eval(of func(int) []byte) value {
	text := of(f.Column)
	return textValue(text[min(f.Slice.From, len(text)):min(f.Slice.To, len(text))])
}

func (n *negative) eval(field func(int) []byte) value {
	v := n.of.eval(field)
	if m, ok := v.number(); ok {
		return value{n: m.Neg()}
	}
	return v
}

func (o *operation) eval(field func(int) []byte) value {
	left, right := o.left.eval(field), o.right.eval(field)
	a, ok := left.number()
	if !ok || a.IsInfinite() {
		return left
	}
	b, ok := right.number()
	if !ok || b.IsInfinite() {
		return right
	}
	switch o.sign {
	case '+':
		return value{n: a.Add(b)}
	case '-':
		return value{n: a.Sub(b)}
	case '*':
		return value{n: a.Mul(b)}
	}
	q, ok := a.Quo(b)
	if !ok {
		return textValue(nil)
	}
	return value{n: q}
}

func (c *call) eval(field func(int) []byte) value {
	v := c.of.eval(field)
	switch f := c.function; {
	case f.ofNumber != nil:
		if n, ok := v.number(); ok {
			return value{n: f.ofNumber(n)}
		}
		return v
	case f.ofText != nil:
		if !v.isText {
			v = textValue(v.append(nil))
		}
		return textValue(f.ofText(v.text))
	}
	if t, ok := ParseTime(v.text); ok && v.isText {
		return textValue(c.function.ofTime(t))
	}
	return textValue(nil)
}

// function computes a value from another one: from a number, a text, or a time. What is not a number is
// returned as it is, and the result for what is not a time is empty.
type function struct {
	name     string
	ofNumber func(decimal.Number) decimal.Number
	ofText   func([]byte) []byte
	ofTime   func(Time) []byte
}

// functions are all functions. Parts of times have two digits, so that they sort.
var functions = [...]function{
	{name: "abs", ofNumber: decimal.Number.Abs},
	{name: "lower", ofText: func(text []byte) []byte { return mapRunes(text, unicode.ToLower) }},
	{name: "upper", ofText: func(text []byte) []byte { return mapRunes(text, unicode.ToUpper) }},
	{name: "length", ofText: func(text []byte) []byte { return strconv.AppendInt(nil, int64(utf8.RuneCount(text)), 10) }},
	{name: "date", ofTime: Time.date},
	{name: "year", ofTime: func(t Time) []byte { return digits(t.year, 4) }},
	{name: "quarter", ofTime: func(t Time) []byte { return digits((t.month+2)/3, 1) }},
	{name: "month", ofTime: func(t Time) []byte { return digits(t.month, 2) }},
	{name: "day", ofTime: func(t Time) []byte { return digits(t.day, 2) }},
	{name: "weekday", ofTime: func(t Time) []byte { return digits(t.weekday(), 1) }},
	{name: "hour", ofTime: func(t Time) []byte { return digits(t.hour, 2) }},
	{name: "minute", ofTime: func(t Time) []byte { return digits(t.minute, 2) }},
	{name: "second", ofTime: func(t Time) []byte { return digits(t.second, 2) }},
}

func functionOf(name string) *function {
	for i := range functions {
		if isWord(name, functions[i].name) {
			return &functions[i]
		}
	}
	return nil
}

// mapRunes changes the characters of a text. Bytes that are not UTF-8 stay as they are.
func mapRunes(text []byte, f func(rune) rune) []byte {
	b := make([]byte, 0, len(text))
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		if r == utf8.RuneError && n == 1 {
			b = append(b, text[0])
		} else {
			b = utf8.AppendRune(b, f(r))
		}
		text = text[n:]
	}
	return b
}

// digits writes a number with at least n digits.
func digits(number, n int) []byte {
	text := make([]byte, n)
	for i := n - 1; i >= 0; i-- {
		text[i] = byte('0' + number%10)
		number /= 10
	}
	return text
}
