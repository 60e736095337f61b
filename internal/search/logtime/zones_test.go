package logtime

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/test/python"
	"github.com/thresh-dev/thresh/internal/test/rounds"
)

// at returns the time that a line begins with, or the error.
func at(t *testing.T, w Window, line string) (time.Time, error) {
	t.Helper()
	f, err := w.format()
	if err != nil {
		t.Fatal(err)
	}
	s, ok := f.stamp([]byte(line))
	if !ok {
		return time.Time{}, io.EOF
	}
	f.first, f.year = time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC), 2024 // of times without one
	return f.resolve(s)
}

// TestZones: what follows a time and looks like a zone is understood or an error that names it.
func TestZones(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	given := Window{Zone: berlin, Zones: map[string]*time.Location{"IST": time.FixedZone("", 19800), "ART": nil, "XYZT": time.UTC}}
	for line, want := range map[string]string{
		"2024-06-25 14:54:28.100 CEST LOG:  x":                 "2024-06-25T12:54:28.1Z", // PostgreSQL
		"2023-07-01 11:31:36.741 -03 [12] LOG:  x":             "2023-07-01T14:31:36.741Z",
		"2024-01-25 14:54:28 x":                                "2024-01-25T13:54:28Z", // the zone of the window
		"2024-01-25 14:54:28 INFO x":                           "2024-01-25T13:54:28Z",
		"2024-01-25 14:54:28 -3 items":                         "2024-01-25T13:54:28Z",
		"2024-01-25 14:54:28 -100 items":                       "2024-01-25T13:54:28Z",
		"2024-01-25T14:54:28-0500 x":                           "2024-01-25T19:54:28Z",
		"2024-01-25 14:54:28 UTC-0500 x":                       "2024-01-25T19:54:28Z",
		"2024-01-25 14:54:28 GMT+2 x":                          "2024-01-25T12:54:28Z",
		"2024-01-25 14:54:28.5 UTC+05:30 x":                    "2024-01-25T09:24:28.5Z",
		"2024-01-25 14:54:28 America/New_York x":               "2024-01-25T19:54:28Z",
		"2024-07-25T14:54:28[Europe/Berlin] x":                 "2024-07-25T12:54:28Z", // Java
		"2024-07-25 14:54:28 (EEST) x":                         "2024-07-25T11:54:28Z",
		"2024-07-25 14:54:28Z x":                               "2024-07-25T14:54:28Z",
		"2024-07-25 14:54:28z x":                               "2024-07-25T14:54:28Z",
		"[25/Jul/2024:14:54:28 -0700] x":                       "2024-07-25T21:54:28Z",
		"2024-01-25 14:54:28 IST x":                            "2024-01-25T09:24:28Z", // as it is given
		"2024-01-25 14:54:28 ART x":                            "2024-01-25T13:54:28Z", // given: no zone
		"2024-01-25 14:54:28 XYZT x":                           "2024-01-25T14:54:28Z",
		"2024-01-25 14:54:28 CST x":                            "CST",
		"2024-01-25 14:54:28 BRT x":                            "BRT",
		"2024-01-25 14:54:28 America/Nowhere x":                "America/Nowhere",
		"2024-01-25T14:54:28+99:00 x":                          "+99:00",
		"2024-01-25 14:54:28 CSTX x":                           "2024-01-25T13:54:28Z", // a word
		"2024-07-25 14:54:28 EST5EDT x":                        "2024-07-25T18:54:28Z",
		"2024-01-25 14:54:28 UTC:10.0.0.1(5): x":               "2024-01-25T14:54:28Z", // PostgreSQL at Amazon
		"2024-01-25 14:54:28 -03:10.0.0.1(5): x":               "2024-01-25T17:54:28Z",
		"2024-01-25 14:54:28 +0545 [7] LOG: x":                 "2024-01-25T09:09:28Z", // PostgreSQL in Nepal
		"2024-01-25 14:54:28 GMT+0200 (CEST) x":                "2024-01-25T12:54:28Z", // JavaScript
		"2024-01-25T14:54:28+02:00[Africa/Cairo]":              "2024-01-25T12:54:28Z",
		"2024-01-25T14:54:28\u221203:00 x":                     "2024-01-25T17:54:28Z",
		"2024-01-25 14:54:28 MSK+1 x":                          "MSK+1",
		"2024-01-25 14:54:28 UTC+17 x":                         "UTC+17",
		"2024-01-25T14:54:28+530 x":                            "+530",
		"2024-01-25T14:54:28B x":                               "B",
		"2024-01-25 14:54:28 Central European Standard Time x": "Central European Standard Time",
		"2024-01-25 14:54:28 GET /time":                        "2024-01-25T13:54:28Z",
		"2024-01-25 14:54:28 -10% of it":                       "2024-01-25T13:54:28Z",
		"2024-01-25 02:54:28 PM CET x":                         "2024-01-25T13:54:28Z",
		"2024-01-25 12:54:28AM x":                              "2024-01-24T23:54:28Z",
		"2024-1-5 2:54:28 x":                                   "2024-01-05T01:54:28Z",
		"2024-01-25 14:54:28:500 x":                            "2024-01-25T13:54:28.5Z",
		"2024-01-25 14:54:28:5000 x":                           "2024-01-25T13:54:28Z",
		"Jun 25 14:54:28 CEST host":                            "2024-06-25T12:54:28Z",
		"Jun 25 14:54:28.123 UTC: %SYS-5-CONFIG_I: x":          "2024-06-25T14:54:28.123Z", // Cisco
		"Jan 25 14:54:28 host":                                 "2024-01-25T13:54:28Z",
		"Jan 25 14:54:28 2021 host":                            "2021-01-25T13:54:28Z",
		"Jan 25 14:54:28 EST 2021":                             "2021-01-25T19:54:28Z",
		"Jun 25 14:54:28 CST host":                             "CST",
	} {
		got, err := at(t, given, line)
		moment, notTime := time.Parse(time.RFC3339Nano, want)
		switch {
		case notTime != nil && (err == nil || !strings.Contains(err.Error(), strconv.Quote(want)) || !strings.Contains(err.Error(), "LogTimes.Zones")):
			t.Errorf("%q: %v, %v, want an error that names %s", line, got, err, want)
		case notTime == nil && (err != nil || !got.Equal(moment)):
			t.Errorf("%q: %v, %v, want %s", line, got, err, want)
		}
	}
}

// TestZonesWithoutYears: a zone counts after times that have no year, too.
func TestZonesWithoutYears(t *testing.T) {
	for _, test := range []struct{ layout, line, want string }{
		{"", "Oct  9 13:55:36 EST: %SYS-5", "2026-10-09T18:55:36Z"},
		{"", "<34>Oct  9 13:55:36.25 +02:00 host", "2026-10-09T11:55:36.25Z"},
		{"", "Oct  9 13:55:36 host sshd", "2026-10-09T13:55:36Z"},
		{"", "Oct  9 13:55:36 BRT host", "BRT"},
		{"%b %d %H:%M:%S", "Oct 9 13:55:36 CEST x", "2026-10-09T11:55:36Z"},
		{"%b %d %H:%M:%S %Z", "Oct 9 13:55:36 CEST x", "2026-10-09T11:55:36Z"},
		{"%b %d %H:%M:%S %Z", "Oct 9 13:55:36 CST x", "CST"},
	} {
		w := Window{Format: test.layout, Zone: time.UTC}
		f, err := w.format()
		if err != nil {
			t.Fatal(err)
		}
		s, ok := f.stamp([]byte(test.line))
		if !ok || !s.yearless {
			t.Fatalf("%q: %v %+v", test.line, ok, s)
		}
		f.settle(s, time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC))
		got, err := f.resolve(s)
		moment, notTime := time.Parse(time.RFC3339Nano, test.want)
		if notTime != nil && (err == nil || !strings.Contains(err.Error(), test.want)) || notTime == nil && (err != nil || !got.Equal(moment)) {
			t.Errorf("%q: %v, %v, want %s", test.line, got, err, test.want)
		}
	}
}

// TestParseZone: what --zone takes.
func TestParseZone(t *testing.T) {
	for text, want := range map[string]string{
		"CEST=+02:00": "CEST 7200", "BRT=-03": "BRT -10800", "NPT=+0545": "NPT 20700", "Z=none": "Z none",
		"Asia/Kolkata": " 19800", "-03": " -10800", "UTC": " 0", "Singapore": " 27000", "CST": "", "Europe/Nowhere": "",
		"": "", "CEST": "", "=+02:00": "", "CEST=": "", "CEST=02:00": "", "CEST=+99:00": "", "CEST=+02:00x": "", " X=+01": "",
	} {
		name, zone, err := ParseZone(text)
		got := ""
		if err == nil {
			got = name + " none"
			if zone != nil {
				_, seconds := time.Unix(0, 0).In(zone).Zone()
				got = fmt.Sprint(name, " ", seconds)
			}
		}
		if got != want {
			t.Errorf("%q: %q, %v, want %q", text, got, err, want)
		}
	}
}

// TestTypedLocalTimes: a local time that clocks skip or show twice is not guessed.
func TestTypedLocalTimes(t *testing.T) {
	for zone, texts := range map[string]map[string]string{
		"Europe/Berlin": {"2026-03-29 02:30": "forward", "2026-10-25 02:30": "back", "2026-10-25 01:59:59": "2026-10-24T23:59:59Z",
			"2026-10-25 03:00": "2026-10-25T02:00:00Z", "2026-03-29 03:00": "2026-03-29T01:00:00Z",
			"2026-10-25 02:30 CEST": "2026-10-25T00:30:00Z", "2026-10-25 02:30+01:00": "2026-10-25T01:30:00Z"},
		"Australia/Lord_Howe": {"2026-10-04 02:15": "forward", "2026-04-05 01:45": "back", "2026-04-05 02:00": "2026-04-04T15:30:00Z"},
		"Pacific/Apia":        {"2011-12-30 12:00": "forward", "2011-12-31 00:00": "2011-12-30T10:00:00Z"},
		"America/Sao_Paulo": {"2018-11-04 00:30": "forward", "2018-02-17 23:30": "back",
			"2018-11-04": "2018-11-04T03:00:00Z", "2018-02-18": "2018-02-18T03:00:00Z"},
		"America/Havana":   {"2026-11-01": "2026-11-01T04:00:00Z", "2026-11-01 00:30": "write 2026-11-01T00:30:00-04:00 or"},
		"America/New_York": {"2026-11-01 01:30": "write 2026-11-01T01:30:00-04:00 or 2026-11-01T01:30:00-05:00"},
		"Africa/Cairo": {"2026-11-23 10:00 Europe/Berlin": "2026-11-23T09:00:00Z", "2026-03-29 02:30 Europe/Berlin": "forward",
			"2026-10-25 02:30 Europe/Berlin": "back", "2026-10-25 02:30 CST": "LogTimes.Zones", "10:05 CST": "LogTimes.Zones",
			"10:05 CET": "2026-11-22T09:05:00Z", "10:05 UTC-5": "2026-11-22T15:05:00Z", "1:05 PM": "2026-11-23T11:05:00Z",
			"Oct 29 23:30:00": "back", "[10/Oct/2000:13:55:36 CST]": "LogTimes.Zones"},
	} {
		in, err := time.LoadLocation(zone)
		if err != nil {
			t.Fatal(err)
		}
		for text, want := range texts {
			got, err := Moment(text, Window{Zone: in}, time.Date(2026, 11, 23, 0, 0, 0, 0, in))
			moment, notTime := time.Parse(time.RFC3339Nano, want)
			if notTime != nil && (err == nil || !strings.Contains(err.Error(), want)) || notTime == nil && (err != nil || !got.Equal(moment)) {
				t.Errorf("%s, %s: %v, %v, want %s", zone, text, got, err, want)
			}
		}
	}
}

// TestLayouts: formats that the user describes, of times whose digits and fractions differ from line to line.
func TestLayouts(t *testing.T) {
	for _, test := range []struct {
		layout string
		lines  []string // each before its time in UTC
	}{
		{"%d.%m.%Y %H:%M:%S", []string{"20.11.2026 10:05:00 a", "2026-11-20T10:05:00Z", "20.11.2026 10:05:00.700 b", "2026-11-20T10:05:00.7Z",
			"20.11.2026 10:05:01 c", "2026-11-20T10:05:01Z", "20.11.2026 10:05:01,25 d", "2026-11-20T10:05:01Z", "2.1.2026 1:05:01 e", "2026-01-02T01:05:01Z",
			"20.11.2026 10:05:02 +0100 f", "2026-11-20T09:05:02Z", "20.11.2026 10:05:03. g", "2026-11-20T10:05:03Z"}},
		{"%b %d %Y %I:%M:%S %p", []string{"May 5 2026 1:20:10 PM x", "2026-05-05T13:20:10Z", "May 15 2026 11:20:10 AM x", "2026-05-15T11:20:10Z",
			"May  5 2026 01:20:10 AM x", "2026-05-05T01:20:10Z"}},
		{"%Y-%m-%d %H:%M:%S %Z", []string{"2026-06-25 14:54:28 CEST x", "2026-06-25T12:54:28Z", "2026-01-25 14:54:28.5 EST x", "2026-01-25T19:54:28.5Z",
			"2026-01-25 14:54:28 CST x", "CST", "2026-01-25 14:54:28 QQQ x", "QQQ",
			"2026-01-25 14:54:28 UTC-0500 x", "2026-01-25T19:54:28Z", "2026-01-25 14:54:28 +0545 x", "2026-01-25T09:09:28Z",
			"2026-01-25 14:54:28 -03 x", "2026-01-25T17:54:28Z"}},
		{"%Y-%m-%d %H:%M:%S %z", []string{"2026-06-25 14:54:28 +02:00 x", "2026-06-25T12:54:28Z", "2026-06-25 14:54:28.5 -0330 x",
			"2026-06-25T18:24:28.5Z", "2026-06-25 14:54:28Z x", "2026-06-25T14:54:28Z"}},
		{"%b %d %H:%M:%S %Z", []string{"Jun 5 14:54:28 CEST x", "2026-06-05T12:54:28Z", "Jun 15 14:54:28 CST x", "CST"}},
		{"%b %d %H:%M:%S", []string{"Jun 5 14:54:28 -03 x", "2026-06-05T17:54:28Z", "Jun 15 14:54:28 x", "2026-06-15T14:54:28Z"}},
		{"%b %d %H:%M:%S %Z %Y", []string{"Jun 5 14:54:28 CEST 2026 x", "2026-06-05T12:54:28Z", "Jun 5 14:54:28 CST 2026", "CST"}},
		{"%d.%m.%Y %I:%M:%S %p", []string{"5.6.2026 1:54:28 pm x", "2026-06-05T13:54:28Z", "05.06.2026 12:54:28.5 AM x", "2026-06-05T00:54:28.5Z"}},
		{"02/Jan/2006 15:04:05 -0700", []string{"5/Jun/2026 1:54:28 +0200 x", "2026-06-04T23:54:28Z"}},
		{"%Y%m%d%H%M%S", []string{"20261120100503 x", "2026-11-20T10:05:03Z", "20260102010203.25 x", "2026-01-02T01:02:03.25Z"}},
		{"2006-01-02 15:04:05", []string{"2026-1-2 3:4:5 x", "2026-01-02T03:04:05Z"}},
	} {
		w := Window{Format: test.layout, Zone: time.UTC}
		f, err := w.format()
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(test.lines); i += 2 {
			line, want := test.lines[i], test.lines[i+1]
			f.first, f.year = time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC), 2026
			s, ok := f.stamp([]byte(line))
			got, err := f.resolve(s)
			moment, notTime := time.Parse(time.RFC3339Nano, want)
			if notTime != nil && (err == nil || !strings.Contains(err.Error(), want)) ||
				notTime == nil && (!ok || err != nil || !got.Equal(moment)) {
				t.Errorf("%s, %q: %v, %v, %v, want %s", test.layout, line, got, ok, err, want)
			}
		}
	}
}

// pythonTimes prints lines that begin with a time, each after the same in microseconds since 1970, in the zones of the
// tz database and in many ways of writing.
const pythonTimes = `
import random, sys
from datetime import datetime, timezone
from zoneinfo import ZoneInfo, available_timezones
r, n = random.Random(30), int(sys.argv[1])
areas = ("Africa", "America", "Asia", "Atlantic", "Australia", "Europe", "Pacific")
names = sorted(z for z in available_timezones() if z.startswith(areas))
for _ in range(n):
    name = r.choice(names)
    micros = r.randrange(1672531200 * 10**6, 1790000000 * 10**6)
    digits = r.choice([0, 0, 1, 3, 6])
    micros -= micros % 10**(6 - digits)
    t = datetime.fromtimestamp(micros // 10**6, timezone.utc).astimezone(ZoneInfo(name)).replace(microsecond=micros % 10**6)
    fraction = "." + ("%06d" % t.microsecond)[:digits] if digits else ""
    offset = t.strftime("%z")
    if len(offset) > 5: continue
    zone = r.choice([" " + t.tzname(), " " + t.tzname(), offset, offset[:3] + ":" + offset[3:], " " + offset, " UTC" + offset, " " + name])
    print(micros, t.strftime(r.choice(["%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%Y/%m/%d %H:%M:%S"])) + fraction + zone + " text", sep="\t")
`

// TestZonesOfPython writes times in all zones of the tz database by Python's own library. Each is read as it was
// written, or is an error for its abbreviation; so no abbreviation that is known means another offset anywhere.
func TestZonesOfPython(t *testing.T) {
	out, err := exec.Command(python.Interpreter(t), "-c", pythonTimes, strconv.Itoa(rounds.Of(20_000))).Output()
	if err != nil {
		t.Fatal(err)
	}
	read, unknown := 0, 0
	var zones []*time.Location // that were named
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		before, line, _ := strings.Cut(lines.Text(), "\t")
		micros, err := strconv.ParseInt(before, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		switch got, err := at(t, Window{Zone: time.FixedZone("", 1)}, line); {
		case err != nil && strings.Contains(err.Error(), "LogTimes.Zones"):
			unknown++
		case err != nil || got.UnixMicro() != micros:
			t.Errorf("%q: %v, %v, want %v", line, got, err, time.UnixMicro(micros).UTC())
		default:
			read++
			if _, name, ok := strings.Cut(strings.TrimSuffix(line, " text"), "/"); ok { // a date with slashes is no name
				if zone, err := time.LoadLocation(line[strings.LastIndexByte(line[:len(line)-5], ' ')+1 : len(line)-5]); err == nil && name != "" {
					zones = append(zones, zone)
				}
			}
			if len(zones) > 0 {
				showAgain(t, line, micros, zones[read%len(zones)])
			}
		}
	}
	if read < 10*unknown {
		t.Errorf("%d times were read, and of %d the zone is not known", read, unknown)
	}
}

// showAgain shows a line in a zone, and reads that.
func showAgain(t *testing.T, line string, micros int64, zone *time.Location) {
	t.Helper()
	w := Window{Zone: time.FixedZone("", 1), Show: zone}
	s, err := NewShow(t.Context(), source.FromBytes("log", []byte(line)), source.Range{End: int64(len(line))}, &w, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	shown := rewritten(t, s, []byte(line), 0)
	_, seconds := time.UnixMicro(micros).In(zone).Zone()
	if _, err := once(time.UnixMicro(micros).Add(time.Duration(seconds)*time.Second).UTC(), zone); err != nil && strings.Contains(shown, zone.String()) {
		return // its name does not say which of two hours it is
	}
	if got, err := at(t, w, shown); err != nil || got.UnixMicro() != micros || !strings.HasSuffix(shown, " text") {
		t.Errorf("%q in %s is %q, which is %v, %v, want %v", line, zone, shown, got, err, time.UnixMicro(micros).UTC())
	}
}

// pythonLayouts prints a format, a time in microseconds since 1970, and a line that begins with this time as
// Python's own strptime reads it: with one digit or two, a fraction of any length, and an offset where there is one.
const pythonLayouts = `
import random, sys
from datetime import datetime, timedelta, timezone
r, n = random.Random(31), int(sys.argv[1])
dates = ["%d.%m.%Y", "%Y-%m-%d", "%m/%d/%Y", "%d %b %Y", "%B %d %Y", "%a %b %d %Y"]
clocks = ["%H:%M:%S", "%I:%M:%S %p", "%H.%M.%S"]
number = lambda n: str(n) if r.random() < .5 else "%02d" % n
for _ in range(n):
    date, clock, zone = r.choice(dates), r.choice(clocks), r.choice(["", "", " %z"])
    t = datetime(r.randrange(2000, 2030), r.randrange(1, 13), r.randrange(1, 29), r.randrange(24), r.randrange(60), r.randrange(60))
    digits = r.choice([0, 0, 1, 2, 3, 6])
    seconds = "%S"
    if digits and clock != "%I:%M:%S %p":
        t, seconds = t.replace(microsecond=r.randrange(10**digits) * 10**(6 - digits)), "%S.%f"
    text = date + " " + clock.replace("%S", seconds) + zone
    layout, text = date + " " + clock + zone, text.replace("%f", ("%06d" % t.microsecond)[:digits])
    for spec, value in (("%d", t.day), ("%m", t.month), ("%H", t.hour), ("%I", t.hour % 12 or 12), ("%M", t.minute), ("%S", t.second)):
        text = text.replace(spec, number(value))
    text = t.replace(tzinfo=timezone(timedelta(minutes=r.randrange(-48, 57) * 15))).strftime(text)
    read = datetime.strptime(text, layout.replace("%S", seconds))
    if not zone: read = read.replace(tzinfo=timezone.utc)
    micros = (read - datetime(1970, 1, 1, tzinfo=timezone.utc)) // timedelta(microseconds=1)
    print(layout, micros, text + r.choice(["", " text", ": text", " 5 items"]), sep="\t")
`

// TestLayoutsOfPython reads times as Python's strptime does, each by a format that has read others before.
func TestLayoutsOfPython(t *testing.T) {
	out, err := exec.Command(python.Interpreter(t), "-c", pythonLayouts, strconv.Itoa(rounds.Of(20_000))).Output()
	if err != nil {
		t.Fatal(err)
	}
	formats := map[string]*Format{}
	for line := range strings.Lines(string(out)) {
		part := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 3)
		if formats[part[0]] == nil {
			w := Window{Format: part[0], Zone: time.UTC}
			if formats[part[0]], err = w.format(); err != nil {
				t.Fatal(err)
			}
		}
		micros, err := strconv.ParseInt(part[1], 10, 64)
		s, ok := formats[part[0]].stamp([]byte(part[2]))
		if err != nil || !ok || s.UnixMicro() != micros {
			t.Errorf("%s, %q: %v, %v, want %v, %v", part[0], part[2], s.Time, ok, time.UnixMicro(micros).UTC(), err)
		}
	}
	if len(formats) < 20 {
		t.Errorf("only %d formats were tried", len(formats))
	}
}
