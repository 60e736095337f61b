package thresh

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/thresh-dev/thresh/internal/kernel/compare"
	"github.com/thresh-dev/thresh/internal/machine/wall"
	"github.com/thresh-dev/thresh/internal/output/encode"
	"github.com/thresh-dev/thresh/internal/plan"
	"github.com/thresh-dev/thresh/internal/table"
	"go.uber.org/goleak"
)

// TestMain fails when a test leaves a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var background = context.Background()

// TestNoInternalTypes: what the package exports names no type of an internal package, neither in
// fields nor in signatures, and no exported type is an alias.
func TestNoInternalTypes(t *testing.T) {
	set := token.NewFileSet()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	compiled := exportFiles(t)
	imports := importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(compiled[path]) })
	pkg, err := (&types.Config{Importer: imports}).Check("thresh", set, files, nil)
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, name := range pkg.Scope().Names() {
		o := pkg.Scope().Lookup(name)
		if !o.Exported() {
			continue
		}
		seen++
		if typ, ok := o.(*types.TypeName); ok {
			if typ.IsAlias() {
				t.Errorf("%s is an alias", name)
			}
			exportedParts(t, name, typ.Type().Underlying())
			if named, ok := typ.Type().(*types.Named); ok {
				for i := range named.NumMethods() {
					if f := named.Method(i); f.Exported() {
						exportedParts(t, name+"."+f.Name(), f.Type())
					}
				}
			}
			continue
		}
		exportedParts(t, name, o.Type())
	}
	if seen < 50 {
		t.Errorf("only %d exported names: this looks in the wrong place", seen)
	}
}

// exportFiles returns the files with the types of all packages that this one imports, near and far.
func exportFiles(t *testing.T) map[string]string {
	t.Helper()
	out, err := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}}={{.Export}}", ".").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), "=")
		files[path] = file
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
		_, findErr := Find(background, in, NonZero(), Options{}, func([]Hit) error { return nil })
		_, countErr := Count(background, in, Lines(), Options{})
		_, _, firstErr := First(background, in, NonZero(), Options{})
		_, explainErr := Explain(in, NonZero(), Options{})
		_, explainCountErr := ExplainCount(in, NonZero(), Options{})
		_, minifyErr := Minify(background, in, io.Discard, MinifyOptions{})
		_, explainMinifyErr := ExplainMinify(in, MinifyOptions{})
		_, tableErr := Table(background, in, spec, TableOptions{}, new(Answers))
		_, explainTableErr := ExplainTable(in, spec, TableOptions{})
		_, readErr := in.ReadAt(make([]byte, 1), 0)
		_, someErr := in.ReadSome(make([]byte, 1), 0)
		for i, err := range []error{findErr, countErr, firstErr, explainErr, explainCountErr, minifyErr, explainMinifyErr,
			tableErr, explainTableErr, readErr, someErr} {
			if !errors.Is(err, ErrClosed) {
				t.Errorf("%s input, call %d: %v", name, i, err)
			}
		}
		for _, err := range Hits(background, in, NonZero(), Options{}) {
			if !errors.Is(err, ErrClosed) {
				t.Errorf("%s input, hits: %v", name, err)
			}
		}
		if _, ok := in.Bytes(); ok || in.Name() != "" || in.Compressed() || in.IsFile(nil) || in.Close() != nil {
			t.Errorf("%s input says something about itself", name)
		}
	}
	var answers Answers
	var writer Writer
	if answers.Row(nil) == nil || answers.End(nil) == nil || writer.Begin("", []Column{{}}) == nil || writer.Close() == nil ||
		new(Writer).Row(nil) == nil || new(Writer).End(nil) == nil || new(Writer).Close() == nil || new(Writer).Notes() != nil {
		t.Error("an answer that has not begun, or a writer that was not made, is no error")
	}
	for range new(Listing).Files() {
		t.Error("the zero listing has files")
	}
	if text, err := new(Limits).MarshalJSON(); err != nil || string(text) != "null" || new(Limits).Text() != "" {
		t.Errorf("the zero limits: %s, %v", text, err)
	}
	for name, q := range map[string]*Query{"zero": {}, "nil": nil} {
		in := FromBytes([]byte("x"))
		_, findErr := Find(background, in, q, Options{}, nil)
		_, countErr := Count(background, in, q, Options{})
		_, explainErr := Explain(in, q, Options{})
		_, allErr := FindAll(background, Files(nil, false), q, Options{}, Visitor{})
		_, countAllErr := CountAll(background, Files(nil, false), q, Options{}, Visitor{})
		for i, err := range []error{findErr, countErr, explainErr, allErr, countAllErr} {
			if !errors.Is(err, ErrNoQuery) {
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
	ask := func(o Options) error {
		_, err := Count(background, in, NonZero(), o)
		return err
	}
	answer := func(spec TableSpec) error {
		_, err := Table(background, in, spec, TableOptions{}, new(Answers))
		return err
	}
	query := func(_ *Query, err error) error { return err }
	long, short := int64(100), int64(-1)
	questions := func(q ...Question) TableSpec { return TableSpec{Dialect: CSV(), Questions: q} }
	writer := func(f Format, o WriterOptions) error {
		_, err := NewWriter(io.Discard, f, o)
		return err
	}
	column := func(typ ValueType, conditions ...Condition) ValueColumn {
		return ValueColumn{Type: typ, Conditions: conditions}
	}
	_, sizeErr := FromReaderAt("x", bytes.NewReader(nil), -1)
	_, missing := Open(filepath.Join(t.TempDir(), "none"))
	_, folder := Open(t.TempDir())
	_, onlyCounted := Find(background, in, Lines(), Options{}, func([]Hit) error { return nil })
	_, noHits := FindAll(background, Files(nil, false), NonZero(), Options{}, Visitor{})
	_, notJSON := Minify(background, FromBytes([]byte("{")), io.Discard, MinifyOptions{Validate: true})
	_, notWritten := Minify(background, FromBytes([]byte("[1]")), failingWriter{}, MinifyOptions{})
	for name, ok := range map[string]bool{
		"workers":         wants[*OptionError](ask(Options{Workers: -1})),
		"chunk":           wants[*OptionError](ask(Options{ChunkBytes: -1})),
		"memory":          wants[*OptionError](ask(Options{MemoryBytes: -1})),
		"offset":          wants[*OptionError](ask(Options{Offset: -1})),
		"length":          wants[*OptionError](ask(Options{Length: &short})),
		"limit":           wants[*OptionError](func() error { _, _, err := firstOf(in, Options{Limit: -1}); return err }()),
		"around":          wants[*OptionError](ask(Options{Around: -1})),
		"cache":           wants[*OptionError](ask(Options{Cache: "no"})),
		"engine":          wants[*EngineError](ask(Options{Engine: "no"})),
		"engine of files": wants[*EngineError](ask(Options{Engine: EngineMmap})),
		"range":           wants[*RangeError](ask(Options{Length: &long})),
		"memory bound": wants[*MemoryError](func() error {
			_, err := Count(background, in, NonZero(), Options{MemoryBytes: 1, Engine: EnginePread})
			return err
		}()),
		"text":         wants[*QueryError](query(Text(""))),
		"hex":          wants[*QueryError](query(Hex("zz"))),
		"literals":     wants[*QueryError](query(AnyOf(Literals{}))),
		"regexp":       wants[*QueryError](query(Regexp("("))),
		"no regexp":    wants[*QueryError](query(Regexp())),
		"type":         wants[*QueryError](query(Values(column("i33", Condition{Op: Equal, Value: "1"})))),
		"no condition": wants[*QueryError](query(Values(column(Int8)))),
		"constant":     wants[*QueryError](query(Statistics(column(Int8, Condition{Op: Equal, Value: "1000"})))),
		"delimiter":    wants[*QueryError](query(Rows('"'))),
		"no visit":     wants[*OptionError](func() error { _, err := Find(background, in, NonZero(), Options{}, nil); return err }()),
		"no keys":      wants[*SpecError](answer(questions(TopKeys{Limit: 1}))),
		"bins":         wants[*QueryError](query(Histogram(column(Int32), Bins{Width: "x"}))),
		"size":         wants[*OptionError](sizeErr),
		"no file":      errors.Is(missing, fs.ErrNotExist),
		"folder":       errors.Is(folder, ErrDirectory),
		"only counted": errors.Is(onlyCounted, ErrOnlyCounted),
		"no visitor":   wants[*OptionError](noHits),
		"no question":  wants[*SpecError](answer(questions())),
		"nil question": wants[*SpecError](answer(questions(nil))),
		"no column":    wants[*SpecError](answer(questions(Groups{Keys: "c"}))),
		"no function":  wants[*SpecError](answer(questions(Groups{Aggregates: "nonsense(a)"}))),
		"order":        wants[*SpecError](answer(questions(Groups{Keys: "a", OrderBy: "x"}))),
		"filter":       wants[*SpecError](answer(TableSpec{Dialect: CSV(), Where: "a =", Questions: []Question{RecordCount{}}})),
		"dialect":      wants[*SpecError](answer(TableSpec{Dialect: Dialect{Delim: '\n'}, Questions: []Question{RecordCount{}}})),
		"top":          wants[*SpecError](answer(questions(TopKeys{Keys: "a", Limit: -1}))),
		"malformed":    wants[*SpecError](answer(TableSpec{Malformed: 9, Questions: []Question{RecordCount{}}})),
		"record":       wants[*SpecError](answer(questions(Records{Numbers: []int64{-1}, Columns: []string{"a"}}))),
		"no columns":   wants[*SpecError](answer(questions(Records{Numbers: []int64{0}}))),
		"format":       wants[*OptionError](writer("no", WriterOptions{})),
		"two in one":   wants[*OptionError](writer(FormatParquet, WriterOptions{Answers: 2})),
		"JSON":         wants[*JSONError](notJSON),
		"output":       wants[*WriteError](notWritten),
	} {
		if !ok {
			t.Errorf("%s: the error is of another type", name)
		}
	}
}

func firstOf(in *Input, o Options) (hits int, report Report, err error) {
	report, err = Find(background, in, NonZero(), o, func(h []Hit) error { hits += len(h); return nil })
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
	report, err := Count(background, in, Lines(), Options{})
	if err != nil || report.Complete || len(report.Unread) != 1 {
		t.Fatalf("a cut file: %+v, %v", report, err)
	}
	if u := &report.Unread[0]; !errors.Is(u, ErrTruncated) || !wants[*DamageError](u) || u.Name != "cut.gz" {
		t.Errorf("a cut file: %v", u)
	}
	var last error
	for _, err := range Hits(background, in, must(Text("never there"))(t), Options{}) {
		last = err
	}
	if !wants[*UnreadError](last) || !errors.Is(last, ErrTruncated) {
		t.Errorf("hits of a cut file: %v", last)
	}
	if _, _, err := First(background, in, must(Text("never there"))(t), Options{}); !wants[*UnreadError](err) {
		t.Errorf("the first hit of a cut file: %v", err)
	}
	zip := []byte("PK\x05\x06" + strings.Repeat("\x00", 18))
	if _, err := FromReaderAt("a.zip", bytes.NewReader(zip), int64(len(zip))); !wants[*ArchiveError](err) {
		t.Errorf("an archive: %v", err)
	}
	if _, err := FromReaderAt("a.gz", strings.NewReader("text"), 4); !wants[*FormatError](err) {
		t.Errorf("text that is called gzip: %v", err)
	}
	malformed := FromBytes([]byte("a,b\n1\n"))
	spec := TableSpec{Dialect: CSV(), Questions: []Question{RecordCount{}}}
	_, err = Table(background, malformed, spec, TableOptions{}, new(Answers))
	var problem *Problem
	if !errors.As(err, &problem) || problem.Line != 2 {
		t.Errorf("a malformed record: %v", err)
	}
	if _, err := Table(background, FromBytes([]byte("PAR1\x15\x00")), spec, TableOptions{}, new(Answers)); !wants[*NotTextError](err) {
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
		for range Hits(background, FromBytes(data), NonZero(), Options{Progress: &done, Workers: 1}) {
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
	for range Hits(background, FromBytes([]byte{1, 0, 1, 1}), NonZero(), Options{}) {
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
	_, countErr := Count(ctx, in, Lines(), Options{})
	_, findErr := Find(ctx, in, NonZero(), Options{}, func([]Hit) error { return nil })
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
				o := Options{Limit: limit, Offset: 0, Length: &length}
				short, shortErr := collect(data, q, o)
				o.Engine = EnginePread // which takes the general path
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
	_, err := Find(background, FromBytes(data), NonZero(), Options{}, func([]Hit) error { return stop })
	if !errors.Is(err, stop) {
		t.Errorf("the visitor's error: %v", err)
	}
}

func collect(data []byte, q *Query, o Options) (all []Hit, err error) {
	report, err := Find(background, FromBytes(data), q, o, func(hits []Hit) error {
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
		if _, ok, err := First(background, in, q, Options{}); !ok || err != nil {
			t.Fatal(ok, err)
		}
	}); n > 40 {
		t.Errorf("%v allocations", n)
	}
	before := runtime.NumGoroutine()
	if _, err := Find(background, in, q, Options{}, func([]Hit) error {
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
		if _, err := OpenFS(fsys, "."); !errors.Is(err, ErrDirectory) {
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
	total, err := CountAll(background, names, Lines(), Options{}, Visitor{
		FS: fstest.MapFS{"x.zip": {Data: b.Bytes()}}, Archives: true,
		Done: func(name string, r Report, err error) error {
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
	columns := []Column{{Name: "a"}}
	for name, use := range map[string]func(w *Writer) error{
		"row before begin": func(w *Writer) error { return w.Row([]Cell{{}}) },
		"long row":         func(w *Writer) error { return errors.Join(w.Begin("", columns), w.Row([]Cell{{}, {}})) },
		"no columns":       func(w *Writer) error { return w.Begin("", nil) },
		"two begun":        func(w *Writer) error { return errors.Join(w.Begin("", columns), w.Begin("", columns)) },
		"end before begin": func(w *Writer) error { return w.End(nil) },
		"not ended":        func(w *Writer) error { return errors.Join(w.Begin("", columns), w.Close()) },
	} {
		for _, f := range []Format{FormatTable, FormatCSV, FormatJSON, FormatArrow, FormatParquet} {
			w, err := NewWriter(io.Discard, f, WriterOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if err := use(w); err == nil {
				t.Errorf("%s of %s: no error", name, f)
			}
			if w.Close() == nil || w.Row([]Cell{{}}) == nil || w.Begin("", columns) == nil {
				t.Errorf("%s of %s: the error does not stay", name, f)
			}
		}
	}
}

// TestOptionsArePassedOn: every field of the options reaches the run, so that none does nothing.
func TestOptionsArePassedOn(t *testing.T) {
	for _, o := range []any{Options{}, TableOptions{}, MinifyOptions{}, GrepOptions{}} {
		typ := reflect.TypeOf(o)
		for i := range typ.NumField() {
			set := reflect.New(typ).Elem()
			setField(set.Field(i))
			if reflect.DeepEqual(passed(set.Interface()), passed(o)) {
				t.Errorf("%s.%s is not passed on", typ.Name(), typ.Field(i).Name)
			}
		}
	}
}

func setField(f reflect.Value) {
	switch f.Kind() {
	case reflect.String:
		f.SetString("x")
	case reflect.Bool:
		f.SetBool(true)
	case reflect.Int, reflect.Int64:
		f.SetInt(7)
	case reflect.Uint8:
		f.SetUint(1)
	case reflect.Struct:
		setField(f.Field(0)) // of an embedded struct, which is tried by itself
	case reflect.Pointer:
		f.Set(reflect.New(f.Type().Elem()))
	}
}

func passed(o any) []any {
	switch o := o.(type) {
	case Options:
		return []any{o.run()}
	case TableOptions:
		return []any{o.run()}
	case MinifyOptions:
		spec, options := o.run()
		return []any{spec, options}
	case GrepOptions:
		spec, options := o.run()
		return []any{spec, options, o.Names} // each input has a name of its own
	}
	return nil
}

// TestSameConstants: the constants that are handed over as numbers mean the same on both sides.
func TestSameConstants(t *testing.T) {
	for public, internal := range map[any]any{
		Equal: compare.Equal, NotEqual: compare.NotEqual, Less: compare.Less, LessOrEqual: compare.LessEqual,
		Greater: compare.Greater, GreaterOrEqual: compare.GreaterEqual, Between: compare.Between, IsNaN: compare.NaN,
		IsInf: compare.Inf, MalformedFail: table.Fail, MalformedSkip: table.Skip, MalformedKeep: table.Keep,
		TextColumn: table.Text, IntegerColumn: table.Integer, DecimalColumn: table.Decimal, FloatColumn: table.Float,
	} {
		if a, b := reflect.ValueOf(public).Uint(), reflect.ValueOf(internal).Uint(); a != b {
			t.Errorf("%v is %d, and %v is %d", public, a, internal, b)
		}
	}
	for _, c := range []struct{ text, encode uint64 }{{uint64(TextColumn), uint64(encode.Text)},
		{uint64(IntegerColumn), uint64(encode.Integer)}, {uint64(DecimalColumn), uint64(encode.Decimal)},
		{uint64(FloatColumn), uint64(encode.Float)}} {
		if c.text != c.encode {
			t.Errorf("column type %d is %d in the encoders", c.text, c.encode)
		}
	}
	if ByValue != table.ByFirst {
		t.Error("ByValue is not what tables order by")
	}
	for wall, internal := range map[Wall]wall.Wall{WallStorage: wall.Storage, WallKernelCopy: wall.KernelCopy,
		WallPageFaults: wall.PageFaults, WallMemory: wall.Memory, WallKernelFunction: wall.KernelFunction,
		WallSlowInput: wall.SlowInput, WallDecompression: wall.Decompression, WallOutput: wall.Output,
		WallQuota: wall.Quota, WallContention: wall.Contention, WallTooSmall: wall.TooSmall, WallUnclear: wall.Unclear} {
		if string(wall) != string(internal) {
			t.Errorf("wall %s is called %s", wall, internal)
		}
	}
	for engine, internal := range map[Engine]string{EngineAuto: plan.Auto, EnginePread: plan.Pread, EngineMmap: plan.Mmap,
		EngineUring: plan.Uring, EngineStream: plan.Stream, EngineMemory: plan.Memory} {
		if string(engine) != internal {
			t.Errorf("engine %s is called %s", engine, internal)
		}
	}
}

// TestReceiptCoversTheSearch: the time of a receipt ends with the search, in both ways of bytes in
// memory. The visitor's pause is part of it.
func TestReceiptCoversTheSearch(t *testing.T) {
	const pause = 20 * time.Millisecond
	for _, engine := range []Engine{EngineAuto, EnginePread} {
		report, err := Find(background, FromBytes([]byte{0, 1}), NonZero(), Options{Engine: engine}, func([]Hit) error {
			time.Sleep(pause)
			return nil
		})
		r := report.Receipt
		if err != nil || r.Seconds < pause.Seconds() || r.BytesPerSecond > 2/pause.Seconds() || r.Bytes != 2 {
			t.Errorf("engine %s: %+v, %v", engine, r, err)
		}
		if counted, err := Count(background, FromBytes([]byte{0, 1}), NonZero(), Options{Engine: engine}); err != nil || counted.Hits != 1 ||
			counted.Receipt.Seconds <= 0 || counted.Receipt.BytesPerSecond <= 0 {
			t.Errorf("engine %s, count: %+v, %v", engine, counted, err)
		}
	}
}
