package verbs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/command"
)

// sqlFlags holds the flags of sql, as typed.
type sqlFlags struct {
	command.Shared
	file     string
	header   bool
	noHeader bool
	format   string
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
		Common: "file header no-header format output json receipt explain mem",
		Flags: slices.Concat([]command.Flag{
			{Name: "file", Short: "f", To: &f.file, Help: "read the statements from `FILE`; - is standard input"},
			{Name: "header", To: &f.header, Help: "the first record of each input names the columns"},
			{Name: "no-header", To: &f.noHeader,
				Help: "the first record is a record like the others (default: it names the columns unless all of it looks " +
					"like data)"},
		}, command.Section(command.Printing, []command.Flag{
			{Name: "format", To: &f.format, Values: tableFormats, Help: "`FORMAT` is table, csv, json, arrow or parquet " +
				"(default: by the name of --output, otherwise table on a terminal, else csv)"},
			f.ColorFlag(),
		}), command.Reword(f.SharedFlags(),
			command.Flag{Name: "json", Help: "print results as JSON lines (--format json)"},
			command.Flag{Name: "quiet", Help: "print nothing, set only the exit status"})),
		Conflicts: []command.Conflict{
			{Flags: "header", With: "no-header", Why: "each says what the first record is; give one"},
			{Flags: "quiet", With: "json format output color explain dry-run", Why: "--quiet prints nothing"},
		},
		ArgsMax: 1,
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
		files = append(files, s.Files()...)
		if s.Analyzes() && f.Receipt == "" {
			f.Receipt = "json"
		}
	}
	run, err := command.NewRun(c, &f.Shared, files)
	format, formatErr := formatOf(&f.Shared, f.format, c.Console)
	if err := errors.Join(err, formatErr, run.OutputIsInput(false)); err != nil {
		return err
	}
	s := &sqlRun{tableRun: tableRun{Local: command.NewLocal(ctx, run), format: format}, statements: statements}
	s.options = thresh.SQLOptions{Scan: s.Options.Scan(), Callbacks: s.Callbacks(), Files: s.NamesOf}
	if f.header || f.noHeader {
		s.options.Header = &f.header
	}
	return run.Do(ctx, s)
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
	streams := slices.ContainsFunc(s.statements, (*thresh.Statement).Streams)
	if s.out, err = s.newOutput(thresh.WriterOptions{Answers: len(s.statements)}, streams); err != nil {
		return command.Exit(command.WrongUsage, err)
	}
	s.options.Callbacks.Done = func(name string, _ answer.Report, err error) error { return s.Fail(name, err) }
	bar := s.Bar(strings.Join(s.Inputs, " "), s.bytesOf(s.Inputs), false)
	defer bar.Stop()
	for n, one := range s.statements {
		report, err := one.Run(ctx, s.options, s.out.Writer)
		s.Unread(report.Unread)
		s.AddReceipt(report.Receipt)
		s.notes(&report)
		if err != nil && len(s.statements) > 1 {
			err = fmt.Errorf("statement %d of %d: %w", n+1, len(s.statements), err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// End writes buffered answers.
func (s *sqlRun) End(err error) error {
	s.failed = err != nil
	if s.out == nil || err != nil {
		return err
	}
	return cmp.Or(s.out.Close(), err)
}
