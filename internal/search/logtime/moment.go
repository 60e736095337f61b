package logtime

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Moment returns the time that a person has typed: as it stands in a log, also without seconds or as a date; as
// layout says; 10:05 for today; now, today, yesterday, tomorrow; or -5m, -2h30m, -1d as the time before now. A
// time without a zone is in zone.
func Moment(text, layout string, now time.Time, zone *time.Location) (time.Time, error) {
	w := Window{Layout: layout, Zone: zone}
	zone = w.zone()
	now = now.In(zone)
	midnight := func(days int) time.Time {
		return time.Date(now.Year(), now.Month(), now.Day()+days, 0, 0, 0, 0, zone)
	}
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
	if s, ok := written(f, text); ok {
		if s.yearless {
			return inYear(s.Time, latestYear(s.Time, now, zone), zone)
		}
		return s.Time, nil
	}
	for _, layout := range []string{"2006-01-02", "2006/01/02", time.RFC3339} {
		if t, err := time.ParseInLocation(layout, text, zone); err == nil {
			return t, nil
		}
	}
	r := reader{b: []byte(text)}
	if c := r.clock(true); !r.bad && r.at == len(text) && c.hour < 24 && c.minute < 60 && c.second <= 60 {
		return time.Date(now.Year(), now.Month(), now.Day(), c.hour, c.minute, c.second, c.nanos, zone), nil
	}
	return time.Time{}, fmt.Errorf("%q is not a time: give it as 2026-11-20T10:05, as 10:05 (today), as yesterday, "+
		"as -5m (five minutes ago), or as it stands in the log", text)
}

// written returns a time that is the whole text, in one of the ways in which logs have it.
func written(f *Format, text string) (stamp, bool) {
	parsers := f.parsers
	if len(parsers) == 1 {
		parsers = append(parsers[:1:1], recognised...)
	}
	bare := func(line []byte, zone *time.Location) (stamp, bool) {
		r := reader{b: line}
		return r.apache(zone)
	}
	for _, parse := range append(parsers[:len(parsers):len(parsers)], bare) {
		s, ok := parse([]byte(text), f.zone)
		if ok && strings.Trim(text[s.bytes:], "])\"") == "" {
			return s, true
		}
	}
	return stamp{}, false
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
