package logtime

import (
	"bytes"
	"slices"
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

// write returns what stands in place of old, a piece of a time, of another time: as wide, and in the same case.
func (p *piece) write(old []byte, t time.Time) string {
	kind := p.kind
	if kind == 'P' {
		kind = 'p'
	}
	i := slices.IndexFunc(elements, func(e element) bool { return e.kind == kind })
	text := t.Format(elements[i].text)
	switch {
	case isLetter(text[0]) && bytes.Equal(old, bytes.ToUpper(old)):
		return strings.ToUpper(text)
	case isLetter(text[0]) && bytes.Equal(old, bytes.ToLower(old)):
		return strings.ToLower(text)
	case kind == 'S' && string(old) == "60": // package time has no leap seconds
		return "60"
	}
	number := strings.TrimLeft(text[:len(text)-1], "0 ") + text[len(text)-1:]
	switch pads := len(text) - len(number); {
	case len(old) == 1:
		return number
	case pads > 0 && (old[0] == '0' || old[0] == ' '):
		return strings.Repeat(string(old[:1]), pads) + number
	}
	return text
}
