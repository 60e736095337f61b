package logtime

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/ncruces/go-strftime"
)

// layout reads times in a format that the user describes: as strftime does if it holds %, otherwise as Go
// writes the time Mon Jan 2 15:04:05 MST 2006. They stand at the start of the line.
type layout struct {
	elements []element
	words    int    // of the line stand before the time
	points   string // begin the fraction of a second
	zoned    bool   // a zone must follow
	ends     bool   // what follows cannot be a zone, which stands within the time
}

// element is a part of a layout of package time: a piece of a time, or a character between them.
type element struct {
	kind byte // as in piece; f is the fraction of a second, 0 is a character
	text string
}

// elements lists what package time takes for pieces, longer ones before those that they begin with. By the first of a
// kind it is written.
var elements = []element{{'H', "15"}, {'d', "02"}, {'m', "01"}, {'Y', "2006"}, {'B', "January"}, {'b', "Jan"},
	{'A', "Monday"}, {'a', "Mon"}, {'j', "002"}, {'j', "__2"}, {'e', "_2"}, {'I', "03"}, {'M', "04"}, {'S', "05"},
	{'y', "06"}, {'m', "1"}, {'d', "2"}, {'I', "3"}, {'M', "4"}, {'S', "5"}, {'p', "PM"}, {'p', "pm"}, {'z', "MST"},
	{'z', "Z07:00:00"}, {'z', "Z070000"}, {'z', "Z07:00"}, {'z', "Z0700"}, {'z', "Z07"}, {'z', "-07:00:00"},
	{'z', "-070000"}, {'z', "-07:00"}, {'z', "-0700"}, {'z', "-07"}}

// firstElement returns the element that a layout begins with.
func firstElement(layout string) element {
	if point := layout[0]; len(layout) > 1 && (point == '.' || point == ',') && (layout[1] == '0' || layout[1] == '9') {
		if rest := strings.TrimLeft(layout[1:], layout[1:2]); rest == "" || !isDigit(rest[0]) {
			return element{'f', layout[:len(layout)-len(rest)]}
		}
	}
	for _, e := range elements {
		rest, ok := strings.CutPrefix(layout, e.text)
		inWord := (e.kind == 'a' || e.kind == 'b') && rest != "" && 'a' <= rest[0] && rest[0] <= 'z' // Monat
		if ok && !inWord && (e.kind != 'e' || !strings.HasPrefix(rest, "006")) {
			return e
		}
	}
	return element{0, layout[:1]}
}

func newLayout(text string) (*layout, error) {
	l := &layout{points: "."}
	for rest, ok := strings.CutPrefix(text, "* "); ok; rest, ok = strings.CutPrefix(text, "* ") {
		text = rest
		l.words++
	}
	described := text
	if strings.Contains(text, "%") {
		var err error
		if described, err = strftime.Layout(text); err != nil {
			return nil, fmt.Errorf("the format %q of times: %w", text, err)
		}
	}
	kinds := ""
	for last := (element{}); described != ""; {
		e := firstElement(described)
		described = described[len(e.text):]
		if e.kind == 'f' {
			l.points += e.text[:1]
		}
		if follows := last.kind == 'S' && e.kind == 'f' || last.text == " " && e.text == " "; !follows { // read with it
			l.elements = append(l.elements, e)
			kinds += string(rune(e.kind))
		}
		last = e
	}
	switch {
	case !strings.Contains(kinds, "j") && !(strings.ContainsAny(kinds, "mbB") && strings.ContainsAny(kinds, "de")):
		return nil, fmt.Errorf("the format %q of times has no month and day: times must ascend over the whole file", text)
	case !strings.ContainsAny(kinds, "HI"):
		return nil, fmt.Errorf("the format %q of times has no hour", text)
	}
	if l.zoned = strings.HasSuffix(kinds, "z"); l.zoned {
		kinds = strings.TrimRight(kinds[:len(kinds)-1], "\x00")
		for n := len(l.elements) - 1; n > 0 && (l.elements[n].kind == 'z' || l.elements[n].text == " "); n-- {
			l.elements = l.elements[:n]
		}
	}
	l.ends = !l.zoned && strings.Contains(kinds, "z")
	return l, nil
}

// stamp is a parser.
func (l *layout) stamp(line []byte, z *zones) (stamp, bool) {
	before := 0
	for range l.words {
		n := bytes.IndexAny(line[before:], " \t")
		if n < 0 {
			return stamp{}, false
		}
		before = len(line) - len(bytes.TrimLeft(line[before+n:], " \t"))
	}
	s, ok := l.bare(line[before:], z)
	if s.bytes += before; !ok && l.words == 0 {
		return opened(l.bare)(line, z)
	}
	return s, ok
}

func (l *layout) bare(line []byte, z *zones) (stamp, bool) {
	r := z.reader(line)
	var c clock
	var found zone
	year, month, day, ofYear, half := 0, time.January, 1, 0, byte(0)
	for _, e := range l.elements {
		from := r.at
		switch e.kind {
		case 0:
			if e.text != " " {
				r.need(e.text)
				continue
			}
			r.bad = r.bad || r.at < len(r.b) && r.b[r.at] != ' '
			for r.any(" ") != 0 { // any number of them
			}
		case 'Y':
			year = r.number('Y', 4)
		case 'y':
			if year = 2000 + r.number('y', 2); year >= 2069 {
				year -= 100
			}
		case 'm':
			month = time.Month(r.short('m'))
		case 'b', 'B':
			month = time.Month(r.name(e.kind, months) + 1)
		case 'a', 'A':
			r.name(e.kind, days)
		case 'd':
			day = r.short('d')
		case 'e':
			r.any(" ")
			day = r.short(0)
			r.mark('e', from)
		case 'j':
			for range 2 {
				r.any(" ")
			}
			ofYear = r.number(0, 3-(r.at-from))
			r.mark('j', from)
		case 'H':
			c.hour = r.short('H')
		case 'I':
			c.hour = r.short('I')
			r.bad = r.bad || c.hour > 12
		case 'M':
			c.minute = r.short('M')
		case 'S':
			c.second = r.short('S')
			c.nanos = r.subsecond(l.points)
		case 'f':
			c.nanos = r.subsecond(l.points)
		case 'p':
			half = r.need("aApP") | 0x20
			r.need("mM")
			r.mark('p', from)
		case 'z':
			for r.at < len(r.b) && isLetter(r.b[r.at]) {
				r.at++
			}
			for r.any("+-:0123456789") != 0 {
			}
			text := bytes.TrimRight(r.b[from:r.at], ":")
			r.at = from + len(text)
			if found = z.read(text); found.bytes < len(text) {
				found = zone{unknown: string(text)}
			}
			r.bad = r.bad || len(text) == 0
			r.mark('z', from)
		}
	}
	switch {
	case r.bad:
		return stamp{}, false
	case half == 'p' && c.hour < 12:
		c.hour += 12
	case half == 'a' && c.hour == 12:
		c.hour = 0
	}
	if ofYear > 0 {
		t := time.Date(year, 1, ofYear, 0, 0, 0, 0, time.UTC)
		if month, day = t.Month(), t.Day(); t.Year() != year {
			return stamp{}, false
		}
	}
	if !l.ends {
		found = z.read(r.b[r.at:])
		if l.zoned && found.in == nil && found.unknown == "" {
			if found.unknown = firstWord(r.b[r.at:]); found.unknown == "" {
				return stamp{}, false
			}
		}
		r.at += found.bytes
		r.mark('z', r.at-found.bytes)
	}
	return r.time(year, month, day, c, found, z)
}

// firstWord returns the word at the start of a text, after blanks: a zone that is not known, where there must be one.
func firstWord(b []byte) string {
	b = bytes.TrimLeft(b, " \t")
	return string(b[:len(b)-len(bytes.TrimLeftFunc(b, func(c rune) bool {
		return c >= 0x80 || isWord(byte(c)) || c == '+' || c == '-'
	}))])
}
