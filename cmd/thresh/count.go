package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync/atomic"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/thresh-dev/thresh"
)

// countFlags holds the flags of count, as typed.
type countFlags struct {
	shared
	selector
	lines, rows  bool
	words, chars bool
	statistics   bool
	histogram    bool
	bins         int
	width        string
	delim        string
}

func newCount(c *console) *cobra.Command {
	var f countFlags
	cmd := &cobra.Command{
		Use:   "count [flags] [FILE...]",
		Short: "how many? values, lines, records, matches; statistics, histograms",
		Long: `count prints how many there are in each input. Without FILE, or with "-",
it reads standard input; with -r and no FILE, the files below this folder.
With several inputs, or with -r, each line holds a number and the name of
its input, and the last line is the total.

Say what to count with --lines, --words, --chars, --rows, --nonzero, --text,
--hex or --regex, or with --type and a comparison. --text, --hex and --regex may
be repeated: what several of them match counts once. Several comparisons must
all hold, except that several --eq are alternatives, and so are several
--between, and --nan with --inf. --stats and --histogram need no comparison;
with one, they leave out the values for which it does not hold.

--lines, --words and --chars count what wc -l, -w and -m count in a UTF-8
locale, and have the same short flags. Several of them are counted in one pass
and printed in this order. --lines adds one for a last line that ends without a
line feed. A word is a run of printable characters between white space; control
characters and bytes that are not UTF-8 neither separate words nor are words
(since version 9.5, GNU wc takes them for parts of words). Bytes that are not
UTF-8 are not characters.

--rows counts the records of quoted CSV (RFC 4180), as table reads them: a line
feed in a quoted field does not end a record, and a quote opens a field only as
its first byte, right after the delimiter (-d). Empty lines are records. Matches
of --text, --hex and --regex do not overlap: the first one counts, as with
grep -o. A regular expression never matches across a line feed; ^ and $ match at
the start and the end of a line.

Compressed inputs (gzip, BGZF, zstd, bzip2, xz, lz4) are recognised by their
content, not by their names, and decompressed while they are read.
ARCHIVE.zip:MEMBER reads one member of a zip archive; -r reads all of them. An
input in a recognised format that cannot be read is an error. So is a file named
.gz (or .zst, and so on) that is not compressed: its beginning is lost. Block
devices are never decompressed.

A .npy, .npz, .safetensors or .gguf file says itself which values it holds: each
of its tensors is counted by its own type, without --type, and FILE:TENSOR is
one of them. Tensors that are quantised are named and not counted. --type must
agree with the file. --no-decompress reads such a file as it is.

--stats prints the number of values (n), of NaN and of infinities, and the
minimum, maximum, sum and mean of the values that are not NaN. Sums are exact:
sums of integers to the last digit, sums of floats rounded once at the end, so
they do not depend on the number of workers. In JSON, infinities and NaN are
text ("+Inf"), and a figure that does not exist, such as the minimum of no
values, is null.

--histogram --width W makes bins of width W with an edge at 0, in one pass.
Otherwise --histogram divides a range into --bins N bins: the range given by
--between A,B, or the range of the values, which a first pass finds. A bin
includes its lower edge and excludes its upper edge. Bins of integers have whole
widths; the edges of bins of f32 and f64 are values of the type.

With one input, a range (--offset, --length) beyond its end is an error. With
several inputs, or with -r, each input is counted as far as it goes.

Exit status: 0 counted, 2 wrong usage or an input could not be opened, 3 part of
an input could not be read, so the number is incomplete (each unread range is
printed), 130 interrupted.`,
		Example: `  thresh count --lines access.log                      how many lines
  thresh count --words --chars book.txt                how many of both
  thresh count --rows orders.csv                       how many CSV records
  thresh count --type i32 --eq 10 datafile.bin         how many values are 10
  thresh count --type f64 --nan samples.bin            how many are NaN
  thresh count --type f32 --stats weights.bin          minimum, maximum, mean
  thresh count --stats model.safetensors               the same of each tensor
  thresh count --histogram dump.bin                    how often each byte is
  thresh count --type i64 --histogram --bins 20 t.bin  distribution of values
  thresh count --text ERROR -r logs/                   in each file and in all
  thresh count --regex 'status=5[0-9]{2}' app.log      how many matches
  thresh count --nonzero disk.img                      how many bytes are not 0`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd, c, args)
		},
	}
	flags := cmd.Flags()
	flags.BoolVarP(&f.lines, "lines", "l", false, "count line feeds, plus one if the last line has none; -l as in wc -l")
	flags.BoolVarP(&f.words, "words", "w", false, "count words, as wc -w")
	flags.BoolVarP(&f.chars, "chars", "m", false, "count UTF-8 characters, as wc -m")
	flags.BoolVar(&f.rows, "rows", false, "count records of quoted CSV; a line feed inside quotes ends none")
	flags.StringVarP(&f.delim, "delimiter", "d", ",", "with --rows: the `BYTE` between fields; \\t is a tab")
	f.selector.add(cmd)
	flags.BoolVar(&f.statistics, "stats", false,
		"number of values, NaN and infinities, minimum, maximum, exact sum and mean, of --type or of each tensor")
	flags.BoolVar(&f.histogram, "histogram", false,
		"how many values are in each bin, of bytes or of --type; bars on a terminal, otherwise CSV or --json")
	flags.IntVar(&f.bins, "bins", 0, "with --histogram: `N` bins of equal width (default 16, for bytes 256)")
	flags.StringVar(&f.width, "width", "", "with --histogram: bins of width `W`, with an edge at 0")
	f.shared.add(cmd)
	flags.Lookup("quiet").Usage = "print nothing, set only the exit status"
	refuseRepeats(cmd)
	return cmd
}

// textCounts returns how many of --lines, --words and --chars were given.
func (f *countFlags) textCounts() (n int) {
	for _, given := range []bool{f.lines, f.words, f.chars} {
		if given {
			n++
		}
	}
	return n
}

// countRules lists the flags that contradict each other.
func countRules() []rule {
	const kinds = "each says what to count; give one"
	texts := []string{"lines", "words", "chars"}
	bytes := []string{"nonzero", "text", "hex", "regex", "ignore-case"}
	values := append([]string{"type", "stride"}, valueFlags...)
	figures := []string{"stats", "histogram", "bins", "width"}
	return append(selectorRules(),
		rule{texts, []string{"rows"}, kinds},
		rule{slices.Concat(texts, []string{"rows"}), append(bytes, values...), kinds},
		rule{figures, slices.Concat(texts, []string{"rows"}, bytes), "statistics and histograms are about values (--type)"},
		rule{[]string{"stats"}, []string{"histogram"}, "run count once for each"},
		rule{[]string{"stats"}, []string{"bins", "width"}, "only --histogram has bins"},
		rule{[]string{"bins"}, []string{"width"}, "give the number of bins or their width"},
		rule{[]string{"delimiter"}, slices.Concat(texts, bytes, values, figures),
			"only --rows has fields with a delimiter"},
		rule{[]string{"quiet"}, []string{"json", "output"}, "--quiet prints nothing"})
}

// query compiles the flags into a query.
func (f *countFlags) query(flags *pflag.FlagSet) (*thresh.Query, error) {
	if err := f.check(flags); err != nil {
		return nil, err
	}
	switch {
	case f.textCounts() > 1:
		return thresh.LinesWordsChars(), nil
	case f.lines:
		return thresh.Lines(), nil
	case f.words:
		return thresh.Words(), nil
	case f.chars:
		return thresh.Chars(), nil
	case f.rows:
		delim, err := oneByte("delimiter", f.delim, `, ; | or \t`)
		if err != nil {
			return nil, err
		}
		q, err := thresh.Rows(delim)
		if err != nil {
			return nil, fmt.Errorf("--delimiter %q: a quote, CR or line feed cannot be the delimiter", delim)
		}
		return q, nil
	case f.statistics || f.histogram:
		conditions, err := f.selector.conditions()
		if err != nil {
			return nil, err
		}
		if f.histogram && len(f.between) > 1 && f.needsRange(f.typ) {
			return nil, errors.New("--histogram divides one range, and several --between give several: " +
				"give one --between, or --width W")
		}
		if f.histogram && !f.needsRange(f.typ) {
			q, err := thresh.Histogram(f.column(conditions), thresh.Bins{Width: f.width})
			if err != nil && f.width != "" {
				err = fmt.Errorf("--width %s: %w", f.width, err)
			}
			if err != nil && !flags.Changed("type") {
				err = &typelessError{err: err}
			}
			return q, err
		}
		// A histogram whose range is not known yet also starts with the statistics.
		return thresh.Statistics(f.column(conditions))
	}
	q, err := f.selector.query(flags)
	if errors.Is(err, errNothingAsked) {
		err = errNothingToCount
	}
	return q, err
}

var errNothingToCount = errors.New("what to count? give one of --lines, --words, --chars, --rows, --nonzero, --text, " +
	"--hex, --regex and --type, or --histogram for bytes")

// check returns an error for flags that contradict each other or need another flag.
func (f *countFlags) check(flags *pflag.FlagSet) error {
	if err := contradiction(flags, countRules()); err != nil {
		return err
	}
	bins := firstOf(flags, []string{"bins", "width"})
	switch {
	case flags.Changed("delimiter") && !f.rows:
		return errors.New("--delimiter needs --rows: nothing else has fields")
	case f.statistics && f.typ == "":
		return &typelessError{flag: "stats"}
	case bins != "" && !f.histogram:
		return fmt.Errorf("--%s needs --histogram", bins)
	case flags.Changed("bins") && f.bins < 1:
		return fmt.Errorf("--bins %d: it must be at least 1", f.bins)
	case flags.Changed("stride") && f.stride == 0:
		return errStrideZero
	}
	if f.typ != "" {
		return f.nameType()
	}
	if f.histogram {
		f.typ = "u8"
	}
	return nil
}

func (f *countFlags) run(cmd *cobra.Command, c *console, args []string) error {
	o, err := f.shared.options(cmd.Flags())
	query, qerr := f.query(cmd.Flags())
	typeless, qerr := f.selector.typeless(qerr)
	if errors.Is(qerr, errNothingToCount) {
		qerr = patternAsFile("count", args, qerr)
	}
	args, aerr := c.inputs(cmd.Flags(), args)
	if err := errors.Join(err, qerr, aerr, readOnce(c.in, args), f.shared.outputIsNoInput(args)); err != nil {
		return &exitError{exitUsage, err}
	}
	s := &countRun{flags: f, query: query, out: newCountOutput(c, f),
		session: session{shared: &f.shared, console: c, options: o, several: f.mayBeSeveral(args), archives: true}}
	s.connect(cmd.Context())
	s.options.Receipt = s.wantsReceipt()
	s.plan = func(in *thresh.Input, o thresh.Options) (thresh.Plan, error) {
		return thresh.ExplainCount(in, s.query, o)
	}
	if err := s.out.begin(); err != nil {
		return &exitError{exitUsage, err}
	}
	s.tensors = newTensors(&s.session, &f.selector, cmd.Flags(), typeless)
	s.tensors.explain = func(file *tensorFile) error { return s.inTensors(cmd.Context(), file, nil) }
	if f.histogram && typeless == nil && f.needsRange(f.typ) {
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

// one counts in a single input.
func (s *countRun) one(ctx context.Context, name string) error {
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
	bar := s.progress(in, &done, false)
	report, err := thresh.Count(ctx, in, s.query, s.options)
	bar.stop()
	return s.done(name, report, err)
}

// many counts in several inputs and adds up the total.
func (s *countRun) many(ctx context.Context, args []string) error {
	if s.flags.explain || s.flags.dryRun {
		if err := s.explainMany(args); err != nil || s.flags.dryRun {
			return err
		}
	}
	var done atomic.Int64
	s.options.Progress = &done
	bar := s.bar("all inputs", 0, &done, true)
	err := s.tensors.segments(s.listing.Files(), func(names iter.Seq2[string, error]) error {
		before := s.total.Receipt
		total, err := thresh.CountAll(ctx, names, s.query, s.options,
			thresh.Visitor{Stdin: s.console.in, Remote: s.openRemote, Raw: s.flags.noDecompress, Archives: s.flags.recursive,
				Vanished: s.listing.Vanished, Done: s.done})
		if s.tensors.seen { // done has added the files up
			s.total.Receipt = before
			s.total.Receipt.Add(total.Receipt)
			return err
		}
		total.Bytes += total.Skipped
		s.total = total
		return err
	}, func(file *tensorFile, err error) error { return s.inTensors(ctx, file, err) })
	bar.stop()
	return err
}

// done prints the count of one input, also an incomplete one after an interrupt, and adds it to
// the total.
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
		fmt.Fprintf(s.console.err, "thresh: note: %s ends with a partial %s value of %s, which was not counted\n",
			name, s.flags.selector.typ, plural(r.Trailing, "byte"))
	}
	return errors.Join(s.out.count(name, r, s.several || s.tensors.named), err)
}

// end prints the total and the receipt, and returns the exit status as an error.
func (s *countRun) end(ctx context.Context, err error) error {
	interrupted := ctx.Err() != nil
	if interrupted && errors.Is(err, context.Canceled) {
		err = nil
	}
	var exit *exitError
	if errors.As(err, &exit) || s.flags.dryRun {
		return s.out.finish(err, false)
	}
	complete := err == nil && !s.incomplete && !s.unopened && !interrupted
	// Statistics and bins of different types have no total.
	withTotal := (s.several || s.tensors.named) && !(s.tensors.seen && (s.flags.statistics || s.flags.histogram))
	if werr := s.out.end(s.total, withTotal, complete); err == nil {
		err = werr
	}
	err = s.out.finish(err, complete)
	if errors.Is(err, syscall.EPIPE) {
		return nil // the reader of the output has seen enough
	}
	if err == nil && !complete && !s.flags.quiet {
		fmt.Fprintln(s.console.err, "thresh: incomplete: not everything could be counted")
	}
	s.noteSkipped()
	s.receipt("count", interrupted)
	return s.status(interrupted, err)
}
