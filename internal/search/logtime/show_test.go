package logtime

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/test/python"
	"github.com/thresh-dev/thresh/internal/test/rounds"
)

// shownZones are where logs are shown.
var shownZones = append([]string{"UTC", "Pacific/Chatham", "America/Sao_Paulo", "Asia/Tokyo"}, zoneNames...)

var padded = regexp.MustCompile(`([ /,-])[ 0]([1-9])([ :/])`)

// loose returns a line without what cannot be told from another line: whether a number of one digit has a zero or blank
// before it, and whether UTC is Z or an offset.
func loose(line string) string {
	return padded.ReplaceAllString(strings.ReplaceAll(line, "+00:00", "Z"), "$1$2$3")
}

// rewritten returns a line as it is shown.
func rewritten(t *testing.T, s *Show, line []byte, off int64) string {
	t.Helper()
	var out []byte
	at := 0
	err := s.Rewrite(line, off, func(from, to int, text string) {
		if from < at || to <= from || to > len(line) || text == string(line[from:to]) {
			t.Fatalf("%q: %d to %d behind %d becomes %q", line, from, to, at, text)
		}
		out = append(append(out, line[at:from]...), text...)
		at = to
	})
	if err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	return string(append(out, line[at:]...))
}

// parts reads a few bytes at a time.
type parts struct {
	io.Reader
	r *rand.Rand
}

func (p *parts) Read(b []byte) (int, error) { return p.Reader.Read(b[:min(len(b), 1+p.r.IntN(4000))]) }

// checkShow shows the lines of a log in another zone, those of a file in any order and those of a stream as they come,
// and compares them with how they are written of times in that zone.
func checkShow(t *testing.T, r *rand.Rand, w *way, l *testLog, window Window, written time.Time) {
	t.Helper()
	var err error
	if window.Show, err = time.LoadLocation(shownZones[r.IntN(len(shownZones))]); err != nil {
		t.Skip(err)
	}
	ctx, end := context.Background(), int64(len(l.text))
	ofFile, err := NewShow(ctx, source.FromReaderAt("log", bytes.NewReader(l.text), end), source.Range{End: end}, &window, written)
	if err != nil {
		t.Fatal(err)
	}
	filter, err := NewFilter("log", &parts{bytes.NewReader(l.text), r}, 0, window, l.lines[0].at, false)
	if err != nil {
		t.Fatal(err)
	}
	ofStream := filter.Show()
	if all, err := io.ReadAll(filter); err != nil || filter.Err() != nil || !bytes.Equal(all, l.text) {
		t.Fatalf("%s: the filter passes on %d bytes of %d, %v, %v", w.name, len(all), end, err, filter.Err())
	}
	for _, i := range r.Perm(len(l.lines))[:100] {
		line, _, _ := bytes.Cut(l.text[l.lines[i].off:], feed)
		want := strings.Replace(w.write(l.lines[i].at.In(window.Show)), " IST", " +0530", 1) // IST is several zones
		for how, show := range map[string]*Show{"file": ofFile, "stream": ofStream} {
			got := rewritten(t, show, line, l.lines[i].off)
			if got != want && loose(got) != loose(want) {
				t.Fatalf("%s, %s in %s, of a %s: %q\nis    %q\nwant  %q", w.name, window.Zone, window.Show, how, line, got, want)
			}
		}
	}
	for off := 0; off < len(l.text); { // what has no time stays
		line, _, _ := bytes.Cut(l.text[off:], feed)
		if got := rewritten(t, ofFile, line, int64(off)); bytes.HasPrefix(line, []byte("  at")) && got != string(line) {
			t.Fatalf("%q becomes %q", line, got)
		}
		off += len(line) + 1
	}
}

// pythonShown prints zones, a format of times, and how Python's own library writes a line in the one zone and in the
// other.
const pythonShown = `
import random, sys
from datetime import datetime, timezone
from zoneinfo import ZoneInfo, available_timezones
r, n = random.Random(32), int(sys.argv[1])
areas = ("Africa", "America", "Asia", "Atlantic", "Australia", "Europe", "Pacific")
names = sorted(z for z in available_timezones() if z.startswith(areas))
usual = ["%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S%z", "%Y/%m/%d %H:%M:%S.%f", "[%a %b %d %H:%M:%S.%f %Y]", "::1 - - [%d/%b/%Y:%H:%M:%S %z]",
    "%d %b %Y %H:%M:%S,125", "%a, %d %b %Y %H:%M:%S %z", "I%m%d %H:%M:%S.%f 7 app.go:1]", "%b %d %H:%M:%S host", "%Y%m%dT%H%M%S%z",
    '{"msg":"%%%%Y","ts":"%Y-%m-%d %H:%M:%S"}', "%Y-%m-%d %I:%M:%S %p", "%Y-%m-%d %H:%M:%S NAME", "%Y-%m-%dT%H:%M:%S%z[NAME]", "%b %d %H:%M:%S %Y"]
dates = ["%d.%m.%Y", "%y%m%d", "%m/%d/%Y", "%A %d %B %Y", "%a %b %d %Y", "%Y-%j", "%d%b%y"]
clocks = ["%H:%M:%S", "%I:%M:%S %p", "%H%M%S", "%H.%M"]
for _ in range(n):
    source, target = ZoneInfo(r.choice(names)), ZoneInfo(r.choice(names))
    t = datetime.fromtimestamp(r.randrange(1672531200, 1790000000), timezone.utc).replace(microsecond=r.randrange(10**6)).astimezone(source)
    format = text = r.choice(usual)
    if r.random() < .5: format = text = r.choice(dates) + " " + r.choice(clocks) + r.choice(["", "", " %z", "OFFSET"])
    else: format = ""
    zoned = "%z" in text or "NAME" in text or "OFFSET" in text
    format = format.replace("OFFSET", "")
    if t.fold and not zoned or len(t.strftime("%z")) > 5 or len(t.astimezone(target).strftime("%z")) > 5: continue
    write = lambda t: t.strftime(text).replace("NAME", t.tzinfo.key).replace("OFFSET", t.strftime("%z")[:3] + ":" + t.strftime("%z")[3:])
    if text.startswith("%b") and (t.day < 10 or t.astimezone(target).day < 10): continue # Python writes 09
    print(source.key, target.key, format, t.year, write(t) + " text", write(t.astimezone(target)) + " text", sep="\t")
`

// TestShowOfPython shows times in zones of the tz database as Python's own library writes them there.
func TestShowOfPython(t *testing.T) {
	out, err := exec.Command(python.Interpreter(t), "-c", pythonShown, strconv.Itoa(rounds.Of(6_000))).Output()
	if err != nil {
		t.Fatal(err)
	}
	tried := map[string]int{}
	for line := range strings.Lines(string(out)) {
		part := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		w := Window{Format: part[2]}
		if w.Zone, err = time.LoadLocation(part[0]); err != nil {
			t.Skip(err)
		}
		if w.Show, err = time.LoadLocation(part[1]); err != nil {
			t.Skip(err)
		}
		year, err := strconv.Atoi(part[3])
		if err != nil {
			t.Fatal(err)
		}
		text := []byte(part[4])
		written := time.Date(year, 12, 31, 0, 0, 0, 0, time.UTC) // in which months without a year are
		s, err := NewShow(t.Context(), source.FromBytes("log", text), source.Range{End: int64(len(text))}, &w, written)
		if err != nil || s == nil {
			t.Errorf("%q, %q: %v", part[2], text, err)
			continue
		}
		if got := rewritten(t, s, text, 0); got != part[5] {
			t.Errorf("%q, %s in %s: %q\nis    %q\nwant  %q", part[2], part[0], part[1], text, got, part[5])
		}
		tried[part[2]]++
	}
	if len(tried) < 30 {
		t.Errorf("only %d formats were tried", len(tried))
	}
}

// TestShow: a zone is written as the one that stood there, and what is written can be read again.
func TestShow(t *testing.T) {
	zones := map[string]*time.Location{"IST": time.FixedZone("", 19800), "CST": time.FixedZone("", -21600), "ART": nil,
		"Central European Standard Time": time.FixedZone("", 3600), "E-X": time.FixedZone("", 3600)}
	for _, c := range []struct{ show, line, want string }{
		{"Asia/Kathmandu", "2024-06-25T14:54:28Z x", "2024-06-25T20:39:28+05:45 x"},
		{"Asia/Kathmandu", "2024-06-25 20:54:28z x", "2024-06-26 02:39:28+05:45 x"},
		{"Asia/Kathmandu", "20240625T145428Z x", "20240625T203928+0545 x"},
		{"Asia/Kathmandu", "2024-06-25 14:54:28+00 x", "2024-06-25 20:39:28+05:45 x"}, // PostgreSQL's values
		{"Asia/Kathmandu", "2024-06-25 14:54:28 +00 x", "2024-06-25 20:39:28 +0545 x"},
		{"America/New_York", "2024-06-25 14:54:28.100 CEST LOG:  x", "2024-06-25 08:54:28.100 EDT LOG:  x"},
		{"America/Chicago", "2024-06-25 14:54:28.100 CEST LOG:  x", "2024-06-25 07:54:28.100 -05 LOG:  x"},
		{"America/Chicago", "2024-01-25 14:54:28.100 CET LOG:  x", "2024-01-25 07:54:28.100 CST LOG:  x"}, // as it is given
		{"America/Sao_Paulo", "2023-07-01 00:31:36.741 UTC [12] LOG:  x", "2023-06-30 21:31:36.741 -03 [12] LOG:  x"},
		{"Asia/Kolkata", "2024-01-25 14:54:28 UTC-0500 x", "2024-01-26 01:24:28 UTC+0530 x"},
		{"Asia/Kolkata", "2024-01-25 14:54:28 GMT+2 x", "2024-01-25 18:24:28 GMT+5:30 x"},
		{"Asia/Kolkata", "2024-01-25T14:54:28+02:00[Africa/Cairo] x", "2024-01-25T18:24:28+05:30[Asia/Kolkata] x"},
		{"Europe/Paris", "2024-01-25T14:54:28+01:00[Europe/Berlin] x", "2024-01-25T14:54:28+01:00[Europe/Paris] x"},
		{"+05:30", "2024-01-25T14:54:28+02:00[Africa/Cairo] x", "2024-01-25T18:24:28+05:30[UTC+0530] x"},
		{"Asia/Tokyo", "2024-07-25T14:54:28[Europe/Berlin] x", "2024-07-25T21:54:28[Asia/Tokyo] x"},
		{"Asia/Tokyo", "2024-01-25 14:54:28 EST5EDT x", "2024-01-26 04:54:28 Asia/Tokyo x"},
		{"-03:00", "2024-07-25 14:54:28 (EEST) x", "2024-07-25 08:54:28 (UTC-03) x"},
		{"-03:00", "2024-07-25 14:54:28 Europe/Berlin x", "2024-07-25 09:54:28 -03 x"},
		{"America/New_York", "Wed Jan 24 2024 20:54:28 GMT-0800 (Pacific Standard Time) x", "Wed Jan 24 2024 23:54:28 GMT-0500 (EST) x"},
		{"Asia/Tokyo", "Wed Jan 24 2024 14:54:28 GMT+0100 (CET) x", "Wed Jan 24 2024 22:54:28 GMT+0900 (JST) x"},
		{"Asia/Tokyo", "2024-01-25 14:54:28 +0100 (main) x", "2024-01-25 22:54:28 +0900 (main) x"},
		{"Asia/Tokyo", "Sun Jan 24 2024 14:54:28 GMT+0100 x", "Sun Jan 24 2024 22:54:28 GMT+0900 x"}, // it was no Sunday
		{"Asia/Tokyo", "[Wed Jan 31 20:54:28.5 2024] x", "[Thu Feb 01 04:54:28.5 2024] x"},
		{"America/Sao_Paulo", "2024-01-25T14:54:28+03:00 x", "2024-01-25T08:54:28-03:00 x"},
		{"America/Sao_Paulo", "2024-01-25T14:54:28\u221203:30 x", "2024-01-25T15:24:28\u221203:00 x"},
		{"Asia/Tokyo", "2024-01-25T14:54:28\u221203:30 x", "2024-01-26T03:24:28+09:00 x"},
		{"Asia/Tokyo", "2024-01-25 14:54:28 IST x", "2024-01-25 18:24:28 JST x"},
		{"Asia/Tokyo", "2024-01-25 14:54:28 ART x", "2024-01-25 22:54:28 ART x"},
		{"Asia/Tokyo", "2024-01-25 14:54:28 Central European Standard Time x", "2024-01-25 22:54:28 JST x"},
		{"Asia/Tokyo", "2024-01-25 14:54:28 E-X x", "2024-01-25 22:54:28 JST x"},
		{"Asia/Tokyo", "2024-01-25 14:54:28 -3 items", "2024-01-25 22:54:28 -3 items"},
		{"Asia/Tokyo", "2024-01-25 14:54:28 UTC:10.0.0.1(5): x", "2024-01-25 23:54:28 JST:10.0.0.1(5): x"},
		{"America/Bogota", "2024-01-25 14:54:28 UTC:10.0.0.1(5): x", "2024-01-25 09:54:28 -05:10.0.0.1(5): x"},
		{"Asia/Tokyo", "2016-12-31T23:59:60.5Z x", "2017-01-01T08:59:60.5+09:00 x"}, // a leap second
		{"Europe/Berlin", "0001-01-01T00:00:00Z x", "0001-01-01T00:53:28+00:53:28 x"},
		{"Asia/Tokyo", "2024-12-31 23:54:28 PM CET x", "2025-01-01 07:54:28 AM JST x"},
		{"Asia/Tokyo", "2024-12-31 11:54:28 pm CET x", "2025-01-01 07:54:28 am JST x"},
		{"Asia/Tokyo", "1/2 2024-1-5 20:4:05 x", "1/2 2024-1-5 20:4:05 x"},
		{"Asia/Tokyo", "2024-1-5 10:54:28 x", "2024-1-5 18:54:28 x"},
		{"America/New_York", "2024-1-10 1:54:28 x", "2024-1-9 19:54:28 x"},
		{"America/New_York", "2024-01-10 1:54:28 x", "2024-01-09 19:54:28 x"},
		{"Asia/Tokyo", "1706192068 x", "1706192068 x"},
		{"Asia/Tokyo", `{"ts":1706192068.5}`, `{"ts":1706192068.5}`},
		{"Asia/Tokyo", `{"a":{"time":"x"},"time":"2024-01-25T14:54:28Z"}`, `{"a":{"time":"x"},"time":"2024-01-25T23:54:28+09:00"}`},
		{"Asia/Tokyo", "<34>Oct  9 23:55:36 host", "<34>Oct 10 06:55:36 host"},
		{"Asia/Tokyo", "Oct 9 23:55:36 host", "Oct 10 06:55:36 host"},
		{"America/New_York", "Oct 10 01:55:36 host", "Oct  9 19:55:36 host"},
		{"America/New_York", "MySQL", "MySQL"},
	} {
		w := Window{Zone: berlin(t), Zones: zones}
		_, in, err := ParseZone(c.show)
		if err != nil {
			t.Fatal(err)
		}
		w.Show = in
		s, err := NewShow(t.Context(), source.FromBytes("log", []byte(c.line)), source.Range{End: int64(len(c.line))}, &w,
			time.Date(2024, 12, 31, 0, 0, 0, 0, time.UTC))
		got := c.line
		if err == nil && s != nil {
			got = rewritten(t, s, []byte(c.line), 0)
		}
		if err != nil || got != c.want {
			t.Errorf("%q in %s: %v\nis   %q\nwant %q", c.line, c.show, err, got, c.want)
		}
		before, beforeErr := at(t, w, c.line)
		after, afterErr := at(t, Window{Zone: in, Zones: zones}, got)
		if bytes.ContainsAny([]byte(c.line), "ZC+-[(") && (beforeErr != afterErr || !before.Equal(after)) {
			t.Errorf("%q in %s is %q: %v, %v, was %v, %v", c.line, c.show, got, after, afterErr, before, beforeErr)
		}
	}
}

func berlin(t *testing.T) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip(err)
	}
	return zone
}

// FuzzShow: whatever a line is, what is shown of it is the same time.
func FuzzShow(f *testing.F) {
	layouts := []string{"", "%d.%m.%Y %H:%M:%S", "%A, %d. %B %y %I:%M:%S,%f %p %z", "02Jan2006T150405.000-07", "%Y%j %k.%M %Z x"}
	for _, w := range append(ways, formats...) {
		f.Add([]byte(w.write(time.Date(2026, 11, 20, 10, 5, 0, 0, time.UTC))+" text"), 0, 0)
	}
	f.Add([]byte("[20.11.2026 10:05:00] x"), 1, 1)
	f.Add([]byte("Friday, 20. November 26 10:05:00,123 AM +0100 x"), 2, 2)
	f.Add([]byte("20Nov2026T100500.123+01 x"), 3, 3)
	zones := []*time.Location{time.UTC, time.FixedZone("", 20700), time.FixedZone("NST", -12600)}
	f.Fuzz(func(t *testing.T, line []byte, layout, zone int) {
		w := Window{Format: layouts[max(layout, 0)%len(layouts)], Zone: time.UTC, Show: zones[max(zone, 0)%len(zones)]}
		if w.Check() != nil {
			return
		}
		s, err := NewShow(t.Context(), source.FromBytes("log", line), source.Range{End: int64(len(line))}, &w, time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC))
		if err != nil || s == nil {
			return
		}
		first, _, _ := bytes.Cut(line, feed)
		var out []byte
		last := 0
		err = s.Rewrite(first, 0, func(from, to int, text string) {
			out = append(append(out, first[last:from]...), text...)
			last = to
		})
		before, readErr := at(t, w, string(first))
		if err != nil || readErr != nil || last == 0 || before.Year() < 1000 || before.Year() > 9000 ||
			last < len(first) && strings.IndexByte(" ],|\"\t", first[last]) < 0 { // as in Z% and 01T, after which no offset is read
			return
		}
		out = append(out, first[last:]...)
		w.Zone = w.Show
		if after, err := at(t, w, string(out)); err != nil || after.Sub(before).Abs() >= time.Minute { // seconds of an offset may be lost
			t.Errorf("%q in %s is %q: %v, %v, want %v", first, w.Show, out, after, err, before)
		}
	})
}
