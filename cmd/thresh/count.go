package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/thresh-dev/thresh"
)

// countFlags is what count has beyond the shared flags, as typed.
type countFlags struct {
	shared
	selector
	lines, rows bool
	statistics  bool
	histogram   bool
	bins        int
	width       string
	delim       string
}

func newCount(c *console) *cobra.Command {
	var f countFlags
	cmd := &cobra.Command{
		Use:   "count [flags] FILE...",
		Short: "how many? typed values, lines, records, matches",
		Long: `count prints how many there are in each input. "-" is standard input. With more than one
input, or with -r, each line is the number and the name of an input, and the last line is
the total.

What to count is said by --lines, --rows or --nonzero, by --text and --hex, by --regex, or by
--type with a comparison. --text, --hex and --regex may be given several times: what any of
them fits counts once. Of several comparisons all must hold, but several --eq are
alternatives, and so are several --between, and --nan and --inf. With --stats and --histogram
comparisons are not needed, and leave out the values that do not fit.

--lines counts line feeds, and one more for a last line that ends without. --rows counts
records of quoted CSV (RFC 4180), as table reads them: a line feed in a quoted field does
not end a record, and a quote opens a field only as its first byte, behind the delimiter
(-d). Empty lines are records. Matches of --text, --hex and --regex do not overlap: of those
that would, the first counts, as in grep -o. An expression never matches across a line
feed; ^ and $ are the edges of a line.

Compressed inputs (gzip, BGZF, zstd, bzip2, xz, lz4) are recognised by their content,
whatever their names, and decompressed as they are read; so is the member of a zip archive
that ARCHIVE.zip:MEMBER names, and below -r all of them. What is recognised and cannot be
read is an error, and so is a file named .gz and the like that is not compressed: it has
lost its beginning. Block devices are never decompressed.

--stats prints n, how many values are NaN, and of the rest the least, the greatest, the sum
and the mean. Sums are exact: those of integers to the last digit, those of floats rounded
once at the end, so that they never depend on the number of workers. In JSON infinities and
NaN are text, "+Inf", and what there is none of is null.

--histogram --width W has bins of that width with an edge at 0, which one pass fills. With
--bins N, and without either, the range of the values is divided: that of --between A,B, or
that which a first pass finds. Bins hold values from their lower edge up to, and not
including, their upper one. Of integers the width is a whole number; edges of floats are
values of the type.

With one input, a range beyond its end is an error. With several, or -r, each input is
counted as far as it goes.

Exit status: 0 counted, 2 wrong usage or an input could not be opened, 3 a part of an input
could not be read, so that the number is incomplete (each such range is printed), 130
interrupted.`,
		Example: `  thresh count --lines access.log                        how many lines
  thresh count --rows orders.csv                         how many records, line feeds in quotes or not
  thresh count --type i32 --eq 10 datafile.bin           how many values are 10
  thresh count --type f64 --nan samples.bin              how many are not a number
  thresh count --type f32 --stats weights.bin            least, greatest, sum, mean
  thresh count --histogram dump.bin                      how often each byte
  thresh count --type i64 --histogram --bins 20 t.bin    how values are distributed
  thresh count --text ERROR -r logs/                     how often, in each file and in all
  thresh count --regex 'status=5[0-9]{2}' app.log        how many matches
  thresh count --nonzero disk.img                        how many bytes are not blank`,
		Args: requireInput,
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd, c, args)
		},
	}
	flags := cmd.Flags()
	flags.BoolVarP(&f.lines, "lines", "l", false, "line feeds, plus one for a last line without")
	flags.BoolVar(&f.rows, "rows", false, "records of quoted CSV; line feeds inside quotes do not count")
	flags.StringVarP(&f.delim, "delimiter", "d", ",", `of --rows: byte between fields; \t for a tab`)
	f.selector.add(cmd)
	flags.BoolVar(&f.statistics, "stats", false,
		"with --type: how many values, NaN, least, greatest, exact sum and mean, of those that fit")
	flags.BoolVar(&f.histogram, "histogram", false,
		"how many values lie in each bin: of bytes, or of --type; bars on a terminal, CSV or --json otherwise")
	flags.IntVar(&f.bins, "bins", 0, "with --histogram: N bins of equal width (default 16, and 256 for bytes)")
	flags.StringVar(&f.width, "width", "", "with --histogram: bins of width W, with an edge at 0")
	f.shared.add(cmd)
	flags.Lookup("quiet").Usage = "no output, exit status only"
	refuseRepeats(cmd)
	return cmd
}

// countRules are the flags that do not go together.
func countRules() []rule {
	const kinds = "one says what to count, so that the other would say nothing"
	bytes := []string{"nonzero", "text", "hex", "regex", "ignore-case"}
	values := append([]string{"type", "stride"}, valueFlags...)
	figures := []string{"stats", "histogram", "bins", "width"}
	return append(selectorRules(),
		rule{[]string{"lines"}, []string{"rows"}, kinds},
		rule{[]string{"lines", "rows"}, append(bytes, values...), kinds},
		rule{figures, append([]string{"lines", "rows"}, bytes...), "it is about values"},
		rule{[]string{"stats"}, []string{"histogram"}, "count twice, or draw the one from the other"},
		rule{[]string{"stats"}, []string{"bins", "width"}, "a histogram has bins"},
		rule{[]string{"bins"}, []string{"width"}, "how many bins, or how wide?"},
		rule{[]string{"delimiter"}, slices.Concat([]string{"lines"}, bytes, values, figures),
			"only the fields of --rows have one"},
		rule{[]string{"quiet"}, []string{"json"}, "quiet, it prints nothing"})
}

// query compiles what is to be counted.
func (f *countFlags) query(flags *pflag.FlagSet) (*thresh.Query, error) {
	if err := f.check(flags); err != nil {
		return nil, err
	}
	switch {
	case f.lines:
		return thresh.Lines(), nil
	case f.rows:
		delim, err := oneByte("delimiter", f.delim, `, ; | or \t`)
		if err == nil && strings.IndexByte("\"\r\n", delim) >= 0 {
			err = fmt.Errorf("--delimiter %q: quotes and ends of lines cannot be delimiters", delim)
		}
		return thresh.Rows(delim), err
	case f.statistics || f.histogram:
		conditions, err := f.selector.conditions()
		if err != nil {
			return nil, err
		}
		if f.histogram && len(f.between) > 1 && f.needsRange() {
			return nil, errors.New("several --between are several ranges, and --histogram divides one; give --width W")
		}
		if f.histogram && !f.needsRange() {
			q, err := thresh.Histogram(f.column(conditions), thresh.Bins{Width: f.width})
			if err != nil && f.width != "" {
				err = fmt.Errorf("--width %s: %w", f.width, err)
			}
			return q, err
		}
		// A histogram over a range that is not known begins with this as well.
		return thresh.Statistics(f.column(conditions))
	}
	q, err := f.selector.query(flags)
	if errors.Is(err, errNothingAsked) {
		err = errors.New("what to count? give one of --lines, --rows, --nonzero, --text, --hex, --regex and --type, " +
			"or --histogram for bytes")
	}
	return q, err
}

// check finds flags that do not go together, or not without others.
func (f *countFlags) check(flags *pflag.FlagSet) error {
	if err := contradiction(flags, countRules()); err != nil {
		return err
	}
	bins := firstOf(flags, []string{"bins", "width"})
	switch {
	case flags.Changed("delimiter") && !f.rows:
		return errors.New("--delimiter needs --rows")
	case f.statistics && f.typ == "":
		return errors.New("--stats needs --type, which says how values are stored")
	case bins != "" && !f.histogram:
		return fmt.Errorf("--%s needs --histogram", bins)
	case flags.Changed("bins") && f.bins < 1:
		return fmt.Errorf("--bins %d: at least 1 is needed", f.bins)
	case flags.Changed("stride") && f.stride == 0:
		return errStrideZero
	}
	if f.histogram && f.typ == "" {
		f.typ = "u8"
	}
	return nil
}

func (f *countFlags) run(cmd *cobra.Command, c *console, args []string) error {
	o, err := f.shared.options(cmd.Flags())
	query, qerr := f.query(cmd.Flags())
	if err := errors.Join(err, qerr, readOnce(c.in, args)); err != nil {
		return &exitError{exitUsage, err}
	}
	s := &countRun{flags: f, query: query, out: newCountOutput(c, f),
		session: session{shared: &f.shared, console: c, options: o, several: len(args) > 1 || f.recursive, archives: true}}
	s.options.Receipt = s.wantsReceipt()
	s.plan = func(in *thresh.Input, o thresh.Options) (thresh.Plan, error) {
		return thresh.ExplainCount(in, s.query, o)
	}
	if f.histogram && f.needsRange() {
		if s.query, err = s.histogramOfRange(cmd, args); err != nil {
			return s.end(cmd.Context(), err)
		}
	}
	if s.several {
		s.prepare(args)
		err = s.many(cmd.Context(), args)
	} else {
		err = s.one(cmd.Context(), args[0])
	}
	return s.end(cmd.Context(), err)
}

// countRun is one run of count.
type countRun struct {
	session
	flags *countFlags
	query *thresh.Query
	out   *countOutput
}

func (s *countRun) one(ctx context.Context, name string) error {
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
	bar := s.progress(in, &done, false)
	report, err := thresh.Count(ctx, in, s.query, s.options)
	bar.stop()
	return s.done(name, report, err)
}

func (s *countRun) many(ctx context.Context, args []string) error {
	if s.flags.explain || s.flags.dryRun {
		if err := s.explainMany(args); err != nil || s.flags.dryRun {
			return err
		}
	}
	var done atomic.Int64
	s.options.Progress = &done
	bar := s.bar("all inputs", 0, &done, true)
	total, err := thresh.CountAll(ctx, s.listing.Files(), s.query, s.options,
		thresh.Visitor{Stdin: s.console.in, Raw: s.flags.noDecompress, Archives: s.flags.recursive,
			Vanished: s.listing.Vanished, Done: s.done})
	bar.stop()
	total.Bytes += total.Skipped
	s.total = total
	return err
}

// done takes the report of one input. What was counted before an interruption is printed.
func (s *countRun) done(name string, r thresh.Report, err error) error {
	interrupted := errors.Is(err, context.Canceled)
	if err != nil && !interrupted {
		return s.inputError(name, err)
	}
	s.add(r)
	for i := range r.Unread {
		s.out.unread(name, &r.Unread[i])
	}
	if r.Trailing > 0 && r.Complete && !s.flags.quiet && !s.several {
		fmt.Fprintf(s.console.err, "thresh: note: the last %d bytes of %s are no whole %s value and were not counted\n",
			r.Trailing, name, s.flags.selector.typ)
	}
	return errors.Join(s.out.count(name, r, s.several), err)
}

// end prints the total and the receipt, and says how the program is to exit.
func (s *countRun) end(ctx context.Context, err error) error {
	interrupted := ctx.Err() != nil
	if interrupted && errors.Is(err, context.Canceled) {
		err = nil
	}
	var exit *exitError
	if errors.As(err, &exit) || s.flags.dryRun {
		return err
	}
	complete := err == nil && !s.incomplete && !s.unopened && !interrupted
	if werr := s.out.end(s.total, s.several, complete); err == nil {
		err = werr
	}
	if errors.Is(err, syscall.EPIPE) {
		return nil // whoever read the output has seen enough
	}
	if err == nil && !complete && !s.flags.quiet {
		fmt.Fprintln(s.console.err, "thresh: incomplete: not everything could be counted")
	}
	s.noteSkipped()
	s.receipt(interrupted)
	return s.status(interrupted, err)
}
