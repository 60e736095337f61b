package thresh

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"go.uber.org/goleak"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/options"
	"github.com/thresh-dev/thresh/question"
	"github.com/thresh-dev/thresh/receipt"
)

// TestMain fails when a test leaves a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var background = context.Background()

// TestNoInternalTypes: what the public packages export names no type of an internal package, neither in
// fields nor in signatures. No exported type of this one is an alias.
func TestNoInternalTypes(t *testing.T) {
	compiled := exportFiles(t)
	imports := importer.ForCompiler(token.NewFileSet(), "gc",
		func(path string) (io.ReadCloser, error) { return os.Open(compiled[path]) })
	recorded, err := filepath.Glob("api/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, name := range recorded {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		_, path, _ := strings.Cut(string(text), `// import "`)
		path, _, _ = strings.Cut(path, `"`)
		pkg, err := imports.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		seen += exportedNames(t, pkg)
	}
	if seen < 150 {
		t.Errorf("only %d exported names: this looks in the wrong place", seen)
	}
}

// exportedNames looks at what a package exports, and returns how many names that are.
func exportedNames(t *testing.T, pkg *types.Package) (seen int) {
	for _, name := range pkg.Scope().Names() {
		o := pkg.Scope().Lookup(name)
		if !o.Exported() {
			continue
		}
		seen++
		typ, ok := o.(*types.TypeName)
		if !ok {
			exportedParts(t, name, o.Type())
			continue
		}
		if typ.IsAlias() {
			if exportedParts(t, name, typ.Type()); pkg.Name() == "thresh" {
				t.Errorf("%s is an alias", name)
			}
			continue
		}
		exportedParts(t, name, typ.Type().Underlying())
		if named, ok := typ.Type().(*types.Named); ok {
			for i := range named.NumMethods() {
				if f := named.Method(i); f.Exported() {
					exportedParts(t, name+"."+f.Name(), f.Type())
				}
			}
		}
	}
	return seen
}

// exportFiles returns the files with the types of the packages of this module and the linter's, and of all that they
// import.
func exportFiles(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, module := range []string{"vet", "."} {
		list := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}}={{.Export}}", "./...")
		list.Dir, list.Env = module, append(os.Environ(), "GOWORK=off")
		out, err := list.Output()
		if err != nil {
			t.Fatalf("go list in %s: %v", module, err)
		}
		for line := range strings.Lines(string(out)) {
			path, file, _ := strings.Cut(strings.TrimSpace(line), "=")
			files[path] = file
		}
	}
	return files
}

// exportedParts complains about internal types in what can be seen of a type from outside.
func exportedParts(t *testing.T, name string, typ types.Type) {
	switch typ := typ.(type) {
	case *types.Named:
		if p := typ.Obj().Pkg(); p != nil && strings.Contains(p.Path(), "/internal/") {
			t.Errorf("%s has %s", name, typ)
		}
		for i := range typ.TypeArgs().Len() {
			exportedParts(t, name, typ.TypeArgs().At(i))
		}
	case *types.Alias:
		exportedParts(t, name, typ.Rhs())
	case *types.Pointer:
		exportedParts(t, name, typ.Elem())
	case *types.Slice:
		exportedParts(t, name, typ.Elem())
	case *types.Array:
		exportedParts(t, name, typ.Elem())
	case *types.Map:
		exportedParts(t, name, typ.Key())
		exportedParts(t, name, typ.Elem())
	case *types.Struct:
		for i := range typ.NumFields() {
			if f := typ.Field(i); f.Exported() {
				exportedParts(t, name+"."+f.Name(), f.Type())
			}
		}
	case *types.Interface:
		for i := range typ.NumMethods() {
			if f := typ.Method(i); f.Exported() {
				exportedParts(t, name+"."+f.Name(), f.Type())
			}
		}
	case *types.Signature:
		for _, tuple := range []*types.Tuple{typ.Params(), typ.Results()} {
			for i := range tuple.Len() {
				exportedParts(t, name, tuple.At(i).Type())
			}
		}
	}
}

// TestZeroValues: what was not made by a constructor, or is closed, is an error and never a panic.
func TestZeroValues(t *testing.T) {
	closed := FromBytes([]byte("x"))
	if err := errors.Join(closed.Close(), closed.Close()); err != nil {
		t.Errorf("closed twice: %v", err)
	}
	spec := TableSpec{Dialect: CSV(), Questions: []Question{RecordCount{}}}
	for name, in := range map[string]*Input{"closed": closed, "zero": {}, "nil": nil} {
		_, findErr := Find(background, in, NonZero(), options.Find{}, func([]answer.Hit) error { return nil })
		_, countErr := Count(background, in, LineCount(), options.Scan{})
		_, _, firstErr := First(background, in, NonZero(), options.Scan{})
		_, explainErr := Explain(in, NonZero(), options.Find{})
		_, explainCountErr := ExplainCount(in, NonZero(), options.Scan{})
		_, minifyErr := Minify(background, in, io.Discard, options.Minify{})
		_, explainMinifyErr := ExplainMinify(in, options.Minify{})
		_, tableErr := Table(background, in, spec, options.Scan{}, new(answer.Tables))
		_, explainTableErr := ExplainTable(in, spec, options.Scan{})
		_, readErr := in.ReadAt(make([]byte, 1), 0)
		_, someErr := in.ReadSome(make([]byte, 1), 0)
		for i, err := range []error{findErr, countErr, firstErr, explainErr, explainCountErr, minifyErr, explainMinifyErr,
			tableErr, explainTableErr, readErr, someErr} {
			if !errors.Is(err, failure.ErrClosed) {
				t.Errorf("%s input, call %d: %v", name, i, err)
			}
		}
		for _, err := range Hits(background, in, NonZero(), options.Find{}) {
			if !errors.Is(err, failure.ErrClosed) {
				t.Errorf("%s input, hits: %v", name, err)
			}
		}
		if _, ok := in.Bytes(); ok || in.Name() != "" || in.Compressed() || in.IsFile(nil) || in.Close() != nil {
			t.Errorf("%s input says something about itself", name)
		}
	}
	var answers answer.Tables
	var writer Writer
	if answers.Row(nil) == nil || answers.End(nil) == nil || writer.Begin("", []answer.Column{{}}) == nil || writer.Close() == nil ||
		new(Writer).Row(nil) == nil || new(Writer).End(nil) == nil || new(Writer).Close() == nil || new(Writer).Notes() != nil {
		t.Error("an answer that has not begun, or a writer that was not made, is no error")
	}
	for name, q := range map[string]*Query{"zero": {}, "nil": nil} {
		in := FromBytes([]byte("x"))
		_, findErr := Find(background, in, q, options.Find{}, nil)
		_, countErr := Count(background, in, q, options.Scan{})
		_, explainErr := Explain(in, q, options.Find{})
		_, allErr := FindAll(background, Files(nil, false), q, options.Find{}, Callbacks{})
		_, countAllErr := CountAll(background, Files(nil, false), q, options.Scan{}, Callbacks{})
		for i, err := range []error{findErr, countErr, explainErr, allErr, countAllErr} {
			if !errors.Is(err, failure.ErrNoQuery) {
				t.Errorf("%s query, call %d: %v", name, i, err)
			}
		}
		if q.Kernel() != "" {
			t.Errorf("%s query has a kernel", name)
		}
	}
}

// wants reports whether errors.As finds an E.
func wants[E error](err error) bool {
	var e E
	return errors.As(err, &e) && e.Error() != ""
}

// TestWrongArguments: each is an error of a type that the caller can handle.
func TestWrongArguments(t *testing.T) {
	in := FromBytes([]byte("a,b\n1,2\n"))
	ask := func(o options.Find) error {
		_, err := Find(background, in, NonZero(), o, func([]answer.Hit) error { return nil })
		return err
	}
	asked := func(spec TableSpec) error {
		_, err := Table(background, in, spec, options.Scan{}, new(answer.Tables))
		return err
	}
	query := func(_ *Query, err error) error { return err }
	long, short := int64(100), int64(-1)
	questions := func(q ...Question) TableSpec { return TableSpec{Dialect: CSV(), Questions: q} }
	writer := func(f options.Format, o options.Writer) error {
		o.Format = f
		_, err := NewWriter(io.Discard, o)
		return err
	}
	column := func(typ question.ValueType, conditions ...question.Condition) question.Values {
		return question.Values{Type: typ, Conditions: conditions}
	}
	_, sizeErr := FromReaderAt("x", bytes.NewReader(nil), -1)
	_, missing := Open(filepath.Join(t.TempDir(), "none"))
	_, folder := Open(t.TempDir())
	_, onlyCounted := Find(background, in, LineCount(), options.Find{}, func([]answer.Hit) error { return nil })
	_, noHits := FindAll(background, Files(nil, false), NonZero(), options.Find{}, Callbacks{})
	_, notJSON := Minify(background, FromBytes([]byte("{")), io.Discard, options.Minify{Validate: true})
	_, notWritten := Minify(background, FromBytes([]byte("[1]")), failingWriter{}, options.Minify{})
	for name, ok := range map[string]bool{
		"workers":         wants[*failure.OptionError](ask(options.Find{Run: options.Run{Workers: -1}})),
		"chunk":           wants[*failure.OptionError](ask(options.Find{Run: options.Run{ChunkBytes: -1}})),
		"memory":          wants[*failure.OptionError](ask(options.Find{Run: options.Run{MemoryBytes: -1}})),
		"offset":          wants[*failure.OptionError](ask(options.Find{Offset: -1})),
		"length":          wants[*failure.OptionError](ask(options.Find{Length: &short})),
		"limit":           wants[*failure.OptionError](func() error { _, _, err := firstOf(in, options.Find{Limit: -1}); return err }()),
		"around":          wants[*failure.OptionError](ask(options.Find{Context: -1})),
		"cache":           wants[*failure.OptionError](ask(options.Find{Run: options.Run{Cache: "no"}})),
		"engine":          wants[*failure.EngineError](ask(options.Find{Run: options.Run{Engine: "no"}})),
		"engine of files": wants[*failure.EngineError](ask(options.Find{Run: options.Run{Engine: options.EngineMmap}})),
		"range":           wants[*failure.RangeError](ask(options.Find{Length: &long})),
		"memory bound": wants[*failure.MemoryError](func() error {
			_, err := Count(background, in, NonZero(), options.Scan{Run: options.Run{MemoryBytes: 1, Engine: options.EnginePread}})
			return err
		}()),
		"text":         wants[*failure.QueryError](query(Text(""))),
		"hex":          wants[*failure.QueryError](query(Hex("zz"))),
		"literals":     wants[*failure.QueryError](query(Any(question.Literals{}))),
		"regexp":       wants[*failure.QueryError](query(Regexp("("))),
		"no regexp":    wants[*failure.QueryError](query(Regexp())),
		"type":         wants[*failure.QueryError](query(Values(column("i33", question.Condition{Op: question.Equal, Value: "1"})))),
		"no condition": wants[*failure.QueryError](query(Values(column(question.Int8)))),
		"constant":     wants[*failure.QueryError](query(Statistics(column(question.Int8, question.Condition{Op: question.Equal, Value: "1000"})))),
		"delimiter":    wants[*failure.QueryError](query(Rows('"'))),
		"no visit":     wants[*failure.OptionError](func() error { _, err := Find(background, in, NonZero(), options.Find{}, nil); return err }()),
		"no keys":      wants[*failure.SpecError](asked(questions(TopKeys{Limit: 1}))),
		"bins":         wants[*failure.QueryError](query(Histogram(column(question.Int32), question.Bins{Width: "x"}))),
		"size":         wants[*failure.OptionError](sizeErr),
		"no file":      errors.Is(missing, fs.ErrNotExist),
		"folder":       errors.Is(folder, failure.ErrDirectory),
		"only counted": errors.Is(onlyCounted, failure.ErrOnlyCounted),
		"no callbacks": wants[*failure.OptionError](noHits),
		"no question":  wants[*failure.SpecError](asked(questions())),
		"nil question": wants[*failure.SpecError](asked(questions(nil))),
		"no column":    wants[*failure.SpecError](asked(questions(Groups{Keys: "c"}))),
		"no function":  wants[*failure.SpecError](asked(questions(Groups{Aggregates: "nonsense(a)"}))),
		"order":        wants[*failure.SpecError](asked(questions(Groups{Keys: "a", OrderBy: "x"}))),
		"filter":       wants[*failure.SpecError](asked(TableSpec{Dialect: CSV(), Where: "a =", Questions: []Question{RecordCount{}}})),
		"dialect":      wants[*failure.SpecError](asked(TableSpec{Dialect: options.Dialect{Delim: '\n'}, Questions: []Question{RecordCount{}}})),
		"top":          wants[*failure.SpecError](asked(questions(TopKeys{Keys: "a", Limit: -1}))),
		"malformed":    wants[*failure.SpecError](asked(TableSpec{Malformed: 9, Questions: []Question{RecordCount{}}})),
		"record":       wants[*failure.SpecError](asked(questions(Records{Numbers: []int64{-1}, Columns: []string{"a"}}))),
		"no columns":   wants[*failure.SpecError](asked(questions(Records{Numbers: []int64{0}}))),
		"format":       wants[*failure.OptionError](writer("no", options.Writer{})),
		"two in one":   wants[*failure.OptionError](writer(options.FormatParquet, options.Writer{Answers: 2})),
		"JSON":         wants[*failure.JSONError](notJSON),
		"output":       wants[*failure.WriteError](notWritten),
	} {
		if !ok {
			t.Errorf("%s: the error is of another type", name)
		}
	}
}

func firstOf(in *Input, o options.Find) (hits int, report answer.Report, err error) {
	report, err = Find(background, in, NonZero(), o, func(h []answer.Hit) error { hits += len(h); return nil })
	return hits, report, err
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errors.New("no room") }

// TestErrorsOfInputs: damage, archives and formats are public types too, whatever wraps them.
func TestErrorsOfInputs(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	w.Write(bytes.Repeat([]byte("some text\n"), 10_000))
	w.Close()
	cut := packed.Bytes()[:packed.Len()/2]
	in, err := FromReaderAt("cut.gz", bytes.NewReader(cut), int64(len(cut)))
	if err != nil {
		t.Fatal(err)
	}
	report, err := Count(background, in, LineCount(), options.Scan{})
	if err != nil || report.Complete || len(report.Unread) != 1 {
		t.Fatalf("a cut file: %+v, %v", report, err)
	}
	if u := &report.Unread[0]; !errors.Is(u, failure.ErrTruncated) || !wants[*failure.DamageError](u) || u.Name != "cut.gz" {
		t.Errorf("a cut file: %v", u)
	}
	var last error
	for _, err := range Hits(background, in, must(Text("never there"))(t), options.Find{}) {
		last = err
	}
	if !wants[*failure.UnreadError](last) || !errors.Is(last, failure.ErrTruncated) {
		t.Errorf("hits of a cut file: %v", last)
	}
	if _, _, err := First(background, in, must(Text("never there"))(t), options.Scan{}); !wants[*failure.UnreadError](err) {
		t.Errorf("the first hit of a cut file: %v", err)
	}
	zip := []byte("PK\x05\x06" + strings.Repeat("\x00", 18))
	if _, err := FromReaderAt("a.zip", bytes.NewReader(zip), int64(len(zip))); !wants[*failure.ArchiveError](err) {
		t.Errorf("an archive: %v", err)
	}
	if _, err := FromReaderAt("a.gz", strings.NewReader("text"), 4); !wants[*failure.FormatError](err) {
		t.Errorf("text that is called gzip: %v", err)
	}
	malformed := FromBytes([]byte("a,b\n1\n"))
	spec := TableSpec{Dialect: CSV(), Questions: []Question{RecordCount{}}}
	_, err = Table(background, malformed, spec, options.Scan{}, new(answer.Tables))
	var problem *failure.Problem
	if !errors.As(err, &problem) || problem.Line != 2 {
		t.Errorf("a malformed record: %v", err)
	}
	if _, err := Table(background, FromBytes([]byte("PAR1\x15\x00")), spec, options.Scan{}, new(answer.Tables)); !wants[*failure.NotTextError](err) {
		t.Errorf("a Parquet file: %v", err)
	}
}

func must(q *Query, err error) func(*testing.T) *Query {
	return func(t *testing.T) *Query {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return q
	}
}

// TestHitsEndWithTheLoop: leaving the loop stops the search, on inputs of all sizes.
func TestHitsEndWithTheLoop(t *testing.T) {
	for _, size := range []int{100, 1 << 20, 40 << 20} {
		var done atomic.Int64
		seen := 0
		data := bytes.Repeat([]byte{1}, size)
		for range Hits(background, FromBytes(data), NonZero(), options.Find{Run: options.Run{Progress: &done, Workers: 1}}) {
			if seen++; seen == 3 {
				break
			}
		}
		if seen != 3 {
			t.Errorf("%d bytes: %d hits seen", size, seen)
		}
		if size > 4<<20 && done.Load() > int64(size)/2 {
			t.Errorf("%d bytes: %d were scanned after the loop was left", size, done.Load())
		}
	}
	seen := 0
	for range Hits(background, FromBytes([]byte{1, 0, 1, 1}), NonZero(), options.Find{}) {
		seen++
	}
	if seen != 3 {
		t.Errorf("%d hits, not 3", seen)
	}
}

// TestCancelled: a context that is done ends every call.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(background)
	cancel()
	in := FromBytes([]byte("a,b\n1,2\n"))
	_, countErr := Count(ctx, in, LineCount(), options.Scan{})
	_, findErr := Find(ctx, in, NonZero(), options.Find{}, func([]answer.Hit) error { return nil })
	for i, err := range []error{countErr, findErr} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("call %d: %v", i, err)
		}
	}
}

// TestMemoryWays: bytes in memory give the same answers whether they are searched in one go or by
// the general path, with hits that fill batches, limits and ranges.
func TestMemoryWays(t *testing.T) {
	data := bytes.Repeat([]byte("aaab\x00"), 1000)
	for _, q := range []*Query{NonZero(), must(Text("aa"))(t), must(Regexp("a+b"))(t), must(Hex("61 ?2"))(t)} {
		for _, limit := range []int64{0, 1, 511, 512, 513, 1024, 3000} {
			for _, length := range []int64{0, 1, 4, 2559, 2560, 5000} {
				o := options.Find{Limit: limit, Offset: 0, Length: &length}
				short, shortErr := collect(data, q, o)
				o.Engine = options.EnginePread // which takes the general path
				long, longErr := collect(data, q, o)
				if shortErr != nil || longErr != nil || !slices.Equal(short, long) {
					t.Fatalf("%s, limit %d, length %d: %d and %d hits, %v, %v", q.Kernel(), limit, length, len(short), len(long),
						shortErr, longErr)
				}
				if limit > 0 && int64(len(short)) > limit {
					t.Fatalf("%d hits with a limit of %d", len(short), limit)
				}
			}
		}
	}
	stop := errors.New("enough")
	_, err := Find(background, FromBytes(data), NonZero(), options.Find{}, func([]answer.Hit) error { return stop })
	if !errors.Is(err, stop) {
		t.Errorf("the callback's error: %v", err)
	}
}

func collect(data []byte, q *Query, o options.Find) (all []answer.Hit, err error) {
	report, err := Find(background, FromBytes(data), q, o, func(hits []answer.Hit) error {
		all = append(all, hits...)
		return nil
	})
	if err == nil && report.Hits != int64(len(all)) {
		err = errors.New("the report has another number of hits")
	}
	return all, err
}

// TestSmallMemoryIsCheap: a question about few bytes in memory starts no goroutine, and allocates
// little.
func TestSmallMemoryIsCheap(t *testing.T) {
	data := make([]byte, 4096)
	data[4095] = 1
	in, q := FromBytes(data), NonZero()
	if n := testing.AllocsPerRun(100, func() {
		if _, ok, err := First(background, in, q, options.Scan{}); !ok || err != nil {
			t.Fatal(ok, err)
		}
	}); n > 40 {
		t.Errorf("%v allocations", n)
	}
	before := runtime.NumGoroutine()
	if _, err := Find(background, in, q, options.Find{}, func([]answer.Hit) error {
		if n := runtime.NumGoroutine(); n > before {
			t.Errorf("%d goroutines during the search, %d before", n, before)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}

// TestFSInputs: the ways of a file of a file system are chosen by what it can do.
func TestFSInputs(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "f"), []byte("abc"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, fsys := range map[string]fs.FS{"os": os.DirFS(dir), "map": fstest.MapFS{"f": {Data: []byte("abc")}}} {
		in, err := OpenFS(fsys, "f")
		if err != nil {
			t.Fatal(err)
		}
		if n, ok := in.Bytes(); n != 3 || !ok {
			t.Errorf("%s: %d bytes, %v", name, n, ok)
		}
		var b [2]byte
		if _, err := in.ReadAt(b[:], 1); err != nil || string(b[:]) != "bc" {
			t.Errorf("%s: read %q, %v", name, b, err)
		}
		if err := in.Close(); err != nil {
			t.Error(err)
		}
		if _, err := OpenFS(fsys, "none"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := OpenFS(fsys, "."); !errors.Is(err, failure.ErrDirectory) {
			t.Errorf("%s: a folder: %v", name, err)
		}
	}
}

// TestArchivesInFS searches the members of an archive in a file system.
func TestArchivesInFS(t *testing.T) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range []string{"a", "b"} {
		f, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(f, "line of %s\n", name)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	names := func(yield func(string, error) bool) { yield("x.zip", nil) }
	var counted []string
	total, err := CountAll(background, names, LineCount(), options.Scan{}, Callbacks{
		FS: fstest.MapFS{"x.zip": {Data: b.Bytes()}}, Archives: true,
		Done: func(name string, r answer.Report, err error) error {
			counted = append(counted, name)
			return err
		},
	})
	if err != nil || total.Hits != 2 || !slices.Equal(counted, []string{"x.zip:a", "x.zip:b"}) {
		t.Errorf("%d lines in %q, %v", total.Hits, counted, err)
	}
}

// TestWriterMisuse: rows that do not fit, and calls out of order, are errors that stay.
func TestWriterMisuse(t *testing.T) {
	columns := []answer.Column{{Name: "a"}}
	for name, use := range map[string]func(w *Writer) error{
		"row before begin": func(w *Writer) error { return w.Row([]answer.Cell{{}}) },
		"long row":         func(w *Writer) error { return errors.Join(w.Begin("", columns), w.Row([]answer.Cell{{}, {}})) },
		"no columns":       func(w *Writer) error { return w.Begin("", nil) },
		"two begun":        func(w *Writer) error { return errors.Join(w.Begin("", columns), w.Begin("", columns)) },
		"end before begin": func(w *Writer) error { return w.End(nil) },
		"not ended":        func(w *Writer) error { return errors.Join(w.Begin("", columns), w.Close()) },
	} {
		for _, f := range []options.Format{options.FormatTable, options.FormatCSV, options.FormatJSON, options.FormatArrow, options.FormatParquet} {
			w, err := NewWriter(io.Discard, options.Writer{Format: f})
			if err != nil {
				t.Fatal(err)
			}
			if err := use(w); err == nil {
				t.Errorf("%s of %s: no error", name, f)
			}
			if w.Close() == nil || w.Row([]answer.Cell{{}}) == nil || w.Begin("", columns) == nil {
				t.Errorf("%s of %s: the error does not stay", name, f)
			}
		}
	}
}

// TestReceiptCoversTheSearch: the time of a receipt ends with the search, in both ways of bytes in
// memory. The callback's pause is part of it.
func TestReceiptCoversTheSearch(t *testing.T) {
	const pause = 20 * time.Millisecond
	for _, engine := range []options.Engine{options.EngineAuto, options.EnginePread} {
		report, err := Find(background, FromBytes([]byte{0, 1}), NonZero(), options.Find{Run: options.Run{Engine: engine}}, func([]answer.Hit) error {
			time.Sleep(pause)
			return nil
		})
		r := report.Receipt
		if err != nil || r.Seconds < pause.Seconds() || r.BytesPerSecond > 2/pause.Seconds() || r.Bytes != 2 {
			t.Errorf("engine %s: %+v, %v", engine, r, err)
		}
		if counted, err := Count(background, FromBytes([]byte{0, 1}), NonZero(), options.Scan{Run: options.Run{Engine: engine}}); err != nil || counted.Hits != 1 ||
			counted.Receipt.Seconds <= 0 || counted.Receipt.BytesPerSecond <= 0 {
			t.Errorf("engine %s, count: %+v, %v", engine, counted, err)
		}
	}
}

// TestReceiptSaysMemory: the line for people says that the bound on memory was lowered, as the JSON does.
func TestReceiptSaysMemory(t *testing.T) {
	r := receipt.Receipt{Memory: "own memory at most 24.00 MiB: only 48.00 MiB are available"}
	if line := r.Line(); !strings.Contains(line, "; "+r.Memory) {
		t.Errorf("%q does not say %q", line, r.Memory)
	}
}
