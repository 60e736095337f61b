package logtime

import (
	"bytes"
	"fmt"
	"strings"
	"time"
)

// zone writes the zone of a time as the one that stands there is written: as an offset, an abbreviation or a name. A
// zone of the same offset stays, unless it is a name. What is written can be read again.
func (s *Show) zone(line []byte, p piece, at time.Time, edit func(from, to int, text string)) {
	text := bytes.TrimLeft(line[p.from:p.to], " \t")
	from, to, bracket := p.to-len(text), p.to, text[0] == '(' || text[0] == '['
	if bracket {
		from, to = from+1, to-1
	}
	minute, _ := s.parts.of('M')
	colons := from == p.from && line[minute.from-1] == ':'
	write := func(from, to int, bracket bool) {
		old := string(line[from:to])
		if text := s.zoneLike(old, at, bracket, colons); text != old {
			edit(from, to, text)
		}
	}
	write(from, to, bracket)
	if before, n := nameBehind(line[p.to:]); n > 0 && !bracket {
		write(p.to+before, p.to+before+n, true)
	}
}

// nameBehind returns where the name of a zone is, and how long, that follows an offset in brackets, as in
// +01:00[Europe/Berlin] and +0100 (CET).
func nameBehind(b []byte) (at, n int) {
	text := string(b[:min(len(b), 60)])
	if rest, ok := strings.CutPrefix(text, "["); ok {
		if name, _, ok := strings.Cut(rest, "]"); ok && isPlace(name) {
			return 1, len(name)
		}
	}
	if rest, ok := strings.CutPrefix(text, " ("); ok {
		name, _, ok := strings.Cut(rest, ")")
		_, short := known[name]
		if ok && (short || unclear[name] || strings.HasSuffix(name, " Time") && isName([]byte(name))) {
			return 2, len(name)
		}
	}
	return 0, 0
}

// isPlace reports whether a text looks like a name of the tz database.
func isPlace(text string) bool {
	area, _, ok := strings.Cut(text, "/")
	return ok && areas[area] || pairs[text]
}

// zoneLike returns the zone in which a time is shown in the way in which old is written. Colons says that old follows
// a time with colons.
func (s *Show) zoneLike(old string, at time.Time, bracket, colons bool) string {
	shown := at.In(s.in)
	_, before := at.Zone()
	_, after := shown.Zone()
	_, given := s.format.zones.given[old]
	sign := strings.IndexAny(old, "+-\u2212")
	switch place := s.in.String(); {
	case isPlace(old) && (isPlace(place) || place == "UTC"):
		return place
	case before == after && !isPlace(old):
		return old
	case strings.EqualFold(old, "z"):
		if colons {
			return offsetLike("+00:00", after, colons)
		}
		return offsetLike("+0000", after, colons)
	case sign >= 0 && !given && !isPlace(old):
		return old[:sign] + offsetLike(old[sign:], after, colons)
	}
	return s.abbreviation(shown, bracket)
}

// abbreviation returns the abbreviation of a time's zone if it has one that is understood, and else the offset, which
// needs a name before it in a bracket.
func (s *Show) abbreviation(t time.Time, bracket bool) string {
	name, offset := t.Zone()
	minutes, ok := known[name]
	meant := s.format.zones.given[name]
	if meant != nil {
		_, seconds := t.In(meant).Zone()
		minutes, ok = seconds/60, true
	}
	switch {
	case ok && minutes*60 == offset:
		return name
	case bracket:
		return "UTC" + offsetLike("+00", offset, false)
	}
	return offsetLike("+00", offset, false)
}

// offsetLike writes an offset as another one is written. Where that has only hours, minutes follow a colon if the time
// has such, too.
func offsetLike(old string, seconds int, colons bool) string {
	sign := "+"
	if seconds < 0 {
		sign, seconds = "-", -seconds
		if strings.HasPrefix(old, "\u2212") {
			sign = "\u2212"
		}
	}
	hours, _, found := strings.Cut(strings.TrimLeft(old, "+-\u2212"), ":")
	hour, minute, second := seconds/3600, seconds/60%60, seconds%60
	switch {
	case second != 0:
		return fmt.Sprintf("%s%02d:%02d:%02d", sign, hour, minute, second)
	case len(hours) == 4:
		return fmt.Sprintf("%s%02d%02d", sign, hour, minute)
	case found || minute != 0 && (colons || len(hours) == 1):
		return fmt.Sprintf("%s%0*d:%02d", sign, len(hours), hour, minute)
	case minute != 0:
		return fmt.Sprintf("%s%02d%02d", sign, hour, minute)
	}
	return fmt.Sprintf("%s%0*d", sign, len(hours), hour)
}
