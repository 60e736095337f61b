package thresh

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/run"
	"github.com/thresh-dev/thresh/internal/search/grep"
	"github.com/thresh-dev/thresh/internal/search/logtime"
	"github.com/thresh-dev/thresh/options"
	"github.com/thresh-dev/thresh/question"
	"github.com/thresh-dev/thresh/receipt"
)

// LineQuery says which lines to look for. It is immutable and safe for concurrent use.
type LineQuery struct{ q *grep.Query }

// NewLineQuery compiles patterns. One that cannot be compiled is a *failure.QueryError.
func NewLineQuery(p question.Lines) (*LineQuery, error) {
	q, err := grep.Compile(p)
	if err != nil {
		_, err = newQuery("", nil, err)
		return nil, err
	}
	return &LineQuery{q}, nil
}

// Patterns returns the patterns in the order in which GrepReport.Counts counts them.
func (q *LineQuery) Patterns() []string {
	if q == nil || q.q == nil {
		return nil
	}
	return q.q.Patterns
}

func (q *LineQuery) use() (*grep.Query, error) {
	if q == nil || q.q == nil {
		return nil, failure.ErrNoQuery
	}
	return q.q, nil
}

// AddZone reads NAME=+hh:mm, or NAME=none for a word that is no zone, and adds it to t.Zones, which must not have NAME;
// or it reads Europe/Berlin, UTC, +02:00 or local as t.Zone, which must be nil.
func AddZone(t *options.LogTimes, text string) error {
	if err := required("t", t); err != nil {
		return err
	}
	name, zone, err := logtime.ParseZone(text)
	if err != nil {
		return err
	}
	if name == "" {
		if t.Zone != nil {
			return fmt.Errorf("%q: the zone of times without one was said before: %s", text, t.Zone)
		}
		t.Zone = zone
		return nil
	}
	if t.Zones == nil {
		t.Zones = map[string]*time.Location{}
	}
	if _, ok := t.Zones[name]; ok {
		return fmt.Errorf("%q: what %s means was said before", text, name)
	}
	t.Zones[name] = zone
	return nil
}

// ParseTime returns the time that a person has typed, for the From or To of t: as it stands in a log, or
// 2026-11-20T10:05, 2026-11-20, 10:05 (today), now, today, yesterday, tomorrow, or -5m, -2h30m, -1d (before now). A
// local time that clocks do not show that day, or show twice, is an error.
func ParseTime(text string, t options.LogTimes, now time.Time) (time.Time, error) {
	return logtime.Moment(text, logtime.Window(t), now)
}

// grepOptions returns the options of a search for lines for the packages that search.
func grepOptions(o options.Grep) (grep.Options, run.Options, error) {
	spec := grep.Options{Mode: grep.Mode(o.Mode), Invert: o.Invert, Max: -1, Before: o.Before,
		After: o.After, Text: o.Text,
		Format: grep.Format{Null: o.Null, Numbers: o.LineNumbers, Offsets: o.Offsets, Only: o.OnlyMatches,
			Color: o.Color, JSON: o.JSON}}
	err := errors.Join(known("Mode", o.Mode, options.GrepPatterns), notNegative("Before", int64(o.Before)),
		notNegative("After", int64(o.After)))
	if o.Max != nil {
		spec.Max = *o.Max
		err = errors.Join(err, notNegative("Max", *o.Max))
	}
	return spec, run.Options{Run: o.Run, Offset: o.Offset, Length: o.Length, Times: (*logtime.Window)(o.Times)}, err
}

// Grep searches an input for lines, as grep does, and prints them to out, in order, each as soon as it is known
// that no line before it is selected. One goroutine at a time calls out.Write. Out may be nil in modes that
// print nothing. An error of out is a *failure.WriteError.
//
// Lines end with a line feed; the last one need not, and is printed with one. A part of the input that
// cannot be read ends a line; line numbers after it do not count the lines in it.
func Grep(ctx context.Context, in *Input, q *LineQuery, out io.Writer, o options.Grep) (answer.GrepReport, error) {
	if err := required("ctx", ctx); err != nil {
		return answer.GrepReport{}, err
	}
	i, err := in.use()
	if err != nil {
		return answer.GrepReport{}, err
	}
	query, err := q.use()
	if err != nil {
		return answer.GrepReport{}, err
	}
	spec, how, err := grepOptions(o)
	if err == nil && o.Mode == options.GrepPrint {
		err = required("out", out)
	}
	if err != nil {
		return answer.GrepReport{}, err
	}
	if o.Names || o.JSON {
		spec.Name = run.PrintedName(i.Name())
	}
	r, err := run.Grep(ctx, i, query, out, spec, how)
	return r, err
}

// ExplainGrep returns the plan for a call of Grep with the same arguments.
func ExplainGrep(in *Input, q *LineQuery, o options.Grep) (Plan, error) {
	i, err := in.use()
	if err != nil {
		return Plan{}, err
	}
	query, err := q.use()
	if err != nil {
		return Plan{}, err
	}
	spec, how, err := grepOptions(o)
	if err != nil {
		return Plan{}, err
	}
	p, err := run.ExplainGrep(i, query, spec, how)
	return Plan(p), err
}

// GrepAll searches many inputs, small ones by one worker each, several at once, and prints their lines in the
// order of the names. Done is called at the end of each input, in order, when its lines have been written; it
// may write to out itself, and an error that it returns ends the run. Hits, Begin and Done of c are not
// used. The receipt is that of all inputs together.
func GrepAll(ctx context.Context, names iter.Seq2[string, error], q *LineQuery, out io.Writer, o options.Grep,
	c Callbacks,
	done func(name string, r answer.GrepReport, err error) error) (receipt.Receipt, error) {
	if err := required("ctx", ctx, "names", names, "done", done); err != nil {
		return receipt.Receipt{}, err
	}
	query, err := q.use()
	if err != nil {
		return receipt.Receipt{}, err
	}
	spec, how, err := grepOptions(o)
	if err == nil && o.Mode == options.GrepPrint {
		err = required("out", out)
	}
	if err != nil {
		return receipt.Receipt{}, err
	}
	if o.Names || o.JSON {
		spec.Name = "name" // any: each input has its own
	}
	end := func(name string, r answer.GrepReport, err error) error { return done(name, r, err) }
	r, err := run.GrepAll(ctx, names, query, out, spec, how, c.run(), end)
	return r, err
}

// GrepStats are the figures of the last of ripgrep's JSON messages.
type GrepStats struct {
	Elapsed  time.Duration // of all
	Searches int64
	With     int64 // searches that selected a line
	Bytes    int64 // searched
	Printed  int64 // bytes of messages, as ripgrep counts: without the last of each input
	Lines    int64
	Matches  int64
}

// Summary returns that message, which follows those that Grep and GrepAll print.
func (s GrepStats) Summary() []byte {
	b := append([]byte(nil), `{"data":{"elapsed_total":`...)
	b = append(b, grep.Elapsed(s.Elapsed)...)
	b = append(b, `,"stats":`...)
	b = (*grep.Stats)(&s).Append(b)
	return append(b, "},\"type\":\"summary\"}\n"...)
}
