package verbs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/command"
	"github.com/thresh-dev/thresh/internal/output/outfile"
	"github.com/thresh-dev/thresh/options"
)

// sqlFlags holds the flags of sql, as typed.
type sqlFlags struct {
	command.Shared
	file     string
	header   bool
	noHeader bool
	format   string
	chart    bool
	all      bool
	strict   bool
	rejects  string
	null     string
}

// SQL returns the verb sql.
func SQL() *command.Verb {
	f := new(sqlFlags)
	return &command.Verb{
		Name:  "sql",
		Usage: "[flags] STATEMENT",
		Short: "any question of tables: SQL over raw files",
		Long:  sqlHelp,
		Examples: `  thresh sql "select country, count(*) from 'orders.csv' group by country"
  thresh sql "from 'orders.csv' where amount > 990 order by amount desc limit 5"
  thresh sql "select user.country, p99(ms) from 'e.ndjson.gz' group by all"
  kubectl logs app | thresh sql "select level, count(*) from '-' group by 1"
  thresh sql -f report.sql -o report.parquet
  thresh sql "select avg(n) from (select count(*) n from 'a.csv' group by city)"`,
		Common: "file header no-header format output null strict json receipt explain mem",
		Flags: slices.Concat([]command.Flag{
			{Name: "file", Short: "f", To: &f.file, Help: "read the statements from `FILE`; - is standard input"},
			{Name: "header", To: &f.header, Help: "the first record of each input names the columns"},
			{Name: "no-header", To: &f.noHeader,
				Help: "the first record is a record like the others (default: it names the columns unless all of it looks " +
					"like data)"},
			{Name: "strict", To: &f.strict, Help: strictHelp},
			{Name: "rejects", To: &f.rejects, Help: "write the records with values that are not what was asked to `FILE`, " +
				"as they are written"},
		}, command.Section(command.Printing, []command.Flag{
			{Name: "format", To: &f.format, Values: tableFormats, Help: formatHelp},
			{Name: "chart", To: &f.chart, Help: chartHelp},
			{Name: "all", To: &f.all, Help: allHelp},
			{Name: "null", To: &f.null, Suggest: []string{"NULL", "NA", `\N`},
				Help: "print null as `TEXT` (default: nothing; \\N in tsv)"},
			f.ColorFlag(),
		}), command.Reword(f.SharedFlags(),
			command.Flag{Name: "json", Help: "print results as JSON lines (--format json)"},
			command.Flag{Name: "quiet", Help: "print nothing, set only the exit status"})),
		Conflicts: []command.Conflict{
			{Flags: "chart", With: "json format", Why: "each says how the answer is printed; give one"},
			{Flags: "header", With: "no-header", Why: "each says what the first record is; give one"},
			{Flags: "quiet", With: "json format chart output color explain dry-run", Why: "--quiet prints nothing"},
		},
		ArgsMax: 1,
		TooMany: `a statement is one argument in quotes: thresh sql "select count(*) from 'orders.csv'"`,
		Run:     f.run,
	}
}

func (f *sqlFlags) run(ctx context.Context, c *command.Call) error {
	statements, err := f.statements(c)
	if err != nil {
		return command.Exit(command.WrongUsage, err)
	}
	explained := slices.ContainsFunc(statements, (*thresh.Statement).Explains)
	if explained && len(statements) > 1 {
		return command.Exit(command.WrongUsage, errors.New("explain is for a statement alone: leave the others out"))
	}
	f.DryRun = f.DryRun || explained
	var files []string
	for _, s := range statements {
		of := s.Files()
		if slices.Contains(files, "-") { // standard input is read once, and may be asked by many statements
			of = slices.DeleteFunc(slices.Clone(of), func(name string) bool { return name == "-" })
		}
		files = append(files, of...)
		if s.Analyzes() && f.Receipt == "" {
			f.Receipt = "full"
		}
	}
	pattern, err := f.outputs(len(statements))
	if err != nil {
		return command.Exit(command.WrongUsage, err)
	}
	run, err := command.NewRun(c, &f.Shared, files)
	format, formatErr := formatOf(&f.Shared, f.format, f.chart, c.Console)
	err = errors.Join(err, formatErr, run.OutputIsInput(false), f.checkRejects(run, pattern, len(statements)))
	if err != nil {
		return err
	}
	s := &sqlRun{tableRun: tableRun{Local: command.NewLocal(ctx, run), format: format, all: f.all,
		strict: f.strict},
		statements: statements, pattern: pattern}
	if c.Given("null") {
		s.null = &f.null
		switch format {
		case options.FormatJSON, options.FormatArrow, options.FormatParquet:
			return command.Exit(command.WrongUsage,
				fmt.Errorf("--null %s contradicts --format %s, which has a null of its own", f.null, format))
		}
	}
	s.options = thresh.SQLOptions{Scan: s.Options.Scan(), Callbacks: s.Callbacks(), Files: s.NamesOf}
	if f.header || f.noHeader {
		s.options.Header = &f.header
	}
	s.options.Guessed = s.guessed
	if f.rejects != "" && !f.DryRun {
		if s.rejects, err = outfile.Create(f.rejects); err != nil {
			return err
		}
		defer s.rejects.Abort() // of what was not put in place
		s.options.Rejects = s.rejects
	}
	return run.Do(ctx, s)
}

// checkRejects returns an error if the file of --rejects is also another one.
func (f *sqlFlags) checkRejects(run *command.Run, pattern string, statements int) error {
	outputs := []string{filepath.Clean(f.Output)}
	for n := range strings.Count(pattern, numbered) * statements {
		outputs = append(outputs, filepath.Clean(outputOf(pattern, n)))
	}
	switch {
	case f.rejects == "":
		return nil
	case f.rejects == "-":
		return errors.New("--rejects -: answers go to standard output, so the records need a file")
	case slices.Contains(outputs, filepath.Clean(f.rejects)):
		return fmt.Errorf("--rejects %s is also the file of the answers: choose another name", f.rejects)
	}
	return run.Overwrites("--rejects", f.rejects)
}

// outputs returns the pattern of the files of --output, one for each statement, and sets the first; "" without one.
func (f *sqlFlags) outputs(statements int) (pattern string, err error) {
	switch strings.Count(f.Output, numbered) {
	case 0:
		format, _ := thresh.FormatOf(f.Output)
		if f.Output != "" && f.Output != "-" && statements > 1 && format != options.FormatHTML {
			ending := filepath.Ext(f.Output)
			return "", fmt.Errorf("-o %s holds one answer, and there are %d statements: write -o %s-%s%s for a file each",
				f.Output, statements, strings.TrimSuffix(f.Output, ending), numbered, ending)
		}
		return "", nil
	case 1:
		pattern = f.Output
		f.Output = outputOf(pattern, 0)
		return pattern, nil
	}
	return "", fmt.Errorf("-o %s: %s is the number of the statement; write it once", f.Output, numbered)
}

// numbered is what the number of a statement replaces in the name of --output.
const numbered = "%d"

func outputOf(pattern string, statement int) string {
	return strings.Replace(pattern, numbered, strconv.Itoa(statement+1), 1)
}

// statements returns the statements that were typed.
func (f *sqlFlags) statements(c *command.Call) ([]*thresh.Statement, error) {
	var text string
	switch {
	case f.file != "" && len(c.Args) > 0:
		return nil, fmt.Errorf("--file %s and a statement: give one of them", f.file)
	case f.file == "" && len(c.Args) == 0:
		return nil, errors.New(`a statement is missing: thresh sql "select count(*) from 'file.csv'", or --file FILE`)
	case f.file == "-":
		all, err := io.ReadAll(c.In)
		if err != nil {
			return nil, fmt.Errorf("read the statements: %w", err)
		}
		text = string(all)
	case f.file != "":
		all, err := os.ReadFile(f.file)
		if err != nil {
			return nil, fmt.Errorf("read the statements: %w", err)
		}
		text = string(all)
	default:
		text = c.Args[0]
	}
	statements, err := thresh.ParseSQL(text)
	if err != nil && len(c.Args) == 1 && command.IsFile(c.Args[0]) {
		err = command.Hint(err, fmt.Sprintf("%s is a file: thresh sql -f %[1]s runs the statements in it, and "+
			"thresh %[1]s shows what is in it", c.Args[0]))
	}
	return statements, err
}

// sqlRun is one run of sql.
type sqlRun struct {
	tableRun
	statements []*thresh.Statement
	options    thresh.SQLOptions
	pattern    string // of the files of --output; "" for one output
	null       *string
	rejects    *outfile.File
}

// Ask answers the statements, one after the other.
func (s *sqlRun) Ask(ctx context.Context) (err error) {
	if s.Explaining() {
		for _, one := range s.statements {
			if err := s.PrintPlan(one.Plan(ctx, s.options)); err != nil {
				return err
			}
		}
		if s.DryRun {
			return nil
		}
	}
	s.options.Callbacks.Done = func(name string, _ answer.Report, err error) error { return s.Fail(name, err) }
	whole, n, bar := true, 0, s.Bar(strings.Join(s.Inputs, " "), s.bytesOf(s.Inputs), false)
	defer func() { bar.Stop() }()
	for report, err := range thresh.SQLAll(ctx, s.statements, s.options, s.output) {
		bar.Stop() // answers and notes may go to the same terminal
		s.Unread(report.Unread)
		s.AddReceipt(report.Receipt)
		whole = whole && report.Complete
		s.doubt(&report, err)
		n++
		if err == nil {
			err = s.ended(report.Complete && !(s.strict && report.NonNumeric != nil))
		}
		s.notes(&report)
		if err != nil {
			return s.failing(n-1, err)
		}
		if n < len(s.statements) {
			bar = s.Bar(strings.Join(s.Inputs, " "), 0, false)
		}
	}
	switch {
	case s.rejects == nil:
		return nil
	case whole:
		return s.rejects.Commit(s.rejects.Replaces())
	}
	s.Notef("%s was not written: it would be incomplete", s.rejects.Name())
	return nil
}

// guessed tells what the first record was taken for: a person once that it has the names, and anybody, of each file,
// that it has none, which is seldom.
func (s *sqlRun) guessed(name string, header bool) {
	text := "first record taken as names; --no-header otherwise"
	switch {
	case !header:
		if text = "first record taken as a record; --header otherwise"; len(s.Inputs) > 1 {
			text = name + ": " + text
		}
	case !command.IsTerminal(s.Console.Err): // which is quiet
		return
	}
	if !slices.Contains(s.noted, text) {
		s.noted = append(s.noted, text)
		s.Notef("%s", text)
	}
}

// output returns where the answer to a statement goes.
func (s *sqlRun) output(n int) (to answer.Writer, err error) {
	if s.pattern != "" && n > 0 {
		if err := s.BeginOutput(outputOf(s.pattern, n)); err != nil {
			return nil, err
		}
	}
	if s.out == nil {
		o := options.Writer{Answers: len(s.statements), Null: s.null}
		streams := slices.ContainsFunc(s.statements, (*thresh.Statement).Streams)
		if s.pattern != "" {
			o.Answers, streams = 1, s.statements[n].Streams()
		}
		if s.out, err = s.newOutput(o, streams); err != nil {
			return nil, command.Exit(command.WrongUsage, err)
		}
	}
	return s.out.Writer, nil
}

// ended writes the answer to a statement out, before the next one is answered.
func (s *sqlRun) ended(complete bool) error {
	if err := s.out.Close(); err != nil {
		return err
	}
	if s.pattern == "" {
		return nil
	}
	s.outputNotes()
	s.out = nil
	return s.EndOutput(complete)
}

// outputNotes prints the notes for which the format has no place.
func (s *sqlRun) outputNotes() {
	for _, note := range s.out.Notes() {
		s.Notef("%s", command.Flags(note))
	}
}

// failing names the statement of several that an error is about.
func (s *sqlRun) failing(n int, err error) error {
	if len(s.statements) == 1 || errors.Is(err, context.Canceled) {
		return err
	}
	text := []rune(strings.Join(strings.Fields(s.statements[n].Text()), " "))
	if len(text) > shownRunes {
		text = append(text[:shownRunes-1], '…')
	}
	return fmt.Errorf("statement %d of %d, %s: %w", n+1, len(s.statements), string(text), err)
}

// shownRunes is how much of a statement an error shows.
const shownRunes = 60

// End writes buffered answers.
func (s *sqlRun) End(err error) error {
	s.failed = err != nil
	if s.out == nil || err != nil {
		return err
	}
	if s.Interrupted { // otherwise it was closed after the last answer
		err = s.out.Close()
	}
	s.outputNotes()
	if s.out.withheld() {
		s.Interrupted, s.Complete = true, false
	}
	return err
}
