package verbs

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/command"
	"github.com/thresh-dev/thresh/options"
)

// Grep is the verb that prints lines.
func Grep() *command.Verb {
	f := new(grepFlags)
	return &command.Verb{
		Name:  "grep",
		Usage: "[flags] PATTERN [FILE...]",
		Short: "which lines? lines that match, as grep and ripgrep print them",
		Long: `grep prints the lines in which a pattern matches, in order, one file on all
cores. Patterns are regular expressions in RE2 syntax, or texts with -F. With
-e or -f, all arguments are files. Without FILE, grep reads standard input,
unless that is a terminal; with -r and no FILE, the files below this folder.

Flags of grep and ripgrep:
  The flags are those of grep and ripgrep. In short: -i -S -v -w -x choose
  lines, -c -l -L -q --per-pattern replace them by something shorter, -o -n -b
  -H -A -B -C -0 --color change how they are printed, --json prints ripgrep's
  messages.

Names of files:
  With several inputs, or with -r, each line begins with the name of its file.
  On a terminal, lines have numbers and matches have colours. -r searches all
  regular files below folders, ordered by name, hidden ones too. Only -g
  leaves files out: there are no default rules, and .gitignore is not read. -g
  has the syntax of .gitignore: '*.go', '!vendor/**'; the last glob that fits
  decides.

Binary files:
  A selected line that holds a zero byte, or follows one, is not printed, but
  a message that the binary file matches, and the rest of the file is skipped;
  -a prints such lines, too. Other bytes need not be UTF-8. Lines end with a
  line feed only, and -c counts such lines of binary files, too.

Words and patterns:
  -w requires that no letter, digit or underscore of any script touches a
  match; in expressions, \w and \b mean ASCII, as always in RE2. If patterns
  match at the same place, the one given first counts. -o and --json show
  matches that do not overlap, -o only those that are not empty. --per-pattern
  prints for each pattern of -e and -f, in this order, how often it occurs in
  all inputs, a tab, and the pattern. Occurrences of one pattern do not
  overlap.

Growing files:
  --follow prints the last ten lines of each file, as far as they are
  selected, and then each line as it comes. --from now leaves out the ten,
  --from -1h begins with the last hour. After a rotation the old file is read
  to its end, and then the new one; a truncation is reported with the time
  from which lines may be lost. A file need not be there yet. An interrupt
  ends it, --max-count, --to or -q; then -c and --per-pattern print. Lines
  with zero bytes are printed, as with -a. Without --follow, lines of a pipe
  are printed as they come.

Times:
  --from and --to choose lines by the times that they begin with, as a half-
  open range: at --from or later, and before --to. The times must ascend; a
  line without one belongs to the line before. In a file the place is found
  by bisection, and the rest is not read; pipes and compressed files are read
  from their start. If times are seen not to ascend, that is an error, but
  what is not read is not seen. A file without a pattern means all of its
  lines of these times. If no line has them, a note says which times there are.
  Recognised are the logs of most programs: ISO 8601, syslog with and without
  year, access logs, klog, Unix times, JSON objects with a time; docs/grep.md
  lists them. --time-format describes others. TIME is a time as it stands in
  the log, or 10:05 for today, now, today, yesterday, or -5m for five minutes
  ago. Zones are read as offsets, names such as Europe/Berlin, and clear
  abbreviations; what another one means --zone says, and what times without
  a zone are. An hour that clocks show twice is read in the order of the
  lines. Line numbers count from the first line searched.
  --show-zone prints the time that a line begins with as clocks in another
  zone show it, written as before: with the same digits, and with an offset or
  name of the zone only if it had one. The rest of the line, lines without a
  time and seconds since 1970 stay as they are. Patterns match what is in the
  file; -o, colours and the messages of --json have what is printed.

Compressed inputs:
  Compressed inputs are decompressed while they are read, as "thresh find
  --help" describes. --offset and --length choose the bytes that are searched:
  line numbers count from there.

Exit status:
  0    a line was selected
  1    none was
  2    wrong usage, or an input could not be opened
  3    part of an input could not be read, so the answer may be incomplete;
       each unread range is printed
  130  interrupted`,
		Examples: `  thresh grep ERROR app.log                        lines with ERROR
  thresh grep -n -C3 'panic: .*' app.log.gz        with numbers and context
  kubectl logs app | thresh grep -c timeout        how many lines
  thresh grep -i -w -e warn -e error app.log       either word, in any case
  thresh grep -rl ioutil -g '*.go' .               files with a match
  thresh grep -o 'user=[0-9]+' app.log             the matches only
  thresh grep -F -f 10000-ids.txt big.log          any of many texts
  thresh grep -F -f ids.txt --per-pattern big.log  how often each occurs
  thresh grep --follow ERROR app.log               and those that will come
  thresh grep --from -5m timeout app.log           in the last five minutes
  thresh grep --show-zone local timeout app.log    with times of this machine
  thresh grep --from 2026-11-20T10:00 --to 2026-11-20T10:05 app.log  all of them`,
		Common: "regexp fixed-strings ignore-case invert-match word-regexp count only-matching line-number " +
			"files-with-matches context recursive glob follow",
		Flags:     f.flags(),
		Conflicts: grepConflicts(),
		Elsewhere: map[string]string{
			"P": re2, "perl-regexp": re2, "pcre2": re2, "G": re2, "basic-regexp": re2,
			"include": "--glob", "t": "--glob", "type": "--glob", "exclude": "--glob '!GLOB'",
			"exclude-dir": "--glob '!FOLDER/**'", "T": "--glob '!GLOB'", "text-only": "--text",
			"hidden": "nothing: hidden files are searched", "no-ignore": "nothing: .gitignore is not read",
			"u": "nothing: no file is left out", "U": "nothing: bytes are taken as they are",
			"line-buffered": "nothing: lines of a pipe are printed as they come", "y": "--ignore-case",
			"tz": zones, "timezone": zones, "time-zone": zones, "localtime": "--show-zone local",
			"since": "--from TIME", "until": "--to TIME", "last": "--from -1h", "head": "--max-count",
			"limit": "--max-count", "count-matches": "thresh count --regex PATTERN", "stats": "--receipt",
			"replace": "thresh grep -o finds, sed replaces.", "files": "--files-with-matches",
			"z": zeros, "null-data": zeros, "search-zip": "nothing: compressed files are recognised",
		},
		ArgsMax:  -1,
		Searches: true,
		Quick:    true,
		Run:      f.run,
	}
}

const (
	zones = "--zone for the times in the log, --show-zone for those that are printed"
	re2   = "nothing: expressions have the syntax of RE2"
	// zeros answers -z, which means the one thing in ripgrep and the other in grep.
	zeros = "compressed files are recognised, so -z is not needed; for lines that end in zero bytes: " +
		"tr '\\0' '\\n' <FILE | thresh grep PATTERN."
)

func (f *grepFlags) run(ctx context.Context, c *command.Call) error {
	patterns, args, err := f.patterns(c.Console, c.Args)
	if err != nil {
		return err
	}
	args, err = f.inputs(c, args)
	if err != nil {
		return err
	}
	run, err := command.NewRun(c, &f.Shared, args)
	o, optionsErr := f.options(run)
	query, queryErr := thresh.NewLineQuery(patterns)
	globs, globErr := newGlobs(f.globs)
	if err := errors.Join(err, optionsErr, queryErr, globErr); err != nil {
		return err
	}
	s := &grepRun{flags: f, query: query, grep: o, began: time.Now()}
	s.Local = command.NewLocal(ctx, run)
	s.Archives, s.NotOutput, s.Lines = true, true, o.Mode == options.GrepPrint
	if len(f.globs) > 0 {
		s.Allow = globs.allow
	}
	s.Plan = func(in *thresh.Input, o options.Find) (thresh.Plan, error) {
		return thresh.ExplainGrep(in, query, s.with(o))
	}
	s.One, s.Many, s.Done = s.one, s.many, s.done
	return run.Do(ctx, s)
}

// grepRun is one run of grep.
type grepRun struct {
	command.Scan[answer.GrepReport]
	flags  *grepFlags
	query  *thresh.LineQuery
	grep   options.Grep
	began  time.Time
	counts []int64 // of --per-pattern
	stats  thresh.GrepStats
	// The logs of which no line is in the window of times, and the times of their lines.
	outside      int64
	outsideTimes answer.LogTimes
	zones        []string // in which times without one were read, if none was said
	untimed      []string // inputs with lines in which --show-zone knows no time
}

// with returns the options of the search.
func (s *grepRun) with(o options.Find) options.Grep {
	g := s.grep
	g.Run, g.Offset, g.Length = o.Run, o.Offset, o.Length
	return g
}

// one searches a single input.
func (s *grepRun) one(ctx context.Context, in *thresh.Input) (answer.GrepReport, error) {
	return thresh.Grep(ctx, in, s.query, s.Out.OS(), s.with(s.Options))
}

// many searches several inputs.
func (s *grepRun) many(ctx context.Context, names iter.Seq2[string, error]) error {
	receipt, err := thresh.GrepAll(ctx, names, s.query, s.Out.OS(), s.with(s.Options), s.Callbacks(), s.done)
	s.AddReceipt(receipt)
	return err
}

// done adds the report of one input to the total, and prints what replaces its lines.
func (s *grepRun) done(name string, r answer.GrepReport, err error) error {
	s.Add(answer.Report{Hits: r.Lines, Bytes: r.Bytes, Receipt: r.Receipt})
	s.Unread(r.Unread)
	s.stats.Searches++
	if r.Outside != nil {
		s.notInWindow(*r.Outside)
	}
	if r.Zone != nil && s.grep.Times.Zone == nil {
		s.readAs(name, r.Zone)
	}
	if r.Untimed && r.Lines > 0 {
		s.untimed = append(s.untimed, name)
	}
	if s.stats.Bytes += r.Bytes; r.Lines > 0 {
		s.stats.With++
	}
	s.stats.Lines += r.Lines
	s.stats.Matches += r.Matches
	s.stats.Printed += r.Written
	if s.counts == nil {
		s.counts = make([]int64, len(r.Counts))
	}
	for i, n := range r.Counts {
		s.counts[i] += n
		s.Found = s.Found || n > 0
	}
	if err = s.Ended(name, err); err != nil {
		return s.Fail(name, err)
	}
	if err := s.summary(name, r.Lines); err != nil {
		return err
	}
	if s.Quiet && r.Lines > 0 {
		return command.ErrEnough
	}
	return nil
}

// summary prints what -c, -l and -L print for an input.
func (s *grepRun) summary(name string, lines int64) error {
	s.Found = s.Found || lines > 0 != s.flags.withoutMatch
	if name == "-" {
		name = "(standard input)"
	}
	end := "\n"
	switch {
	case s.flags.count:
		if s.grep.Names {
			sep := ":"
			if s.flags.null {
				sep = "\x00"
			}
			fmt.Fprint(s.Out, name, sep)
		}
		fmt.Fprintln(s.Out, lines)
	case s.flags.withMatches && lines > 0, s.flags.withoutMatch && lines == 0:
		if s.flags.null {
			end = "\x00"
		}
		fmt.Fprint(s.Out, name, end)
	}
	return s.Out.Flush()
}

// End prints how often each pattern occurs, or the last message of --json, without which that is not complete.
func (s *grepRun) End(err error) error {
	switch {
	case err != nil || s.Interrupted && !s.Endless:
		return err
	case s.flags.perPattern:
		for i, pattern := range s.query.Patterns() {
			var n int64
			if s.counts != nil {
				n = s.counts[i]
			}
			if s.JSON {
				fmt.Fprintf(s.Out, `{"pattern":%s,"count":%d}`+"\n", command.Text(pattern).AppendJSON(nil), n)
			} else {
				fmt.Fprintf(s.Out, "%d\t%s\n", n, pattern)
			}
		}
	case s.JSON:
		s.stats.Elapsed = time.Since(s.began)
		s.Out.Write(s.stats.Summary())
	}
	return s.Out.Flush()
}

// readAs notes, once for each zone, how the times of a log were read that name none.
func (s *grepRun) readAs(name string, zone *time.Location) {
	text := zone.String()
	if zone == time.Local {
		text = command.LocalZone()
	}
	if !slices.Contains(s.zones, text) {
		s.zones = append(s.zones, text)
		s.Notef("the times of %s name no zone, and are read as %s; --zone says another", name, text)
	}
}

// notInWindow counts a log of which no line is in the window of times.
func (s *grepRun) notInWindow(log answer.LogTimes) {
	all := &s.outsideTimes
	if s.outside == 0 || log.First.Before(all.First) {
		all.First = log.First
	}
	if all.Last.Before(log.Last) {
		all.Last = log.Last
	}
	s.outside++
}

// Note notes what was skipped, that \| is no operator if nothing was found with it, and which times the logs have if no
// line has one that was asked for.
func (s *grepRun) Note() {
	s.Skipped()
	f := s.flags
	typed := strings.Join(append(f.exprs, f.pattern), " ")
	if !s.Found && !f.fixed && !s.Quiet && strings.Contains(typed, `\|`) {
		fmt.Fprintln(s.Err, `thresh: note: nothing was found: \| is the character | here; A|B is A or B`)
	}
	if s.Interrupted && s.Endless {
		s.Notef("interrupted: %d bytes were searched, and %d lines selected", s.stats.Bytes, s.stats.Lines)
	}
	if n := len(s.untimed); n > 0 {
		others := ""
		if n > 1 {
			others = fmt.Sprintf(" and %d others", n-1)
		}
		s.Notef("no time is recognised in %s%s, so --show-zone changes nothing there; --time-format describes times",
			s.untimed[0], others)
	}
	if s.outside == 0 || s.outside < s.stats.Searches {
		return
	}
	const layout = "2006-01-02 15:04:05 -07:00"
	var window []string
	if from := s.grep.Times.From; !from.IsZero() {
		window = append(window, "from "+from.Format(layout)+" on")
	}
	if to := s.grep.Times.To; !to.IsZero() {
		window = append(window, "before "+to.Format(layout))
	}
	times := "begin at " + s.outsideTimes.First.Format(layout)
	if last := s.outsideTimes.Last; !last.IsZero() {
		times = "are " + s.outsideTimes.First.Format(layout) + " to " + last.Format(layout)
	}
	s.Notef("no line has a time %s; the times there %s", strings.Join(window, " and "), times)
}
