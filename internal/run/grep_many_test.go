package run

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/search/grep"
	"github.com/thresh-dev/thresh/internal/test/rounds"
	"github.com/thresh-dev/thresh/internal/threshold"
	"github.com/thresh-dev/thresh/options"
	"github.com/thresh-dev/thresh/question"
)

// TestGrepAllInOrder searches many files of very different sizes, some of which are missing, with several workers, and
// compares what is printed, and the ends of the files, with one file after the other.
func TestGrepAllInOrder(t *testing.T) {
	q, err := grep.Compile(question.Lines{Patterns: []string{"needle"}})
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for _, most := range []int{0, 1, 2, 5} {
		t.Run(fmt.Sprint(most), func(t *testing.T) {
			if most > 0 {
				threshold.Shrink(t, most)
			}
			for seed := range rounds.Of(6) {
				r := rand.New(rand.NewPCG(uint64(seed), 7))
				names, want, ends := needles(t, r, folder)
				for _, workers := range []int{1, 2, 7} {
					var out bytes.Buffer
					var got []string
					o := Options{Run: options.Run{Workers: workers}}
					spec := grep.Options{Format: grep.Format{Name: "-"}, Max: -1}
					_, err := GrepAll(t.Context(), eachName(names), q, &out, spec, o, Callbacks{},
						func(name string, report answer.GrepReport, err error) error {
							got = append(got, fmt.Sprint(name, report.Lines, err != nil))
							return nil
						})
					if err != nil || out.String() != want || !slices.Equal(got, ends) {
						t.Fatalf("seed %d, %d workers: %v\ngot  %.500q %q\nwant %.500q %q",
							seed, workers, err, &out, got, want, ends)
					}
				}
			}
		})
	}
}

// needles makes files, and says what a search prints and how each file ends.
func needles(t *testing.T, r *rand.Rand, folder string) (names []string, want string, ends []string) {
	var printed strings.Builder
	for i := range 1 + r.IntN(120) {
		name := filepath.Join(folder, fmt.Sprint(i))
		if r.IntN(20) == 0 {
			name += "-missing"
			names, ends = append(names, name), append(ends, fmt.Sprint(name, 0, true))
			continue
		}
		var text strings.Builder
		lines := 0
		for range r.IntN(1 + r.IntN(1+r.IntN(300))) {
			line := "straw\n"
			if r.IntN(3) == 0 {
				line = "a needle\n"
				lines++
				printed.WriteString(name + ":" + line)
			}
			text.WriteString(line)
		}
		if err := os.WriteFile(name, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		names, ends = append(names, name), append(ends, fmt.Sprint(name, lines, false))
	}
	return names, printed.String(), ends
}

func eachName(names []string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for _, name := range names {
			if !yield(name, nil) {
				return
			}
		}
	}
}

// TestGrepAllFails ends a search of many files by an error of its output, and by cancelling it.
func TestGrepAllFails(t *testing.T) {
	q, err := grep.Compile(question.Lines{Patterns: []string{"needle"}})
	if err != nil {
		t.Fatal(err)
	}
	names, _, _ := needles(t, rand.New(rand.NewPCG(3, 7)), t.TempDir())
	for range 30 {
		names = append(names, names[:50]...)
	}
	for _, limit := range []int{0, 1000, 30_000} {
		ctx, cancel := context.WithCancel(t.Context())
		out := &limited{left: limit, full: cancel}
		if limit == 0 {
			out.full = func() {}
		}
		_, err := GrepAll(ctx, eachName(names), q, out, grep.Options{Format: grep.Format{Name: "-"}, Max: -1},
			Options{Run: options.Run{Workers: 4}}, Callbacks{}, func(string, answer.GrepReport, error) error { return nil })
		if err == nil {
			t.Errorf("no error after %d bytes of output", limit)
		}
		cancel()
	}
}

// limited is an output that fails when it has taken enough.
type limited struct {
	left int
	full func()
}

func (l *limited) Write(p []byte) (int, error) {
	if l.left -= len(p); l.left < 0 {
		l.full()
		return 0, os.ErrDeadlineExceeded
	}
	return len(p), nil
}

// TestGrepAllAsOneByOne searches small files of all kinds, in one search and each in its own, and compares what is
// printed and reported. Of files without a matching line only one of the two prepares a search.
func TestGrepAllAsOneByOne(t *testing.T) {
	texts := []string{"", "\n", "needle", "a needle\n", "\n\nneedle\nstraw", "straw\n", "straw", "NEEDLE\r\n", "\r\n",
		"x\x00needle\n", "needle\x00", "straw\x00\n", "\xffneedle\xff\n", strings.Repeat("straw\n", 500) + "noodle",
		"needle\n" + strings.Repeat("\n", 300)}
	folder := t.TempDir()
	var names []string
	for i, text := range texts {
		names = append(names, filepath.Join(folder, fmt.Sprint(i)))
		if err := os.WriteFile(names[i], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	lists := []question.Lines{{Patterns: []string{"needle"}, IgnoreCase: true}, {Patterns: []string{"needle"}, Word: true},
		{Patterns: []string{"needle"}, Whole: true}, {Patterns: []string{"needle", "noodle", "hay"}, Fixed: true}}
	for _, text := range []string{"needle", "needle$", "^$", "n.{2}dle", "", `\r$`, "nowhere"} {
		lists = append(lists, question.Lines{Patterns: []string{text}})
	}
	for _, p := range lists {
		q, err := grep.Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, mode := range []grep.Mode{grep.Print, grep.Count, grep.Any, grep.Each} {
			for _, o := range []grep.Options{{Max: -1}, {Max: -1, Invert: true}, {Max: 1}, {}, {Max: -1, Text: true}} {
				if o.Mode = mode; mode == grep.Each && (o.Invert || o.Max >= 0 || !p.Fixed) {
					continue
				}
				sameOneByOne(t, names, q, o)
			}
		}
	}
}

func sameOneByOne(t *testing.T, names []string, q *grep.Query, o grep.Options) {
	t.Helper()
	var want, got bytes.Buffer
	var wantEnds, gotEnds []string
	for _, name := range names {
		in, err := Open(name, false)
		if err != nil {
			t.Fatal(err)
		}
		o.Name = name
		report, err := Grep(t.Context(), in, q, &want, o, Options{})
		if err := in.Close(); err != nil {
			t.Error(err)
		}
		wantEnds = append(wantEnds, endedAs(name, report, err))
	}
	o.Name = "-"
	_, err := GrepAll(t.Context(), eachName(names), q, &got, o, Options{}, Callbacks{},
		func(name string, report answer.GrepReport, err error) error {
			gotEnds = append(gotEnds, endedAs(name, report, err))
			return nil
		})
	if err != nil || got.String() != want.String() || !slices.Equal(gotEnds, wantEnds) {
		t.Errorf("%+v, %+v: %v\ngot  %q %q\nwant %q %q", q.Patterns, o, err, &got, gotEnds, &want, wantEnds)
	}
}

func endedAs(name string, r answer.GrepReport, err error) string {
	return fmt.Sprint(name, r.Lines, r.Matches, r.Counts, r.Binary, r.Bytes, r.Complete, err)
}
