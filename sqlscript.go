package thresh

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"reflect"
	"slices"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/run"
	"github.com/thresh-dev/thresh/internal/table"
	"github.com/thresh-dev/thresh/internal/table/query"
	"github.com/thresh-dev/thresh/internal/table/sql"
)

// SQLAll answers statements, one after the other, and yields their reports, up to that of a statement that fails. out
// returns where the answer to a statement goes.
//
// Statements about groups of the same files share one pass over them, for which the report of the first one accounts.
// Standard input that several passes need is kept in a temporary file.
func SQLAll(ctx context.Context, statements []*Statement, o SQLOptions,
	out func(statement int) (answer.Writer, error)) iter.Seq2[answer.TableReport, error] {
	return func(yield func(answer.TableReport, error) bool) {
		if err := required("ctx", ctx, "out", out); err != nil {
			yield(answer.TableReport{}, err)
			return
		}
		s, err := newScript(statements, o)
		if err != nil {
			yield(answer.TableReport{}, err)
			return
		}
		defer s.close() // where the caller has stopped; otherwise it was closed, and its error returned
		for n, one := range statements {
			var r answer.TableReport
			w, err := out(n)
			if err == nil {
				err = required("out", w)
			}
			if err == nil {
				r, err = runSQL(ctx, one.source(), s.o, w)
			}
			last := n == len(statements)-1
			if err == nil && last && s.rejects != nil {
				err = s.rejects.Write(context.WithoutCancel(ctx), o.Rejects)
			}
			if err != nil || last {
				err = errors.Join(err, s.close())
			}
			if !yield(r, sql.InWords(err)) || err != nil {
				return
			}
		}
	}
}

// script is statements that are answered together. Its sources are the statements that read files.
type script struct {
	o       SQLOptions
	passes  map[*sql.Statement]*sharedPass // by source; nil for those that have a pass to themselves
	tables  int                            // that hold groups at the same time
	keeps   bool                           // standard input is read by several passes
	kept    string                         // the file with it
	closing []func() error
	rejects *table.Rejects // nil if they are not wanted
}

// sharedPass is a pass over files that several sources read.
type sharedPass struct {
	sources  []*sql.Statement
	last     int // statement that needs it
	pass     *run.TablePass
	answered []*sql.Statement
}

func newScript(statements []*Statement, o SQLOptions) (*script, error) {
	s := &script{o: o, passes: map[*sql.Statement]*sharedPass{}, tables: 1}
	s.o.script = s
	if o.Rejects != nil {
		s.rejects = new(table.Rejects)
		s.closing = append(s.closing, s.rejects.Close)
	}
	var reads *sql.Source // of all statements
	var alike []*sharedPass
	first, alone := map[*sharedPass]int{}, make([]int, len(statements))
	piped := 0
	for n, one := range statements {
		for _, source := range sources(one.source()) {
			if from := source.From.Unnamed(); s.rejects != nil {
				if source.Joins != nil || reads != nil && !reflect.DeepEqual(*reads, from) {
					return nil, errRejects
				}
				reads = &from
			}
			i := slices.IndexFunc(alike, func(p *sharedPass) bool { return mayShare(p.sources[0], source) })
			if i < 0 || slices.Contains(alike[i].sources, source) {
				i = len(alike)
				alike = append(alike, &sharedPass{})
				first[alike[i]] = n
				if slices.ContainsFunc(source.Sources(), isPiped) {
					piped++
				}
			}
			alike[i].sources, alike[i].last = append(alike[i].sources, source), n
		}
	}
	s.keeps = piped > 1
	for _, p := range alike {
		if len(p.sources) == 1 {
			alone[p.last] = 1
			continue
		}
		for _, source := range p.sources {
			s.passes[source] = p
		}
	}
	for n := range statements {
		open := alone[n]
		for _, p := range alike {
			if len(p.sources) > 1 && first[p] <= n && n <= p.last {
				open++
			}
		}
		s.tables = max(s.tables, open)
	}
	return s, nil
}

var errRejects = &failure.SpecError{Err: errors.New("SQLOptions.Rejects gets records as they are written, so the " +
	"statements have to read the same files in the same way, without joins: ask about each table on its own")}

const standardInput = "-"

func isPiped(from *sql.Source) bool { return slices.Contains(from.Files, standardInput) }

// sources returns the statements that read files, in the order in which they are answered.
func sources(s *sql.Statement) (all []*sql.Statement) {
	if s == nil {
		return nil
	}
	for _, one := range s.Union {
		all = append(all, sources(one)...)
	}
	if s.Union != nil {
		return all
	}
	for _, from := range s.Sources() {
		all = append(all, sources(from.Sub)...)
	}
	if s.Joins != nil || s.From.Sub == nil {
		all = append(all, s)
	}
	return all
}

// mayShare reports whether two sources can be answered in one pass: both are about groups of records of the same files,
// read in the same way.
func mayShare(a, b *sql.Statement) bool {
	for _, s := range []*sql.Statement{a, b} {
		if q, err := s.Compile(); err != nil || s.Joins != nil || q.Question.Kind != query.Group {
			return false
		}
	}
	return reflect.DeepEqual(a.From.Unnamed(), b.From.Unnamed())
}

// passOf returns the pass that a source shares with others, nil if it has one to itself, as one has that is answered
// again, for a name of with.
func (s *script) passOf(source *sql.Statement) *sharedPass {
	if s == nil || s.passes[source] == nil || slices.Contains(s.passes[source].answered, source) {
		return nil
	}
	return s.passes[source]
}

// scan returns the options of a pass.
func (o *SQLOptions) scan() run.Options {
	scan := run.ForScan(o.Scan)
	if o.script != nil {
		scan.Tables, scan.Rejects = o.script.tables, o.script.rejects
	}
	return scan
}

// answer answers a source. The first one that is answered reads the files for all.
func (p *sharedPass) answer(ctx context.Context, source *sql.Statement, o SQLOptions, out answer.Writer) (
	r answer.TableReport, err error) {
	if p.pass == nil {
		if err = p.read(ctx, o); err != nil {
			return r, err
		}
		o.script.closing = append(o.script.closing, p.close)
	}
	r, err = p.pass.Answer(ctx, slices.Index(p.sources, source), output(out))
	if p.answered = append(p.answered, source); len(p.answered) == len(p.sources) {
		err = errors.Join(err, p.close())
	}
	return r, err
}

// read reads the files for the questions of all sources.
func (p *sharedPass) read(ctx context.Context, o SQLOptions) error {
	q, err := p.sources[0].Compile()
	if err != nil {
		return err
	}
	f, err := o.open(ctx, p.sources[0], q)
	if err != nil {
		return err
	}
	defer f.first.Close() // only read from, so an error loses nothing
	f.spec.Questions = nil
	same := true
	for _, source := range p.sources {
		q, err := source.Compile()
		if err != nil {
			return err
		}
		same = same && q.Where == f.spec.Where
		q.Question.Where = q.Where
		f.spec.Questions = append(f.spec.Questions, q.Question)
	}
	if same { // then no record is looked at that no question is about
		for i := range f.spec.Questions {
			f.spec.Questions[i].Where = ""
		}
	} else {
		f.spec.Where = ""
	}
	if len(f.names) == 1 {
		p.pass, err = run.ReadTable(ctx, f.first, f.spec, o.scan())
	} else {
		p.pass, err = run.ReadAll(ctx, each(f.names), f.spec, o.scan(), f.v)
	}
	return err
}

func (p *sharedPass) close() (err error) {
	if p.pass != nil {
		err = p.pass.Close()
	}
	p.pass = nil
	return err
}

func (s *script) close() (err error) {
	for _, c := range s.closing {
		err = errors.Join(err, c())
	}
	s.closing = nil
	return err
}

// callbacks returns the callbacks with which a source is opened.
func (o *SQLOptions) callbacks(ctx context.Context, names []string) (v run.Callbacks, err error) {
	v = o.Callbacks.run()
	if slices.Contains(names, standardInput) {
		v.Stdin, err = o.script.stdin(ctx, v.Stdin)
	}
	return v, err
}

// stdin returns what standard input is for the next pass that reads it: itself, or the file that keeps it.
func (s *script) stdin(ctx context.Context, in *os.File) (*os.File, error) {
	if s == nil || !s.keeps {
		return in, nil
	}
	if s.kept == "" {
		if in == nil {
			in = os.Stdin
		}
		if err := s.keep(ctx, in); err != nil {
			return nil, fmt.Errorf("keep standard input, which several statements read, in a temporary file: %w", err)
		}
	}
	return os.Open(s.kept)
}

// keep copies standard input to a file.
func (s *script) keep(ctx context.Context, in *os.File) error {
	f, err := os.CreateTemp("", "thresh-*")
	if err != nil {
		return err
	}
	s.kept = f.Name()
	s.closing = append(s.closing, func() error { return os.Remove(f.Name()) })
	copied := make(chan error, 1)
	go func() { // which may wait for a writer when the run is interrupted
		_, err := io.Copy(f, in)
		copied <- errors.Join(err, f.Close())
	}()
	select {
	case err = <-copied:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}
