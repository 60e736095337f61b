package logtime

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ncruces/go-strftime"
)

// layout reads times in a format that the user describes: as strftime does if it holds %, otherwise as Go
// writes the time Mon Jan 2 15:04:05 MST 2006. They stand at the start of the line.
type layout struct {
	texts    []string // of package time: as described, and with AM and PM in the other case
	yearless bool
	zoned    bool // a zone must follow
	ends     bool // what follows cannot be a zone, which stands within the time
	named    bool // that zone is an abbreviation
	last     int  // bytes of the last time, which the next one probably has, too
	words    int  // of the line stand before the time
	commas   int  // in the layout
	fraction bool // of a second follows a comma
	elements []element
}

// fractions removes the fraction of a second from a format of strftime: package time reads one where it comes.
var fractions = strings.NewReplacer("%S.%f", "%S", "%S,%f", "%S", "%S.%L", "%S", "%S,%L", "%S", "%S.%N", "%S",
	"%S,%N", "%S")

// commaFraction reports whether a format has the fraction of a second after a comma.
func commaFraction(text string) bool {
	for _, f := range []string{"%S,%f", "%S,%L", "%S,%N", "05,0", "05,9", "5,0", "5,9"} {
		if strings.Contains(text, f) {
			return true
		}
	}
	return false
}

// zoneLayouts are the ways in which package time describes zones.
var zoneLayouts = []string{"MST", "Z07:00:00", "Z070000", "Z07:00", "Z0700", "Z07", "-07:00:00", "-070000",
	"-07:00", "-0700", "-07"}

func newLayout(text string) (*layout, error) {
	l := &layout{}
	for rest, ok := strings.CutPrefix(text, "* "); ok; rest, ok = strings.CutPrefix(text, "* ") {
		text = rest
		l.words++
	}
	described := text
	l.fraction = commaFraction(text)
	if strings.Contains(text, "%") {
		var err error
		if described, err = strftime.Layout(fractions.Replace(text)); err != nil {
			return nil, fmt.Errorf("the format %q of times: %w", text, err)
		}
	}
	differs := func(a, b time.Time) bool { return a.Format(described) != b.Format(described) }
	monday := time.Date(2006, 1, 2, 3, 4, 5, 0, time.UTC)
	switch {
	case !differs(monday, monday.AddDate(0, 0, 7)) || !differs(monday, monday.AddDate(0, 1, 0)):
		return nil, fmt.Errorf("the format %q of times has no month and day: times must ascend over the whole file", text)
	case !differs(monday, monday.Add(time.Hour)):
		return nil, fmt.Errorf("the format %q of times has no hour", text)
	}
	l.yearless = !differs(monday, time.Date(2012, 1, 2, 3, 4, 5, 0, time.UTC)) // a Monday, too
	for _, z := range zoneLayouts {
		if before, ok := strings.CutSuffix(described, z); ok {
			described, l.zoned = strings.TrimRight(before, " "), true
			break
		}
		l.ends = l.ends || strings.Contains(described, z)
	}
	l.ends = l.ends && !l.zoned
	l.named = l.ends && strings.Contains(described, "MST")
	l.elements = elementsOf(described)
	described = lenient(described)
	l.commas = strings.Count(described, ",")
	l.texts = []string{described}
	for _, half := range [][2]string{{"PM", "pm"}, {"pm", "PM"}} {
		if strings.Contains(described, half[0]) {
			l.texts = append(l.texts, strings.ReplaceAll(described, half[0], half[1]))
			break
		}
	}
	return l, nil
}

// lenient returns a layout that reads one digit, too, where the layout has two and none before or after them.
func lenient(layout string) string {
	var b strings.Builder
	for i := 0; i < len(layout); i++ {
		alone := (i == 0 || !isDigit(layout[i-1]) && layout[i-1] != '_') && (i+2 >= len(layout) || !isDigit(layout[i+2]))
		if layout[i] == '0' && i+1 < len(layout) && '1' <= layout[i+1] && layout[i+1] <= '5' && alone {
			i++
		}
		b.WriteByte(layout[i])
	}
	return b.String()
}

// stamp is a parser.
func (l *layout) stamp(line []byte, z *zones) (stamp, bool) {
	before := 0
	for range l.words {
		n := bytes.IndexAny(line[before:], " \t")
		if n < 0 {
			return stamp{}, false
		}
		for before += n; before < len(line) && (line[before] == ' ' || line[before] == '\t'); before++ {
		}
	}
	s, ok := l.bare(line[before:], z)
	if n := opening(line); !ok && l.words == 0 && n > 0 {
		before = n
		s, ok = l.bare(line[n:], z)
	}
	s.bytes += before
	if ok && z.pieces != nil && l.words == 0 {
		z.pieces.addDay(line, before)
	}
	return s, ok
}

func (l *layout) bare(line []byte, z *zones) (stamp, bool) {
	in := z.local
	if l.yearless {
		in = time.UTC
	}
	text := string(line[:min(len(line), 128)])
	for i, layout := range l.texts {
		t, n, ok := l.parse(layout, text, in)
		if !ok {
			continue
		}
		if i > 0 {
			l.texts[0], l.texts[i] = l.texts[i], l.texts[0]
		}
		l.last = n
		if z.pieces != nil {
			l.mark(line, n, z)
		}
		return l.withZone(t, n, line, z)
	}
	return stamp{}, false
}

// parse reads the time without the zone after it.
func (l *layout) parse(layout, text string, in *time.Location) (t time.Time, n int, ok bool) {
	if l.last > 0 && l.last < len(text) && strings.IndexByte(" \t]", text[l.last]) >= 0 &&
		strings.Count(text[:l.last], ",") == l.commas {
		if t, err := time.ParseInLocation(layout, text[:l.last], in); err == nil {
			return t, l.last, true
		}
	}
	t, err := time.ParseInLocation(layout, text, in)
	var extra *time.ParseError
	if errors.As(err, &extra) && strings.HasPrefix(extra.Message, ": extra text") {
		text = text[:len(text)-len(extra.ValueElem)]
		t, err = time.ParseInLocation(layout, text, in)
	}
	if err == nil && !l.fraction && strings.Count(text, ",") > l.commas { // package time takes the next field for one
		if t, err := time.ParseInLocation(layout, text[:strings.LastIndexByte(text, ',')], in); err == nil {
			return t, strings.LastIndexByte(text, ','), true
		}
	}
	return t, len(text), err == nil
}

// withZone returns the time that ends at line[n] with the zone that follows it or stands within it.
func (l *layout) withZone(t time.Time, n int, line []byte, z *zones) (stamp, bool) {
	var found zone
	switch {
	case l.named:
		name, _ := t.Zone()
		if found = z.read([]byte(name)); found.bytes < len(name) {
			found = zone{unknown: name}
		}
	case l.ends:
		found.in = t.Location()
	default:
		found = z.read(line[n:])
		if l.zoned && found.in == nil && found.unknown == "" {
			if found.unknown = firstWord(line[n:]); found.unknown == "" {
				return stamp{}, false
			}
		}
	}
	if found.in != nil && !l.yearless && !z.walls && (l.named || !l.ends) {
		t = time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), found.in)
	}
	if !l.ends {
		if z.pieces != nil {
			z.pieces.add(line, 'z', n, n+found.bytes)
		}
		n += found.bytes
	}
	return stamp{t, l.yearless, n, found}, true
}

// firstWord returns the word at the start of a text, after blanks: a zone that is not known, where there must be one.
func firstWord(b []byte) string {
	text := strings.TrimLeft(string(b), " \t")
	end := strings.IndexFunc(text, func(c rune) bool {
		return !(c >= 0x80 || isWord(byte(c)) || c == '+' || c == '-')
	})
	if end < 0 {
		end = len(text)
	}
	return text[:end]
}
