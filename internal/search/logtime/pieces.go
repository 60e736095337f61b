package logtime

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"time"
)

// piece is a part of a time as it is written.
type piece struct {
	kind     byte // the letter that strftime has for it; z is any zone
	from, to int  // bytes before the end of the line, of which parsers see different starts
}

// pieces are the parts of a time, in the order in which they were read.
type pieces []piece

// add adds the part of a text, which is the end of a line, between two indices. The kind 0 is none of a time's.
func (p *pieces) add(text []byte, kind byte, from, to int) {
	for i := range *p {
		if kind == 'p' && (*p)[i].kind == 'H' {
			(*p)[i].kind = 'I' // of twelve hours
		}
	}
	if from < to && kind != 0 {
		*p = append(*p, piece{kind, len(text) - from, len(text) - to})
	}
}

// addDay adds the name of a day among the first n bytes of a line, which come before a time.
func (p *pieces) addDay(line []byte, n int) {
	for at := 0; at < n; at += max(openingStep(line[at:]), 1) {
		if at+3 <= n && isDay(line[at:at+3]) {
			p.add(line, 'a', at, at+3)
			return
		}
	}
}

// order turns the places of pieces into indices of a line, in ascending order.
func (p pieces) order(line []byte) {
	for i := range p {
		p[i].from, p[i].to = len(line)-p[i].from, len(line)-p[i].to
	}
	slices.SortFunc(p, func(a, b piece) int { return a.from - b.from })
}

// of returns the piece of a kind.
func (p pieces) of(kind byte) (part piece, ok bool) {
	i := slices.IndexFunc(p, func(part piece) bool { return part.kind == kind })
	if i < 0 {
		return piece{}, false
	}
	return p[i], true
}

// narrow reports whether numbers have no zero before them, as far as they show that.
func (p pieces) narrow(line []byte) (narrow bool) {
	for _, part := range p {
		switch {
		case strings.IndexByte("mdHI", part.kind) < 0:
		case line[part.from] == '0' || part.to < len(line) && isDigit(line[part.to]):
			return false
		case part.from+1 == part.to:
			narrow = true
		}
	}
	return narrow
}

// writers write the parts of times as wide, and in the case, as what stands there.
var writers = map[byte]func(old []byte, t time.Time) string{
	'Y': func(_ []byte, t time.Time) string { return t.Format("2006") },
	'y': func(_ []byte, t time.Time) string { return t.Format("06") },
	'm': func(old []byte, t time.Time) string { return number(old, int(t.Month()), "0") },
	'd': func(old []byte, t time.Time) string { return number(old, t.Day(), "0") },
	'e': func(old []byte, t time.Time) string { return number(old, t.Day(), " ") },
	'j': func(old []byte, t time.Time) string {
		return t.Format(map[bool]string{true: "__2", false: "002"}[old[0] == ' '])
	},
	'H': func(old []byte, t time.Time) string { return number(old, t.Hour(), "0") },
	'I': func(old []byte, t time.Time) string { return number(old, (t.Hour()+11)%12+1, "0") },
	'M': func(old []byte, t time.Time) string { return number(old, t.Minute(), "0") },
	'S': second,
	'b': func(old []byte, t time.Time) string { return cased(old, t.Format("Jan")) },
	'B': func(old []byte, t time.Time) string { return cased(old, t.Format("January")) },
	'a': func(old []byte, t time.Time) string { return cased(old, t.Format("Mon")) },
	'A': func(old []byte, t time.Time) string { return cased(old, t.Format("Monday")) },
	'p': half,
	'P': half,
}

// number writes n with a pad before one digit, unless one digit stood there.
func number(old []byte, n int, pad string) string {
	text := strconv.Itoa(n)
	switch {
	case len(text) == len(old) || len(old) == 1:
		return text
	case old[0] == '0' || old[0] == ' ':
		pad = string(old[:1])
	}
	return pad + text
}

// half writes AM or PM.
func half(old []byte, t time.Time) string { return cased(old, t.Format("PM")) }

// second writes the second, of which the leap second is the 60th.
func second(old []byte, t time.Time) string {
	if string(old) == "60" {
		return "60"
	}
	return number(old, t.Second(), "0")
}

// cased writes a name in upper or lower case if it stood there so.
func cased(old []byte, name string) string {
	switch {
	case bytes.Equal(old, bytes.ToUpper(old)):
		return strings.ToUpper(name)
	case bytes.Equal(old, bytes.ToLower(old)):
		return strings.ToLower(name)
	}
	return name
}
