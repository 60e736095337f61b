package matrix

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/threshold"
	"github.com/thresh-dev/thresh/options"
	"github.com/thresh-dev/thresh/question"
)

// Patterns that mean the same by themselves and in a line, so that -w can be tried with them, and others.
var (
	grepTexts = []string{"a", "b", "ab", "aba", "aa", "foo", "foobar", "o f", "é", "É", "ß", ".", "_", "x", "zz", "K", "\x01"}
	grepExprs = []string{"a", "a+b", "[ab]c?", "ab|a", "(ab|a)(bar|ba)?", "fo*", "f.o", "[^a]", "a.*b", "x|yy", "é", "ſ", "[A-Z]+",
		`\x{fffd}`, `\x{fffd}b`}
	grepOdd   = []string{"^a", "b$", "^$", "", ".*", `\ba`, `a\b`, "^foo|bar$", "x*", `(?i)FOO`, `\x00`, "$"}
	grepWords = []string{"a", "b", "ab", "aba", "aa", "foo", "foobar", "FOO", "bar", "_", " ", " ", ".", "é", "É", "ß", "x",
		"\r", "\t", "K", "\xff", "\ufffd", "-"}
)

// grepText returns lines: short ones, empty ones, and some that are longer than blocks.
func grepText(r *rand.Rand, n, border int) []byte {
	var b bytes.Buffer
	zeros := chance(r, 4)
	dense := pick(r, 2, 8, 40)
	for b.Len() < n {
		words := r.IntN(dense)
		switch {
		case chance(r, 30):
			words = near(r, []int{border, border * 2, 10}) / 2
		case chance(r, 8):
			words = 0
		}
		for range min(words, n) {
			b.WriteString(pick(r, grepWords...))
		}
		if zeros && chance(r, 60) {
			b.WriteByte(0)
		}
		b.WriteByte('\n')
	}
	text := b.Bytes()[:min(n, b.Len())]
	if chance(r, 3) {
		text = bytes.TrimRight(text, "\n")
	}
	return text
}

// grepPatterns returns patterns and how they are taken.
func grepPatterns(r *rand.Rand) question.Lines {
	p := question.Lines{Fixed: chance(r, 3), IgnoreCase: chance(r, 4), Whole: chance(r, 8), Word: chance(r, 5)}
	p.SmartCase = !p.IgnoreCase && chance(r, 6)
	from := grepExprs
	switch {
	case p.Fixed:
		from = append(slices.Clone(grepTexts), "")
	case !p.Word && chance(r, 2):
		from = slices.Concat(grepExprs, grepOdd)
	case chance(r, 2):
		from = slices.DeleteFunc(slices.Clone(grepTexts), func(s string) bool { return s == "." })
	}
	for range pick(r, 1, 1, 1, 2, 3, 20) {
		p.Patterns = append(p.Patterns, pick(r, from...))
	}
	if chance(r, 20) {
		p.Patterns = []string{strings.Join(p.Patterns, "\n")}
	}
	return p
}

func grepOptions(r *rand.Rand, p question.Lines) options.Grep {
	o := options.Grep{Lines: options.Lines{Invert: chance(r, 4), Text: chance(r, 3)}, LineNumbers: chance(r, 3), Offsets: chance(r, 4)}
	if chance(r, 4) {
		n := int64(pick(r, 0, 1, 1, 2, 7))
		o.Max = &n
	}
	switch r.IntN(8) {
	case 0:
		o.Mode = options.GrepCount
	case 1:
		o.Mode = options.GrepAny
	case 2, 3:
		o.Before, o.After = r.IntN(4), r.IntN(4)
	case 4:
		o.OnlyMatches = !o.Invert && (!p.Word || p.Whole)
	}
	return o
}

// grepCase is a case of TestGrep.
type grepCase struct {
	kind    string
	p       question.Lines
	o       options.Grep
	data    []byte
	wantOut string
	want    int64
}

func (c *grepCase) String() string {
	most := "all"
	if c.o.Max != nil {
		most = fmt.Sprint(*c.o.Max)
	}
	o := c.o
	o.Max = nil
	text := fmt.Sprintf("%+v\nin %s, max %s, %+v, %d bytes", c.p, c.kind, most, o, len(c.data))
	if len(c.data) <= 300 {
		text += fmt.Sprintf("\ninput: %q", c.data)
	}
	return text
}

// TestGrep compares Grep with its twin: patterns × ways of printing × texts × kinds of input × engines.
func TestGrep(t *testing.T) {
	cases(t, 2500, func(t *testing.T, r *rand.Rand) error {
		c := grepCase{kind: pick(r, sorted(inputs)...), p: grepPatterns(r)}
		if rare := inputs[c.kind].rare; rare > 0 && !chance(r, rare) {
			c.kind = "file"
		}
		c.o = grepOptions(r, c.p)
		n := []int{r.IntN(40), r.IntN(40), r.IntN(600), r.IntN(3000), r.IntN(100_000)}[r.IntN(5)]
		if c.p.Word && !c.p.Whole {
			n = min(n, 400)
		}
		c.o.Workers, c.o.ChunkBytes = pick(r, 0, 1, 2, 5), pick(r, 0, 0, 1, 2, 7, 1+r.IntN(100), 4096)
		first := threshold.All()[0]
		isShrunk := first.Get() != first.Real()
		if isShrunk {
			n = min(n, 10_000) // some thousand borders
		}
		if c.o.ChunkBytes > 0 || isShrunk {
			c.o.ChunkBytes = max(c.o.ChunkBytes, n/300, 1)
		}
		c.o.Cache = pick(r, options.CacheAuto, options.CacheAuto, options.CacheNeutral)
		c.o.Engine = inputs[c.kind].engine(r)
		c.data = grepText(r, n, max(c.o.ChunkBytes, pick(r, 1, 8, 64)))
		from, to := int64(0), int64(len(c.data))
		if chance(r, 6) {
			from = r.Int64N(to + 1)
			length := r.Int64N(to - from + 1)
			to = from + length
			c.o.Offset, c.o.Length = from, &length
		}
		part := c.data[from:to]
		c.wantOut, c.want = twinGrep(c.p, c.o, part, from)
		return c.check(t, r, part)
	})
}

// check searches and compares, printing and counting patterns.
func (c *grepCase) check(t *testing.T, r *rand.Rand, part []byte) error {
	q, err := thresh.NewLineQuery(c.p)
	if err != nil {
		return fmt.Errorf("%w: %v", err, c)
	}
	var out bytes.Buffer
	report, err := c.grep(t, r, q, &out)
	switch {
	case err != nil:
		return fmt.Errorf("%w: %v", err, c)
	case c.o.OnlyMatches && undecided(report):
		return nil
	case !report.Complete:
		return fmt.Errorf("not complete: %v, %v", report.Unread, c)
	case out.String() != c.wantOut:
		return fmt.Errorf("%v\nprinted %.2000q\nnot     %.2000q", c, out.String(), c.wantOut)
	case report.Lines != c.want:
		return fmt.Errorf("%v\n%d lines selected, not %d", c, report.Lines, c.want)
	case report.Written != int64(out.Len()):
		return fmt.Errorf("%v\n%d bytes written, not %d", c, report.Written, out.Len())
	}
	if !chance(r, 4) || c.p.Word && !c.p.Whole {
		return nil
	}
	c.p.Patterns = strings.Split(strings.Join(c.p.Patterns, "\n"), "\n")
	c.o.Mode, c.o.Max, c.o.Invert = options.GrepPatterns, nil, false
	report, err = c.grep(t, r, q, nil)
	if undecided(report) {
		return nil
	}
	if want := twinCounts(c.p, part); err != nil || !slices.Equal(report.Counts, want) {
		return fmt.Errorf("%v\ncounts %v, not %v: %w", c, report.Counts, want, errors.Join(err, errors.New("wrong")))
	}
	return nil
}

// undecided reports whether matches were left out, and that was said: with shrunk thresholds few may wait for
// a longer one.
func undecided(r answer.GrepReport) bool {
	return !r.Complete && len(r.Unread) > 0 && strings.Contains(r.Unread[0].Err.Error(), "too many matches")
}

// grep makes an input of the kind and searches it.
func (c *grepCase) grep(t *testing.T, r *rand.Rand, q *thresh.LineQuery, out *bytes.Buffer) (answer.GrepReport, error) {
	k := inputs[c.kind]
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var in *thresh.Input
	end := func() error { return nil }
	switch {
	case k.input != nil:
		in = k.input(t, r, c.data)
	case k.from != nil:
		f, closeInput := k.from(t, r, c.data)
		in, end = must(t)(thresh.FromFile("input", f)), closeInput
	default:
		name := k.name(t, r, c.data)
		in = must(t)(thresh.Open(name))
		file, _, _ := strings.Cut(name, ".zip:")
		if file != name {
			file += ".zip"
		}
		end = func() error { return os.Remove(file) }
	}
	report, err := thresh.Grep(ctx, in, q, out, c.o)
	return report, errors.Join(err, in.Close(), end())
}

// TestGrepEndsEarly: the last line that is wanted ends the search of a pipe whose writer goes on.
func TestGrepEndsEarly(t *testing.T) {
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	if _, err := writer.WriteString("no\na needle\n"); err != nil {
		t.Fatal(err)
	}
	q, err := thresh.NewLineQuery(question.Lines{Patterns: []string{"needle"}})
	if err != nil {
		t.Fatal(err)
	}
	in := must(t)(thresh.FromFile("pipe", reader))
	defer in.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var out bytes.Buffer
	one := int64(1)
	report, err := thresh.Grep(ctx, in, q, &out, options.Grep{Lines: options.Lines{Max: &one}})
	if err != nil || !report.Complete || out.String() != "a needle\n" {
		t.Errorf("%+v, %v, printed %q", report, err, out.String())
	}
}
