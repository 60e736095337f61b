package verbs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/command"
	"github.com/thresh-dev/thresh/internal/preview"
	"github.com/thresh-dev/thresh/internal/table/sniff"
	"github.com/thresh-dev/thresh/options"
)

// tableFlags holds the flags of table, as typed.
type tableFlags struct {
	command.Shared
	delim     string
	quote     string
	header    bool
	noHeader  bool
	nulls     []string
	skipLines int64
	widths    string
	comment   string
	numbers   string
	where     []string
	malformed string
	format    string
	chart     bool
	sql       bool
	all       bool
	strict    bool
	asked     questions
}

// Table is the verb that asks about tables.
func Table() *command.Verb { return new(tableFlags).verb() }

// verb returns the verb, whose flags are stored in f.
func (f *tableFlags) verb() *command.Verb {
	f.malformed = "fail"
	return &command.Verb{
		Name:  "table",
		Usage: "[flags] [FILE...]",
		Short: "what does it add up to? records, groups, sums over delimited text",
		Long:  tableHelp,
		Examples: `  thresh table orders.csv --group country              how many records of each
  thresh table m.txt -d ';' --group 1 --agg 'min(2),mean(2),max(2)'
  thresh table *.csv.gz --agg 'sum(bytes)'             several files, one table
  thresh table events.ndjson --group user.country --agg 'count,p95(ms)'
  thresh table big.csv --group user -o users.parquet
  thresh table orders.csv --where 'country = "DE" and amount > 100' \
    --group city --agg 'count,sum(amount),p99(amount)' \
    --top-by 'sum(amount)' --limit 20
  thresh table itcont.txt -d '|' --quote none --rows --nth 0,432,43243:8 \
    --group '5[:6]' --top '1:8~, *([^, ]+)'            four questions, one pass
  thresh table indiv18.zip:itcont.txt -d '|' --quote none --rows   in an archive
  thresh table orders.csv --where 'amount > 1000' \
    --select id,city,amount -o large.csv               the records themselves`,
		Common: "delimiter header where group agg top select sort limit format output malformed",
		Flags: slices.Concat(command.Section("Questions:", append(f.asked.flags(), []command.Flag{
			{Name: "where", To: &f.where, Complete: completeColumn,
				Help: "use only the records for which `EXPR` is true; of several all must be"},
			{Name: "sql", To: &f.sql, Help: "print the questions as a statement of SQL, and stop"},
		}...)), command.Section("How records are written:", []command.Flag{
			{Name: "delimiter", Short: "d", To: &f.delim, Suggest: []string{",", ";", "|", `\t`, linesOfJSON},
				Help: "the `TEXT` between fields; \\t is a tab, \\x01 any byte, ' +' runs of blanks, and json means " +
					"lines of JSON (default: as the beginning of a file shows; if that or its name does not tell, a comma)"},
			{Name: "header", To: &f.header,
				Help: "the first record of each input names the columns (default if a question names one)"},
			{Name: "no-header", To: &f.noHeader,
				Help: "the first record is a record like the others (default if no question names a column)"},
			{Name: "quote", To: &f.quote, Suggest: []string{`"`, "'", "none"},
				Help: "the `BYTE` around fields that contain delimiters, quotes or line " +
					"feeds; none: there are no quotes (default \")"},
			{Name: "malformed", To: &f.malformed, Values: []string{"fail", "skip", "keep"},
				Help: "what to do with malformed records (too few or many fields, misplaced quotes): " +
					"`HOW` is fail, skip (leave out) or keep"},
			{Name: "strict", To: &f.strict, Help: strictHelp},
			{Name: "null", To: &f.nulls, Suggest: []string{"NA", "NULL", `\N`},
				Help: "a field without quotes that is `TEXT` is null, as an empty one is (may be repeated)"},
			{Name: "skip-lines", To: &f.skipLines,
				Help: "leave out the first `N` lines of each input, before the header or the first record"},
			{Name: "widths", To: &f.widths, Suggest: []string{"8,20,10", "8,20,*"},
				Help: "fields have these `WIDTHS` in characters, with commas between them; * is the rest of the line"},
			{Name: "numbers", To: &f.numbers, Values: notations,
				Help: "numbers are written as in `COUNTRY`: de 1.234,56, fr 1 234,56, ch 1'234.56 or en 1,234.56, with or " +
					"without signs of currencies and percent (default: 1234.56)"},
			{Name: "comment", To: &f.comment, Suggest: []string{"#", "//", ";"},
				Help: "lines that begin with `TEXT`, perhaps after blanks, are no records"},
		}), command.Section(command.Printing, []command.Flag{
			{Name: "format", To: &f.format, Values: tableFormats,
				Help: formatHelp},
			{Name: "chart", To: &f.chart, Help: chartHelp},
			{Name: "all", To: &f.all, Help: allHelp},
			f.ColorFlag(),
		}), command.Reword(f.SharedFlags(),
			command.Flag{Name: "output", Help: "write to `FILE`, which appears when it is complete: .csv, .tsv, .json, " +
				".md, .arrow, .parquet, .svg, .html, or any name with --format"},
			command.Flag{Name: "json", Help: "print results as JSON lines (--format json), with a summary as the last line"},
			command.Flag{Name: "offset", Help: "start at byte `N` of each input (--skip leaves out records); 0x is hex, " +
				"k M G are powers of 1000, KiB MiB GiB of 1024"},
			command.Flag{Name: "quiet", Help: "print nothing, set only the exit status"},
			command.Flag{Name: "recursive",
				Help: "read the regular files below folders, ordered by name, as one table"})),
		Conflicts: []command.Conflict{
			{Flags: "chart", With: "json format", Why: "each says how the answer is printed; give one"},
			{Flags: "header", With: "no-header", Why: "each says what the first record is; give one"},
			{Flags: "quiet", With: "json format chart output color explain dry-run sql", Why: "--quiet prints nothing"},
			{Flags: "sql", With: "offset length recursive", Why: "no statement says it"},
			{Flags: "sql", With: "output explain dry-run", Why: "--sql prints the statement and stops"},
		},
		Elsewhere: map[string]string{
			"F": "--delimiter", "t": "--delimiter", "separator": "--delimiter", "sep": "--delimiter",
			"delim": "--delimiter", "groupby": "--group", "by": "--group", "filter": "--where",
			"count": "--rows, or --agg count of each group", "head": "--limit", "H": "--header", "no-headers": "--no-header",
			"distinct": "--group COLUMN, or --agg 'distinct(COLUMN)'", "unique": "--group COLUMN",
			"pretty": "--format table", "n": "--limit",
			"na": "--null", "nulls": "--null", "nullstr": "--null", "null-value": "--null", "skip": "--skip-lines",
		},
		ArgsMax: -1,
		Run:     f.run,
	}
}

// spec checks the flags and returns the questions about the table.
func (f *tableFlags) spec(args []string) (spec thresh.TableSpec, err error) {
	spec = thresh.TableSpec{Where: allOf(f.where), Questions: f.asked.list}
	if spec.Dialect, err = f.dialect(args); err != nil {
		return spec, err
	}
	switch f.malformed {
	case "skip":
		spec.Malformed = options.MalformedSkip
	case "keep":
		spec.Malformed = options.MalformedKeep
	}
	spec.Dialect.Header = spec.HasHeader()
	if len(spec.Questions) == 0 {
		err = errors.New("what to answer? ask with --rows, --columns, --nth, --select, --sample, --group, --agg or --top")
		if len(f.where) > 0 {
			err = command.Hint(err, "--select '*' prints the records that fit, --rows counts them")
		}
		return spec, err
	}
	if why := f.asked.alone(); why != "" && len(spec.Questions) > 1 {
		return spec, errors.New(why + ": ask for anything else in a run of its own")
	}
	return spec, nil
}

// allOf returns the condition that all of several are true.
func allOf(conditions []string) string {
	if len(conditions) < 2 {
		return strings.Join(conditions, "")
	}
	return "(" + strings.Join(conditions, ") and (") + ")"
}

// dialect returns how the inputs are written, by the flags, or without --delimiter as the inputs seem to be written.
func (f *tableFlags) dialect(args []string) (d options.Dialect, err error) {
	delim := f.delim
	switch {
	case delim != "" && f.widths != "":
		return d, fmt.Errorf("--delimiter %s and --widths contradict each other; give one of them", delim)
	case delim == "" && f.widths == "":
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
		case len(f.nulls) > 0:
			return d, fmt.Errorf("--null %s contradicts lines of JSON, which have a null of their own (see --delimiter)",
				f.nulls[0])
		case f.skipLines != 0:
			return d, errors.New("--skip-lines contradicts lines of JSON, which have no head (see --delimiter)")
		case f.numbers != "":
			return d, errors.New("--numbers contradicts lines of JSON, which say how numbers are written (see --delimiter)")
		case f.comment != "":
			return d, errors.New("--comment contradicts lines of JSON, which have no comments (see --delimiter)")
		}
		return options.Dialect{JSON: true}, nil
	}
	d.Header, d.NoHeader, d.Nulls, d.SkipLines, d.Comment = f.header, f.noHeader, f.nulls, f.skipLines, f.comment
	d.Numbers = f.numbers
	if f.widths != "" {
		if d.Widths, err = widths(f.widths); err == nil && f.quote != "" && f.quote != "none" {
			err = fmt.Errorf("--quote %s contradicts --widths: fields of fixed widths have no quotes", f.quote)
		}
		return d, err
	}
	if err := separate(&d, delim); err != nil {
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

// delimiterOf returns the value of --delimiter that the inputs stand for: by what a file begins with, or by its name.
func delimiterOf(args []string) (delim string, err error) {
	for i, name := range args {
		this, written := linesOfJSON, dialectOf(name)
		if !written.JSON {
			this = string(rune(cmp.Or(written.Delim, ',')))
		}
		if i > 0 && this != delim {
			return "", fmt.Errorf("%s and %s: they seem to have different delimiters; give --delimiter", args[0], name)
		}
		delim = this
	}
	return cmp.Or(delim, ","), nil
}

// dialectOf returns how an input seems to be written. Only the name tells for an input that is no local file, or cannot
// be read; that it cannot be read is said when it is opened to be asked.
func dialectOf(name string) options.Dialect {
	ending := sniff.Ending(name)
	byName := options.Dialect(sniff.ByEnding(ending))
	if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() && !byName.JSON {
		if in, err := thresh.Open(name); err == nil {
			head, whole, err := in.Head(context.Background(), sniffedBytes, 0)
			if d, ok := sniff.Dialect(ending, sniff.Text(head, whole)); ok && errors.Join(err, in.Close()) == nil {
				return options.Dialect(d)
			}
		}
	}
	return byName
}

// sniffedBytes is how much of a file is looked at to see how it is written.
const sniffedBytes = 64 << 10

// oneByte returns the byte that the value of a flag names.
func oneByte(flag, text, examples string) (byte, error) {
	one, err := unescape(flag, text)
	switch {
	case err != nil:
		return 0, err
	case len(one) != 1:
		return 0, fmt.Errorf("--%s %q: it must be one byte, like %s", flag, text, examples)
	}
	return one[0], nil
}

func (f *tableFlags) run(ctx context.Context, c *command.Call) error {
	run, err := command.NewRun(c, &f.Shared, c.Args)
	if err == nil && f.asksNothing(c) {
		return f.preview(ctx, run)
	}
	spec, specErr := f.spec(run.Inputs)
	format, formatErr := formatOf(&f.Shared, f.format, f.chart, c.Console)
	if spec.Dialect.JSON && format == options.FormatCSV && f.format == "" && f.Output == "" && f.asked.onlyRecords() {
		format = options.FormatJSON // the records look as they do in the input
	}
	if err := errors.Join(err, specErr, formatErr, run.OutputIsInput(f.asked.selected() != nil)); err != nil {
		return err
	}
	if f.sql {
		text, err := spec.SQL(run.Inputs)
		if err == nil {
			_, err = fmt.Fprintln(c.Out, text)
		}
		return err
	}
	return run.Do(ctx, &tableRun{Local: command.NewLocal(ctx, run), flags: f, spec: spec, format: format, all: f.all,
		strict: f.strict})
}

// asksNothing reports whether no flag asks a question, or says how to answer one.
func (f *tableFlags) asksNothing(c *command.Call) bool {
	return c.Only("delimiter quote header no-header null skip-lines widths comment no-decompress s3-endpoint json color " +
		"progress receipt")
}

// preview shows what is in the inputs.
func (f *tableFlags) preview(ctx context.Context, run *command.Run) error {
	s := &previewRun{Local: command.NewLocal(ctx, run), given: preview.Given{Nulls: f.nulls, SkipLines: f.skipLines}}
	if f.delim+f.quote+f.widths+f.comment != "" {
		d, err := f.dialect(run.Inputs)
		if err != nil {
			return err
		}
		s.given.Dialect = &d
	}
	if f.header || f.noHeader {
		s.given.Header = &f.header
	}
	return run.Do(ctx, s)
}

// tableFormats are the formats of --format.
var tableFormats = []string{"table", "csv", "tsv", "json", "markdown", "arrow", "parquet", "chart", "svg", "html"}

const (
	chartHelp  = "draw the answer (--format chart): bars for groups, lines over times, histograms of bins"
	formatHelp = "`FORMAT` is table, csv, tsv, json, markdown, arrow, parquet, chart, svg or html " +
		"(default: by the name of --output, otherwise table on a terminal, else csv)"
	strictHelp = "values that are not what was asked: exit status 3"
	allHelp    = "on a terminal, print all rows and columns of a table, not only those that fit"
)

// formatOf returns the output format: from --json, --chart or --format, else from the name of -o.
func formatOf(f *command.Shared, format string, chart bool, c *command.Console) (options.Format, error) {
	switch named, ok := thresh.FormatOf(f.Output); {
	case chart && (named == options.FormatSVG || named == options.FormatHTML):
		return named, nil
	case chart && ok:
		return "", fmt.Errorf("-o %s and --chart contradict each other: a chart is text, .svg or .html, and this is %s",
			f.Output, named)
	case chart:
		return options.FormatChart, nil
	case f.JSON && format != "" && format != "json":
		return "", fmt.Errorf("--json and --format %s contradict each other: give one of them", format)
	case format == "" && slices.Contains(tableFormats, f.Output):
		return "", fmt.Errorf("-o %s: -o names a file; write --format %[1]s for the format "+
			"(or -o ./%[1]s for a file of that name)", f.Output)
	case f.JSON:
		return options.FormatJSON, nil
	case format != "":
		return options.Format(format), nil
	case ok:
		return named, nil
	case filepath.Ext(f.Output) != "":
		return "", fmt.Errorf("-o %s: no format is known by the ending %s "+
			"(known: .csv, .tsv, .json, .md, .arrow, .parquet, .svg, .html); name one with --format",
			f.Output, filepath.Ext(f.Output))
	case f.Output == "" && command.IsTerminal(c.Out):
		return options.FormatTable, nil
	}
	return options.FormatCSV, nil
}

// tableRun is one run of table.
type tableRun struct {
	*command.Local
	flags   *tableFlags
	spec    thresh.TableSpec
	format  options.Format
	all     bool // nothing is left out on a terminal
	strict  bool // values that are not what they were asked to be are an error
	out     *tableOutput
	report  answer.TableReport
	doubted bool     // there were such values
	noted   []string // what was said of them
	failed  bool     // there is no answer, because of an error

	notNumbers *failure.NotNumbersError // that error, if it is one
}

// Ask asks all inputs as one table.
func (s *tableRun) Ask(ctx context.Context) (err error) {
	if s.Explaining() {
		if err := s.explainFirst(); err != nil || s.DryRun {
			return err
		}
	}
	o := options.Writer{Answers: len(s.spec.Questions)}
	if s.flags.asked.onlyRecords() {
		d := s.spec.Dialect
		o.NoHeading = !d.Header && !d.JSON
		if d.Delim != 0 { // the records look as in the table that they come from
			o.Delim, o.Quote, o.Unquoted = d.Delim, d.Quote, d.Quote == 0
		}
	}
	if s.out, err = s.newOutput(o, s.JSON || s.flags.asked.streams()); err != nil {
		return command.Exit(command.WrongUsage, err)
	}
	callbacks := s.Callbacks()
	callbacks.Done = func(name string, _ answer.Report, err error) error { return s.Fail(name, err) }
	bar := s.Bar(strings.Join(s.Inputs, " "), s.bytesOf(s.Inputs), false)
	s.report, err = thresh.TableAll(ctx, s.names(), s.spec, s.Options.Scan(), callbacks, s.out.Writer)
	bar.Stop()
	var problem *failure.Problem
	for _, name := range s.Inputs {
		if errors.As(err, &problem) {
			err = s.Ended(name, err)
		}
	}
	s.Unread(s.report.Unread)
	s.AddReceipt(s.report.Receipt)
	s.doubt(&s.report, err)
	return err
}

// bytesOf returns the number of bytes to read, 0 if unknown.
func (s *tableRun) bytesOf(args []string) (total int64) {
	for _, name := range args {
		info, err := os.Stat(name)
		if err != nil || !info.Mode().IsRegular() || s.Options.Length != nil {
			return 0
		}
		total += info.Size()
	}
	return total
}

// explainFirst prints the plan for the first input.
func (s *tableRun) explainFirst() error {
	if s.Inputs[0] == "-" {
		return command.Exit(command.WrongUsage, errors.New("--explain: a stream can only be streamed, "+
			"so there is no plan to print; name a file"))
	}
	for name, err := range s.Names() {
		var in *thresh.Input
		if err == nil {
			in, err = s.Open(name)
		}
		if err == nil {
			err = errors.Join(s.PrintPlan(thresh.ExplainTable(in, s.spec, s.Options.Scan())), in.Close())
		}
		return s.Fail(name, err)
	}
	return nil
}

// Note reports what went wrong or was left out.
func (s *tableRun) Note() {
	s.notes(&s.report)
	s.Skipped()
	switch {
	case s.failed || s.Complete || s.Quiet || s.doubted:
	case s.out.withheld():
		fmt.Fprintln(s.Err, "thresh: the answers are not printed: they would be incomplete")
	default:
		fmt.Fprintln(s.Err, "thresh: incomplete: not everything could be read")
	}
}
