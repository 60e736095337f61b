package thresh_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/options"
	"github.com/thresh-dev/thresh/question"
)

// TestLinesAreThoseOfGrep: printed as grep does, the lines of the iterator are the output of Grep, with context, limits,
// zero bytes and lines longer than all buffers, and their matches are those of the standard library.
func TestLinesAreThoseOfGrep(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	plain := regexp.MustCompile(`ab+|c`)
	query := must(thresh.NewLineQuery(question.Lines{Patterns: []string{`ab+|c`}}))
	for i := range 200 {
		text := make([]byte, r.IntN(3000))
		for j := range text {
			text[j] = "abcde \n\n"[r.IntN(8)]
		}
		if i%7 == 0 && len(text) > 0 {
			text[r.IntN(len(text))] = 0
		}
		if i%50 == 0 {
			text = append(append(text, bytes.Repeat([]byte("x"), 1<<20)...), " abb\nc"...)
		}
		o := options.Lines{Before: r.IntN(3), After: r.IntN(3), Invert: i%5 == 0, Text: i%14 == 0}
		o.Workers, o.ChunkBytes = r.IntN(4), []int{0, 7, 300}[r.IntN(3)]
		if i%6 == 0 {
			o.Max = new(int64(r.IntN(4)))
		}
		var want, got bytes.Buffer
		_, err := thresh.Grep(t.Context(), thresh.FromBytes(text), query, &want,
			options.Grep{Lines: o, LineNumbers: true, Offsets: true})
		if err != nil {
			t.Fatal(err)
		}
		next := int64(-1)
		for line, err := range thresh.Lines(t.Context(), thresh.FromBytes(text), query, o) {
			if err != nil {
				t.Fatal(err)
			}
			if next >= 0 && line.Kind != answer.LineBinary && line.Offset != next && o.Before+o.After > 0 {
				got.WriteString("--\n")
			}
			next = line.Offset + int64(len(line.Text)) + 1
			printed(&got, line)
			if line.Kind == answer.LineSelected && !o.Invert {
				checkMatches(t, plain, line)
			}
		}
		if got.String() != want.String() {
			t.Fatalf("%d, %+v of %.200q:\n%.300s\nwant\n%.300s", i, o, text, &got, &want)
		}
	}
}

func printed(w io.Writer, line answer.Line) {
	switch line.Kind {
	case answer.LineBinary:
		fmt.Fprintf(w, "binary file matches (a zero byte at offset %d; -a prints its lines)\n", line.Offset)
	case answer.LineContext:
		fmt.Fprintf(w, "%d-%d-%s\n", line.Number, line.Offset, line.Text)
	default:
		fmt.Fprintf(w, "%d:%d:%s\n", line.Number, line.Offset, line.Text)
	}
}

func checkMatches(t *testing.T, plain *regexp.Regexp, line answer.Line) {
	t.Helper()
	var got [][]int
	for _, m := range line.Matches {
		got = append(got, []int{m.Start, m.End})
	}
	if want := plain.FindAllIndex(line.Text, -1); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%.80q: matches %v, want %v", line.Text, got, want)
	}
}

// TestLinesEnd: leaving the loop ends the search, and errors come last.
func TestLinesEnd(t *testing.T) {
	query := must(thresh.NewLineQuery(question.Lines{Patterns: []string{"a"}}))
	endless := &repeated{text: []byte("a line\n")}
	n := 0
	for line, err := range thresh.Lines(t.Context(), must(thresh.FromReader("endless", endless)), query, options.Lines{}) {
		if err != nil || string(line.Text) != "a line" {
			t.Fatalf("%q, %v", line.Text, err)
		}
		if n++; n == 100_000 {
			break
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var last error
	for _, err := range thresh.Lines(ctx, must(thresh.FromReader("endless", endless)), query, options.Lines{}) {
		cancel()
		last = err
	}
	if !errors.Is(last, context.Canceled) {
		t.Errorf("after a cancelled context: %v", last)
	}
	for _, err := range thresh.Lines(t.Context(), nil, query, options.Lines{}) {
		last = err
	}
	if !errors.Is(last, failure.ErrClosed) {
		t.Errorf("no input: %v", last)
	}
	for _, err := range thresh.Lines(t.Context(), thresh.FromBytes(nil), query, options.Lines{Before: -1}) {
		last = err
	}
	if option := (*failure.OptionError)(nil); !errors.As(last, &option) || option.Field != "Before" {
		t.Errorf("a negative number of lines: %v", last)
	}
}

// repeated is a text without an end.
type repeated struct {
	text []byte
	at   int
}

func (r *repeated) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = r.text[r.at]
		r.at = (r.at + 1) % len(r.text)
	}
	return len(p), nil
}

// TestLineOf: the line of a hit is the one it begins in, however long it is.
func TestLineOf(t *testing.T) {
	text := "first\n" + strings.Repeat("x", 100_000) + "needle" + strings.Repeat("y", 100_000) + "\nlast needle"
	in := thresh.FromBytes([]byte(text))
	query := must(thresh.Text("needle"))
	var lines []string
	for hit, err := range thresh.Hits(t.Context(), in, query, options.Find{}) {
		if err != nil {
			t.Fatal(err)
		}
		line, at, err := in.Line(hit)
		if err != nil || string(line[at:][:hit.Len]) != "needle" {
			t.Fatalf("%.20q at %d, %v", line, at, err)
		}
		lines = append(lines, string(line))
	}
	if want := strings.Split(text, "\n")[1:]; fmt.Sprint(lines) != fmt.Sprint(want) {
		t.Errorf("%d lines, want %d", len(lines), len(want))
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// TestFollow: the lines of a growing file come as they are written, until the context ends.
func TestFollow(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log")
	write := func(text string) {
		f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err == nil {
			_, err = f.WriteString(text)
		}
		if err := errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	write("a 1\na 2\nb\n")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	in, err := thresh.Follow(ctx, name, options.Follow{Last: 2})
	if err != nil {
		t.Fatal(err)
	}
	q, err := thresh.NewLineQuery(question.Lines{Patterns: []string{"a"}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for line, err := range thresh.Lines(context.Background(), in, q, options.Lines{}) {
		if err != nil {
			t.Error(err)
		}
		switch got = append(got, string(line.Text)); len(got) {
		case 1:
			write("a 3\nb\n")
		case 2:
			write("b\na 4")
			stop()
		}
	}
	if err := in.Close(); err != nil || !slices.Equal(got, []string{"a 2", "a 3", "a 4"}) {
		t.Errorf("%q, error %v", got, err)
	}
}

// TestLinesShow: lines come with their times in another zone, and with the places of matches in them.
func TestLinesShow(t *testing.T) {
	text := []byte("2026-11-20T10:05:00Z a\n at x\n2026-11-20T20:05:00Z b\n")
	query := must(thresh.NewLineQuery(question.Lines{Patterns: []string{`T.*[ab]`}}))
	o := options.Lines{After: 1, Times: &options.LogTimes{Show: time.FixedZone("", 5*3600)}}
	want := []string{"2026-11-20T15:05:00+05:00 a 0 [{10 27}]", " at x 23 []", "2026-11-21T01:05:00+05:00 b 29 [{10 27}]"}
	for line, err := range thresh.Lines(t.Context(), thresh.FromBytes(text), query, o) {
		got := fmt.Sprintf("%s %d %v", line.Text, line.Offset, line.Matches)
		if err != nil || len(want) == 0 || got != want[0] {
			t.Fatalf("%q, %v, want %q", got, err, want)
		}
		want = want[1:]
	}
}
