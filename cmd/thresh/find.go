package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync/atomic"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/thresh-dev/thresh"
)

// findFlags holds the flags of find, as typed.
type findFlags struct {
	shared
	selector
	first, all bool
	limit      int64
	context    int64
	line       bool
	byteOffset bool
	color      string
}

func newFind(c *console) *cobra.Command {
	var f findFlags
	cmd := &cobra.Command{
		Use:   "find [flags] [FILE...]",
		Short: "where is it? offsets of a value, a byte pattern, a text, non-zero",
		Long: `find prints the byte offset of the first match in each input, or with --all of
every match in ascending order. Without FILE, or with "-", it reads standard
input; with -r and no FILE, the files below this folder. With several inputs, or
with -r, each line is FILE:OFFSET.

Say what to look for with --nonzero, --text, --hex or --regex, or with --type
and a comparison. --text, --hex and --regex may be repeated: anything that
matches one of them is found, in a single pass. If several match at the same
offset, the one given first wins, as with rg -e A -e B. If matches overlap, the
first one is reported, as with grep -o. A regular expression never matches
across a line feed; ^ and $ match at the start and the end of a line.

Several comparisons must all hold, except that several --eq are alternatives,
and so are several --between, and --nan with --inf. A number that the type
cannot hold is an error; a fraction is rounded to the nearest float.

Compressed inputs (gzip, BGZF, zstd, bzip2, xz, lz4) are recognised by their
content, not by their names, and decompressed while they are read.
ARCHIVE.zip:MEMBER reads one member of a zip archive; -r reads all of them.
Offsets are those in the decompressed content. An input in a recognised format
that cannot be read is an error. So is a file named .gz (or .zst, and so on)
that is not compressed: its beginning is lost. Block devices are never
decompressed.

A .npy, .npz, .safetensors or .gguf file says itself which values it holds: each
of its tensors is searched by its own type, without --type, and FILE:TENSOR is
one of them. Matches are FILE:TENSOR[i,j]:OFFSET, outermost index first. Tensors
that are quantised are named and not searched. --type must agree with the file.
--no-decompress reads such a file as it is.

-l prints the line of the match, at most 4096 bytes of it on either side. With
-l or -C a pipe is searched by a single worker, which keeps the bytes around
each match. On a terminal, numbers are explained and matches have colours; -b
prints the bare number.

With one input, a range (--offset, --length) beyond its end is an error. With
several inputs, or with -r, each input is searched as far as it goes.

Exit status: 0 found, 1 not found, 2 wrong usage or an input could not be
opened, 3 part of an input could not be read, so the answer may be incomplete
(each unread range is printed), 130 interrupted.`,
		Example: `  thresh find --nonzero disk.img                   is it blank? if not, where?
  thresh find --text 'req=7f3a9c' -b app.log       offset of a request in a log
  thresh find --hex '7F 45 4C 46 ?? 01' --all dump.bin      ELF files in a dump
  thresh find --type i64 --ne 0 haystack.bin       first 8-byte word not zero
  thresh find --type f32le --nan weights.bin       first NaN
  thresh find --nan --inf --all model.safetensors  in which tensors, and where
  thresh find --regex 'user=[0-9]{9}' -r logs/     first match in each log
  thresh find --text ERROR -l --limit 5 app.log    first five, with their lines
  thresh find --text panic --text fatal -i app.log first of either, in any case`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd, c, args)
		},
	}
	f.selector.add(cmd)
	flags := cmd.Flags()
	flags.BoolVar(&f.first, "first", false, "print the first match in each input (default)")
	flags.BoolVar(&f.all, "all", false, "print every match")
	flags.Int64Var(&f.limit, "limit", 0, "print at most `N` matches in each input")
	flags.Int64VarP(&f.context, "context", "C", 0, "print a hexdump with `N` bytes around each match")
	flags.BoolVarP(&f.line, "line", "l", false, "print the line of text that the match begins in")
	flags.BoolVarP(&f.byteOffset, "byte-offset", "b", false, "print only the offset (default)")
	flags.StringVar(&f.color, "color", "auto", "colours: `WHEN` is auto, always or never")
	f.shared.add(cmd)
	refuseRepeats(cmd)
	return cmd
}

// findRules lists the flags that contradict each other.
func findRules() []rule {
	return append(selectorRules(),
		rule{[]string{"first"}, []string{"all", "limit"}, "each says how many matches to print"},
		rule{[]string{"all"}, []string{"limit"}, "each says how many matches to print"},
		rule{[]string{"line"}, []string{"context"}, "print the line of text, or a hexdump"},
		rule{[]string{"byte-offset"}, []string{"line", "context", "json"}, "--byte-offset prints only the offset"},
		rule{[]string{"json"}, []string{"color"}, "JSON has no colours"},
		rule{[]string{"json"}, []string{"context"}, "JSON has no hexdump; use --line for the line of text"},
		rule{[]string{"quiet"}, []string{"all", "limit", "line", "context", "byte-offset", "json", "output", "color"},
			"--quiet stops at the first match and prints nothing"})
}

// options checks the flags and returns them as options of the library.
func (f *findFlags) options(cmd *cobra.Command) (thresh.Options, error) {
	o, err := f.shared.options(cmd.Flags())
	err = errors.Join(err, oneOf("color", f.color, occasions...))
	switch {
	case cmd.Flags().Changed("limit") && f.limit < 1:
		err = errors.Join(err, fmt.Errorf("--limit %d: it must be at least 1; --all prints every match", f.limit))
	case f.context < 0:
		err = errors.Join(err, fmt.Errorf("-C %d is negative: give a number of bytes to print around each match", f.context))
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
	typeless, qerr := f.selector.typeless(qerr)
	if qerr == errNothingAsked {
		qerr = patternAsFile("find", args, qerr)
	}
	args, aerr := c.inputs(cmd.Flags(), args)
	if err := errors.Join(err, qerr, aerr, readOnce(c.in, args), f.shared.outputIsNoInput(args)); err != nil {
		return &exitError{exitUsage, err}
	}
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	s := &findRun{flags: f, query: query, cancel: cancel, out: newFindOutput(c, f),
		session: session{shared: &f.shared, console: c, options: o, several: f.mayBeSeveral(args), archives: true}}
	s.connect(cmd.Context())
	s.options.Receipt = s.wantsReceipt()
	s.plan = func(in *thresh.Input, o thresh.Options) (thresh.Plan, error) {
		return thresh.Explain(in, query, o)
	}
	if err := s.out.begin(); err != nil {
		return &exitError{exitUsage, err}
	}
	s.tensors = newTensors(&s.session, &f.selector, cmd.Flags(), typeless)
	s.tensors.explain = func(file *tensorFile) error { return s.inTensors(ctx, file, nil) }
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

// errQuiet ends a quiet search at the first match.
var errQuiet = errors.New("found")

// one searches a single input.
func (s *findRun) one(ctx context.Context, name string) error {
	if file, err := s.tensors.open(name); file != nil || err != nil {
		return s.inTensors(ctx, file, err)
	}
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

// many searches several inputs. An input that cannot be opened is reported, and the others are
// still searched.
func (s *findRun) many(ctx context.Context, args []string) error {
	if s.flags.explain || s.flags.dryRun {
		if err := s.explainMany(args); err != nil || s.flags.dryRun {
			return err
		}
	}
	current := hitInput{session: &s.session}
	defer current.close()
	var done atomic.Int64
	s.options.Progress = &done
	bar := s.bar("all inputs", 0, &done, true)
	visitor := thresh.Visitor{
		Stdin:    s.console.in,
		Remote:   s.openRemote,
		Vanished: s.listing.Vanished,
		Raw:      s.flags.noDecompress,
		Archives: s.flags.recursive,
		Begin:    current.begin,
		Hits: func(name string, hits []thresh.Hit) error {
			if s.options.Around == 0 {
				return s.hits(namedInput{name, nil}, hits)
			}
			in, err := current.at(name)
			if err != nil {
				return err
			}
			return s.hits(in, hits)
		},
		Done: func(name string, r thresh.Report, err error) error {
			current.end()
			return s.done(name, r, err)
		},
	}
	err := s.tensors.segments(s.listing.Files(), func(names iter.Seq2[string, error]) error {
		before := s.total.Receipt
		report, err := thresh.FindAll(ctx, names, s.query, s.options, visitor)
		s.total.Receipt = before
		s.total.Receipt.Add(report.Receipt)
		return err
	}, func(file *tensorFile, err error) error { return s.inTensors(ctx, file, err) })
	bar.stop()
	return err
}

// hitInput is the input that the current hits are in, kept open to print what is around them.
type hitInput struct {
	session *session
	in      *thresh.Input
	own     bool // opened by at, so close must close it
}

// begin takes over an input that the scan has open.
func (l *hitInput) begin(in *thresh.Input) {
	l.close()
	l.in, l.own = in, false
}

// at returns the input of that name, opening it if needed. The previous one is closed.
func (l *hitInput) at(name string) (in *thresh.Input, err error) {
	if l.in == nil || l.in.Name() != name {
		l.close()
		l.own = true
		l.in, err = l.session.open(name)
	}
	return l.in, err
}

// end forgets the input that begin took over; the scan closes it.
func (l *hitInput) end() {
	if !l.own {
		l.in = nil
	}
}

func (l *hitInput) close() {
	if l.own && l.in != nil {
		l.in.Close() // only read from, so an error loses nothing
	}
	l.in = nil
}

// hits prints the hits of one input. A quiet run only counts them and stops.
func (s *findRun) hits(in source, hits []thresh.Hit) error {
	if s.flags.quiet {
		s.total.Hits += int64(len(hits))
		s.cancel()
		return errQuiet
	}
	return s.out.hits(in, hits, s.several)
}

// done adds the report of one input to the total, and prints what was not read or compared.
func (s *findRun) done(name string, r thresh.Report, err error) error {
	if s.flags.quiet {
		r.Hits = 0 // hits has already counted them
	}
	s.add(r)
	for i := range r.Unread {
		s.out.unread(name, &r.Unread[i])
	}
	if r.Trailing > 0 && r.Complete && !s.flags.quiet && !s.several && (r.Hits == 0 || s.flags.all) {
		fmt.Fprintf(s.console.err,
			"thresh: note: %s ends with a partial %s value of %s, which was not compared\n",
			name, s.flags.selector.typ, plural(r.Trailing, "byte"))
	}
	if err == nil || errors.Is(err, errQuiet) {
		return err
	}
	return s.inputError(name, err)
}

// end prints the summary and the receipt, and returns the exit status as an error.
func (s *findRun) end(ctx context.Context, err error) error {
	interrupted := ctx.Err() != nil
	if errors.Is(err, errQuiet) || interrupted && errors.Is(err, context.Canceled) {
		err = nil
	}
	var exit *exitError
	if errors.As(err, &exit) || s.flags.dryRun {
		return s.out.finish(err, false)
	}
	complete := err == nil && !s.incomplete && !s.unopened && !interrupted
	if werr := s.out.end(s.total, complete); err == nil {
		err = werr
	}
	err = s.out.finish(err, complete)
	if errors.Is(err, syscall.EPIPE) {
		return nil // the reader of the output has seen enough
	}
	s.noteSkipped()
	if complete && s.total.Hits == 0 && !s.flags.quiet && isTerminal(s.console.out) {
		fmt.Fprintln(s.console.err, "thresh:", nothingFound(s.total))
	}
	s.receipt("find", interrupted)
	switch status := s.status(interrupted, err); {
	case err == nil && !interrupted && s.flags.quiet && s.total.Hits > 0:
		return nil
	case status == nil && s.total.Hits == 0:
		return &exitError{status: exitNothing}
	default:
		return status
	}
}
