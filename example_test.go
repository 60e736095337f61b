package thresh_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing/fstest"
	"time"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/options"
	"github.com/thresh-dev/thresh/question"
	"github.com/thresh-dev/thresh/receipt"
)

const appLog = `2026-01-02T03:04:05Z INFO  req=7f3a9c GET /index.html
2026-01-02T03:04:06Z ERROR req=11aa02 GET /slow
2026-01-02T03:04:07Z INFO  req=7f3a9c GET /style.css
`

// The first byte of a disk image, in memory, that is not zero.
func ExampleFirst() {
	image := make([]byte, 1<<20)
	image[123_456] = 7

	hit, ok, err := thresh.First(context.Background(), thresh.FromBytes(image), thresh.NonZero(), options.Scan{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(ok, hit.Off)
	// Output: true 123456
}

// Hits in the body of an HTTP response, as it arrives. Leaving the loop would end the download.
func ExampleHits() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, appLog) }))
	defer server.Close()

	response, err := http.Get(server.URL)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	in, err := thresh.FromReader(server.URL, response.Body)
	if err != nil {
		log.Fatal(err)
	}
	defer in.Close()
	query, err := thresh.Text("req=7f3a9c")
	if err != nil {
		log.Fatal(err)
	}
	for hit, err := range thresh.Hits(context.Background(), in, query, options.Find{}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(hit.Off, hit.Len)
	}
	// Output:
	// 27 10
	// 129 10
}

func ExampleFind() {
	query, err := thresh.Regexp(`ERROR.*`)
	if err != nil {
		log.Fatal(err)
	}
	in := thresh.FromBytes([]byte(appLog))
	report, err := thresh.Find(context.Background(), in, query, options.Find{}, func(hits []answer.Hit) error {
		for _, h := range hits {
			fmt.Println(appLog[h.Off : h.Off+h.Len])
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Hits, report.Complete)
	// Output:
	// ERROR req=11aa02 GET /slow
	// 1 true
}

// Lines with their numbers, one by one. Leaving the loop ends the search.
func ExampleLines() {
	query, err := thresh.NewLineQuery(question.Lines{Patterns: []string{"ERROR"}})
	if err != nil {
		log.Fatal(err)
	}
	in := thresh.FromBytes([]byte(appLog))
	for line, err := range thresh.Lines(context.Background(), in, query, options.Lines{After: 1}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%d %t %s\n", line.Number, line.Kind == answer.LineSelected, line.Text)
	}
	// Output:
	// 2 true 2026-01-02T03:04:06Z ERROR req=11aa02 GET /slow
	// 3 false 2026-01-02T03:04:07Z INFO  req=7f3a9c GET /style.css
}

// Lines printed as grep prints them.
func ExampleGrep() {
	query, err := thresh.NewLineQuery(question.Lines{Patterns: []string{"req=7f3a9c"}})
	if err != nil {
		log.Fatal(err)
	}
	in := thresh.FromBytes([]byte(appLog))
	report, err := thresh.Grep(context.Background(), in, query, os.Stdout, options.Grep{LineNumbers: true})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Lines, "lines")
	// Output:
	// 1:2026-01-02T03:04:05Z INFO  req=7f3a9c GET /index.html
	// 3:2026-01-02T03:04:07Z INFO  req=7f3a9c GET /style.css
	// 2 lines
}

// The first NaN of each array in a file of weights.
func ExampleOpenTensors() {
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	name := filepath.Join(folder, "weights.npy")
	header := "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"
	content := "\x93NUMPY\x01\x00\x76\x00" + header + strings.Repeat(" ", 117-len(header)) + "\n" +
		strings.Repeat("\x00\x00\x80\x3f", 4) + "\x00\x00\xc0\x7f" + "\x00\x00\x80\x3f"
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		log.Fatal(err)
	}

	file, err := thresh.OpenTensors(name)
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	for _, t := range file.Tensors {
		query, err := thresh.Values(question.Values{Type: t.Type, Conditions: []question.Condition{{Op: question.IsNaN}}})
		if err != nil {
			log.Fatal(err)
		}
		var o options.Scan
		o.Offset, o.Length = t.Range()
		hit, ok, err := thresh.First(context.Background(), t.Input, query, o)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(t.Type, t.Shape, ok, t.Index(hit.Off))
	}
	// Output: f32 [2 3] true [1 1]
}

// Counting with a deadline. What was counted until then is in the report.
func ExampleCount() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()

	report, err := thresh.Count(ctx, thresh.FromBytes([]byte(appLog)), thresh.LineCount(), options.Scan{})
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		fmt.Println("at least", report.Hits)
	case err != nil:
		log.Fatal(err)
	default:
		fmt.Println(report.Hits)
	}
	// Output: 3
}

// How many values of a file of floats are not a number?
func ExampleValues() {
	data := []byte{0, 0, 0x80, 0x3f, 0, 0, 0xc0, 0x7f} // 1, NaN
	query, err := thresh.Values(question.Values{Type: question.Float32, Conditions: []question.Condition{{Op: question.IsNaN}}})
	if err != nil {
		log.Fatal(err)
	}
	report, err := thresh.Count(context.Background(), thresh.FromBytes(data), query, options.Scan{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Hits)
	// Output: 1
}

func ExampleStatistics() {
	query, err := thresh.Statistics(question.Values{Type: question.Uint8})
	if err != nil {
		log.Fatal(err)
	}
	report, err := thresh.Count(context.Background(), thresh.FromBytes([]byte{1, 2, 3, 6}), query, options.Scan{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Stats.N, report.Stats.Min, report.Stats.Max, report.Stats.Sum, report.Stats.Mean)
	// Output: 4 1 6 12 3
}

func ExampleHistogram() {
	query, err := thresh.Histogram(question.Values{Type: question.Uint8}, question.Bins{Width: "10"})
	if err != nil {
		log.Fatal(err)
	}
	report, err := thresh.Count(context.Background(), thresh.FromBytes([]byte{1, 2, 3, 26}), query, options.Scan{})
	if err != nil {
		log.Fatal(err)
	}
	for _, b := range report.Histogram.Bins {
		fmt.Println(b.Low, b.High, b.Count)
	}
	// Output:
	// 0 10 3
	// 10 20 0
	// 20 30 1
}

const orders = "country,amount\nDE,10.50\nFR,3\nDE,2.25\n"

// Answers about a table, in memory.
func ExampleTable() {
	spec := thresh.TableSpec{Dialect: thresh.CSV(), Where: "amount > 1",
		Questions: []thresh.Question{thresh.Groups{Keys: "country", Aggregates: "count,sum(amount)"}}}
	var answers answer.Tables
	_, err := thresh.Table(context.Background(), thresh.FromBytes([]byte(orders)), spec, options.Scan{}, &answers)
	if err != nil {
		log.Fatal(err)
	}
	for _, row := range answers[0].Rows {
		fmt.Printf("%s %d %d\n", row[0].Text, row[1].Int, row[2].Int)
	}
	fmt.Println("sums are times 10 to the", -answers[0].Columns[2].Scale)
	// Output:
	// DE 2 1275
	// FR 1 300
	// sums are times 10 to the -2
}

// The greatest records, of which the first is left out.
func ExampleSelect() {
	ask := thresh.Select{Columns: []string{"country", "amount"}, OrderBy: "amount desc, country", Skip: 1, Limit: 2}
	spec := thresh.TableSpec{Dialect: thresh.CSV(), Questions: []thresh.Question{ask}}
	var answers answer.Tables
	_, err := thresh.Table(context.Background(), thresh.FromBytes([]byte(orders)), spec, options.Scan{}, &answers)
	if err != nil {
		log.Fatal(err)
	}
	for _, row := range answers[0].Rows {
		fmt.Printf("%s %s\n", row[0].Text, row[1].Text)
	}
	// Output:
	// FR 3
	// DE 2.25
}

// A table grouped into an Arrow file.
func ExampleNewWriter() {
	spec := thresh.TableSpec{Dialect: thresh.CSV(),
		Questions: []thresh.Question{thresh.Groups{Keys: "country", Aggregates: "sum(amount)"}}}
	var file bytes.Buffer // or an *os.File
	out, err := thresh.NewWriter(&file, options.Writer{Format: options.FormatArrow, File: true})
	if err != nil {
		log.Fatal(err)
	}
	_, err = thresh.Table(context.Background(), thresh.FromBytes([]byte(orders)), spec, options.Scan{}, out)
	if err := errors.Join(err, out.Close()); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.6s\n", file.Bytes())
	// Output: ARROW1
}

func ExampleMinify() {
	in, err := thresh.FromReader("data.json", strings.NewReader("{ \"a\": [1, 2],\n \"b\": \"x y\" }\n"))
	if err != nil {
		log.Fatal(err)
	}
	report, err := thresh.Minify(context.Background(), in, os.Stdout, options.Minify{Validate: true})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println()
	fmt.Println(report.Written, "bytes")
	// Output:
	// {"a":[1,2],"b":"x y"}
	// 21 bytes
}

func ExampleAppendMinified() {
	fmt.Printf("%s\n", thresh.AppendMinified(nil, []byte(`{ "a": [ 1, 2 ] }`)))
	// Output: {"a":[1,2]}
}

// What held a run back.
func ExampleReceipt() {
	query, err := thresh.Text("ERROR")
	if err != nil {
		log.Fatal(err)
	}
	in := thresh.FromBytes([]byte(appLog))
	report, err := thresh.Count(context.Background(), in, query, options.Scan{Run: options.Run{Receipt: true}})
	if err != nil {
		log.Fatal(err)
	}
	switch r := report.Receipt; r.Wall {
	case receipt.Storage:
		fmt.Println("a faster disk would help;", r.Verdict)
	case receipt.TooSmall:
		fmt.Println(r.Bytes, "bytes are too few to tell")
	default:
		fmt.Println(r.Line())
	}
	// Output: 155 bytes are too few to tell
}

// Many files, of which one cannot be opened.
func ExampleFindAll() {
	folder, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	for _, name := range []string{"a.log", "b.log"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(appLog), 0o600); err != nil {
			log.Fatal(err)
		}
	}
	query, err := thresh.Text("ERROR")
	if err != nil {
		log.Fatal(err)
	}
	names := thresh.Files([]string{folder, filepath.Join(folder, "c.log")}, true)
	_, err = thresh.FindAll(context.Background(), names, query, options.Find{}, thresh.Callbacks{
		Hits: func(name string, hits []answer.Hit) error {
			fmt.Println(filepath.Base(name), hits[0].Off)
			return nil
		},
		Done: func(name string, _ answer.Report, err error) error {
			if err != nil {
				fmt.Println(filepath.Base(name), errors.Is(err, os.ErrNotExist))
			}
			return nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// a.log 75
	// b.log 75
	// c.log true
}

func ExampleCountAll() {
	files := fstest.MapFS{"a.log": {Data: []byte(appLog)}, "b.log": {Data: []byte(appLog)}}
	names := func(yield func(string, error) bool) { _ = yield("a.log", nil) && yield("b.log", nil) }
	total, err := thresh.CountAll(context.Background(), names, thresh.LineCount(), options.Scan{}, thresh.Callbacks{FS: files})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(total.Hits)
	// Output: 6
}

func ExampleTableAll() {
	files := fstest.MapFS{"a.csv": {Data: []byte(orders)}, "b.csv": {Data: []byte(orders)}}
	names := func(yield func(string, error) bool) { _ = yield("a.csv", nil) && yield("b.csv", nil) }
	spec := thresh.TableSpec{Dialect: thresh.CSV(), Questions: []thresh.Question{thresh.TopKeys{Keys: "country", Limit: 1}}}
	out, err := thresh.NewWriter(os.Stdout, options.Writer{Format: options.FormatCSV})
	if err != nil {
		log.Fatal(err)
	}
	_, err = thresh.TableAll(context.Background(), names, spec, options.Scan{}, thresh.Callbacks{FS: files}, out)
	if err := errors.Join(err, out.Close()); err != nil {
		log.Fatal(err)
	}
	// Output:
	// country,count
	// DE,4
}

func ExampleOpenFS() {
	in, err := thresh.OpenFS(fstest.MapFS{"logs/app.log": {Data: []byte(appLog)}}, "logs/app.log")
	if err != nil {
		log.Fatal(err)
	}
	defer in.Close()
	fmt.Println(in.Bytes())
	// Output: 155 true
}

func ExampleExplain() {
	plan, err := thresh.Explain(thresh.FromBytes([]byte(appLog)), thresh.NonZero(), options.Find{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(plan.Lines[0])
	// Output: input:      memory (bytes in memory, 155 bytes)
}

// Errors that can be handled are types and values of the package.
func ExampleQueryError() {
	_, err := thresh.Regexp("a(b")
	var wrong *failure.QueryError
	if errors.As(err, &wrong) {
		fmt.Println(wrong.Text)
	}
	// Output: a(b
}

// Which files of a backup differ from those that it was made of?
func ExampleFolderDifferences() {
	backup, home := filepath.Join(os.TempDir(), "thresh-backup"), filepath.Join(os.TempDir(), "thresh-home")
	defer os.RemoveAll(backup)
	defer os.RemoveAll(home)
	for path, content := range map[string]string{
		filepath.Join(backup, "notes"): "one\n", filepath.Join(home, "notes"): "two\n", filepath.Join(home, "new"): "",
	} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600)); err != nil {
			log.Fatal(err)
		}
	}
	for d, err := range thresh.FolderDifferences(context.Background(), backup, home, options.CompareFolders{}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%c %s\n", d.Kind, d.Path)
	}
	// Output:
	// + new
	// C notes
}
