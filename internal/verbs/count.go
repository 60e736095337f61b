package verbs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/command"
	"github.com/thresh-dev/thresh/internal/input/decompress"
	"github.com/thresh-dev/thresh/internal/output/bytesize"
	"github.com/thresh-dev/thresh/internal/output/numeral"
	"github.com/thresh-dev/thresh/options"
	"github.com/thresh-dev/thresh/question"
)

// countFlags holds the flags of count, as typed.
type countFlags struct {
	command.Shared
	selector
	lines, rows  bool
	words, chars bool
	statistics   bool
	histogram    bool
	bins         int
	width        string
	delim        string
}

// Count is the verb that counts.
func Count() *command.Verb {
	f := &countFlags{delim: ","}
	return &command.Verb{
		Name:  "count",
		Usage: "[flags] [FILE...]",
		Short: "how many? values, lines, records, matches; statistics, histograms",
		Long: `count prints how many there are in each input. Without FILE, or with "-",
it reads standard input, unless FILE is missing and that is a terminal; with -r
and no FILE, the files below this folder.
With several inputs, or with -r, each line holds a number and the name of
its input, and the last line is the total.

What to count:
  Say what to count with --lines, --words, --chars, --rows, --nonzero, --text,
  --hex or --regex, or with --type and a comparison. --text, --hex and --regex
  may be repeated: what several of them match counts once. Several comparisons
  must all hold, except that several --eq are alternatives, and so are several
  --between, and --nan with --inf. --stats and --histogram need no comparison;
  with one, they leave out the values for which it does not hold.

As wc counts:
  --lines, --words and --chars count what wc -l, -w and -m count in a UTF-8
  locale, and have the same short flags. Several of them are counted in one
  pass and printed in this order. --lines adds one for a last line that ends
  without a line feed. A word is a run of printable characters between white
  space; control characters and bytes that are not UTF-8 neither separate
  words nor are words (since version 9.5, GNU wc takes them for parts of
  words). Bytes that are not UTF-8 are not characters.

Records and matches:
  --rows counts the records of quoted CSV (RFC 4180), as table reads them: a
  line feed in a quoted field does not end a record, and a quote opens a field
  only as its first byte, right after the delimiter (-d). Empty lines are
  records. Matches of --text, --hex and --regex do not overlap: the first one
  counts, as with grep -o. A regular expression never matches across a line
  feed; ^ and $ match at the start and the end of a line.

Compressed inputs:
  Compressed inputs are recognised by their content, not by their names, and
  decompressed while they are read:
    ` + decompress.Names() + `
  ARCHIVE.zip:MEMBER reads one member of a zip archive; -r reads all of them.
  An input in a recognised format that cannot be read is an error. So is a
  file named .gz (or .zst, and so on) that is not compressed: its beginning is
  lost. Block devices are never decompressed.

Files of tensors:
  A .npy, .npz, .safetensors or .gguf file says itself which values it holds:
  each of its tensors is counted by its own type, without --type, and
  FILE:TENSOR is one of them. Tensors that are quantised are named and not
  counted. --type must agree with the file. --no-decompress reads such a file
  as it is.

Statistics:
  --stats prints the number of values (n), of NaN and of infinities, and the
  minimum, maximum, sum and mean of the values that are not NaN. Sums are
  exact: sums of integers to the last digit, sums of floats rounded once at
  the end, so they do not depend on the number of workers. In JSON, infinities
  and NaN are text ("+Inf"), and a figure that does not exist, such as the
  minimum of no values, is null.

Histograms:
  --histogram --width W makes bins of width W with an edge at 0, in one pass.
  Otherwise --histogram divides a range into --bins N bins: the range given by
  --between A,B, or the range of the values, which a first pass finds. A bin
  includes its lower edge and excludes its upper edge. Bins of integers have
  whole widths; the edges of bins of f32 and f64 are values of the type.

Ranges:
  With one input, a range (--offset, --length) beyond its end is an error.
  With several inputs, or with -r, each input is counted as far as it goes.

Exit status:
  0    counted
  2    wrong usage, or an input could not be opened
  3    part of an input could not be read, so the number is incomplete;
       each unread range is printed
  130  interrupted: numbers that are not final are then not on standard
       output, except with --json, where "complete" is false`,
		Examples: `  thresh count --lines access.log                      how many lines
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
		Common: "lines words chars rows text regex type eq stats histogram recursive json",
		Flags: slices.Concat(command.Section("Lines, words and records:", []command.Flag{
			{Name: "lines", Short: "l", To: &f.lines,
				Help: "count line feeds, plus one if the last line has none; -l as in wc -l"},
			{Name: "words", Short: "w", To: &f.words, Help: "count words, as wc -w"},
			{Name: "chars", Short: "m", To: &f.chars, Help: "count UTF-8 characters, as wc -m"},
			{Name: "rows", To: &f.rows, Help: "count records of quoted CSV; a line feed inside quotes ends none"},
			{Name: "delimiter", Short: "d", To: &f.delim, Suggest: []string{",", ";", "|", `\t`},
				Help: "with --rows: the `BYTE` between fields; \\t is a tab"},
		}), f.selector.flags(), command.Section("Statistics and histograms:", []command.Flag{
			{Name: "stats", To: &f.statistics,
				Help: "number of values, NaN and infinities, minimum, maximum, exact sum and mean, of --type or of each tensor"},
			{Name: "histogram", To: &f.histogram,
				Help: "how many values are in each bin, of bytes or of --type; bars on a terminal, otherwise CSV or --json"},
			{Name: "bins", To: &f.bins, Positive: "omit the flag for the default",
				Help: "with --histogram: `N` bins of equal width (default 16, for bytes 256)"},
			{Name: "width", To: &f.width, Help: "with --histogram: bins of width `W`, with an edge at 0"},
		}), command.Reword(f.SharedFlags(),
			command.Flag{Name: "quiet", Help: "print nothing, set only the exit status"})),
		Conflicts: append(f.selector.conflicts(), countConflicts...),
		Elsewhere: map[string]string{
			"c": "stat -c %s FILE, the bytes of a file", "bytes": "stat -c %s FILE, the bytes of a file",
			"e": "--regex", "regexp": "--regex", "line": "--lines", "word": "--words", "characters": "--chars",
			"v": "thresh grep -c -v", "F": "--text", "t": "--type", "sum": "--stats", "min": "--stats",
			"max": "--stats", "mean": "--stats", "records": "--rows",
			"skip-lines": "thresh table --rows --skip-lines",
			"all":        "--text, --hex or --regex, which count all",
		},
		ArgsMax: -1,
		Quick:   true,
		Run:     f.run,
	}
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

// countConflicts lists the flags that contradict each other.
var countConflicts = []command.Conflict{
	{Flags: textFlags, With: "rows", Why: countKinds},
	{Flags: textFlags + " rows", With: byteFlags + " type stride " + valueFlags, Why: countKinds},
	{Flags: figureFlags, With: textFlags + " rows " + byteFlags,
		Why: "statistics and histograms are about values (--type)"},
	{Flags: "stats", With: "histogram", Why: "run count once for each"},
	{Flags: "stats", With: "bins width", Why: "only --histogram has bins"},
	{Flags: "bins", With: "width", Why: "give the number of bins or their width"},
	{Flags: "delimiter", With: textFlags + " " + byteFlags + " type stride " + valueFlags + " " + figureFlags,
		Why: "only --rows has fields with a delimiter"},
	{Flags: "quiet", With: "json output", Why: "--quiet prints nothing"},
}

const (
	countKinds  = "each says what to count; give one"
	textFlags   = "lines words chars"
	byteFlags   = "nonzero text hex regex ignore-case"
	figureFlags = "stats histogram bins width"
)

// query compiles the flags into a query.
func (f *countFlags) query(c *command.Call) (*thresh.Query, error) {
	if err := f.check(c); err != nil {
		return nil, err
	}
	switch {
	case f.textCounts() > 1:
		return thresh.TextSize(), nil
	case f.lines:
		return thresh.LineCount(), nil
	case f.words:
		return thresh.WordCount(), nil
	case f.chars:
		return thresh.CharCount(), nil
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
			q, err := thresh.Histogram(f.column(conditions), question.Bins{Width: f.width})
			if err != nil && f.width != "" {
				err = fmt.Errorf("--width %s: %w", f.width, err)
			}
			if err != nil && !c.Given("type") {
				err = &typelessError{err: err}
			}
			return q, err
		}
		// A histogram whose range is not known yet also starts with the statistics.
		return thresh.Statistics(f.column(conditions))
	}
	q, err := f.selector.query(c)
	if errors.Is(err, errNothingAsked) {
		err = errNothingToCount
	}
	return q, err
}

var errNothingToCount = errors.New("what to count? give one of --lines, --words, --chars, --rows, --nonzero, --text, " +
	"--hex, --regex and --type, or --histogram for bytes")

// check returns an error for flags that need another flag.
func (f *countFlags) check(c *command.Call) error {
	bins := c.First("bins width")
	switch {
	case c.Given("delimiter") && !f.rows:
		return errors.New("--delimiter needs --rows: nothing else has fields")
	case f.statistics && f.typ == "":
		return &typelessError{flag: "stats"}
	case bins != "" && !f.histogram:
		return fmt.Errorf("--%s needs --histogram", bins)
	case c.Given("stride") && f.stride == 0:
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

func (f *countFlags) run(ctx context.Context, c *command.Call) error {
	query, err := f.query(c)
	typeless, err := f.selector.typeless(err)
	if errors.Is(err, errNothingToCount) {
		err = patternAsFile("count", c.Args, err)
	}
	run, runErr := command.NewRun(c, &f.Shared, c.Args)
	if err := errors.Join(err, runErr, run.OutputIsInput(false)); err != nil {
		return err
	}
	s := &countRun{flags: f, query: query, out: &countOutput{Output: run.Out, flags: f}}
	s.Local = command.NewLocal(ctx, run)
	s.Archives = true
	s.Plan = func(in *thresh.Input, o options.Find) (thresh.Plan, error) {
		return thresh.ExplainCount(in, s.query, o.Scan())
	}
	s.One, s.Many, s.Done = s.one, s.many, s.done
	s.tensors = newTensors(&s.Scan, &f.selector, typeless, s.inTensors)
	return run.Do(ctx, s)
}

// countRun is one run of count.
type countRun struct {
	command.Scan[answer.Report]
	flags   *countFlags
	query   *thresh.Query
	out     *countOutput
	tensors *tensors
}

// Ask counts in all inputs. A histogram that divides the range of the values finds it first.
func (s *countRun) Ask(ctx context.Context) (err error) {
	if s.flags.histogram && s.tensors.typeless == nil && s.flags.needsRange(s.flags.typ) {
		if s.query, err = s.histogramOfRange(ctx); err != nil {
			return err
		}
	}
	return s.Scan.Ask(ctx)
}

// one counts in a single input.
func (s *countRun) one(ctx context.Context, in *thresh.Input) (answer.Report, error) {
	return thresh.Count(ctx, in, s.query, s.Options.Scan())
}

// many counts in several inputs.
func (s *countRun) many(ctx context.Context, names iter.Seq2[string, error]) error {
	callbacks := s.Callbacks()
	callbacks.Done = s.done
	total, err := thresh.CountAll(ctx, names, s.query, s.Options.Scan(), callbacks)
	s.Total.Text, s.Total.Stats, s.Total.Histogram = total.Text, total.Stats, total.Histogram
	s.AddReceipt(total.Receipt)
	return err
}

// done prints the count of one input, also an incomplete one after an interrupt, and adds it to
// the total.
func (s *countRun) done(name string, r answer.Report, err error) error {
	err = s.Ended(name, err)
	interrupted := errors.Is(err, context.Canceled)
	if err != nil && !interrupted {
		return s.Fail(name, err)
	}
	r.Complete = r.Complete && !interrupted
	s.Add(r)
	if !s.Several {
		s.Total.Text = r.Text
	}
	unreadErr := tellUnread(s.Run, name, r.Unread)
	if r.Trailing > 0 && r.Complete && !s.Several {
		s.Notef("%s ends with a partial %s value of %s, which was not counted",
			name, s.flags.selector.typ, numeral.Count(r.Trailing, "byte"))
	}
	if interrupted && !s.JSON { // nothing on standard output could mark it
		s.unfinished(name, r)
		return err
	}
	return errors.Join(s.out.count(name, r, s.Several || s.tensors.named), unreadErr, err)
}

// unfinished tells a person the count of an input that was not read to its end.
func (s *countRun) unfinished(name string, r answer.Report) {
	if s.Quiet || r.Histogram != nil || r.Stats != nil || r.Text != nil {
		return // too much to tell
	}
	fmt.Fprintf(s.Err, "thresh: %s: %s in the %s that were read\n",
		name, s.flags.thing(r.Hits), bytesize.Short(r.Bytes+r.Skipped))
}

// End prints the total. Statistics and bins of different types have none.
func (s *countRun) End(err error) error {
	withTotal := (s.Several || s.tensors.named) && (!s.Interrupted || s.JSON) &&
		!(s.tensors.seen && (s.flags.statistics || s.flags.histogram))
	return cmp.Or(err, s.out.end(s.Total, withTotal, s.Complete))
}

// Note says that the numbers are incomplete.
func (s *countRun) Note() {
	if !s.Complete && !s.Quiet {
		fmt.Fprintln(s.Err, "thresh: incomplete: not everything could be counted")
	}
	s.Skipped()
}
