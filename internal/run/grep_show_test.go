package run

import (
	"bytes"
	"compress/gzip"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/internal/plan"
	"github.com/thresh-dev/thresh/internal/search/grep"
	"github.com/thresh-dev/thresh/internal/search/logtime"
	"github.com/thresh-dev/thresh/internal/test/rounds"
	"github.com/thresh-dev/thresh/internal/threshold"
	"github.com/thresh-dev/thresh/options"
	"github.com/thresh-dev/thresh/question"
)

// shownPatterns are texts that stand in times, beside them and after them, at the same places whatever the zone.
var shownPatterns = []string{"foo", "", "^.{19}", "^.{10}T", "T..:..:", "[0-9]:[0-9]", ".*foo", "^", "x$", "..:[0-9]0 .*b", "é", `\.[0-9]+`, "^ +at"}

// shownLog writes the same lines with the times of two zones.
func shownLog(r *rand.Rand, layout string, in, shown *time.Location) (log, want []byte) {
	words := []string{"foo", "ab", " ", " ", "é", "x", "b", "T12:00:", "1"}
	if r.IntN(3) == 0 {
		words = append(words, "\xff", "\xa9")
	}
	t := time.Date(2026, 10, 24, 23, 30, 0, 0, time.UTC) // clocks are set back soon
	for range 1 + r.IntN(60) {
		t = t.Add(time.Duration(r.IntN(600_000)) * time.Millisecond)
		var rest strings.Builder
		rest.WriteByte(" ]"[r.IntN(2)])
		for range r.IntN(1 + r.IntN(30)) {
			rest.WriteString(words[r.IntN(len(words))])
		}
		if r.IntN(20) == 0 {
			rest.WriteString(strings.Repeat("long ", r.IntN(2000)))
		}
		for range r.IntN(2) * r.IntN(3) {
			rest.WriteString("\n  at foo")
		}
		rest.WriteByte('\n')
		log = append(t.In(in).AppendFormat(log, layout), rest.String()...)
		want = append(t.In(shown).AppendFormat(want, layout), rest.String()...)
	}
	if r.IntN(4) == 0 {
		log, want = bytes.TrimSuffix(log, []byte("\n")), bytes.TrimSuffix(want, []byte("\n"))
	}
	return log, want
}

// TestGrepShow searches logs, and prints them in another zone. That is what is printed of a log that was written in that
// zone, in every format, whatever the kind of input.
func TestGrepShow(t *testing.T) {
	elapsed := regexp.MustCompile(`"elapsed":\{[^}]*\}|"bytes_searched":[0-9]*`)
	name := filepath.Join(t.TempDir(), "log")
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip(err)
	}
	for _, size := range []int{0, 5, 400} {
		if size > 0 {
			threshold.Shrink(t, size)
		}
		for seed := range rounds.Of(120) {
			r := rand.New(rand.NewPCG(uint64(seed), 39))
			layout := []string{"2006-01-02T15:04:05.000-07:00", "2006-01-02 15:04:05,000", "Jan 02 15:04:05.000"}[r.IntN(3)]
			in, shown := berlin, []*time.Location{time.FixedZone("", -12600), time.FixedZone("", 19800), berlin}[r.IntN(3)]
			text, wanted := shownLog(r, layout, in, shown)
			q, err := grep.Compile(question.Lines{Patterns: []string{shownPatterns[r.IntN(len(shownPatterns))]}})
			if err != nil {
				t.Fatal(err)
			}
			spec := grep.Options{Invert: r.IntN(4) == 0, Max: -1, Text: true, Format: grep.Format{Numbers: r.IntN(2) == 0, Offsets: r.IntN(2) == 0}}
			switch r.IntN(5) {
			case 0:
				spec.Before, spec.After, spec.Color = r.IntN(4), r.IntN(4), r.IntN(2) == 0
			case 1:
				spec.JSON, spec.Name = true, "log"
			case 2:
				spec.Only, spec.Invert, spec.Color = true, false, r.IntN(2) == 0
			case 3:
				spec.Records = true
			}
			if r.IntN(4) == 0 {
				spec.Max = r.Int64N(5)
			}
			window := &logtime.Window{Zone: in, Show: shown}
			if r.IntN(4) == 0 {
				window.From = time.Date(2026, 10, 24, 18, 0, 0, 0, time.UTC) // all lines
			}
			written := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
			search := func(kind string, content []byte, o Options) string {
				if kind == "gzip" {
					var b bytes.Buffer
					w := gzip.NewWriter(&b)
					_, err := w.Write(content)
					if err := errors.Join(err, w.Close()); err != nil {
						t.Fatal(err)
					}
					content = b.Bytes()
				}
				err := os.WriteFile(name, content, 0o600)
				if err := errors.Join(err, os.Chtimes(name, written, written)); err != nil {
					t.Fatal(err)
				}
				in := open(t, name)
				defer in.Close() // another one may take its place
				if kind == "stream" {
					in, err = FromReader("log", bytes.NewReader(content), false)
				}
				var out bytes.Buffer
				if err != nil {
					t.Fatal(err)
				}
				_, err = Grep(t.Context(), in, q, &out, spec, o)
				if err := errors.Join(err, in.Close()); err != nil {
					t.Fatal(err)
				}
				return strings.ReplaceAll(elapsed.ReplaceAllString(out.String(), ""), name, "log")
			}
			kind := []string{"file", "gzip", "stream"}[r.IntN(3)]
			if kind == "stream" && layout[0] == 'J' {
				kind = "file" // a stream was written now
			}
			o := Options{Run: options.Run{Workers: r.IntN(4), ChunkBytes: []int{0, 4096}[r.IntN(2)]}, Times: window}
			if kind == "file" {
				o.Engine = []options.Engine{plan.Auto, plan.Pread, plan.Mmap}[r.IntN(3)]
			}
			got, want := search(kind, text, o), search("file", wanted, Options{})
			if got != want {
				at := 0
				for at < min(len(got), len(want)) && got[at] == want[at] {
					at++
				}
				t.Fatalf("size %d, seed %d, %s: %s in %s, %+v\n%+v\ndiffer at %d:\ngot  %.300q\nwant %.300q", size, seed, kind, layout, shown, q.Patterns,
					spec.Format, at, got[max(at-100, 0):], want[max(at-100, 0):])
			}
		}
	}
}
