package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/internal/output/outfile"
)

func newGrep(c *console) *cobra.Command {
	var f grepFlags
	cmd := &cobra.Command{
		Use:   "grep [flags] PATTERN [FILE...]",
		Short: "which lines? lines that match, as grep and ripgrep print them",
		Long: `grep prints the lines in which a pattern matches, in order, one file on all
cores. Patterns are regular expressions in RE2 syntax, or texts with -F. With
-e or -f, all arguments are files. Without FILE, grep reads standard input; if
that is a terminal, or with -r, it searches the folder it is in.

The flags are those of grep and ripgrep. In short: -i -S -v -w -x choose lines,
-c -l -L -q --per-pattern replace them by something shorter, -o -n -b -H -A -B
-C -0 --color change how they are printed, --json prints ripgrep's messages.

With several inputs, or with -r, each line begins with the name of its file. On
a terminal, lines have numbers and matches have colours. -r searches all regular
files below folders, ordered by name, hidden ones too. Only -g leaves files out:
there are no default rules, and .gitignore is not read. -g has the syntax of
.gitignore: '*.go', '!vendor/**'; the last glob that fits decides.

A selected line that holds a zero byte, or follows one, is not printed, but a
message that the binary file matches, and the rest of the file is skipped; -a
prints such lines, too. Other bytes need not be UTF-8. Lines end with a line
feed only, and -c counts such lines of binary files, too.

-w requires that no letter, digit or underscore of any script touches a match;
in expressions, \w and \b mean ASCII, as always in RE2. If patterns match at the
same place, the one given first counts. -o and --json show matches that do not
overlap, -o only those that are not empty. --per-pattern prints for each pattern
of -e and -f, in this order, how often it occurs in all inputs, a tab, and the
pattern. Occurrences of one pattern do not overlap.

--from and --to choose lines by the times that they begin with: from --from on,
and before --to. The times must ascend; a line without one belongs to the
line before. In a file the place is found by bisection, and the rest is not
read; pipes and compressed files are read from their start. If times are seen
not to ascend, that is an error, but what is not read is not seen. Recognised
are ISO 8601, RFC 5424 and 3164, the access logs of Apache and nginx, and Unix
seconds or milliseconds; --time-format describes others. TIME is such a time,
or 10:05 for today, now, today, yesterday, or -5m for five minutes ago. Line
numbers count from the first line that is searched.

Compressed inputs are decompressed while they are read, as "thresh find --help"
describes. --offset and --length choose the bytes that are searched: line
numbers count from there.

Exit status: 0 a line was selected, 1 none was, 2 wrong usage or an input could
not be opened, 3 part of an input could not be read, so the answer may be
incomplete (each unread range is printed), 130 interrupted.`,
		Example: `  thresh grep ERROR app.log                        lines with ERROR
  thresh grep -n -C3 'panic: .*' app.log.gz        with numbers and context
  kubectl logs app | thresh grep -c timeout        how many lines
  thresh grep -i -w -e warn -e error app.log       either word, in any case
  thresh grep -rl ioutil -g '*.go' .               files with a match
  thresh grep -o 'user=[0-9]+' app.log             the matches only
  thresh grep -F -f 10000-ids.txt big.log          any of many texts
  thresh grep -F -f ids.txt --per-pattern big.log  how often each occurs
  thresh grep --from -5m timeout app.log           in the last five minutes
  thresh grep --from 2026-11-20T10:00 --to 2026-11-20T10:05 -c '' app.log`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd, c, args)
		},
	}
	f.add(cmd)
	refuseRepeats(cmd)
	return cmd
}

func (f *grepFlags) run(cmd *cobra.Command, c *console, args []string) error {
	if err := contradiction(cmd.Flags(), grepRules()); err != nil {
		return &exitError{exitUsage, err}
	}
	patterns, args, err := f.patterns(c, args)
	if err != nil {
		return &exitError{exitUsage, err}
	}
	args, err = f.inputs(cmd, c, args)
	o, optionsErr := f.options(cmd.Flags(), c)
	query, queryErr := thresh.NewLineQuery(patterns)
	globs, globErr := newGlobs(f.globs)
	if err := errors.Join(err, optionsErr, queryErr, globErr, readOnce(c.in, args)); err != nil {
		return &exitError{exitUsage, err}
	}
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	s := &grepRun{flags: f, query: query, grep: o, globs: globs, named: args, began: time.Now(),
		printer: newPrinter(c, &f.shared), session: session{shared: &f.shared, console: c, options: o.Options,
			several: f.mayBeSeveral(args), archives: true}}
	s.grep.Names = f.withFilename || s.several && !f.noFilename
	s.connect(cmd.Context())
	s.options.Receipt = s.wantsReceipt()
	s.plan = func(in *thresh.Input, o thresh.Options) (thresh.Plan, error) {
		return thresh.ExplainGrep(in, query, s.with(o))
	}
	return s.end(cmd.Context(), s.search(ctx, args))
}

// grepRun is one run of grep.
type grepRun struct {
	session
	*printer
	flags  *grepFlags
	query  *thresh.LineQuery
	grep   thresh.GrepOptions
	globs  globs
	named  []string      // the arguments, which globs do not apply to
	file   *outfile.File // of --output
	out    io.Writer
	target os.FileInfo // the regular file that results go to; nil if there is none
	began  time.Time
	counts []int64 // of --per-pattern
	stats  thresh.GrepStats
	listed bool // of -L: a file was printed
}

// with returns the options of the search.
func (s *grepRun) with(o thresh.Options) thresh.GrepOptions {
	g := s.grep
	g.Options = o
	return g
}

// search searches all inputs.
func (s *grepRun) search(ctx context.Context, args []string) error {
	if s.several {
		s.prepare(args)
	}
	if s.flags.explain || s.flags.dryRun {
		if err := s.explainMany(args); err != nil || s.flags.dryRun {
			return err
		}
	}
	if err := s.openOutput(); err != nil {
		return err
	}
	if s.several {
		return s.many(ctx)
	}
	return s.one(ctx, args[0])
}

// openOutput sets where results go.
func (s *grepRun) openOutput() (err error) {
	s.out = s.console.out
	target := s.console.out
	if s.flags.output != "" {
		if s.file, err = outfile.Create(s.flags.output); err != nil {
			return &exitError{exitUsage, err}
		}
		target = s.file.OS()
		s.out = target
	}
	s.printer.file = target
	s.printer.w.Reset(target)
	if info, err := target.Stat(); err == nil && info.Mode().IsRegular() {
		s.target = info
	}
	if s.file != nil {
		if info, err := os.Stat(s.flags.output); err == nil && info.Mode().IsRegular() {
			s.target = info // the file that will be replaced is no input either
		}
	}
	return nil
}

// errIsOutput is the error of an input that is also the output, and so would grow while it is read.
func errIsOutput(name string) error {
	return fmt.Errorf("%s is also the output, and is not searched", name)
}

// one searches a single input.
func (s *grepRun) one(ctx context.Context, name string) error {
	in, err := s.open(name)
	if err != nil {
		return s.inputError(name, err)
	}
	defer in.Close()
	if s.target != nil && in.IsFile(s.target) {
		return s.inputError(name, errIsOutput(name))
	}
	var done atomic.Int64
	s.options.Progress = &done
	bar := s.progress(in, &done, s.grep.Mode == thresh.PrintLines)
	report, err := thresh.Grep(ctx, in, s.query, s.out, s.with(s.options))
	bar.stop()
	return s.done(name, report, err)
}

// many searches several inputs. An input that cannot be opened is reported, and the others are still
// searched.
func (s *grepRun) many(ctx context.Context) error {
	var done atomic.Int64
	s.options.Progress = &done
	bar := s.bar("all inputs", 0, &done, s.grep.Mode == thresh.PrintLines)
	receipt, err := thresh.GrepAll(ctx, s.names(), s.query, s.out, s.with(s.options), thresh.Visitor{
		Stdin:    s.console.in,
		Remote:   s.openRemote,
		Vanished: s.listing.Vanished,
		Raw:      s.flags.noDecompress,
		Archives: s.flags.recursive,
	}, s.done)
	bar.stop()
	s.total.Receipt = receipt
	return err
}

// names returns the inputs that the globs allow, without the output.
func (s *grepRun) names() iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for name, err := range s.listing.Files() {
			if err == nil && !slices.Contains(s.named, name) && !s.globs.allow(name) {
				continue
			}
			if err == nil && s.target != nil {
				if info, statErr := os.Stat(name); statErr == nil && os.SameFile(info, s.target) {
					err = errIsOutput(name)
				}
			}
			if !yield(name, err) {
				return
			}
		}
	}
}

// done adds the report of one input to the total, and prints what replaces its lines.
func (s *grepRun) done(name string, r thresh.GrepReport, err error) error {
	s.add(thresh.Report{Hits: r.Lines, Bytes: r.Bytes, Unread: r.Unread, Receipt: r.Receipt})
	for i := range r.Unread {
		fmt.Fprintf(s.console.err, "thresh: %v\n", &r.Unread[i])
	}
	s.stats.Searches++
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
		s.total.Hits += n
	}
	if err != nil {
		return s.inputError(name, s.nameOutput(err))
	}
	if err := s.summary(name, r.Lines); err != nil {
		return err
	}
	if s.flags.quiet && r.Lines > 0 {
		return errQuiet
	}
	return nil
}

// summary prints what -c, -l and -L print for an input.
func (s *grepRun) summary(name string, lines int64) error {
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
			fmt.Fprint(s.printer.w, name, sep)
		}
		fmt.Fprintln(s.printer.w, lines)
	case s.flags.withMatches && lines > 0, s.flags.withoutMatch && lines == 0:
		s.listed = true
		if s.flags.null {
			end = "\x00"
		}
		fmt.Fprint(s.printer.w, name, end)
	}
	return s.writeError(s.printer.w.Flush())
}

// writeError marks an error of the output as one that ends the run.
func (s *grepRun) writeError(err error) error {
	if err == nil {
		return nil
	}
	to := "standard output"
	if s.file != nil {
		to = s.file.Name()
	}
	return &outputError{fmt.Errorf("write %s: %w", to, err)}
}

// nameOutput names the output in an error of writing it.
func (s *grepRun) nameOutput(err error) error {
	var e *thresh.WriteError
	if errors.As(err, &e) {
		return s.writeError(e.Err)
	}
	return err
}

// end prints what comes at the end, and returns the exit status as an error.
func (s *grepRun) end(ctx context.Context, err error) error {
	interrupted := ctx.Err() != nil
	if errors.Is(err, errQuiet) || interrupted && errors.Is(err, context.Canceled) {
		err = nil
	}
	err = s.nameOutput(err)
	var exit *exitError
	if s.flags.dryRun || errors.As(err, &exit) {
		return s.endOutput(err, false)
	}
	if err == nil {
		err = s.totals()
	}
	err = s.endOutput(err, !interrupted && !s.unopened && !s.incomplete)
	if errors.Is(err, syscall.EPIPE) {
		return nil // the reader of the output has seen enough
	}
	s.noteSkipped()
	s.receipt("grep", interrupted)
	found := s.total.Hits > 0
	if s.flags.withoutMatch {
		found = s.listed
	}
	switch status := s.status(interrupted, err); {
	case err == nil && !interrupted && s.flags.quiet && found:
		return nil
	case status == nil && !found:
		return &exitError{status: exitNothing}
	default:
		return status
	}
}

// totals prints how often each pattern occurs, or the last message of --json.
func (s *grepRun) totals() error {
	switch {
	case s.flags.perPattern:
		for i, pattern := range s.query.Patterns() {
			var n int64
			if s.counts != nil {
				n = s.counts[i]
			}
			if s.flags.json {
				fmt.Fprintf(s.printer.w, `{"pattern":%s,"count":%d}`+"\n", appendJSON(nil, jsonText(pattern)), n)
			} else {
				fmt.Fprintf(s.printer.w, "%d\t%s\n", n, pattern)
			}
		}
	case s.flags.json:
		s.stats.Elapsed = time.Since(s.began)
		s.printer.w.Write(s.stats.Summary())
	}
	return s.writeError(s.printer.w.Flush())
}

// endOutput puts the output file in place if it is complete.
func (s *grepRun) endOutput(err error, complete bool) error {
	if s.file == nil {
		return err
	}
	if err == nil && complete {
		return s.file.Commit(s.file.Replaces())
	}
	err = errors.Join(err, s.file.Abort())
	if !s.flags.quiet {
		fmt.Fprintf(s.console.err, "thresh: %s was not written: it would be incomplete\n", s.flags.output)
	}
	return err
}
