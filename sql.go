package thresh

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/run"
	"github.com/thresh-dev/thresh/internal/table/query"
	"github.com/thresh-dev/thresh/internal/table/sniff"
	"github.com/thresh-dev/thresh/internal/table/sql"
	"github.com/thresh-dev/thresh/options"
)

// Statement is a statement of SQL about files, in DuckDB's dialect: select, from, where, group by, having, order by,
// limit and offset, with statements in parentheses for tables. ParseSQL makes one; the zero Statement reads no file.
type Statement struct{ s *sql.Statement }

// SQLOptions say how statements are answered. The zero value reads files of this machine.
type SQLOptions struct {
	options.Scan
	// Callbacks say where names are opened: Stdin, FS, Remote and Raw. Its Done is called as TableAll calls it.
	Callbacks Callbacks
	// Files lists the files that names stand for; nil is Files without recursion.
	Files func(names []string) iter.Seq2[string, error]
	// Header is whether the first record of each file names the columns, where the statement does not say it. Nil: it
	// does unless every field of it looks like data.
	Header *bool
	// Guessed is called with each input that is opened and of which nothing but its first record tells whether that names
	// the columns, and with what was guessed. It may be nil.
	Guessed func(name string, header bool)
	// Rejects gets the records with a value that is not what was asked for (answer.TableReport.NonNumeric), after the last
	// answer, where no statement fails: as they are written, each once and in their order, after what comes before the
	// first record. All statements must read the same files in the same way, without joins. It may be nil.
	Rejects io.Writer

	script *script // that the statement is part of
}

// errNoStatement is the error of the zero Statement.
var errNoStatement = &failure.SpecError{Err: errors.New("the statement is empty: ParseSQL makes one")}

// ParseSQL reads statements, with semicolons between them. Those that are create view are not among them: later ones
// know their names. A statement that cannot be read is a *failure.SpecError.
func ParseSQL(text string) (all []*Statement, err error) {
	texts, _ := sql.Split(text)
	views := sql.Views{}
	for _, one := range texts {
		s, err := views.Parse(one)
		if err == nil && s != nil {
			_, err = s.Compile()
		}
		if err != nil {
			return nil, &failure.SpecError{Err: sql.Line(err)}
		}
		if s != nil {
			all = append(all, &Statement{s})
		}
	}
	if len(all) == 0 {
		err = &failure.SpecError{Err: errors.New("there is no statement: select count(*) from 'file.csv'")}
	}
	return all, err
}

// SQL answers statements, one after the other, as SQLAll does. Each answer goes to out. The reports are those of the
// statements that were answered, and of the one that failed.
func SQL(ctx context.Context, text string, o SQLOptions, out answer.Writer) (reports []answer.TableReport, err error) {
	if err := required("ctx", ctx, "out", out); err != nil {
		return nil, err
	}
	all, err := ParseSQL(text)
	if err != nil {
		return nil, err
	}
	var r answer.TableReport
	for r, err = range SQLAll(ctx, all, o, func(int) (answer.Writer, error) { return out, nil }) {
		reports = append(reports, r)
	}
	return reports, err
}

func (s *Statement) source() *sql.Statement {
	if s == nil {
		return nil
	}
	return s.s
}

// Text returns the statement as it was written, without comments.
func (s *Statement) Text() string {
	if s.s == nil {
		return ""
	}
	return strings.TrimSpace(s.s.Text)
}

// Files returns the files that the statement reads, as it names them, those of the statements in it first.
func (s *Statement) Files() []string { return files(s.s) }

func files(s *sql.Statement) (all []string) {
	if s == nil {
		return nil
	}
	for _, one := range s.Union {
		piped := slices.Contains(all, standardInput)
		for _, name := range files(one) {
			if name != standardInput || !piped { // several statements may read standard input
				all = append(all, name)
			}
		}
	}
	for _, from := range s.Sources() {
		all = append(append(all, files(from.Sub)...), from.Files...)
	}
	return all
}

// Explains reports whether the statement asks for the plan, and no answer, and Analyzes whether it asks for all of
// the receipt beside the answer.
func (s *Statement) Explains() bool { return s.s != nil && s.s.Explain }

// Analyzes reports whether the statement is explain analyze.
func (s *Statement) Analyzes() bool { return s.s != nil && s.s.Analyze }

// Streams reports whether its rows are passed on while the files are read: those of a selection without an order.
func (s *Statement) Streams() bool {
	if s.s == nil {
		return false
	}
	q, err := s.s.Compile()
	return err == nil && s.s.Union == nil && q.Question.Kind == query.Select && q.Question.By == ""
}

// Plan returns the plan for the first file, as ExplainTable does.
func (s *Statement) Plan(ctx context.Context, o SQLOptions) (p Plan, err error) {
	if err := required("ctx", ctx); err != nil {
		return p, err
	}
	defer func() { err = sql.InWords(err) }()
	inner := s.s
	if inner == nil {
		return p, errNoStatement
	}
	for inner.Joins == nil && (inner.From.Sub != nil || inner.Union != nil) {
		if inner.Union != nil {
			inner = inner.Union[0]
		} else {
			inner = inner.From.Sub
		}
	}
	q, err := inner.Compile()
	if err != nil {
		return p, &failure.SpecError{Err: sql.Line(err)}
	}
	if inner.Joins != nil {
		return o.planJoin(ctx, inner, q)
	}
	names, err := o.list(inner.From.Files)
	if err != nil {
		return p, err
	}
	callbacks := o.Callbacks.run()
	in, err := callbacks.Open(names[0])
	if err != nil {
		return p, err
	}
	defer in.Close() // only read from, so an error loses nothing
	spec, err := o.spec(ctx, inner, q, names[0], in)
	if err != nil {
		return p, err
	}
	plan, err := run.ExplainTable(in, spec, run.ForScan(o.Scan))
	return Plan(plan), placed(q, err)
}

// Run answers the statement. It is exact and the same for any number of workers, as are the answers of Table, whose
// errors it returns.
func (s *Statement) Run(ctx context.Context, o SQLOptions, out answer.Writer) (r answer.TableReport, err error) {
	if err = required("ctx", ctx, "out", out); err != nil {
		return r, err
	}
	for r, err = range SQLAll(ctx, []*Statement{s}, o, func(int) (answer.Writer, error) { return out, nil }) {
	}
	return r, err
}

func runSQL(ctx context.Context, s *sql.Statement, o SQLOptions, out answer.Writer) (r answer.TableReport, err error) {
	if s == nil {
		return r, errNoStatement
	}
	if s.Union != nil {
		return runUnion(ctx, s, o, out)
	}
	q, err := s.Compile()
	if err != nil {
		return r, &failure.SpecError{Err: sql.Line(err)}
	}
	if q.Columns != nil || q.None {
		out = &projection{to: out, query: q}
	}
	if s.Joins != nil {
		return runJoin(ctx, s, q, o, out)
	}
	if s.From.Sub != nil {
		return runSub(ctx, s, q, o, out)
	}
	if p := o.script.passOf(s); p != nil {
		r, err := p.answer(ctx, s, o, out)
		return r, placed(q, err)
	}
	f, err := o.open(ctx, s, q)
	if err != nil {
		return r, err
	}
	defer f.first.Close() // only read from, so an error loses nothing
	if len(f.names) == 1 {
		r, err = run.Table(ctx, f.first, f.spec, o.scan(), output(out))
	} else {
		r, err = run.TableAll(ctx, each(f.names), f.spec, o.scan(), f.v, output(out))
	}
	return r, placed(q, err)
}

// opened is the files of a statement, of which the first one is open.
type opened struct {
	names []string
	v     run.Callbacks
	first *run.Input
	spec  query.Spec
}

func (o SQLOptions) open(ctx context.Context, s *sql.Statement, q *sql.Query) (f opened, err error) {
	if f.names, err = o.list(s.From.Files); err != nil {
		return f, err
	}
	if f.v, err = o.callbacks(ctx, f.names); err != nil {
		return f, err
	}
	if f.first, err = f.v.Open(f.names[0]); err != nil {
		return f, err
	}
	if f.spec, err = o.spec(ctx, s, q, f.names[0], f.first); err != nil {
		err = errors.Join(err, f.first.Close())
	}
	f.v.First = f.first
	return f, err
}

// placed returns an error of the question as one of the statement.
func placed(q *sql.Query, err error) error {
	if in := q.Place(err); in != err {
		return &failure.SpecError{Err: in}
	}
	return err
}

func each(names []string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for _, name := range names {
			if !yield(name, nil) {
				return
			}
		}
	}
}

// list returns the files that names stand for.
func (o *SQLOptions) list(names []string) (all []string, err error) {
	list := o.Files
	if list == nil {
		list = func(names []string) iter.Seq2[string, error] { return Files(names, false) }
	}
	for name, err := range list(names) {
		if err != nil {
			return nil, err
		}
		all = append(all, name)
	}
	if len(all) == 0 {
		err = fmt.Errorf("%s: no file has such a name", strings.Join(names, ", "))
	}
	return all, err
}

// headBytes is how much of a file is looked at to see how it is written.
const headBytes = 64 << 10

// headPatience is how long to wait for more of a stream when it is looked at.
const headPatience = 100 * time.Millisecond

// spec returns the specification of the pass over the files, of which in is the first.
func (o *SQLOptions) spec(ctx context.Context, s *sql.Statement, q *sql.Query, name string, in *run.Input) (
	spec query.Spec, err error) {
	spec = query.Spec{SQL: true, Where: q.Where, Questions: []query.Question{q.Question}}
	switch s.From.Malformed {
	case "skip":
		spec.Malformed = options.MalformedSkip
	case "keep":
		spec.Malformed = options.MalformedKeep
	}
	head, whole, err := in.Head(ctx, headBytes, headPatience)
	if err != nil {
		return spec, err
	}
	text := sniff.Text(head, whole)
	d := &spec.Dialect
	if *d, err = dialectOf(&s.From, name, text); err != nil {
		return spec, err
	}
	switch {
	case d.JSON:
	case s.From.Header != nil:
		d.Header = *s.From.Header
	case o.Header != nil:
		d.Header = *o.Header
	case s.From.Names == nil:
		if d.Header = sniff.Header(*d, text); o.Guessed != nil && len(text) > 0 {
			o.Guessed(name, d.Header)
		}
	}
	return spec, nil
}

// dialectOf returns how a file is written: as the statement says it, or by its name and what it begins with.
func dialectOf(from *sql.Source, name string, text []byte) (d query.Dialect, err error) {
	if from.JSON {
		return query.Dialect{JSON: true}, nil
	}
	ending := sniff.Ending(name)
	d = sniff.Table(ending, text)
	if ending == ".json" || sniff.ByEnding(ending).JSON {
		d = query.Dialect{JSON: true}
	}
	if d.Delim == 0 && !d.JSON {
		d.Delim = ','
	}
	if from.Delim != nil || from.Quote != nil || from.Names != nil || from.Widths != nil || from.Comment != "" {
		d.JSON = false
		d.Quote = '"'
	}
	if !d.JSON {
		d.Names, d.Nulls, d.SkipLines, d.Comment = from.Names, from.Nulls, from.Skip, from.Comment
	}
	switch {
	case from.Widths != nil:
		d.Widths, d.Delim, d.Quote = from.Widths, 0, 0
	case from.Delim == nil:
	case *from.Delim == " +":
		d.Blanks, d.Delim = true, 0
	case len(*from.Delim) > 1 && *from.Delim != `\t`:
		d.Separator, d.Delim = *from.Delim, 0
	default:
		if d.Delim, err = oneByte("delim", *from.Delim); err != nil {
			return d, err
		}
	}
	if from.Delim != nil && from.Widths != nil {
		return d, &failure.SpecError{Err: errors.New("delim and widths contradict each other; give one of them")}
	}
	if from.Quote != nil {
		d.Quote = 0
		if *from.Quote != "" {
			d.Quote, err = oneByte("quote", *from.Quote)
		}
	}
	return d, err
}

func oneByte(option, text string) (byte, error) {
	if text == `\t` {
		return '\t', nil
	}
	if len(text) != 1 {
		return 0, &failure.SpecError{Err: fmt.Errorf("%s = '%s': it must be one byte", option, text)}
	}
	return text[0], nil
}

// rowsOf returns the rows of a statement as a table, which a temporary file holds until it is closed.
func rowsOf(ctx context.Context, s *sql.Statement, o SQLOptions) (
	in *run.Input, r answer.TableReport, closed func() error, err error) {
	f, err := os.CreateTemp("", "thresh-*.csv")
	if err != nil {
		return nil, r, nil, fmt.Errorf("the rows of a statement in parentheses need a temporary file: %w", err)
	}
	removed := os.Remove(f.Name()) == nil // a system that can removes it now, so that nothing stays whatever happens
	closed = func() error {
		err := f.Close()
		if !removed {
			err = errors.Join(err, os.Remove(f.Name()))
		}
		return err
	}
	w, err := NewWriter(f, options.Writer{Format: options.FormatCSV})
	if err == nil {
		r, err = runSQL(ctx, s, o, w)
	}
	if err == nil {
		err = w.Close()
	}
	if err == nil && r.Complete {
		in, err = run.FromFile("the rows of the statement in parentheses", f, true)
	}
	if err != nil || !r.Complete {
		return nil, r, nil, errors.Join(err, closed())
	}
	return in, r, closed, nil
}

// runSub answers a statement about the rows of another one.
func runSub(ctx context.Context, s *sql.Statement, q *sql.Query, o SQLOptions, out answer.Writer) (
	r answer.TableReport, err error) {
	in, below, closed, err := rowsOf(ctx, s.From.Sub, o)
	if err != nil || !below.Complete {
		return below, err
	}
	defer func() { err = errors.Join(err, closed()) }()
	spec := query.Spec{SQL: true, Dialect: query.Dialect(CSV()), Where: q.Where, Questions: []query.Question{q.Question}}
	scan := o.scan()
	scan.Rejects = nil // its rows are not records of a file
	r, err = run.Table(ctx, in, spec, scan, output(out))
	r.Bytes, r.Empty, r.TruncatedBytes, r.Missing = 0, 0, 0, nil // they are of a temporary file
	return after(r, below), placed(q, err)
}

// after returns the report of a statement about the records of others.
func after(r, below answer.TableReport) answer.TableReport {
	all := and(below, r)
	all.Records = r.Records
	return all
}

// projection passes the columns of an answer on that a statement selects, in its order.
type projection struct {
	to    answer.Writer
	query *sql.Query
	cells []answer.Cell
}

func (p *projection) Begin(_ string, columns []answer.Column) error {
	if p.query.Columns != nil {
		selected := make([]answer.Column, len(p.query.Columns))
		for i, c := range p.query.Columns {
			selected[i] = columns[c]
			if name := p.query.Names[i]; !strings.EqualFold(name, selected[i].Name) { // a name is written as in the header
				selected[i].Name = name
			}
		}
		columns = selected
	}
	return p.to.Begin("", columns)
}

func (p *projection) Row(cells []answer.Cell) error {
	if p.query.None {
		return nil
	}
	if p.query.Columns != nil {
		p.cells = p.cells[:0]
		for _, c := range p.query.Columns {
			p.cells = append(p.cells, cells[c])
		}
		cells = p.cells
	}
	return p.to.Row(cells)
}

func (p *projection) End(notes []string) error { return p.to.End(notes) }
