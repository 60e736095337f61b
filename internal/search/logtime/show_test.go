package logtime

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/internal/input/source"
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
	filter, err := NewFilter("log", bytes.NewReader(l.text), 0, window, l.lines[0].at, false)
	if err != nil {
		t.Fatal(err)
	}
	ofStream := filter.Show()
	if all, err := io.ReadAll(filter); err != nil || filter.Err() != nil || !bytes.Equal(all, l.text) {
		t.Fatalf("%s: the filter passes on %d bytes of %d, %v, %v", w.name, len(all), end, err, filter.Err())
	}
	for _, i := range r.Perm(len(l.lines)) {
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
