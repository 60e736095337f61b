package logtime

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/test/rounds"
)

// way is a way of writing times. Package time, which writes them, is the oracle.
type way struct {
	name, layout string // Window.Format
	unit         time.Duration
	write        func(t time.Time) string
}

// behind writes times behind a text that package time would read as a part of the layout.
func behind(text, layout string) func(time.Time) string {
	return func(t time.Time) string { return text + t.Format(layout) }
}

func in(layout string) func(time.Time) string {
	return func(t time.Time) string { return t.Format(layout) }
}

var ways = []way{
	{"ISO", "", time.Millisecond, in("2006-01-02T15:04:05.000Z07:00")},
	{"ISO with a comma and a space", "", time.Millisecond, in("2006-01-02 15:04:05,000")},
	{"ISO with an offset", "", time.Second, func(t time.Time) string {
		return t.In(time.FixedZone("", -int(t.Unix()%10)*1800)).Format("2006-01-02 15:04:05 -0700") // ascending, whatever the zone
	}},
	{"ISO, basic", "", time.Second, func(t time.Time) string { return t.UTC().Format("20060102T150405Z") }},
	{"minutes", "", time.Minute, in("2006-01-02T15:04")},
	{"slashes", "", time.Microsecond, in("2006/01/02 15:04:05.000000")},
	{"brackets", "", time.Second, in("[2006-01-02 15:04:05]")},
	{"RFC 5424", "", time.Nanosecond, behind("<34>1 ", "2006-01-02T15:04:05.000000000-07:00")},
	{"JSON", "", time.Millisecond, in(`{"time": "2006-01-02T15:04:05.000Z07:00","level":"info"}`)},
	{"Apache", "", time.Second, behind("::1 - [x] [", "02/Jan/2006:15:04:05 -0700]")},
	{"RFC 3164", "", time.Second, in("Jan _2 15:04:05")},
	{"RFC 3164 with a priority", "", time.Second, behind("<165>", "Jan _2 15:04:05")},
	{"Unix seconds", "", time.Second, func(t time.Time) string { return fmt.Sprint(t.Unix()) }},
	{"Unix with a fraction", "", time.Microsecond, func(t time.Time) string { return fmt.Sprintf("%d.%06d", t.Unix(), t.Nanosecond()/1000) }},
	{"Unix milliseconds", "", time.Millisecond, func(t time.Time) string { return fmt.Sprintf("[%d]", t.UnixMilli()) }},
	{"strftime", "%d.%m.%Y %H:%M:%S", time.Second, in("02.01.2006 15:04:05")},
	{"strftime with a fraction", "%Y%j %H:%M:%S.%f", time.Millisecond, in("2006002 15:04:05.000")},
	{"strftime without a year", "%b %d %H:%M:%S", time.Second, in("Jan 02 15:04:05")},
	{"Go", "02 Jan 06 15:04:05.000 MST", time.Millisecond, func(t time.Time) string { return t.UTC().Format("02 Jan 06 15:04:05.000 MST") }},
}

// testLog is a log, and where its lines with times begin.
type testLog struct {
	text  []byte
	lines []sighting
}

func newTestLog(r *rand.Rand, w way, zone *time.Location) testLog {
	var l testLog
	var b bytes.Buffer
	pick := func(of ...int) int { return of[r.IntN(len(of))] }
	t := time.Date(2027, 12, 30, 23, 0, 0, 0, zone)
	step := time.Duration(pick(1, 1000, 3_600_000)) * time.Millisecond
	extra := func() {
		for range pick(0, 0, 0, 0, 1, 1, 3) {
			b.WriteString([]string{"", "  at x", "not 2026", "2026-13-01T00:00:00Z", "(more)"}[r.IntN(5)])
			b.WriteString(strings.Repeat(".", pick(0, 0, 0, 10, 600, 20_000)*r.IntN(2)))
			b.WriteByte('\n')
		}
	}
	extra()
	for range 1 + r.IntN(200) {
		t = t.Add(step * time.Duration(pick(0, 0, 1, 1, 5, 100)))
		l.lines = append(l.lines, sighting{int64(b.Len()), t.Truncate(w.unit)})
		b.WriteString(w.write(t))
		b.WriteString(strings.Repeat(" text", pick(0, 1, 4, 100)))
		if b.WriteByte('\n'); pick(0, 1, 2, 3) == 0 {
			extra()
		}
	}
	l.text = b.Bytes()
	if r.IntN(3) == 0 {
		l.text = bytes.TrimSuffix(l.text, feed)
	}
	return l
}

// from returns where the lines begin that have a time or a later one.
func (l *testLog) from(t time.Time) int64 {
	for _, line := range l.lines {
		if !line.at.Before(t) {
			return line.off
		}
	}
	return int64(len(l.text))
}

// TestWindows compares bisection and filter with the times from which the logs were made.
func TestWindows(t *testing.T) {
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Skip(err)
	}
	defer blockBytes.Set(blockBytes.Real())
	for i := range rounds.Of(600) {
		r := rand.New(rand.NewPCG(uint64(i), 5))
		w := ways[i%len(ways)]
		l := newTestLog(r, w, zone)
		blockBytes.Set([]int{1, 600, 5000, blockBytes.Real()}[r.IntN(4)])
		window := Window{Format: w.layout, Zone: zone}
		last := l.lines[len(l.lines)-1].at
		near := func() time.Time {
			at := l.lines[r.IntN(len(l.lines))].at
			return at.Add(w.unit * time.Duration(r.IntN(3)-1))
		}
		want := source.Range{End: int64(len(l.text))}
		if r.IntN(4) > 0 {
			window.From = near()
			want.Off = l.from(window.From)
		}
		if window.To = near(); r.IntN(4) == 0 || !window.From.IsZero() && !window.From.Before(window.To) {
			window.To = time.Time{}
		} else {
			want.End = l.from(window.To)
		}
		what := fmt.Sprintf("case %d: %s, from %v to %v, blocks of %d", i, w.name, window.From, window.To, blockBytes.Get())
		written := last.Add(time.Duration(r.IntN(1000)) * time.Hour)
		file := source.FromBytes("log", l.text)
		found, err := Bisect(context.Background(), file, source.Range{End: int64(len(l.text))}, &window, written)
		if err != nil || found.Range != want {
			t.Fatalf("%s: found %v, want %v, %v\n%.3000s", what, found.Range, want, err, l.text)
		}
		first := l.lines[0].at
		if o := found.Outside; (o != nil) != (want.Len() == 0) || o != nil && !(o.First.Equal(first) && o.Last.Equal(last)) {
			t.Fatalf("%s: the log is said to have the times %v, want %v to %v", what, o, first, last)
		}
		in := io.Reader(bytes.NewReader(l.text))
		if r.IntN(2) == 0 {
			in = iotest.HalfReader(in)
		}
		base := int64(r.IntN(2)) * 1000
		filter, err := NewFilter("log", in, base, window, written, false)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(io.MultiReader(io.LimitReader(filter, r.Int64N(100)), filter))
		if err != nil || filter.Err() != nil || !bytes.Equal(got, l.text[want.Off:want.End]) {
			t.Fatalf("%s: %v, %v, the filter passes %d bytes on, want %v", what, err, filter.Err(), len(got), want)
		}
		o := filter.Outside()
		if (o != nil) != (len(got) == 0) || o != nil && !(o.First.Equal(first) && (o.Last.IsZero() || o.Last.Equal(last))) ||
			o != nil && o.Last.IsZero() != (!window.To.IsZero() && !last.Before(window.To)) {
			t.Fatalf("%s: the stream is said to have the times %v, want %v to %v", what, o, first, last)
		}
		if len(got) > 0 && filter.Moved() != base+want.Off {
			t.Fatalf("%s: the filter begins at %d, want %d", what, filter.Moved(), base+want.Off)
		}
	}
}

// TestOrder: times that do not ascend are an error, if they are read, and so is a log without times.
func TestOrder(t *testing.T) {
	window := Window{From: time.Date(2026, 11, 20, 10, 0, 1, 0, time.UTC)}
	for text, want := range map[string]string{
		"2026-11-20T10:00:02Z b\n2026-11-20T10:00:01Z a\n": "do not ascend: 2026-11-20T10:00:02Z at offset 0, and after it 2026-11-20T10:00:01Z at offset 23",
		"a line\nanother\n": "no line in the first 15 bytes begins with a time",
		strings.Repeat("x", firstBytesMax) + "\n" + "1763632800": "no line in the first",
		strings.Repeat("x\n", firstBytesMax):                     "no line in the first",
		"":                                                       "",
		"2026-11-20T10:00:02Z b\n2026-11-20T10:00:02Z a\n": "",
	} {
		_, err := Bisect(context.Background(), source.FromBytes("log", []byte(text)), source.Range{End: int64(len(text))}, &window, time.Now())
		filter, filterErr := NewFilter("log", strings.NewReader(text), 0, window, time.Now(), false)
		if filterErr != nil {
			t.Fatal(filterErr)
		}
		_, readErr := io.ReadAll(filter)
		for _, err := range []error{err, filter.Err()} {
			if readErr != nil || (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%.60q: error %v, want %q; %v", text, err, want, readErr)
			}
		}
	}
}

// TestYears: the year of times without one follows from the time of the file and from where the months wrap.
func TestYears(t *testing.T) {
	date := func(text string) time.Time {
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	for _, test := range []struct{ text, written, from, want string }{
		{"Dec 31 23:59:59 a\nJan  1 00:00:00 b\n", "2027-01-01T12:00:00Z", "2027-01-01T00:00:00Z", "Jan  1 00:00:00 b\n"},
		{"Dec 31 23:59:59 a\nJan  1 00:00:00 b\n", "2026-12-01T00:00:00Z", "2025-12-31T23:59:59Z", "Dec 31 23:59:59 a\nJan  1 00:00:00 b\n"},
		{"Feb 28 10:00:00 a\nFeb 29 10:00:00 b\n", "2028-02-29T12:00:00Z", "2028-02-29T00:00:00Z", "Feb 29 10:00:00 b\n"},
		{"Feb 28 10:00:00 a\nFeb 29 10:00:00 b\n", "2029-02-28T12:00:00Z", "2028-02-29T00:00:00Z", "Feb 29 10:00:00 b\n"},
		{"Feb 28 10:00:00 a\nFeb 29 10:00:00 b\nMar  1 10:00:00 c\n", "2029-03-02T00:00:00Z", "2029-03-01T00:00:00Z", "29 February is not a day"},
	} {
		window := Window{From: date(test.from), Zone: time.UTC}
		text := []byte(test.text)
		got := ""
		found, err := Bisect(context.Background(), source.FromBytes("log", text), source.Range{End: int64(len(text))}, &window, date(test.written))
		if err != nil {
			got = err.Error()
		} else {
			got = string(text[found.Off:found.End])
		}
		if !strings.Contains(got, test.want) {
			t.Errorf("%q, written %s, from %s: %q, want %q", test.text, test.written, test.from, got, test.want)
		}
	}
}

// hugeLog is a log of 100 GB that is made while it is read: a line of 100 bytes for each millisecond.
type hugeLog struct{ start time.Time }

const hugeLine = 100

func (h hugeLog) ReadAt(p []byte, off int64) (n int, err error) {
	for n < len(p) {
		at := off + int64(n)
		line := h.start.Add(time.Duration(at/hugeLine)*time.Millisecond).Format("2006-01-02T15:04:05.000Z") + " request served"
		line += strings.Repeat(".", hugeLine-1-len(line)) + "\n"
		n += copy(p[n:], line[at%hugeLine:])
	}
	return n, nil
}

// TestFewReads: of 100 GB bisection reads a few blocks.
func TestFewReads(t *testing.T) {
	const size = 100_000_000_000
	h := hugeLog{time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)}
	file := source.FromReaderAt("log", h, size)
	for _, line := range []int64{0, 1, 123_456_789, size/hugeLine - 1} {
		at := h.start.Add(time.Duration(line) * time.Millisecond)
		found, err := Bisect(context.Background(), file, source.Range{End: size}, &Window{From: at, To: at.Add(2 * time.Millisecond)}, at)
		want := source.Range{Off: line * hugeLine, End: min((line+2)*hugeLine, size)}
		if err != nil || found.Range != want || found.Reads > 100 || found.Bytes > 2<<20 {
			t.Errorf("line %d: found %+v, want %v, %v", line, found, want, err)
		}
	}
}

// TestMoment reads times as people type them.
func TestMoment(t *testing.T) {
	zone := time.FixedZone("CET", 3600)
	now := time.Date(2026, 11, 23, 15, 4, 5, 0, zone)
	for text, want := range map[string]string{
		"2026-11-20T10:05":             "2026-11-20T10:05:00+01:00",
		"2026-11-20 10:05:06.5Z":       "2026-11-20T10:05:06.5Z",
		"2026-11-20":                   "2026-11-20T00:00:00+01:00",
		"10:05":                        "2026-11-23T10:05:00+01:00",
		"10:05:06.25":                  "2026-11-23T10:05:06.25+01:00",
		"now":                          "2026-11-23T15:04:05+01:00",
		"today":                        "2026-11-23T00:00:00+01:00",
		"Yesterday":                    "2026-11-22T00:00:00+01:00",
		"tomorrow":                     "2026-11-24T00:00:00+01:00",
		"-5m":                          "2026-11-23T14:59:05+01:00",
		"-1d2h":                        "2026-11-22T13:04:05+01:00",
		"-1w":                          "2026-11-16T15:04:05+01:00",
		"1763632800":                   "2025-11-20T11:00:00+01:00",
		"Dec  1 10:00:00":              "2025-12-01T10:00:00+01:00",
		"Nov 20 10:00:00":              "2026-11-20T10:00:00+01:00",
		"10/Oct/2000:13:55:36 -0700":   "2000-10-10T13:55:36-07:00",
		"[10/Oct/2000:13:55:36 -0700]": "2000-10-10T13:55:36-07:00",
		"2026-07-20T10:05:00.5+02:00[Europe/Berlin]": "2026-07-20T10:05:00.5+02:00",
		"Nov 20, 2026 1:05:00 PM":                    "2026-11-20T13:05:00+01:00",
		"5":                                          "", "10:65": "", "-5": "", "--5m": "", "": "", "2026-11-31": "", "2026-11-20T10:05 x": "",
		"2026-11-20T10:05+02:00[x]": "", "1 Nov": "", "-": "",
	} {
		got, err := Moment(text, Window{Zone: zone}, now)
		if want == "" {
			if err == nil {
				t.Errorf("%q: %v, want an error", text, got)
			}
			continue
		}
		if at, _ := time.Parse(time.RFC3339Nano, want); err != nil || !got.Equal(at) {
			t.Errorf("%q: %v, %v, want %s", text, got, err, want)
		}
	}
	w := Window{Format: "%d.%m.%Y %H:%M:%S", Zone: zone}
	if got, err := Moment("20.11.2026 10:05:00", w, now); err != nil || !got.Equal(time.Date(2026, 11, 20, 10, 5, 0, 0, zone)) {
		t.Errorf("by strftime: %v, %v", got, err)
	}
	for _, layout := range []string{"%H:%M", "15:04", "%s", "2006", "%Y-%m-%d", "x"} {
		w := Window{Format: layout}
		if w.Check() == nil {
			t.Errorf("LogTimes.Format %q is not refused", layout)
		}
	}
}

// TestLongNumbers: a line that begins with more digits than a time has does not begin with a time.
func TestLongNumbers(t *testing.T) {
	for _, line := range []string{"99999999999999999999 x", "1763632800123456789012345 x", "176363280 x", "17636328001 x"} {
		if got, err := at(t, Window{}, line); err != io.EOF {
			t.Errorf("%q: %v, %v", line, got, err)
		}
	}
}

// FuzzStamp: whatever a line is, its time ends within it.
func FuzzStamp(f *testing.F) {
	for _, w := range ways {
		f.Add([]byte(w.write(time.Date(2026, 11, 20, 10, 5, 0, 0, time.UTC)) + " text"))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		for n := range min(len(line), 60) + 1 {
			format := &Format{zones: zones{local: time.UTC}, parsers: recognised}
			if s, ok := format.stamp(line[:n]); ok && (s.bytes < 1 || s.bytes > n) {
				t.Errorf("%q: a time of %d bytes", line[:n], s.bytes)
			}
		}
	})
}
