package logtime

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ncruces/go-strftime"
)

// layout reads times in a format that the user describes: as strftime does if it holds %, otherwise as Go
// writes the time Mon Jan 2 15:04:05 MST 2006. They stand at the start of the line.
type layout struct {
	text     string // of package time
	yearless bool
	last     int // bytes of the last time, which the next one probably has, too
}

// fractions removes the fraction of a second from a format of strftime: package time reads one where it comes.
var fractions = strings.NewReplacer("%S.%f", "%S", "%S,%f", "%S", "%S.%L", "%S", "%S,%L", "%S", "%S.%N", "%S",
	"%S,%N", "%S")

func newLayout(text string) (*layout, error) {
	l := &layout{text: text}
	if strings.Contains(text, "%") {
		var err error
		if l.text, err = strftime.Layout(fractions.Replace(text)); err != nil {
			return nil, fmt.Errorf("--time-format %q: %w", text, err)
		}
	}
	differs := func(a, b time.Time) bool { return a.Format(l.text) != b.Format(l.text) }
	monday := time.Date(2006, 1, 2, 3, 4, 5, 0, time.UTC)
	switch {
	case !differs(monday, monday.AddDate(0, 0, 7)) || !differs(monday, monday.AddDate(0, 1, 0)):
		return nil, fmt.Errorf("--time-format %q has no month and day: times must ascend over the whole file", text)
	case !differs(monday, monday.Add(time.Hour)):
		return nil, fmt.Errorf("--time-format %q has no hour", text)
	}
	l.yearless = !differs(monday, time.Date(2012, 1, 2, 3, 4, 5, 0, time.UTC)) // a Monday, too
	return l, nil
}

// stamp is a parser.
func (l *layout) stamp(line []byte, zone *time.Location) (stamp, bool) {
	if l.yearless {
		zone = time.UTC
	}
	text := string(line[:min(len(line), 128)])
	if l.last > 0 && l.last < len(text) && !isWord(text[l.last]) {
		if t, err := time.ParseInLocation(l.text, text[:l.last], zone); err == nil {
			return stamp{t, l.yearless, l.last}, true
		}
	}
	t, err := time.ParseInLocation(l.text, text, zone)
	var extra *time.ParseError
	if errors.As(err, &extra) && strings.HasPrefix(extra.Message, ": extra text") {
		text = text[:len(text)-len(extra.ValueElem)]
		t, err = time.ParseInLocation(l.text, text, zone)
	}
	if err != nil {
		return stamp{}, false
	}
	l.last = len(text)
	return stamp{t, l.yearless, l.last}, true
}
