package arguments

import (
	"context"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/options"
	"github.com/thresh-dev/thresh/question"
	"github.com/thresh-dev/thresh/receipt"
)

const text = "k,v\nhello,1\nworld,2\n"

// object is an object of another machine, in memory.
type object struct{ *strings.Reader }

func (object) Name() string { return "object" }

func (o object) Bytes() int64 { return o.Size() }

func (o object) ReadRange(_ context.Context, off, end int64) io.ReadCloser {
	return io.NopCloser(io.NewSectionReader(o, off, end-off))
}

func (object) Traffic() (time.Duration, int64) { return 0, 0 }

func (object) Close() error { return nil }

func newObject() object { return object{strings.NewReader(text)} }

func newInput() *thresh.Input { return thresh.FromBytes([]byte(text)) }

// must returns a value that can be made.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err.Error())
	}
	return v
}

func args(all ...any) func() []any { return func() []any { return all } }

// fileOf returns an open file.
func fileOf(t *testing.T) *os.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file.csv")
	f, err := os.Create(path)
	if err == nil {
		_, err = f.WriteString(text)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// names yields the name of the only file of the callbacks' file system.
func names(yield func(string, error) bool) { yield("a.csv", nil) }

func callbacks() thresh.Callbacks {
	return thresh.Callbacks{
		FS:   fstest.MapFS{"a.csv": {Data: []byte(text)}},
		Hits: func(string, []answer.Hit) error { return nil },
		Done: func(_ string, _ answer.Report, err error) error { return err },
	}
}

func foldersOf(t *testing.T, ctx context.Context, more ...any) func() []any {
	a, b := t.TempDir(), t.TempDir()
	return func() []any { return append([]any{ctx, a, b}, more...) }
}

func libraryRows(t *testing.T) []row {
	ctx, f := context.Background(), fileOf(t)
	query, lines := must(thresh.Text("l")), must(thresh.NewLineQuery(question.Lines{Patterns: []string{"l"}}))
	spec := thresh.TableSpec{Dialect: thresh.CSV(), Questions: []thresh.Question{thresh.RecordCount{}}}
	column := question.Values{Type: question.Int16, Conditions: []question.Condition{{Value: "1"}}}
	info := must(f.Stat())
	seq := iter.Seq2[string, error](names)
	asked := func(more ...any) func() []any { // in is new for each call
		return func() []any { return append([]any{ctx, newInput()}, more...) }
	}
	explained := func(more ...any) func() []any { return func() []any { return append([]any{newInput()}, more...) } }
	compared := func(ctx context.Context, more ...any) func() []any {
		return func() []any { return append([]any{ctx, newInput(), newInput()}, more...) }
	}
	writer := func() *thresh.Writer {
		w := must(thresh.NewWriter(io.Discard, options.Writer{Format: options.FormatCSV}))
		return w
	}
	begun := func() *thresh.Writer {
		w := writer()
		must(0, w.Begin("", []answer.Column{{Name: "a"}}))
		return w
	}
	visit := func([]answer.Hit) error { return nil }
	visitNames := func([]answer.FolderDifference) error { return nil }
	done := func(_ string, _ answer.GrepReport, err error) error { return err }
	tensor := &thresh.Tensor{ItemBytes: 2, Shape: []int64{2, 3}, Offset: 8}
	answers := &answer.Tables{}
	grepOptions := options.Grep{Lines: options.Lines{Times: nil, Max: new(int64(5))}}
	const statement = "select count(*) from 'a.csv'"
	sqlOptions := thresh.SQLOptions{Callbacks: callbacks()}
	writerOf := func(int) (answer.Writer, error) { return new(answer.Tables), nil }
	return []row{
		{"thresh.Open", thresh.Open, args(f.Name(), thresh.Raw), ""},
		{"thresh.ParseSQL", thresh.ParseSQL, args(statement), ""},
		{"thresh.SQL", thresh.SQL, args(ctx, statement, sqlOptions, answers), ""},
		{"thresh.SQLAll", sqlAll, args(ctx, must(thresh.ParseSQL(statement)), sqlOptions, writerOf), "statements"},
		{"thresh.Statement.Run", must(thresh.ParseSQL(statement))[0].Run, args(ctx, sqlOptions, answers), ""},
		{"thresh.Statement.Plan", must(thresh.ParseSQL(statement))[0].Plan, args(ctx, sqlOptions), ""},
		{"thresh.OpenFS", thresh.OpenFS, args(fs.FS(callbacks().FS), "a.csv", thresh.Raw), ""},
		{"thresh.FromFile", thresh.FromFile, args("f", f, thresh.Raw), ""},
		{"thresh.FromReader", thresh.FromReader, args("r", strings.NewReader(text), thresh.Raw), ""},
		{"thresh.FromReaderAt", fromReaderAt, args("r", strings.NewReader(text), int64(len(text)), thresh.Raw), ""},
		{"thresh.FromBytes", thresh.FromBytes, args([]byte(text)), ""},
		{"thresh.FromObject", thresh.FromObject, args(newObject(), thresh.Raw), ""},
		{"thresh.FromArchive", thresh.FromArchive, args(newObject(), "member"), ""},
		{"thresh.OpenTensors", thresh.OpenTensors, args(f.Name()), ""},
		{"thresh.TensorsOf", thresh.TensorsOf, args(newObject(), "one"), ""},
		{"thresh.IsRemote", thresh.IsRemote, args("s3://a/b"), ""},
		{"thresh.Input.IsFile", newInput().IsFile, args(info), "info"},
		{"thresh.Input.ReadAt", newInput().ReadAt, args(make([]byte, 3), int64(1)), ""},
		{"thresh.Input.Head", newInput().Head, args(ctx, 3, time.Second), "patience"},
		{"thresh.Input.Line", newInput().Line, args(answer.Hit{Off: 1, Len: 1}), "h.Off h.Len"},
		{"thresh.Input.ReadSome", newInput().ReadSome, args(make([]byte, 3), int64(1)), ""},
		{"thresh.Input.ReadAt", new(thresh.Input).ReadAt, args(make([]byte, 3), int64(1)), "off"},

		{"thresh.Text", thresh.Text, args("a"), ""},
		{"thresh.Hex", thresh.Hex, args("7f"), ""},
		{"thresh.Any", thresh.Any, args(question.Literals{Texts: []string{"a"}}), ""},
		{"thresh.Regexp", thresh.Regexp, args("a", "b"), ""},
		{"thresh.Rows", thresh.Rows, args(byte(',')), ""},
		{"thresh.Values", thresh.Values, args(column), ""},
		{"thresh.Statistics", thresh.Statistics, args(column), ""},
		{"thresh.Histogram", thresh.Histogram, args(column, question.Bins{Number: 5, Low: "0", High: "9"}), ""},
		{"thresh.ParseValueType", thresh.ParseValueType, args("i8"), ""},
		{"thresh.NewLineQuery", thresh.NewLineQuery, args(question.Lines{Patterns: []string{"a"}}), ""},

		{"thresh.Find", thresh.Find, asked(query, options.Find{}, visit), ""},
		{"thresh.Hits", thresh.Hits, asked(query, options.Find{}), ""},
		{"thresh.Lines", thresh.Lines, asked(lines, options.Lines{Max: new(int64(5))}), ""},
		{"thresh.Follow", thresh.Follow, args(ctx, f.Name(), options.Follow{Last: 1, Note: func(string) {}}), "o.Note"},
		{"thresh.First", thresh.First, asked(query, options.Scan{}), ""},
		{"thresh.Count", thresh.Count, asked(query, options.Scan{}), ""},
		{"thresh.Count", thresh.Count, func() []any {
			return []any{ctx, must(thresh.FromFile(f.Name(), f)), query, options.Scan{Run: options.Run{Receipt: true}}}
		}, ""},
		{"thresh.Compare", thresh.Compare, compared(ctx, options.Compare{}, visit), "o.Offset o.Other"},
		{"thresh.Differences", thresh.Differences, compared(ctx, options.Compare{}), "o.Offset o.Other"},
		{"thresh.ExplainCompare", thresh.ExplainCompare, func() []any { return []any{newInput(), newInput(), options.Compare{}} }, ""},
		{"thresh.CompareFolders", thresh.CompareFolders, foldersOf(t, ctx, options.CompareFolders{}, visitNames), ""},
		{"thresh.FolderDifferences", thresh.FolderDifferences, foldersOf(t, ctx, options.CompareFolders{}), ""},
		{"thresh.FindAll", thresh.FindAll, args(ctx, seq, query, options.Find{}, callbacks()), ""},
		{"thresh.CountAll", thresh.CountAll, args(ctx, seq, query, options.Scan{}, callbacks()), ""},
		{"thresh.Explain", thresh.Explain, explained(query, options.Find{}), ""},
		{"thresh.ExplainCount", thresh.ExplainCount, explained(query, options.Scan{}), ""},
		{"thresh.ExplainGrep", thresh.ExplainGrep, explained(lines, grepOptions), ""},
		{"thresh.ExplainMinify", thresh.ExplainMinify, explained(options.Minify{}), ""},
		{"thresh.ExplainTable", thresh.ExplainTable, explained(spec, options.Scan{}), ""},
		{"thresh.Grep", thresh.Grep, asked(lines, io.Discard, grepOptions), ""},
		{"thresh.GrepAll", thresh.GrepAll, args(ctx, seq, lines, io.Discard, grepOptions, callbacks(), done), ""},
		{"thresh.ParseTime", thresh.ParseTime, args("now", options.LogTimes{}, time.Now()), ""},
		{"thresh.AddZone", thresh.AddZone, args(new(options.LogTimes), "CEST=+02:00"), ""},
		{"thresh.Minify", thresh.Minify, asked(io.Discard, options.Minify{Validate: false}), ""},
		{"thresh.AppendMinified", thresh.AppendMinified, args([]byte{}, []byte(text)), ""},
		{"thresh.AppendMinifiedParallel", thresh.AppendMinifiedParallel, args([]byte{}, []byte(text), 2), "workers"},
		{"thresh.Table", thresh.Table, asked(spec, options.Scan{}, answers), ""},
		{"thresh.TableAll", thresh.TableAll, args(ctx, seq, spec, options.Scan{}, callbacks(), answers), ""},

		{"answer.Tables.Begin", answers.Begin, args("", []answer.Column{}), ""},
		{"answer.Tables.Row", new(answer.Tables).Row, args([]answer.Cell{}), ""},
		{"answer.Tables.End", new(answer.Tables).End, args([]string{}), ""},
		{"thresh.FormatOf", thresh.FormatOf, args("a.csv"), ""},
		{"thresh.NewWriter", thresh.NewWriter, args(io.Discard, options.Writer{Format: options.FormatCSV}), ""},
		{"thresh.Writer.Begin", writer().Begin, args("", []answer.Column{{Name: "a"}}), ""},
		{"thresh.Writer.Row", begun().Row, args([]answer.Cell{{}}), ""},
		{"thresh.Writer.End", begun().End, args([]string{}), ""},
		{"thresh.Writer.Begin", new(thresh.Writer).Begin, args("", []answer.Column{{Name: "a"}}), ""},

		{"thresh.Files", thresh.Files, args([]string{f.Name()}, false), ""},
		{"receipt.Receipt.Add", new(receipt.Receipt).Add, args(receipt.Receipt{}), carried},
		{"receipt.Receipt.Divide", new(receipt.Receipt).Divide, args(1.0, []receipt.Part{{Wall: receipt.Work, Share: 1}}), carried},
		{"receipt.Receipt.Spend", new(receipt.Receipt).Spend, args(1.0, receipt.Part{Wall: receipt.Work, Share: 1}), carried},
		{"receipt.Receipt.Bar", receipt.Receipt{}.Bar, args(10, "#"), carried},
		{"receipt.Receipt.Use", new(receipt.Receipt).Use, args(receipt.EngineUse{Engine: "mmap"}), carried},
		{"thresh.QuoteColumn", thresh.QuoteColumn, args("a"), ""},
		{"thresh.QuoteText", thresh.QuoteText, args("a"), ""},
		{"thresh.TableSpec.SQL", spec.SQL, args([]string{"a.csv"}), "files"},
		{"thresh.KeyColumns", thresh.KeyColumns, args([]string{"a"}), carried},
		{"thresh.Aggregates", func(name string) string {
			return thresh.Aggregates(thresh.Aggregate{Function: name})
		}, args("count"), ""},
		{"answer.Table.Scan", (&answer.Table{Rows: [][]answer.Cell{{}}}).Scan, args(0, new(struct{})), ""},
		{"answer.Column.AppendText", new(answer.Column).AppendText, args([]byte{}, &answer.Cell{}), "b, cell"}, // nil appends nothing
		{"answer.ScanRows", answer.ScanRows[struct{}], args(&answer.Table{}), ""},
		{"thresh.Tensor.Index", tensor.Index, args(int64(10)), "off"}, // it says nil
		{"thresh.Tensor.Index", (&thresh.Tensor{ItemBytes: 1, Shape: []int64{0, 3}}).Index, args(int64(0)), "off"},
		{"thresh.Tensor.Index", new(thresh.Tensor).Index, args(int64(0)), "off"},
	}
}

// sqlAll also answers the statements.
func sqlAll(ctx context.Context, statements []*thresh.Statement, o thresh.SQLOptions,
	out func(int) (answer.Writer, error)) (err error) {
	for _, err = range thresh.SQLAll(ctx, statements, o, out) {
		if err != nil {
			return err
		}
	}
	return err
}

// fromReaderAt also reads what it opens: a huge size must not take for ever.
func fromReaderAt(name string, r io.ReaderAt, size int64, how ...thresh.InputOption) error {
	in, err := thresh.FromReaderAt(name, r, size, how...)
	if err == nil {
		_, err = thresh.Count(context.Background(), in, thresh.LineCount(), options.Scan{})
	}
	return err
}
