package main

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/thresh-dev/thresh"
)

// findFlags is what find has beyond the shared flags, as typed.
type findFlags struct {
	shared
	selector
	first, all bool
	limit      int64
	context    int64
	line       bool
	byteOffset bool
}

func newFind(c *console) *cobra.Command {
	var f findFlags
	cmd := &cobra.Command{
		Use:   "find [flags] FILE...",
		Short: "where is it? first or all places of a value, a byte pattern, a text, anything but zero",
		Long: `find prints where something is: the byte offset of the first place in each input, or of
all places in ascending order. "-" is standard input. With more than one input, or with
-r, each line is FILE:OFFSET.

What to look for is said by --nonzero, by --text and --hex, by --regex, or by --type with
a comparison. --text, --hex and --regex may be given several times: any of them fits, and
all are looked for in one pass. Where several fit at one place, the first given counts, as
with rg -e A -e B. Of matches that overlap, the first counts, as with grep -o. An expression
never matches across a line feed; ^ and $ are the edges of a line.

Of several comparisons all must hold, but several --eq are alternatives, and so are several
--between, and --nan and --inf. A number that the type cannot hold is an error; a fraction
is rounded to the nearest float.

Compressed inputs (gzip, BGZF, zstd, bzip2, xz, lz4) are recognised by their content,
whatever their names, and decompressed as they are read; so is the member of a zip archive
that ARCHIVE.zip:MEMBER names, and below -r all of them. Offsets are those of the content.
What is recognised and cannot be read is an error, and so is a file named .gz and the like
that is not compressed: it has lost its beginning. Block devices are never decompressed.

-l prints at most 4096 bytes of a line to either side of the place. With -l and -C a pipe
is searched by one worker, which keeps the bytes around each place.

With one input, a range beyond its end is an error. With several, or -r, each input is
searched as far as it goes.

Exit status: 0 found, 1 not found, 2 wrong usage or an input could not be opened, 3 a part
of an input could not be read, so that the answer may be incomplete (each such range is
printed), 130 interrupted.`,
		Example: `  thresh find --nonzero disk.img                         is the disk blank? where not?
  thresh find --text 'req=7f3a9c' -b app.log             offset of a request in a log
  thresh find --hex '7F 45 4C 46 ?? 01' --all dump.bin   ELF files inside a dump
  thresh find --type i64 --ne 0 haystack.bin             first 8-byte word that is not zero
  thresh find --type f32le --nan weights.bin             first NaN
  thresh find --regex 'user=[0-9]{9}' -r logs/           first match in each log
  thresh find --text ERROR -l --limit 5 app.log          the first five, with their lines
  thresh find --text panic --text fatal -i app.log       the first of either, in any case`,
		Args: requireInput,
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd, c, args)
		},
	}
	f.selector.add(cmd)
	flags := cmd.Flags()
	flags.BoolVar(&f.first, "first", false, "the first place in each input (default)")
	flags.BoolVar(&f.all, "all", false, "all places")
	flags.Int64Var(&f.limit, "limit", 0, "at most N places in each input")
	flags.Int64VarP(&f.context, "context", "C", 0, "hexdump with N bytes around each place")
	flags.BoolVarP(&f.line, "line", "l", false, "print the line of text that the place is in")
	flags.BoolVarP(&f.byteOffset, "byte-offset", "b", false, "print the offset alone (default)")
	f.shared.add(cmd)
	refuseRepeats(cmd)
	return cmd
}

// findRules are the flags that do not go together.
func findRules() []rule {
	return append(selectorRules(),
		rule{[]string{"first"}, []string{"all", "limit"}, "how many places?"},
		rule{[]string{"all"}, []string{"limit"}, "how many places?"},
		rule{[]string{"line"}, []string{"context"}, "a line of text, or a hexdump?"},
		rule{[]string{"byte-offset"}, []string{"line", "context", "json"}, "the offset alone, or more?"},
		rule{[]string{"json"}, []string{"context"}, "JSON holds no hexdump; --line adds the line"},
		rule{[]string{"quiet"}, []string{"all", "limit", "line", "context", "byte-offset", "json"},
			"quiet, it stops at the first place and prints nothing"})
}

// options turns the flags into what the library is to do.
func (f *findFlags) options(cmd *cobra.Command) (thresh.Options, error) {
	o, err := f.shared.options(cmd.Flags())
	switch {
	case cmd.Flags().Changed("limit") && f.limit < 1:
		err = errors.Join(err, fmt.Errorf("--limit %d: at least 1 is needed; --all prints all places", f.limit))
	case f.context < 0:
		err = errors.Join(err, fmt.Errorf("-C %d is negative", f.context))
	}
	o.Limit = 1
	if f.all {
		o.Limit = 0
	}
	if f.limit > 0 {
		o.Limit = f.limit
	}
	if f.quiet {
		o.Limit = 1
	}
	o.Around = f.around()
	return o, err
}

func (f *findFlags) run(cmd *cobra.Command, c *console, args []string) error {
	if err := contradiction(cmd.Flags(), findRules()); err != nil {
		return &exitError{exitUsage, err}
	}
	o, err := f.options(cmd)
	query, qerr := f.selector.query(cmd.Flags())
	if err := errors.Join(err, qerr, readOnce(c.in, args)); err != nil {
		return &exitError{exitUsage, err}
	}
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	s := &findRun{flags: f, query: query, cancel: cancel, out: newFindOutput(c, f),
		session: session{shared: &f.shared, console: c, options: o, several: len(args) > 1 || f.recursive, archives: true}}
	s.options.Receipt = s.wantsReceipt()
	s.plan = func(in *thresh.Input, o thresh.Options) (thresh.Plan, error) {
		return thresh.Explain(in, query, o)
	}
	if s.several {
		s.prepare(args)
		err = s.many(ctx, args)
	} else {
		err = s.one(ctx, args[0])
	}
	return s.end(cmd.Context(), err)
}

// findRun is one run of find.
type findRun struct {
	session
	flags  *findFlags
	query  *thresh.Query
	out    *findOutput
	cancel context.CancelFunc
}

// errQuiet ends a quiet search at the first answer.
var errQuiet = errors.New("found")

// one searches a single input, with all flags that need one.
func (s *findRun) one(ctx context.Context, name string) error {
	in, err := s.open(name)
	if err != nil {
		return s.inputError(name, err)
	}
	defer in.Close()
	if s.flags.explain || s.flags.dryRun {
		if err := s.explain(in); err != nil || s.flags.dryRun {
			return err
		}
	}
	var done atomic.Int64
	s.options.Progress = &done
	bar := s.progress(in, &done, s.flags.all)
	report, err := thresh.Find(ctx, in, s.query, s.options, func(hits []thresh.Hit) error {
		return s.hits(in, hits)
	})
	bar.stop()
	return s.done(name, report, err)
}

// many searches several inputs. Those that cannot be opened are named, and the rest is
// searched.
func (s *findRun) many(ctx context.Context, args []string) error {
	if s.flags.explain || s.flags.dryRun {
		if err := s.explainMany(args); err != nil || s.flags.dryRun {
			return err
		}
	}
	look := hitInput{session: &s.session}
	defer look.close()
	var done atomic.Int64
	s.options.Progress = &done
	bar := s.bar("all inputs", 0, &done, true)
	receipt, err := thresh.FindAll(ctx, s.listing.Files(), s.query, s.options, thresh.Visitor{
		Stdin:    s.console.in,
		Vanished: s.listing.Vanished,
		Raw:      s.flags.noDecompress,
		Archives: s.flags.recursive,
		Begin:    look.begin,
		Hits: func(name string, hits []thresh.Hit) error {
			if s.options.Around == 0 {
				return s.hits(namedInput{name, nil}, hits)
			}
			in, err := look.at(name)
			if err != nil {
				return err
			}
			return s.hits(in, hits)
		},
		Done: func(name string, r thresh.Report, err error) error {
			look.end()
			return s.done(name, r, err)
		},
	})
	bar.stop()
	s.total.Receipt = receipt
	return err
}

// hitInput has the input open in which there are hits to look around.
type hitInput struct {
	session *session
	in      *thresh.Input
	own     bool // it was opened for this
}

// begin takes an input that is open already.
func (l *hitInput) begin(in *thresh.Input) {
	l.close()
	l.in, l.own = in, false
}

// at returns the input of that name. Whatever was open before is closed.
func (l *hitInput) at(name string) (in *thresh.Input, err error) {
	if l.in == nil || l.in.Name() != name {
		l.close()
		l.own = true
		l.in, err = l.session.open(name)
	}
	return l.in, err
}

// end lets go of an input that begin was called with.
func (l *hitInput) end() {
	if !l.own {
		l.in = nil
	}
}

func (l *hitInput) close() {
	if l.own && l.in != nil {
		l.in.Close() // which was only read
	}
	l.in = nil
}

func (s *findRun) hits(in source, hits []thresh.Hit) error {
	if s.flags.quiet {
		s.total.Hits += int64(len(hits))
		s.cancel()
		return errQuiet
	}
	return s.out.hits(in, hits, s.several)
}

// done takes the report of one input.
func (s *findRun) done(name string, r thresh.Report, err error) error {
	if s.flags.quiet {
		r.Hits = 0 // those that were seen have been counted
	}
	s.add(r)
	for i := range r.Unread {
		s.out.unread(name, &r.Unread[i])
	}
	if r.Trailing > 0 && r.Complete && !s.flags.quiet && !s.several && (r.Hits == 0 || s.flags.all) {
		fmt.Fprintf(s.console.err,
			"thresh: note: the last %d bytes of %s are no whole %s value and were not compared\n",
			r.Trailing, name, s.flags.selector.typ)
	}
	if err == nil || errors.Is(err, errQuiet) {
		return err
	}
	return s.inputError(name, err)
}

// end prints the summary and receipt, and says how the program is to exit.
func (s *findRun) end(ctx context.Context, err error) error {
	interrupted := ctx.Err() != nil
	if errors.Is(err, errQuiet) || interrupted && errors.Is(err, context.Canceled) {
		err = nil
	}
	var exit *exitError
	if errors.As(err, &exit) || s.flags.dryRun {
		return err
	}
	complete := err == nil && !s.incomplete && !s.unopened && !interrupted
	if werr := s.out.end(s.total, complete); err == nil {
		err = werr
	}
	if errors.Is(err, syscall.EPIPE) {
		return nil // whoever read the output has seen enough
	}
	s.noteSkipped()
	s.receipt(interrupted)
	switch status := s.status(interrupted, err); {
	case err == nil && !interrupted && s.flags.quiet && s.total.Hits > 0:
		return nil
	case status == nil && s.total.Hits == 0:
		return &exitError{status: exitNothing}
	default:
		return status
	}
}
