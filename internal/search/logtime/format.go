// Package logtime finds the part of a log that was written between two times. The lines of the log begin
// with times that ascend; lines without a time belong to the one before them.
//
//	format.go, recognise.go   the times at the starts of lines
//	layout.go                 the same in a format that the user describes
//	moment.go                 times as people type them
//	bisect.go                 the range of a file, from a few blocks of it
//	filter.go                 the same of a stream, which is read from its start
package logtime

import (
	"bytes"
	"errors"
	"fmt"
	"time"
)

// Window says which lines are wanted.
type Window struct {
	From   time.Time      // lines with this time or a later one; the zero time: from the first byte on
	To     time.Time      // lines before this time; the zero time: up to the end
	Layout string         // how times are written; "" recognises the usual ways
	Zone   *time.Location // of times without a zone; nil: the local one
}

// zone returns the zone of times without one.
func (w *Window) zone() *time.Location {
	if w.Zone == nil {
		return time.Local
	}
	return w.Zone
}

// lineHead is how much of a line is searched for its time.
const lineHead = 512

// stamp is a time as it is written in a line.
type stamp struct {
	time.Time      // of the year 0 in UTC if it has no year
	yearless  bool // only month, day and time of day are known
	bytes     int  // from the start of the text to the end of the time
}

// parser reads the time that a line begins with.
type parser func(line []byte, zone *time.Location) (stamp, bool)

// Format reads the times of one log. It is not safe for concurrent use.
type Format struct {
	zone    *time.Location
	parsers []parser // one, when the first time has been seen

	// Of times without a year: the first one of the log, and its year.
	first time.Time
	year  int
}

// format returns the format for a window. It settles on the way in which the first time is written.
func (w *Window) format() (*Format, error) {
	f := &Format{zone: w.zone(), parsers: recognised}
	if w.Layout != "" {
		parse, err := newLayout(w.Layout)
		if err != nil {
			return nil, err
		}
		f.parsers = []parser{parse.stamp}
	}
	return f, nil
}

// Check returns why the window cannot be used.
func (w *Window) Check() error {
	if _, err := w.format(); err != nil {
		return err
	}
	if !w.From.IsZero() && !w.To.IsZero() && !w.From.Before(w.To) {
		return fmt.Errorf("the times from %s up to %s are none: the first must be before the second",
			w.From.Format(time.RFC3339Nano), w.To.Format(time.RFC3339Nano))
	}
	return nil
}

// stamp returns the time that the line begins with at the start of a text. The first one found decides how all
// are written.
func (f *Format) stamp(line []byte) (stamp, bool) {
	line, _, _ = bytes.Cut(line[:min(len(line), lineHead)], feed)
	for _, parse := range f.parsers {
		if s, ok := parse(line, f.zone); ok {
			if len(f.parsers) > 1 {
				f.parsers = []parser{parse}
			}
			return s, true
		}
	}
	return stamp{}, false
}

// errLeap is the error of a 29 February in a year that has none.
var errLeap = errors.New("29 February is not a day of the year that the file's time suggests; " +
	"set the file's time to when the log was written, for example by touch -d")

// yearSlack is how far a line may lie before the first one and still be taken as of the same year. So
// lines that do not ascend are noticed, and not taken as lines of the next year.
const yearSlack = 7 * 24 * time.Hour

// settle finds the year of the first time in a log without years: the latest in which it is not
// after latest.
func (f *Format) settle(first stamp, latest time.Time) {
	f.first = first.Time
	f.year = latestYear(first.Time, latest, f.zone)
}

// latestYear returns the last year in which a month, day and time of day were not after a time.
func latestYear(t, latest time.Time, zone *time.Location) int {
	year := latest.In(zone).Year() + 1
	for tries := 0; tries < 9; tries++ { // there are at most eight years between two leap years
		if at, err := inYear(t, year, zone); err == nil && !at.After(latest) {
			break
		}
		year--
	}
	return year
}

// inYear returns a time of the year 0 in another year.
func inYear(t time.Time, year int, zone *time.Location) (time.Time, error) {
	at := time.Date(year, t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), zone)
	if t.Month() == time.February && t.Day() == 29 && time.Date(year, 2, 29, 0, 0, 0, 0, time.UTC).Day() != 29 {
		return at, errLeap
	}
	return at, nil
}

// resolve returns the time of a stamp. Where the months wrap, the next year begins.
func (f *Format) resolve(s stamp) (time.Time, error) {
	if !s.yearless {
		return s.Time, nil
	}
	year := f.year
	if s.Before(f.first.Add(-yearSlack)) {
		year++
	}
	return inYear(s.Time, year, f.zone)
}

// orderError reports that times do not ascend.
func orderError(name string, before, after sighting) error {
	const layout = "2006-01-02T15:04:05.999999999Z07:00"
	return fmt.Errorf("the times of %s do not ascend: %s at offset %d, and behind it %s at offset %d; "+
		"search without --from and --to", name, before.at.Format(layout), before.off, after.at.Format(layout), after.off)
}

// noTimeError reports a log in which no time was recognised.
func noTimeError(name string, bytes int64) error {
	return fmt.Errorf("%s: no line in the first %d bytes begins with a time that is recognised; "+
		"describe it by --time-format", name, bytes)
}
