package verbs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/term"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/command"
	"github.com/thresh-dev/thresh/internal/output/numeral"
	"github.com/thresh-dev/thresh/options"
)

// tableOutput writes the answers about a table to standard output or a file.
type tableOutput struct {
	to   io.Writer
	gate *gate // nil where answers may be incomplete: records that are selected, and JSON, which says so
	*thresh.Writer
}

// gate writes all or nothing: nothing if the run was interrupted before the first answer, which nothing would mark as
// incomplete.
type gate struct {
	io.Writer
	settle        func() error
	begun, closed bool
}

func (g *gate) Write(p []byte) (int, error) {
	if !g.begun {
		g.begun, g.closed = true, g.settle() != nil
	}
	if g.closed {
		return len(p), nil
	}
	return g.Writer.Write(p)
}

// withheld reports whether answers were not written because of an interrupt.
func (a *tableOutput) withheld() bool { return a != nil && a.gate != nil && a.gate.closed }

// newOutput returns an output of answers. partial says that they may be printed although the run was interrupted,
// because something says that they are incomplete.
func (s *tableRun) newOutput(o options.Writer, partial bool) (*tableOutput, error) {
	a := &tableOutput{to: s.Out.Unbuffered()}
	terminal := s.Out.Terminal() && !s.Quiet
	if s.Quiet {
		a.to = io.Discard
	}
	if !s.Out.ToFile() && !partial {
		a.gate = &gate{Writer: a.to, settle: s.Settle}
		a.to = a.gate
	}
	o.Format, o.Terminal, o.Color, o.File, o.ASCII = s.format, terminal, s.Out.Colors(), s.Out.Regular(), s.Out.ASCII()
	o.MemoryBytes = int64(s.Mem)
	if terminal {
		if width, height, err := term.GetSize(int(s.Console.Out.Fd())); err == nil {
			if o.Width = width; !s.all {
				o.Height, o.Hint = height, " (--all)"
			}
		}
	}
	var err error
	a.Writer, err = thresh.NewWriter(a.to, o)
	return a, err
}

// names returns the inputs. After a stream whose end an interrupt may have brought comes an error.
func (s *tableRun) names() iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for name, err := range s.Names() {
			if !yield(name, err) {
				return
			}
			if err := s.Ended(name, nil); err != nil {
				yield(name, err)
				return
			}
		}
	}
}

// tableSummary is the last line of the JSON output.
type tableSummary struct {
	Records   int64            `json:"records"`
	Bytes     int64            `json:"bytes"`
	Malformed int64            `json:"malformed"`
	BadLines  int64            `json:"malformed_lines,omitempty"`
	BadBytes  int64            `json:"malformed_bytes,omitempty"`
	Empty     int64            `json:"empty_lines"`
	Bad       map[string]int64 `json:"not_numbers,omitempty"`
	Absent    []string         `json:"absent,omitempty"`
	Cut       int64            `json:"cut_bytes,omitempty"`
	Unread    []map[string]any `json:"unread,omitempty"`
	Complete  bool             `json:"complete"`
}

// End writes buffered answers, and the JSON summary.
func (s *tableRun) End(err error) error {
	var problem *failure.Problem
	malformed := errors.As(err, &problem)
	if err == nil || malformed && s.flags.asked.streams() { // the records before the malformed one
		err = errors.Join(err, s.out.Close())
	}
	if err == nil && s.JSON && !s.Quiet {
		err = s.out.summary(&s.report, s.Complete)
	}
	if err == nil {
		for _, note := range s.out.Notes() {
			s.Notef("%s", command.Flags(note))
		}
	}
	if s.out.withheld() {
		s.Interrupted, s.Complete = true, false
	}
	s.failed = err != nil
	if errors.As(err, &s.notNumbers) && s.notNumbers.First.Line == 1 && !s.spec.Dialect.Header && !s.spec.Dialect.JSON {
		err = command.Hint(err, "if the first record names the columns, give --header")
	}
	switch {
	case malformed && s.spec.Dialect.JSON:
		err = command.Hint(err,
			"--malformed skip leaves such lines out, --malformed keep takes them as lines without values")
	case malformed:
		err = command.Hint(err, "check -d and --quote; --malformed skip leaves such records out, --malformed keep takes "+
			"them as they are")
	}
	return err
}

func (a *tableOutput) summary(r *answer.TableReport, complete bool) error {
	s := tableSummary{Records: r.Records, Bytes: r.Bytes, Malformed: r.Malformed, Empty: r.Empty, Complete: complete,
		BadLines: r.MalformedLines, BadBytes: r.MalformedBytes, Cut: r.TruncatedBytes}
	for _, c := range r.Absent {
		s.Absent = append(s.Absent, c.Column)
	}
	for _, b := range r.NonNumeric {
		if s.Bad == nil {
			s.Bad = map[string]int64{}
		}
		name := b.Column
		if _, twice := s.Bad[name]; twice { // several columns have the same name
			name = fmt.Sprintf("%s (column %d)", name, b.Number)
		}
		s.Bad[name] = b.Count
	}
	for _, u := range r.Unread {
		s.Unread = append(s.Unread, map[string]any{
			"file": command.Text(u.Name), "offset": u.Off, "length": u.Len, "error": command.Flags(u.Err.Error())})
	}
	b, err := json.Marshal(map[string]any{"summary": s})
	if err != nil {
		return err
	}
	_, err = a.to.Write(append(b, '\n'))
	return err
}

// notNumbers says how many values of a column are not numbers.
func notNumbers(b *answer.NonNumeric) string {
	are, what := "are not numbers, first", " is not a number"
	first := strings.TrimPrefix(b.First.Reason, "column "+b.Column+": ")
	if b.Times {
		are, what = "are not times, first", " is not a time"
	}
	if b.Count == 1 {
		are = strings.TrimPrefix(what, " ") + ","
	}
	column := b.Column
	if _, err := strconv.Atoi(column); err == nil { // without a header
		column = "column " + column
	}
	name := b.First.Name
	if name == "-" {
		name = "standard input"
	}
	count := numeral.CountGrouped(b.Count, "value")
	if b.Of > 0 {
		count = numeral.Grouped(b.Count) + " of " + numeral.CountGrouped(b.Of, "value")
	}
	return fmt.Sprintf("%s: %s %s %s in line %d of %s (byte %d)", column, count, are, strings.TrimSuffix(first, what),
		b.First.Line, name, b.First.Off)
}

// nonNumeric tells of values that are not the numbers that they were asked to be, but for those that an error tells of.
func (s *tableRun) nonNumeric(r *answer.TableReport, tell func(what string)) {
	for _, b := range r.NonNumeric {
		if s.notNumbers == nil || b.Column != s.notNumbers.Column {
			tell(notNumbers(&b))
		}
	}
}

// doubt has the run be incomplete for such values, if --strict says so.
func (s *tableRun) doubt(r *answer.TableReport, err error) {
	if errors.As(err, &s.notNumbers); s.strict {
		s.nonNumeric(r, func(what string) {
			s.doubted = true
			s.Doubt(errors.New("--strict: " + what))
		})
	}
}

// notes reports what was left out of the answers, on standard error.
func (s *tableRun) notes(r *answer.TableReport) {
	note := s.Notef
	for _, a := range r.Absent {
		if a.Like != "" {
			a.Like = "; did you mean " + a.Like + "?"
		}
		note("column %s: no line that was read has it%s", a.Column, a.Like)
	}
	for _, m := range r.Missing {
		others := ""
		if m.Inputs > 1 {
			others = " and " + numeral.Count(m.Inputs-1, "other input")
		}
		note("column %s: it is null in %s%s, which has no such column", m.Column, m.Name, others)
	}
	if !s.strict {
		s.nonNumeric(r, func(what string) {
			if !slices.Contains(s.noted, what) { // by a statement before
				s.noted = append(s.noted, what)
				note("%s", what)
			}
		})
	}
	for _, b := range r.Compared {
		said := slices.ContainsFunc(r.NonNumeric, func(n answer.NonNumeric) bool { return n.Column == b.Column })
		if s.notNumbers == nil && !said {
			note("column %s: the filter compares it with a number, and none of %s is one; the first: %v",
				b.Column, numeral.Count(b.Count, "value"), &b.First)
		}
	}
	if r.Malformed > 0 && len(r.Problems) > 0 {
		what, records := "left out", "records were"
		if s.spec.Malformed == options.MalformedKeep {
			what = "kept"
		}
		if r.Malformed == 1 {
			records = "record was"
		}
		note("%d malformed %s %s (%s, %d bytes); the first: %v", r.Malformed, records, what,
			numeral.Count(r.MalformedLines, "line"), r.MalformedBytes, &r.Problems[0])
	}
	if r.TruncatedBytes > 0 {
		note("%d bytes were left out: they belong to records that extend into an unread range", r.TruncatedBytes)
	}
}
