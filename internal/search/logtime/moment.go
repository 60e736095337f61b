package logtime

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Moment returns the time that a person has typed: as it stands in a log, also without seconds or as a date; as
// layout says; 10:05 for today; now, today, yesterday, tomorrow; or -5m, -2h30m, -1d as the time before now. A
// time without a zone is in w.Zone, and one that clocks there do not show, or show twice, is an error.
func Moment(text string, w Window, now time.Time) (time.Time, error) {
	in := w.zone()
	now = now.In(in)
	midnight := func(days int) time.Time { return dayStart(now.Year(), now.Month(), now.Day()+days, in) }
	switch strings.ToLower(text) {
	case "now":
		return now, nil
	case "today":
		return midnight(0), nil
	case "yesterday":
		return midnight(-1), nil
	case "tomorrow":
		return midnight(1), nil
	}
	if before, ok := strings.CutPrefix(text, "-"); ok {
		d, err := ago(before)
		if err != nil {
			return time.Time{}, fmt.Errorf("%q is not a time before now, such as -90s, -5m, -2h30m or -1d", text)
		}
		return now.Add(-d), nil
	}
	f, err := w.format()
	if err != nil {
		return time.Time{}, err
	}
	f.zones.local, f.zones.walls = time.UTC, true
	if s, ok := written(f, text); ok {
		return typed(s, now)
	}
	for _, layout := range []string{"2006-01-02", "2006/01/02"} {
		if t, err := time.Parse(layout, text); err == nil {
			return dayStart(t.Year(), t.Month(), t.Day(), in), nil
		}
	}
	r := reader{b: []byte(text)}
	if c := r.clock(true); !r.bad {
		day := now
		if found := f.zones.read(r.b[r.at:]); found.in != nil {
			day = now.In(found.in)
		}
		if s, ok := r.stamp(day.Year(), day.Month(), day.Day(), c, &f.zones); ok && s.isWhole(text) {
			return typed(s, now)
		}
	}
	return time.Time{}, fmt.Errorf("%q is not a time: give it as 2026-11-20T10:05, as 10:05 (today), as yesterday, "+
		"as -5m (five minutes ago), or as it stands in the log", text)
}

// typed returns the time that a person has typed, where now is in the zone of times without one.
func typed(s stamp, now time.Time) (time.Time, error) {
	in := now.Location()
	if s.zone.in != nil {
		in = s.zone.in
	}
	wall, err := s.Time, error(nil)
	if s.zone.unknown != "" {
		return time.Time{}, zoneError(s.zone.unknown)
	}
	if s.yearless {
		if wall, err = inYear(s.Time, latestYear(s.Time, now, in), time.UTC); err != nil {
			return time.Time{}, err
		}
	}
	_, seconds := wall.Zone()
	return once(wall.Add(time.Duration(seconds)*time.Second).UTC(), in)
}

// dayStart returns when a day begins, which is midnight if clocks show it.
func dayStart(year int, month time.Month, day int, in *time.Location) time.Time {
	t, _ := once(time.Date(year, month, day, 0, 0, 0, 0, time.UTC), in) // else the next time they show, or the first one
	return t
}

// written returns a time that is the whole text, in one of the ways in which logs have it.
func written(f *Format, text string) (stamp, bool) {
	parsers := f.parsers
	if len(parsers) == 1 {
		parsers = append(parsers[:1:1], recognised...)
	}
	for _, parse := range parsers {
		s, ok := parse([]byte(text), &f.zones)
		if ok && s.isWhole(text) {
			return s, true
		}
	}
	return stamp{}, false
}

// isWhole reports whether a stamp, with what looks like its zone, is a whole text but for closing brackets and quotes.
func (s *stamp) isWhole(text string) bool {
	text = text[s.bytes:]
	at, n := nameBehind([]byte(text))
	return strings.Trim(strings.TrimPrefix(strings.TrimLeft(text[at+n:], " ([\""), s.zone.unknown), "])\"") == ""
}

// ago reads a duration: that of package time, or with days or weeks first.
func ago(text string) (time.Duration, error) {
	var d time.Duration
	for _, unit := range []struct {
		name string
		long time.Duration
	}{{"w", 7 * 24 * time.Hour}, {"d", 24 * time.Hour}} {
		if number, rest, ok := strings.Cut(text, unit.name); ok {
			n, err := strconv.ParseUint(number, 10, 16)
			if err != nil {
				return 0, err
			}
			d += time.Duration(n) * unit.long
			if text = rest; text == "" {
				return d, nil
			}
		}
	}
	rest, err := time.ParseDuration(text)
	if err == nil && rest < 0 {
		err = strconv.ErrRange
	}
	return d + rest, err
}
