// Package logtime finds the part of a log that was written between two times. The lines of the log begin
// with times that ascend; lines without a time belong to the one before them.
//
//	format.go, recognise.go, formats.go   the times at the starts of lines
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

	"github.com/thresh-dev/thresh/options"
)

// Window says which lines are wanted.
type Window options.LogTimes

// All reports whether lines of all times are wanted.
func (w *Window) All() bool { return w.From.IsZero() && w.To.IsZero() }

// zone returns the zone of times without one.
func (w *Window) zone() *time.Location {
	if w.Zone == nil {
		return time.Local
	}
	return w.Zone
}

// lineHead is how much of a line is searched for its time; of a JSON object objectHead, because it may come last.
const (
	lineHead   = 512
	objectHead = 128 << 10
)

// headOf returns how much of the line is searched that begins a text.
func headOf(line []byte) int {
	if len(line) > 0 && line[0] == '{' {
		return objectHead
	}
	return lineHead
}

// arrived reports whether as much of a line is there as is searched.
func arrived(line []byte) bool { return len(line) >= headOf(line) || bytes.IndexByte(line, '\n') >= 0 }

// stamp is a time as it is written in a line.
type stamp struct {
	time.Time      // of the year 0 in UTC if it has no year
	yearless  bool // only month, day and time of day are known
	bytes     int  // from the start of the text to the end of the time and its zone
	zone      zone // as it is written; of a time without a year Time does not regard it
}

// parser reads the time that a line begins with.
type parser func(line []byte, z *zones) (stamp, bool)

// Format reads the times of one log. It is not safe for concurrent use.
type Format struct {
	zones   zones
	parsers []parser // one, when the first time has been seen
	given   bool     // the zone of times without one was said
	bare    bool     // there are such times

	// Between these times no clock is set back in the zone.
	calm, calmEnd time.Time

	// Of times without a year: the first one of the log, and its year.
	first time.Time
	year  int
}

// format returns the format for a window. It settles on the way in which the first time is written.
func (w *Window) format() (*Format, error) {
	f := &Format{zones: zones{local: w.zone(), given: w.Zones}, parsers: recognised,
		given: w.Zone != nil}
	if w.Format != "" {
		parse, err := newLayout(w.Format)
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
	line, _, _ = bytes.Cut(line[:min(len(line), headOf(line))], feed)
	if !f.given && bytes.HasPrefix(line, []byte("#Fields:")) {
		f.zones.local = time.UTC // logs in W3C's format, as of IIS, have it by definition
	}
	for _, parse := range f.parsers {
		if s, ok := parse(line, &f.zones); ok {
			if len(f.parsers) > 1 {
				f.parsers = []parser{parse}
			}
			f.bare = f.bare || s.zone.in == nil && s.zone.unknown == ""
			return s, true
		}
	}
	return stamp{}, false
}

// Begins reports whether a line begins with a time that is written in one of the ways that are recognised.
func Begins(line []byte) bool {
	f := Format{zones: zones{local: time.UTC}, parsers: recognised}
	_, ok := f.stamp(line)
	return ok
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
	f.year = latestYear(first.Time, latest, f.in(first))
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

// resolve returns the time of a stamp. Where the months wrap, the next year begins. What looks like a zone and is not
// known is an error: the time could be hours earlier or later.
func (f *Format) resolve(s stamp) (time.Time, error) {
	if s.zone.unknown != "" {
		return time.Time{}, zoneError(s.zone.unknown)
	}
	at, err := s.Time, error(nil)
	if s.yearless {
		year := f.year
		if s.Before(f.first.Add(-yearSlack)) {
			year++
		}
		at, err = inYear(s.Time, year, f.in(s))
	}
	if first, _, ok := f.twice(s, at); ok {
		at = first
	}
	return at, err
}

// twice returns the two times that a stamp without a zone can mean, because clocks are set back. At is one of them.
func (f *Format) twice(s stamp, at time.Time) (first, second time.Time, ok bool) {
	if f.isCalm(s, at) {
		return at, at, false
	}
	begin, end := at.ZoneBounds()
	const day = 24 * time.Hour
	if f.calm, f.calmEnd = begin.Add(day), end.Add(-day); end.IsZero() {
		f.calmEnd = at.Add(day)
	}
	_, seconds := at.Zone()
	if times := showing(at.UTC().Add(time.Duration(seconds)*time.Second), at.Location()); len(times) == 2 {
		return times[0], times[1], true
	}
	return at, at, false
}

// isCalm reports whether it is known that a stamp, which may mean a time, means no other one.
func (f *Format) isCalm(s stamp, at time.Time) bool {
	return s.zone.in != nil || f.calm.Before(at) && at.Before(f.calmEnd)
}

// in returns the zone of a time.
func (f *Format) in(s stamp) *time.Location {
	if s.zone.in != nil {
		return s.zone.in
	}
	return f.zones.local
}

// orderError reports that times do not ascend.
func orderError(name string, before, after sighting) error {
	const layout = "2006-01-02T15:04:05.999999999Z07:00"
	advice := "search without LogTimes.From and LogTimes.To"
	if before.at.Truncate(time.Second).Equal(after.at.Truncate(time.Second)) {
		advice = "if a comma does not begin a fraction of a second, describe the times by LogTimes.Format; else " + advice
	}
	return fmt.Errorf("the times of %s do not ascend: %s at offset %d, and after it %s at offset %d; %s",
		name, before.at.Format(layout), before.off, after.at.Format(layout), after.off, advice)
}

// noTimeError reports a log in which no time was recognised.
type noTimeError struct {
	name  string
	bytes int64
}

// IsUntimed reports whether an error says that no time was recognised.
func IsUntimed(err error) bool {
	_, ok := errors.AsType[*noTimeError](err)
	return ok
}

func (e *noTimeError) Error() string {
	return fmt.Sprintf("%s: no line in the first %d bytes begins with a time that is recognised; "+
		"describe it by LogTimes.Format", e.name, e.bytes)
}

// bareZone returns the zone in which times without one were read, nil if there were none.
func (f *Format) bareZone() *time.Location {
	if !f.bare {
		return nil
	}
	return f.zones.local
}
