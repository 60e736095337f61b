package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/thresh-dev/thresh"
)

// tableFlags holds the flags of table, as typed.
type tableFlags struct {
	shared
	delim     string
	quote     string
	header    bool
	noHeader  bool
	where     string
	malformed string
	format    string
	color     string
	asked     questions
}

func newTable(c *console) *cobra.Command { return tableCommand(c, new(tableFlags)) }

// tableCommand returns the command table, which stores its flags in f.
func tableCommand(c *console, f *tableFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "table [flags] [FILE...]",
		Short: "what does it add up to? records, groups, sums over delimited text",
		Long: `table answers questions about CSV and other delimited text, and about lines of
JSON. It treats all inputs as one table and answers all questions in one pass.
Without FILE, or with "-", it reads standard input; with -r and no FILE, the
files below this folder.

Ask with --rows, --nth, --sample, --group and --top; each may be repeated. Or
ask with --select or --columns alone. --agg, --sort, --having, --top-by and
--limit apply to the --group before them. An --agg without a --group before it
applies to all records.

COLUMNS. A column is a number, counted from 1, or with --header a name. Put a
name in backquotes if it looks like a number or contains anything but letters,
digits and _. A KEY is a column; some bytes of a column, 5[:6] or 5[4:6]; an
expression; or a regular expression (RE2) on a column, whose first capture is
the key: 8~, *([^, ]+). If it has named captures, (?P<name>...), each of them is
a key. Records that do not match are in no group. In a list of keys, put the
regular expression last or in single quotes. "KEY as NAME" names a key.

EXPRESSIONS. Keys, aggregates and filters also take + - * / ( ) of columns and
numbers, and these functions: date year quarter month day weekday hour minute
second (of times as in ISO 8601, such as 2026-11-23 or 2026-11-23T10:35:07Z;
empty for anything else; weekday 1 is Monday), abs, lower, upper, length (in
characters). In an expression, column 5 is $5. Decimals are computed exactly; a
quotient that needs more than 18 significant digits is rounded to 18, a tie to
the even digit, and a quotient by zero is empty. If a field is not a number, it
is the result.

RECORDS THEMSELVES. --select prints columns of the records, * all of them, in
file order and while they are read; --limit stops after some. CSV has the
delimiter and the quotes of the input, a heading with --header, quotes only
where they are needed, and a line feed after each record. All columns are text
in Arrow and Parquet: their types are unknown before the last record. --sample N
prints N records, every set of N with the same chance; --seed chooses others.
--columns describes each column: integer, decimal, float, date, timestamp,
boolean or text (empty, if all fields are), how many fields are empty, how many
texts there are, the smallest and greatest value, and the longest, in bytes.

LINES OF JSON. With -d json, or if the name ends in .ndjson or .jsonl, each line
is an object, and a column is a path: user.country, items.0.id. In backquotes a
name is one key, even with dots. null is as good as missing: an empty text, and
null where it is printed. Numbers are exact; objects and arrays are their text.
Of a key that occurs twice the last counts. Lines are checked completely; what
is not JSON in UTF-8 is malformed. --select '*' prints the lines as they are.

AGGREGATES. --agg takes a list of count, count(c), sum(c), min(c), max(c),
first(c), last(c), mean(c), median(c), mode(c), stddev(c), variance(c),
distinct(c) and quantiles such as p50(c), p99(c) and p99.9(c), of a column or an
expression. "AGG as NAME" names the answer. count(c) counts the fields that are
not null. Quantile pP of n values is value number n*P/100, rounded up, in
ascending order; median is the mean of the middle one or two. stddev and
variance divide by n-1; stddev_pop and var_pop by n. mode is the commonest text,
the least of several. Numbers are decimal text; spaces around them are ignored.
Sums of decimals are exact. mean, median, stddev and variance are computed
exactly, and rounded once to 64-bit floats. If any number in a column has an
exponent, the column is computed in 64-bit floats. Empty fields are skipped. So
are fields that are not numbers; they are counted and reported on standard
error. If no field of the column is a number, min, max, first and last are those
of the times, if all fields that are not empty are times; otherwise those of the
texts, byte by byte. distinct counts the different texts that are not empty. All
of these are exact at any size. approx_distinct(c) and approx_p50(c) (or another
quantile) are estimates that need little memory, because they keep neither texts
nor values; a note on standard error says how accurate they are. The sum of no
values is empty (null). JSON has no infinite numbers, so they are text there:
"+Inf".

ORDER. Groups are sorted by key, byte by byte. --sort key, value (the first
aggregate), or any key or aggregate, then asc or desc; without that, keys are
ascending and aggregates descending. Ties are sorted by key, and groups without
a value come last. --top-by AGG is --sort 'AGG desc'.

WHERE. --where EXPR keeps the records for which EXPR is true. It knows
= != < <= > >= ~ !~ ~* !~* in (...) between ... and ..., like, ilike, is null,
and or not ( ). The left side is a column: a name, or a number as in 5 = "SC" or
$5; or an expression. The right side is a number, a "text", or another column or
expression, $6; for ~ and !~ a 'regular expression' (~* and !~* ignore case);
for like a 'pattern' of the whole field, in which % is any text and _ any
character, and a backslash makes them ordinary (ilike ignores case). not may
come before in, between, like and ilike: is not null. A field is null if it is
empty and not in quotes, or missing. A comparison with a number, or between two
columns that both hold numbers, compares numbers, and a field that is not a
number never matches it. Any other comparison compares texts byte by byte.

HAVING. --having EXPR keeps the groups for which EXPR is true, in the language
of --where. Its columns are the keys and the aggregates, as they are printed;
aggregates that are not in --agg may be used too: count > 10 and sum(paid) = 0.

NAMES. The columns of an answer are named as in the header, or by number. A name
that would occur twice gets a number: count, count_2.

RECORDS. A field is quoted if it begins with a quote. A quote anywhere else in a
field is misplaced and does not open a quoted field. A record ends with a line
feed, or with CR and line feed, outside a quoted field; the last record may end
without one. Empty lines are skipped if there are several columns. With a single
column they are records with an empty field, unless the file contains nothing
else. The first record sets the number of fields. A record with more or fewer
fields, or with a misplaced quote, is malformed: by default the run stops and
reports its line and offset. --malformed skip leaves out such records, and only
these, and reports how many lines and bytes they are. --malformed keep keeps
them: missing fields are empty, extra fields are ignored, misplaced quotes are
text, and so is whatever follows a closing quote. A quoted field that is never
closed extends to the end of the input, and is reported.

MEMORY. Groups, values and texts beyond the memory bound (--mem) go to temporary
files; answers stay exact.

Exit status: 0 answered, 2 wrong usage, a malformed record or an input that
could not be opened, 3 part of an input could not be read or a compressed input
is damaged, so answers are incomplete (each unread range is printed), 130
interrupted.`,
		Example: `  thresh table orders.csv --header --group country     how many records of each
  thresh table orders.csv --header --where 'country = "DE" and amount > 100' \
    --group city --agg 'count,sum(amount),p99(amount)' \
    --top-by 'sum(amount)' --limit 20
  thresh table m.txt -d ';' --group 1 --agg 'min(2),mean(2),max(2)'
  thresh table itcont.txt -d '|' --quote none --rows --nth 0,432,43243:8 \
    --group '5[:6]' --top '1:8~, *([^, ]+)'            four questions, one pass
  thresh table indiv18.zip:itcont.txt -d '|' --quote none --rows   in an archive
  thresh table *.csv.gz --header --agg 'sum(bytes)'    several files, one table
  thresh table orders.csv --header --where 'amount > 1000' \
    --select id,city,amount -o large.csv               the records themselves
  thresh table events.ndjson --group user.country --agg 'count,p95(ms)'
  thresh table big.csv --header --group user -o users.parquet`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd, c, args)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.delim, "delimiter", "d", "",
		"the `BYTE` between fields; \\t is a tab, and json means lines of JSON (default: by the name of the input, "+
			"\\t for .tsv, | for .psv, json for .ndjson and .jsonl, otherwise a comma)")
	flags.BoolVar(&f.header, "header", false, "the first record of each input names the columns")
	flags.BoolVar(&f.noHeader, "no-header", false, "the first record is a record like the others (default)")
	flags.StringVar(&f.quote, "quote", "",
		"the `BYTE` around fields that contain delimiters, quotes or line feeds; none: there are no quotes (default \")")
	f.asked.add(flags)
	flags.Var(&orderedFlag{set: func(string) error {
		return errors.New("the flag is called --format now; -o names a file")
	}}, "out", "")
	flags.Lookup("out").Hidden = true
	flags.StringVar(&f.where, "where", "", "use only the records for which `EXPR` is true")
	flags.StringVar(&f.format, "format", "",
		"`FORMAT` is table, csv, json, arrow or parquet "+
			"(default: by the name of --output, otherwise table on a terminal, else csv)")
	flags.StringVar(&f.color, "color", "auto", "colours: `WHEN` is auto, always or never")
	flags.StringVarP(&f.output, "output", "o", "",
		"write to `FILE`, which appears when it is complete: .csv, .json, .arrow, .parquet, or any name with --format")
	flags.StringVar(&f.malformed, "malformed", "fail",
		"what to do with records that have more or fewer fields, or misplaced quotes: `HOW` is fail, skip or keep")
	f.shared.add(cmd)
	flags.Lookup("json").Usage = "print results as JSON lines (--format json), with a summary as the last line"
	flags.Lookup("quiet").Usage = "print nothing, set only the exit status"
	flags.Lookup("recursive").Usage = "read the regular files below folders, ordered by name, as one table"
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error { return contradiction(cmd.Flags(), tableRules()) }
	refuseRepeats(cmd, "rows", "columns", "nth", "select", "sample", "seed", "group", "agg", "top", "having", "sort",
		"top-by", "limit")
	return cmd
}

// tableRules lists the flags that contradict each other.
func tableRules() []rule {
	return []rule{
		{[]string{"header"}, []string{"no-header"}, "each says what the first record is; give one"},
		{[]string{"quiet"}, []string{"json", "format", "output", "color", "explain", "dry-run"}, "--quiet prints nothing"},
	}
}

// spec checks the flags and returns the questions about the table.
func (f *tableFlags) spec(args []string) (spec thresh.TableSpec, err error) {
	spec = thresh.TableSpec{Where: f.where, Questions: f.asked.list}
	if spec.Dialect, err = f.dialect(args); err != nil {
		return spec, err
	}
	switch f.malformed {
	case "fail":
	case "skip":
		spec.Malformed = thresh.MalformedSkip
	case "keep":
		spec.Malformed = thresh.MalformedKeep
	default:
		return spec, oneOf("malformed", f.malformed, "fail", "skip", "keep")
	}
	if len(spec.Questions) == 0 {
		return spec, errors.New("what to answer? ask with --rows, --columns, --nth, --select, --sample, --group, " +
			"--agg or --top")
	}
	if why := f.asked.alone(); why != "" && len(spec.Questions) > 1 {
		return spec, errors.New(why + ": ask for anything else in a run of its own")
	}
	return spec, nil
}

// dialect returns how the inputs are written, by the flags, or without --delimiter by the names of the inputs.
func (f *tableFlags) dialect(args []string) (d thresh.Dialect, err error) {
	delim := f.delim
	if delim == "" {
		if delim, err = delimiterOf(args); err != nil {
			return d, err
		}
	}
	if delim == linesOfJSON {
		switch {
		case f.header:
			return d, errors.New("--header contradicts lines of JSON, which name their values themselves (see --delimiter)")
		case f.quote != "":
			return d, fmt.Errorf("--quote %s contradicts lines of JSON, which have their own quotes (see --delimiter)", f.quote)
		}
		return thresh.Dialect{JSON: true}, nil
	}
	d.Header = f.header
	if d.Delim, err = oneByte("delimiter", delim, `, ; | or \t, or json`); err != nil {
		return d, err
	}
	switch f.quote {
	case "none":
		return d, nil
	case "":
		d.Quote = '"'
		return d, nil
	}
	if d.Quote, err = oneByte("quote", f.quote, `" or ', or none`); err == nil && d.Quote == 0 {
		err = errors.New(`--quote \0: a zero byte cannot be a quote; write --quote none if there are no quotes`)
	}
	return d, err
}

// linesOfJSON is the value of --delimiter for lines of JSON.
const linesOfJSON = "json"

// delimiters are the values of --delimiter that the endings of names stand for.
var delimiters = map[string]string{
	".tsv": `\t`, ".tab": `\t`, ".psv": "|", ".ndjson": linesOfJSON, ".jsonl": linesOfJSON,
}

// packedEndings are the endings of compressed files, which follow the ending that matters.
var packedEndings = []string{".gz", ".bgz", ".zst", ".bz2", ".xz", ".lz4"}

// delimiterOf returns the value of --delimiter that the names of the inputs stand for.
func delimiterOf(args []string) (delim string, err error) {
	for i, name := range args {
		ending := strings.ToLower(filepath.Ext(name))
		if slices.Contains(packedEndings, ending) {
			ending = strings.ToLower(filepath.Ext(name[:len(name)-len(ending)]))
		}
		this, known := delimiters[ending]
		if !known {
			this = ","
		}
		if i > 0 && this != delim {
			return "", fmt.Errorf("%s and %s: by their names they have different delimiters; give --delimiter", args[0], name)
		}
		delim = this
	}
	return cmp.Or(delim, ","), nil
}

// oneByte returns the byte that the value of a flag names.
func oneByte(flag, text, examples string) (byte, error) {
	switch text {
	case `\t`:
		return '\t', nil
	case `\0`:
		return 0, nil
	}
	if len(text) != 1 {
		return 0, fmt.Errorf("--%s %q: it must be one byte, like %s", flag, text, examples)
	}
	return text[0], nil
}

func (f *tableFlags) run(cmd *cobra.Command, c *console, args []string) error {
	o, err := f.shared.options(cmd.Flags())
	args, inputErr := c.inputs(cmd.Flags(), args)
	spec, specErr := f.spec(args)
	format, formatErr := f.formatOf(c)
	err = errors.Join(err, oneOf("color", f.color, occasions...))
	if spec.Dialect.JSON && format == thresh.FormatCSV && f.format == "" && f.output == "" && f.asked.onlyRecords() {
		format = thresh.FormatJSON // the records look as they do in the input
	}
	if err := errors.Join(err, specErr, formatErr, inputErr, readOnce(c.in, args)); err != nil {
		return &exitError{exitUsage, err}
	}
	s := &tableRun{flags: f, spec: spec, format: format, inputs: args,
		session: session{shared: &f.shared, console: c, options: o, several: f.mayBeSeveral(args)}}
	s.options.Receipt = s.wantsReceipt()
	s.connect(cmd.Context())
	s.listing = s.list(args)
	s.plan = func(in *thresh.Input, o thresh.Options) (thresh.Plan, error) {
		return thresh.ExplainTable(in, spec, tableOptions(o))
	}
	return s.run(cmd.Context(), args)
}

// tableFormats are the formats of --format.
var tableFormats = []string{"table", "csv", "json", "arrow", "parquet"}

// formatOf returns the output format: from --json or --format, else from the name of -o.
func (f *tableFlags) formatOf(c *console) (thresh.Format, error) {
	if f.output == "-" { // standard output
		f.output = ""
	}
	switch named, ok := thresh.FormatOf(f.output); {
	case f.json && f.format != "" && f.format != "json":
		return "", fmt.Errorf("--json and --format %s contradict each other: give one of them", f.format)
	case f.format == "" && slices.Contains(tableFormats, f.output):
		return "", fmt.Errorf("-o %s: -o names a file; write --format %[1]s for the format "+
			"(or -o ./%[1]s for a file of that name)", f.output)
	case f.json:
		return thresh.FormatJSON, nil
	case f.format != "":
		return thresh.Format(f.format), oneOf("format", f.format, tableFormats...)
	case ok:
		return named, nil
	case filepath.Ext(f.output) != "":
		return "", fmt.Errorf("-o %s: no format is known by the ending %s "+
			"(known: .csv, .json, .arrow, .parquet); name one with --format",
			f.output, filepath.Ext(f.output))
	case f.output == "" && isTerminal(c.out):
		return thresh.FormatTable, nil
	}
	return thresh.FormatCSV, nil
}

// tableRun is one run of table.
type tableRun struct {
	session
	flags  *tableFlags
	spec   thresh.TableSpec
	format thresh.Format
	inputs []string
}

func (s *tableRun) run(ctx context.Context, args []string) error {
	if s.flags.explain || s.flags.dryRun {
		if err := s.explainFirst(args); err != nil || s.flags.dryRun {
			return err
		}
	}
	out, err := newTableOutput(s)
	if err != nil {
		return &exitError{exitUsage, err}
	}
	var done atomic.Int64
	s.options.Progress = &done
	bar := s.bar(strings.Join(args, " "), s.bytesOf(args), &done, false)
	report, err := thresh.TableAll(ctx, s.listing.Files(), s.spec, tableOptions(s.options), thresh.Visitor{
		Stdin: s.console.in, Remote: s.openRemote, Raw: s.flags.noDecompress,
		Done: func(name string, _ thresh.Report, err error) error { return s.inputError(name, err) },
	}, out.Writer)
	bar.stop()
	return s.end(ctx, out, &report, err)
}

// tableOptions converts the shared options to those of a table.
func tableOptions(o thresh.Options) thresh.TableOptions {
	return thresh.TableOptions{Offset: o.Offset, Length: o.Length, Engine: o.Engine, Workers: o.Workers,
		ChunkBytes: o.ChunkBytes, MemoryBytes: o.MemoryBytes, Cache: o.Cache, Receipt: o.Receipt, Progress: o.Progress}
}

// bytesOf returns the number of bytes to read, 0 if unknown.
func (s *tableRun) bytesOf(args []string) (total int64) {
	for _, name := range args {
		info, err := os.Stat(name)
		if err != nil || !info.Mode().IsRegular() || s.options.Length != nil {
			return 0
		}
		total += info.Size()
	}
	return total
}

// explainFirst prints the plan for the first input.
func (s *tableRun) explainFirst(args []string) error {
	if args[0] == "-" {
		return &exitError{exitUsage, errors.New("--explain: a stream can only be streamed, " +
			"so there is no plan to print; name a file")}
	}
	for name, err := range thresh.Files(args[:1], s.shared.recursive) {
		if err == nil {
			err = s.explainOne(name)
		}
		return s.inputError(name, err)
	}
	return nil
}

// end closes the output, reports what went wrong or was left out, and returns the exit status as
// an error.
func (s *tableRun) end(ctx context.Context, out *tableOutput, r *thresh.TableReport, err error) error {
	interrupted := ctx.Err() != nil && errors.Is(err, context.Canceled)
	if interrupted {
		err = nil
	}
	for i := range r.Unread {
		fmt.Fprintf(s.console.err, "thresh: %v\n", &r.Unread[i])
	}
	s.incomplete = len(r.Unread) > 0
	complete := err == nil && !s.incomplete && !s.unopened && !interrupted
	err = out.end(r, complete, err)
	var exit *exitError
	if errors.As(err, &exit) {
		return err
	}
	if errors.Is(err, syscall.EPIPE) {
		return nil // the reader of the output has seen enough
	}
	s.notes(r)
	var problem *thresh.Problem
	if errors.As(err, &problem) {
		hint := "check -d and --quote; --malformed skip leaves such records out, --malformed keep takes them as they are"
		if s.spec.Dialect.JSON {
			hint = "--malformed skip leaves such lines out, --malformed keep takes them as lines without values"
		}
		err = &hintedError{err, hint}
	}
	if err == nil && !complete && !s.flags.quiet {
		fmt.Fprintln(s.console.err, "thresh: incomplete: not everything could be read")
	}
	s.total.Receipt = r.Receipt
	if err == nil {
		s.receipt("table", interrupted)
	}
	return s.status(interrupted, err)
}

// plural formats a number of things: "1 line", "2 lines".
func plural(n int64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
