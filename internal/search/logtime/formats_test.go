package logtime

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/test/rounds"
)

// inUTC are the programs that write times in UTC.
var inUTC = []string{"PostgreSQL", "PostgreSQL, csvlog", "PostgreSQL, jsonlog", "MySQL", "MySQL, slow queries", "PHP", "IIS", "Docker, json-file"}

// in returns the line of a time, which is in the zone of the machine.
func (w *way) in(t time.Time) string {
	if slices.Contains(inUTC, w.name) {
		t = t.UTC()
	}
	return w.write(t)
}

// around writes a time between two texts.
func around(before, layout, after string) func(time.Time) string {
	return func(t time.Time) string { return before + t.Format(layout) + after }
}

// formats are how programs that people run write lines. Package time writes them here; scripts in cmd/thresh read what
// some of these programs wrote themselves.
var formats = []way{
	{"PostgreSQL", "", time.Millisecond, in("2006-01-02 15:04:05.000 MST [9787] LOG:  checkpoint")},
	{"PostgreSQL, csvlog", "", time.Millisecond, in("2006-01-02 15:04:05.000 MST,,,9787,,987,8,,")},
	{"PostgreSQL, jsonlog", "", time.Millisecond, in(`{"timestamp":"2006-01-02 15:04:05.000 MST","pid":9787}`)},
	{"MySQL", "", time.Microsecond, in("2006-01-02T15:04:05.000000Z07:00 0 [System] [MY-987] ready")},
	{"MySQL, slow queries", "", time.Microsecond, in("# Time: 2006-01-02T15:04:05.000000Z07:00")},
	{"MySQL 5.5", "%y%m%d %H:%M:%S", time.Second, in("060102 15:04:05 [Note] ready")},
	{"logback, Spring Boot", "", time.Millisecond, in("2006-01-02T15:04:05.000-07:00  INFO 7 --- [main] c.App : ready")},
	{"logback, Dropwizard", "", time.Millisecond, around("INFO  [", "2006-01-02 15:04:05,000", "] org.App: ready")},
	{"log4j", "", time.Millisecond, in("2006-01-02 15:04:05,000 INFO [main] App - ready")},
	{"log4j, DATE", "", time.Millisecond, in("02 Jan 2006 15:04:05,000 INFO ready")},
	{"log4j, level first", "", time.Millisecond, around("[ERROR] ", "2006-01-02 15:04:05.000", " [main] App - no")},
	{"log4j, coloured", "", time.Millisecond, around("\x1b[32m INFO\x1b[m \x1b[1;35m", "2006-01-02 15:04:05,000", "\x1b[m ready")},
	{"log4j, COMPACT", "", time.Millisecond, func(t time.Time) string {
		return strings.Replace(t.Format("20060102150405.000 ready"), ".", "", 1)
	}},
	{"logback, date", "", time.Millisecond, in("02 Jan 2006;15:04:05.000 [main] ready")},
	{"java.util.logging", "", time.Second, in("Jan 02, 2006 3:04:05 PM app.Main main")},
	{"RocksDB", "", time.Microsecond, in("2006/01/02-15:04:05.000000 7 Options.error_if_exists: 0")},
	{"Oracle, listener", "", time.Second, func(t time.Time) string {
		return strings.ToUpper(t.Format("02-Jan-2006 15:04:05")) + " * service_update * 0"
	}},
	{"Tomcat", "", time.Millisecond, in("02-Jan-2006 15:04:05.000 INFO [main] ready")},
	{"Python", "", time.Millisecond, in("2006-01-02 15:04:05,000 - app - INFO - ready")},
	{"Python, Django", "", time.Millisecond, around("INFO ", "2006-01-02 15:04:05,000", " views 7 8 ready")},
	{"Go log", "", time.Microsecond, in("2006/01/02 15:04:05.000000 ready")},
	{"Go slog, text", "", time.Millisecond, in("time=2006-01-02T15:04:05.000Z07:00 level=INFO msg=ready")},
	{"Go slog, JSON", "", time.Nanosecond, in(`{"time":"2006-01-02T15:04:05.000000000Z07:00","level":"INFO","msg":"ready"}`)},
	{"Go zap", "", time.Millisecond, func(t time.Time) string {
		return fmt.Sprintf(`{"level":"info","ts":%d.%03d,"msg":"a \" \\"}`, t.Unix(), t.Nanosecond()/1e6)
	}},
	{"klog", "", time.Microsecond, around("I", "0102 15:04:05.000000", "    4711 app.go:12] ready")},
	{"nginx error log", "", time.Second, in("2006/01/02 15:04:05 [error] 7#7: *9 open() failed")},
	{"nginx access log", "", time.Second, around("::1 - - [", "02/Jan/2006:15:04:05 -0700", `] "GET / HTTP/1.1" 200`)},
	{"Apache error log", "", time.Microsecond, around("[", "Mon Jan 02 15:04:05.000000 2006", "] [core:error] [pid 7] no")},
	{"PHP", "", time.Second, in("[02-Jan-2006 15:04:05 MST] PHP Warning: no")},
	{"IIS", "", time.Second, in("2006-01-02 15:04:05 [::] GET / - 80 - [::] curl 700")},
	{"Windows, events as text", "%m/%d/%Y %I:%M:%S %p", time.Second, around("Information\t", "1/2/2006 3:04:05 PM", "\tSource\t1")},
	{"Windows, wevtutil", "", time.Millisecond, around("  Date: ", "2006-01-02T15:04:05.0000000Z07:00", "")},
	{"journald, short-iso", "", time.Second, in("2006-01-02T15:04:05-0700 host sshd[7]: ready")},
	{"journald, short-precise", "", time.Microsecond, in("Jan 02 15:04:05.000000 host sshd[7]: ready")},
	{"Docker, json-file", "", time.Nanosecond, func(t time.Time) string {
		return `{"log":"` + strings.Repeat(`a \" time`, 100) + `\n","stream":"stdout","time":"` + t.Format(time.RFC3339Nano) + `"}`
	}},
	{"Kubernetes, CRI", "", time.Nanosecond, in("2006-01-02T15:04:05.000000000Z07:00 stdout F ready")},
	{"syslog", "", time.Second, in("Jan _2 15:04:05 host cron[7]: ready")},
	{"syslog with the year", "", time.Second, in("Jan 02 2006 15:04:05: %ASA-7-987: ready")},
	{"docker compose", "* * %Y-%m-%d %H:%M:%S", time.Millisecond, around("web-1  | ", "2006-01-02 15:04:05.000", " ready")},
}

var zoneNames = []string{"America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "Asia/Kolkata", "America/St_Johns"}

// TestFormats compares bisection and filter with the times that logs were made from, in every format and zone, in
// summer, in winter, and when clocks change.
func TestFormats(t *testing.T) {
	defer blockBytes.Set(blockBytes.Real())
	for i := range rounds.Of(2 * len(formats) * len(zoneNames) * 4) {
		r := rand.New(rand.NewPCG(uint64(i), 9))
		w := formats[i%len(formats)]
		zone, err := time.LoadLocation(zoneNames[i/len(formats)%len(zoneNames)])
		if err != nil {
			t.Skip(err)
		}
		season := i / len(formats) / len(zoneNames) % 4
		at := time.Date(2026, []time.Month{1, 7, 1, 7}[season], 15, 9, 0, 0, 0, zone)
		if _, end := at.ZoneBounds(); season >= 2 && !end.IsZero() { // one is in spring, and the other in autumn, of either half
			at = end.Add(-2 * time.Hour)
		}
		var b bytes.Buffer
		if w.name == "IIS" {
			b.WriteString("#Software: Microsoft Internet Information Services 10.0\n#Fields: date time s-ip\n")
		}
		window := Window{Format: w.layout, Zone: zone}
		if w.name == "IIS" {
			window.Zone = nil
		}
		var l testLog
		for range 300 {
			l.lines = append(l.lines, sighting{int64(b.Len()), at.Truncate(w.unit)})
			fmt.Fprintf(&b, "%s%s\n", w.in(at), strings.Repeat("\n  at app", r.IntN(3)))
			at = at.Add(time.Duration(1+r.IntN(90_000)) * time.Millisecond)
		}
		l.text = b.Bytes()
		last := l.lines[len(l.lines)-1].at
		blockBytes.Set([]int{1, 600, blockBytes.Real()}[r.IntN(3)])
		checkShow(t, r, &w, &l, window, last)
		file := source.FromReaderAt("log", bytes.NewReader(l.text), int64(len(l.text)))
		for range 3 {
			window.From = l.lines[r.IntN(len(l.lines)/2)].at.Add(time.Duration(r.IntN(2)) * w.unit)
			window.To = l.lines[len(l.lines)/2+r.IntN(len(l.lines)/2)].at
			begin, end := l.from(window.From), l.from(window.To)
			what := fmt.Sprintf("%d: %s, %s, from %s to %s", i, w.name, zone, window.From, window.To)
			found, err := Bisect(context.Background(), file, source.Range{End: int64(len(l.text))}, &window, last)
			if err != nil || found.Off != begin || found.End != max(begin, end) {
				t.Fatalf("%s: %d to %d, want %d to %d, error %v", what, found.Off, found.End, begin, end, err)
			}
			filter, err := NewFilter("log", bytes.NewReader(l.text), 0, window, l.lines[0].at, false)
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(filter)
			if err != nil || filter.Err() != nil || !bytes.Equal(got, l.text[begin:max(begin, end)]) {
				t.Fatalf("%s: the filter passes on %d bytes, want %d, error %v, %v", what, len(got), end-begin, err, filter.Err())
			}
		}
	}
}
