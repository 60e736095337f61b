package main

import (
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
	"github.com/spf13/pflag"

	"github.com/thresh-dev/thresh"
)

// tableFlags is what table has beyond the shared flags, as typed.
type tableFlags struct {
	shared
	delim     string
	quote     string
	header    bool
	noHeader  bool
	where     string
	malformed string
	format    string
	output    string
	asked     questions
}

func newTable(c *console) *cobra.Command { return tableCommand(c, new(tableFlags)) }

// tableCommand returns the command whose flags are put into f.
func tableCommand(c *console, f *tableFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "table [flags] FILE...",
		Short: "what does it add up to? records, groups, sums over delimited text",
		Long: `table answers questions about CSV and other delimited text. All questions are answered in
one pass over the inputs, which together are one table; "-" is standard input.

Ask with --rows, --nth, --group and --top, each as often as you like. --agg, --sort,
--top-by and --limit belong to the --group before them; --agg without a --group before it is
about all records.

A column is a number from 1, or with --header a name; a name that looks like a number, or
holds other characters than letters, digits and _, stands in backquotes. KEY is a column;
some of its bytes, 5[:6] or 5[4:6]; or a regular expression on it (RE2) whose first
capture is the key, 8~, *([^, ]+). Records that do not match are in no group. In a list of
keys an expression goes to the end, or stands in single quotes.

--agg LIST is of count, sum(c), min(c), max(c), mean(c), distinct(c), and quantiles p50(c),
p99(c), p99.9(c): pP is value number n*P/100, rounded up, of n in ascending order. Numbers
are decimal text; spaces around them do not matter. Sums of decimals are exact. A column in
which a number has an exponent is one of 64-bit floats. Fields that are empty do not count;
fields that are no numbers do not count either, and are reported on standard error. distinct
counts texts that are not empty. All of these are exact whatever the size. Estimates are
approx_distinct(c) and approx_p50(c), which keep neither texts nor values; a remark says how
far they may be off. Groups come in the order of their keys, byte by byte, or with --sort
value by their first aggregate, or with --top-by by another one, the greatest first.

The sum of no value is empty (null). JSON has no infinite numbers: they are text, "+Inf".

--where EXPR keeps the records for which it holds: = != < <= > >= ~ !~ and or not ( ). Left
stands a column, by name, or by number, as in 5 = "SC" or $5; right a number, a "text" or
another column, $6; after ~ a 'regular expression'. With a number, and between columns that
are both numbers, values are compared as numbers, and what is no number fits nothing;
otherwise texts are compared byte by byte.

Columns of answers have the names of the header, or numbers; a name that would occur twice
gets a number: count, count_2.

A field is quoted if it begins with a quote; anywhere else in a field a quote is out of
place and opens nothing. Records end with a line feed, or CR and line feed, outside quoted
fields; the last may end without. Empty lines are skipped where there is more than one
column; in one column they are records with an empty field, unless the file has nothing
else. The first record says how many fields there are. A record with more or fewer, or with
a quote out of place, ends the run with its line and offset; --malformed skip leaves out
such records and no others, and says how many lines and bytes these are; keep takes them:
missing fields are empty, additional ones are ignored, and quotes out of place are text, as
is what follows a closing quote. A quoted field that is never closed takes the rest of the
input, which is reported.

What is beyond the memory bound (--mem), groups, values and texts, goes to temporary files;
answers stay exact.

Exit status: 0 answered, 2 wrong usage, a malformed record or an input that could not be
opened, 3 a part of an input could not be read or a compressed one is damaged, so that
answers are incomplete (each such range is printed), 130 interrupted.`,
		Example: `  thresh table orders.csv --header --group country                 how many records of each
  thresh table orders.csv --header --where 'country = "DE" and amount > 100' \
    --group city --agg 'count,sum(amount),p99(amount)' --top-by 'sum(amount)' --limit 20
  thresh table m.txt -d ';' --group 1 --agg 'min(2),mean(2),max(2)'
  thresh table itcont.txt -d '|' --quote none --rows --nth 0,432,43243:8 \
    --group '5[:6]' --top '1:8~, *([^, ]+)'                        four questions, one pass
  thresh table indiv18.zip:itcont.txt -d '|' --quote none --rows   inside an archive
  thresh table *.csv.gz --header --agg 'sum(bytes)' --format json   several files, one table
  thresh table big.csv --header --group user -o users.parquet`,
		Args: requireInput,
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd, c, args)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.delim, "delimiter", "d", ",", `byte between fields; \t for a tab`)
	flags.BoolVar(&f.header, "header", false, "the first record of each input names the columns")
	flags.BoolVar(&f.noHeader, "no-header", false, "the first record is one like the others (default)")
	flags.StringVar(&f.quote, "quote", `"`,
		"byte around fields that hold delimiters, quotes or line feeds; none: plain bytes")
	f.asked.add(flags)
	flags.Var(&orderedFlag{set: func(string) error { return errors.New("it is called --format now, and -o names a file") }},
		"out", "")
	flags.Lookup("out").Hidden = true
	flags.StringVar(&f.where, "where", "", "only records for which this holds")
	flags.StringVar(&f.format, "format", "",
		"table, csv, json, arrow or parquet (default: by the name of --output; table on a terminal, csv otherwise)")
	flags.StringVarP(&f.output, "output", "o", "",
		"write to this file, which appears when it is complete: .csv, .json, .arrow or .parquet, or as --format says")
	flags.StringVar(&f.malformed, "malformed", "fail",
		"records with more or fewer fields, or quotes out of place: fail, skip or keep")
	f.shared.add(cmd)
	flags.Lookup("json").Usage = "the same as --format json, and a summary as the last line"
	flags.Lookup("quiet").Usage = "no output, exit status only"
	flags.Lookup("recursive").Usage = "the regular files below folders, in the order of their names, as one table"
	cmd.MarkFlagsMutuallyExclusive("header", "no-header")
	for _, other := range []string{"json", "format", "output", "explain", "dry-run"} {
		cmd.MarkFlagsMutuallyExclusive("quiet", other)
	}
	refuseRepeats(cmd, "rows", "nth", "group", "agg", "top", "sort", "top-by", "limit")
	return cmd
}

// spec returns what is asked of the table.
func (f *tableFlags) spec() (spec thresh.TableSpec, err error) {
	spec = thresh.TableSpec{Where: f.where, Questions: f.asked.list}
	spec.Dialect.Header = f.header
	if spec.Dialect.Delim, err = oneByte("delimiter", f.delim, `, ; | or \t`); err != nil {
		return spec, err
	}
	if f.quote != "none" {
		if spec.Dialect.Quote, err = oneByte("quote", f.quote, `" or ', or none`); err != nil {
			return spec, err
		}
		if spec.Dialect.Quote == 0 {
			return spec, errors.New(`--quote \0: a zero byte cannot quote; --quote none is for plain bytes`)
		}
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
		return spec, errors.New("what to answer? ask with --rows, --nth, --group, --agg or --top")
	}
	return spec, nil
}

// oneByte returns the byte that a flag stands for.
func oneByte(flag, text, examples string) (byte, error) {
	switch text {
	case `\t`:
		return '\t', nil
	case `\0`:
		return 0, nil
	}
	if len(text) != 1 {
		return 0, fmt.Errorf("--%s %q: it must be one byte, as %s", flag, text, examples)
	}
	return text[0], nil
}

func (f *tableFlags) run(cmd *cobra.Command, c *console, args []string) error {
	o, err := f.shared.options(cmd.Flags())
	spec, specErr := f.spec()
	format, formatErr := f.formatOf(c)
	if err := errors.Join(err, specErr, formatErr, readOnce(c.in, args)); err != nil {
		return &exitError{exitUsage, err}
	}
	s := &tableRun{flags: f, spec: spec, format: format, inputs: args,
		session: session{shared: &f.shared, console: c, options: o, several: len(args) > 1 || f.recursive}}
	s.options.Receipt = s.wantsReceipt()
	s.listing = thresh.NewListing(args, f.recursive)
	s.plan = func(in *thresh.Input, o thresh.Options) (thresh.Plan, error) {
		return thresh.ExplainTable(in, spec, tableOptions(o))
	}
	return s.run(cmd.Context(), args)
}

// formatOf returns how answers are written.
func (f *tableFlags) formatOf(c *console) (thresh.Format, error) {
	formats := []string{"table", "csv", "json", "arrow", "parquet"}
	switch named, ok := thresh.FormatOf(f.output); {
	case f.json && f.format != "" && f.format != "json":
		return "", fmt.Errorf("--json and --format %s contradict each other: give one of them", f.format)
	case f.format == "" && slices.Contains(formats, f.output):
		return "", fmt.Errorf("-o %s: -o names a file, the format is --format %[1]s (and -o ./%[1]s is a file of that name)",
			f.output)
	case f.json:
		return thresh.FormatJSON, nil
	case f.format != "":
		return thresh.Format(f.format), oneOf("format", f.format, formats...)
	case ok:
		return named, nil
	case filepath.Ext(f.output) != "":
		return "", fmt.Errorf("-o %s: no format is known by %s (known: .csv, .json, .arrow, .parquet); name one by --format",
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
		Stdin: s.console.in, Raw: s.flags.noDecompress,
		Done: func(name string, _ thresh.Report, err error) error { return s.inputError(name, err) },
	}, out)
	bar.stop()
	return s.end(ctx, out, &report, err)
}

// tableOptions returns the options of a search that are those of a table.
func tableOptions(o thresh.Options) thresh.TableOptions {
	return thresh.TableOptions{Offset: o.Offset, Length: o.Length, Engine: o.Engine, Workers: o.Workers,
		ChunkBytes: o.ChunkBytes, MemoryBytes: o.MemoryBytes, Cache: o.Cache, Receipt: o.Receipt, Progress: o.Progress}
}

// bytesOf returns how much there is to read, 0 where that is not known.
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
		return &exitError{exitUsage, errors.New("--explain: the plan for a stream is to stream it; name a file")}
	}
	for name, err := range thresh.Files(args[:1], s.shared.recursive) {
		if err == nil {
			err = s.explainOne(name)
		}
		return s.inputError(name, err)
	}
	return nil
}

// end tells what went wrong, and says how the program is to exit.
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
		return nil // whoever read the output has seen enough
	}
	s.notes(r)
	var problem *thresh.Problem
	if errors.As(err, &problem) {
		err = &hintedError{err, "--malformed skip leaves such records out, keep takes them as they are; " +
			"are -d and --quote right?"}
	}
	if err == nil && !complete && !s.flags.quiet {
		fmt.Fprintln(s.console.err, "thresh: incomplete: not everything could be read")
	}
	s.total.Receipt = r.Receipt
	if err == nil {
		s.receipt(interrupted)
	}
	return s.status(interrupted, err)
}

// remarks tells what of the table was left out.
func (s *tableRun) notes(r *thresh.TableReport) {
	if s.flags.quiet {
		return
	}
	note := func(format string, args ...any) {
		fmt.Fprintf(s.console.err, "thresh: note: "+format+"\n", args...)
	}
	for _, b := range r.NotNumbers {
		what := "fields are no numbers and were"
		if b.Count == 1 {
			what = "field is no number and was"
		}
		note("column %s: %d %s left out; the first: %v", b.Column, b.Count, what, &b.First)
	}
	if r.Malformed > 0 && len(r.Problems) > 0 {
		what, records := "left out", "records were"
		if s.spec.Malformed == thresh.MalformedKeep {
			what = "kept"
		}
		if r.Malformed == 1 {
			records = "record was"
		}
		note("%d malformed %s %s (%s, %d bytes); the first: %v", r.Malformed, records, what,
			plural(r.MalformedLines, "line"), r.MalformedBytes, &r.Problems[0])
	}
	if r.Cut > 0 {
		note("%d bytes of records that reach into what could not be read were left out", r.Cut)
	}
	s.noteSkipped()
}

// questions are what is asked, in the order of the command line.
type questions struct {
	list    []thresh.Question
	ordered map[int]string // flags that order the groups, by question
	limited map[int]string // --limit, by question
}

func (q *questions) add(flags *pflag.FlagSet) {
	on := func(name, usage, kind string, set func(text string) error) {
		flags.Var(&orderedFlag{set: set, kind: kind}, name, usage)
	}
	flags.VarPF(&orderedFlag{set: func(text string) error {
		if text == "true" {
			q.list = append(q.list, &thresh.RecordCount{})
		}
		return nil
	}, kind: "bool"}, "rows", "", "how many records").NoOptDefVal = "true"
	on("nth", "these records, from 0, and of them these columns: 0,432:8,name", "R,...:COLUMN,...", q.nth)
	on("group", "group by these, and count or aggregate", "KEY,...", func(text string) error {
		if text == "" {
			return errors.New("by what? give a column")
		}
		q.list = append(q.list, &thresh.Groups{Keys: text})
		return nil
	})
	on("agg", "aggregates of the groups: count sum(c) min(c) max(c) mean(c) distinct(c) p50(c) ... (default count)",
		"LIST", q.agg)
	on("top", "the N commonest keys and how often they occur", "N:KEY", q.top)
	on("sort", "order of the groups: key (default) or value, the first aggregate, greatest first", "key|value", q.sort)
	on("top-by", "order of the groups: by this aggregate, greatest first", "AGG", q.topBy)
	on("limit", "so many groups", "N", q.limit)
}

// plural is a number of things.
func plural(n int64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
