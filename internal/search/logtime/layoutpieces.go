package logtime

import (
	"bytes"
	"strings"
)

// element is a part of a layout of package time: a piece of a time, or text between them.
type element struct {
	kind byte // as in piece; f is the fraction of a second, 0 is a text
	text string
}

// elements lists what package time takes for pieces, longer ones before those that they begin with.
var elements = []element{{'B', "January"}, {'b', "Jan"}, {'A', "Monday"}, {'a', "Mon"}, {'z', "MST"},
	{'Y', "2006"}, {'j', "__2"}, {'e', "_2"}, {'j', "002"}, {'m', "01"}, {'d', "02"}, {'I', "03"}, {'M', "04"},
	{'S', "05"}, {'y', "06"}, {'H', "15"}, {'m', "1"}, {'d', "2"}, {'I', "3"}, {'M', "4"}, {'S', "5"}, {'p', "PM"},
	{'p', "pm"}}

func init() {
	zoned := make([]element, 0, len(zoneLayouts))
	for _, zone := range zoneLayouts {
		zoned = append(zoned, element{'z', zone})
	}
	elements = append(zoned, elements...)
}

// elementsOf takes a layout apart.
func elementsOf(layout string) (list []element) {
	for len(layout) > 0 {
		e := firstElement(layout)
		list = append(list, e)
		layout = layout[len(e.text):]
	}
	return list
}

func firstElement(layout string) element {
	if n := len(layout) - len(strings.TrimLeft(layout[1:], layout[1:min(2, len(layout))])); len(layout) > 1 &&
		(layout[0] == '.' || layout[0] == ',') && (layout[1] == '0' || layout[1] == '9') &&
		(n == len(layout) || !isDigit(layout[n])) {
		return element{'f', layout[:n]}
	}
	if strings.HasPrefix(layout, "_2006") {
		return element{0, "_"}
	}
	for _, e := range elements {
		if strings.HasPrefix(layout, e.text) {
			return e
		}
	}
	return element{0, layout[:1]}
}

// mark adds the pieces of a time that was read as the layout says. It takes what package time takes.
func (l *layout) mark(text []byte, n int, z *zones) {
	*z.pieces = (*z.pieces)[:0]
	r := reader{b: text[:n]}
	for i, e := range l.elements {
		from := r.at
		switch e.kind {
		case 0:
			r.literal(e.text[0])
		case 'f':
			r.afterSecond()
		default:
			r.at += min(widthOf(e, r.b[r.at:]), n-r.at)
			z.pieces.add(text, e.kind, from, r.at)
			if e.kind == 'S' && (i+1 == len(l.elements) || l.elements[i+1].kind != 'f') {
				r.afterSecond()
			}
		}
	}
}

// literal reads a character of a layout. A blank stands for any number of them.
func (r *reader) literal(c byte) {
	switch {
	case c == ' ':
		for r.any(" ") != 0 {
		}
	case r.at < len(r.b):
		r.at++
	}
}

// afterSecond reads a fraction, if there is one.
func (r *reader) afterSecond() {
	if at := r.at; r.any(".,") != 0 {
		if r.digits() == 0 {
			r.at = at
			return
		}
		r.fraction()
	}
}

// widthOf returns how long an element is at the start of a text.
func widthOf(e element, b []byte) int {
	r := reader{b: b}
	switch e.kind {
	case 'Y':
		return 4
	case 'y', 'p':
		return 2
	case 'j', 'b', 'a':
		return 3
	case 'B', 'A':
		return len(b) - len(bytes.TrimLeftFunc(b, isASCIILetter))
	case 'z':
		for r.at < len(b) && isLetter(b[r.at]) {
			r.at++
		}
		for r.any("+-:0123456789") != 0 {
		}
		return r.at
	case 'e':
		r.any(" ")
	}
	return r.at + min(r.digits(), 2)
}
