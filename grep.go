package thresh

import (
	"context"
	"io"
	"iter"
	"time"

	"github.com/thresh-dev/thresh/internal/run"
	"github.com/thresh-dev/thresh/internal/search/grep"
	"github.com/thresh-dev/thresh/internal/search/logtime"
)

// LinePatterns say which lines match: those in which at least one pattern does.
type LinePatterns struct {
	// Patterns are expressions in the syntax of RE2. One that contains line feeds is a pattern for each of
	// its lines. An empty pattern matches every line; without patterns, no line matches.
	Patterns   []string
	Fixed      bool // the patterns are texts, not expressions
	IgnoreCase bool // letters match in either case, by Unicode's simple folding
	SmartCase  bool // IgnoreCase, if no pattern has a letter in upper case
	Word       bool // no letter, digit or underscore of any script is directly before or after a match
	Line       bool // a match is a whole line; Word then changes nothing
}

// LineQuery is compiled LinePatterns. It is immutable and safe for concurrent use.
type LineQuery struct{ q *grep.Query }

// NewLineQuery compiles patterns. One that cannot be compiled is a *QueryError.
func NewLineQuery(p LinePatterns) (*LineQuery, error) {
	q, err := grep.Compile(grep.Patterns{List: p.Patterns, Fixed: p.Fixed, IgnoreCase: p.IgnoreCase,
		SmartCase: p.SmartCase, Word: p.Word, Line: p.Line})
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
	return q.q.List()
}

func (q *LineQuery) use() (*grep.Query, error) {
	if q == nil || q.q == nil {
		return nil, ErrNoQuery
	}
	return q.q, nil
}

// GrepMode is what Grep does with the selected lines.
type GrepMode uint8

// The modes.
const (
	PrintLines    GrepMode = iota // print them
	CountLines                    // count them
	AnyLine                       // stop at the first one found, which need not be the first in the input
	CountPatterns                 // count how often each pattern occurs, whichever lines are selected
)

// GrepOptions say which lines are selected, and how they are printed. The zero value prints the lines that
// match. Options.Limit and Options.Around are ignored.
type GrepOptions struct {
	Options
	Mode   GrepMode
	Invert bool // select the lines that do not match
	// Max ends the search behind so many selected lines and their context; nil means never.
	Max *int64
	// Before and After are how many lines of context are printed around selected ones, with "-" in place of
	// ":", and "--" between groups of lines.
	Before, After int
	// Times, if not nil, limits the search to lines with these times. Offset and Length apply before it.
	Times *LogTimes
	// Text prints all lines. Without it the first selected line that lies behind a zero byte, or holds one,
	// is replaced by a line that says so, and ends the search of the input.
	Text bool

	Names       bool // print the name of the input before each line
	Null        bool // a zero byte follows the name
	LineNumbers bool // print the number of each line, from 1
	Offsets     bool // print the offset of each line or, with OnlyMatches, of each match
	OnlyMatches bool // print matches that are not empty instead of lines
	Color       bool // with the colours of grep
	JSON        bool // print the messages of ripgrep; the fields above do not matter
}

// LogTimes is a part of a log whose lines begin with ascending times. A line without a time belongs to the one
// before it. In a file the part is found by bisection, and nothing else is read; streams and compressed
// files are read from their start. An error says if times do not ascend, as far as they were read.
//
// Times are recognised as ISO 8601 and RFC 5424, also with slashes, RFC 3164, Apache's common log format, and
// Unix seconds, milli-, micro- or nanoseconds; the first one decides for the whole log. The year of times
// without one is inferred from the time of the file, and the log must span less than a year.
type LogTimes struct {
	From time.Time // lines at this time or later; the zero time means from the start
	To   time.Time // lines before this time; the zero time means up to the end
	// Format describes the times: as strftime does if it contains %, otherwise as package time. The empty format
	// recognises them.
	Format string
	Zone   *time.Location // of times without a zone; nil means time.Local
}

// ParseTime returns the time that a person has typed, for From or To: as it stands in a log, or 2026-11-20T10:05,
// 2026-11-20, 10:05 (today), now, today, yesterday, tomorrow, or -5m, -2h30m, -1d (before now).
func (t LogTimes) ParseTime(text string, now time.Time) (time.Time, error) {
	return logtime.Moment(text, t.Format, now, t.Zone)
}

func (o GrepOptions) run() (grep.Options, run.Options) {
	spec := grep.Options{Mode: grep.Mode(o.Mode), Invert: o.Invert, Max: -1, Before: max(o.Before, 0),
		After: max(o.After, 0), Text: o.Text,
		Format: grep.Format{Null: o.Null, Numbers: o.LineNumbers, Offsets: o.Offsets, Only: o.OnlyMatches,
			Color: o.Color, JSON: o.JSON}}
	if o.Max != nil {
		spec.Max = max(*o.Max, 0)
	}
	options := o.Options.run()
	options.Limit, options.Around = 0, 0
	if o.Times != nil {
		options.Times = &logtime.Window{From: o.Times.From, To: o.Times.To, Layout: o.Times.Format, Zone: o.Times.Zone}
	}
	return spec, options
}

// GrepReport tells what a call of Grep did.
type GrepReport struct {
	Lines   int64   // selected; at most 1 in AnyLine
	Matches int64   // in the selected lines; only with JSON
	Counts  []int64 // by CountPatterns, in the order of LineQuery.Patterns
	// Binary is the offset of the zero byte that ended the output, -1 if all selected lines were printed.
	Binary   int64
	Bytes    int64 // searched
	Written  int64 // to the output; of JSON without the last message, as ripgrep counts
	Complete bool  // all was read that matters for the answer
	Unread   []UnreadError
	Receipt  Receipt
}

func newGrepReport(r run.GrepReport) GrepReport {
	return GrepReport{Lines: r.Lines, Matches: r.Matches, Counts: r.Counts, Binary: r.Binary, Bytes: r.Bytes,
		Written: r.Written, Complete: r.Complete, Unread: unread(r.Unread), Receipt: newReceipt(r.Receipt)}
}

// Grep searches an input for lines, as grep does, and prints them to out, in order, each as soon as it is known
// that no line before it is selected. One goroutine at a time calls out.Write. Out may be nil in modes that
// print nothing. An error of out is a *WriteError.
//
// Lines end with a line feed; the last one need not, and is printed with one. A part of the input that
// cannot be read ends a line; line numbers behind it do not count the lines in it.
func Grep(ctx context.Context, in *Input, q *LineQuery, out io.Writer, o GrepOptions) (GrepReport, error) {
	i, err := in.use()
	if err != nil {
		return GrepReport{}, err
	}
	query, err := q.use()
	if err != nil {
		return GrepReport{}, err
	}
	spec, options := o.run()
	if o.Names || o.JSON {
		spec.Name = run.PrintedName(i.Name())
	}
	r, err := run.Grep(ctx, i, query, out, spec, options)
	return newGrepReport(r), public(err)
}

// ExplainGrep returns the plan for a call of Grep with the same arguments.
func ExplainGrep(in *Input, q *LineQuery, o GrepOptions) (Plan, error) {
	i, err := in.use()
	if err != nil {
		return Plan{}, err
	}
	query, err := q.use()
	if err != nil {
		return Plan{}, err
	}
	spec, options := o.run()
	p, err := run.ExplainGrep(i, query, spec, options)
	return Plan(p), public(err)
}

// GrepAll searches many inputs, small ones by one worker each, several at once, and prints their lines in the
// order of the names. Done is called at the end of each input, in order, when its lines have been written; it
// may write to out itself, and an error that it returns ends the run. Hits, Begin and Done of v are not
// used. The receipt is that of all inputs together.
func GrepAll(ctx context.Context, names iter.Seq2[string, error], q *LineQuery, out io.Writer, o GrepOptions, v Visitor,
	done func(name string, r GrepReport, err error) error) (Receipt, error) {
	query, err := q.use()
	if err != nil {
		return Receipt{}, err
	}
	if done == nil {
		return Receipt{}, &OptionError{"done", nil, "there is no function for the end of an input"}
	}
	spec, options := o.run()
	if o.Names || o.JSON {
		spec.Name = "name" // any: each input has its own
	}
	end := func(name string, r run.GrepReport, err error) error { return done(name, newGrepReport(r), public(err)) }
	r, err := run.GrepAll(ctx, names, query, out, spec, options, v.run(), end)
	return newReceipt(r), public(err)
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
