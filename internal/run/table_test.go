package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/query"
	"github.com/thresh-dev/thresh/internal/table/tabletest"
	"github.com/thresh-dev/thresh/internal/test/rounds"
	"github.com/thresh-dev/thresh/options"
)

// answered keeps the rows of answers as text.
type answered struct {
	columns []answer.Column
	answers [][][]string
}

func (a *answered) Begin(_ string, columns []answer.Column) error {
	a.columns = columns
	a.answers = append(a.answers, nil)
	return nil
}

func (a *answered) Row(cells []answer.Cell) error {
	var row []string
	for i, c := range cells {
		row = append(row, cellText(a.columns[i], c))
	}
	last := len(a.answers) - 1
	a.answers[last] = append(a.answers[last], row)
	return nil
}

func (a *answered) End([]string) error { return nil }

func cellText(column answer.Column, c answer.Cell) string {
	switch {
	case c.Null:
		return tabletest.Null
	case column.Type == answer.ColumnText:
		return string(c.Text)
	case column.Type == answer.ColumnFloat:
		return decimal.FromFloat(c.Float).Text(0)
	}
	n := c.Big
	if n == nil {
		n = big.NewInt(c.Int)
	}
	tens := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(column.Scale)), nil)
	return new(big.Rat).SetFrac(n, tens).FloatString(column.Scale)
}

// asTyped returns a question of the twin as a user asks it.
func asTyped(q tabletest.Question) query.Spec {
	spec := query.Spec{Dialect: query.Dialect{Delim: q.Delim, Quote: q.Quote, Header: q.Header,
		Nulls: q.Nulls, SkipLines: int64(q.Skip)}, Malformed: options.Malformed(q.Malformed)}
	if q.Where != nil {
		spec.Where = q.Where.Text
	}
	for _, ask := range q.Asks {
		to := query.Question{Kind: query.Kind(ask.Kind), Skip: int64(ask.Skip), Limit: int64(ask.Limit)}
		for _, n := range ask.Numbers {
			to.Records = append(to.Records, query.Span{First: n, Last: n})
		}
		for _, c := range ask.Columns {
			to.Columns = append(to.Columns, strconv.Itoa(c))
		}
		to.Keys, to.Aggregates = ask.Lists()
		to.By = ask.Order()
		if ask.Having != nil {
			to.Having = ask.Having.Text
		}
		spec.Questions = append(spec.Questions, to)
	}
	return spec
}

// listed gives names one by one.
func listed(names ...string) func(func(string, error) bool) {
	return func(yield func(string, error) bool) {
		for _, name := range names {
			if !yield(name, nil) {
				return
			}
		}
	}
}

func failing(_ string, _ Report, err error) error { return err }

// TestTablesDependOnNothing asks the twin's questions with engines, sizes of pieces and
// numbers of workers in turn.
func TestTablesDependOnNothing(t *testing.T) {
	cases := tabletest.Corpus()
	var all []tabletest.Case
	for i := 0; i < len(cases); i += rounds.Every(58) {
		all = append(all, cases[i])
	}
	for seed := range rounds.Of(40) {
		all = append(all, tabletest.Random(1e6+uint64(seed)))
	}
	known := engines(t, write(t, []byte("a,b\n")))
	for i, c := range all {
		folder, size := t.TempDir(), 0
		var names []string
		for k, data := range c.Files {
			name := filepath.Join(folder, strconv.Itoa(k))
			if err := os.WriteFile(name, data, 0o600); err != nil {
				t.Fatal(err)
			}
			names = append(names, name)
			size = max(size, len(data))
		}
		want, wantErr := tabletest.Answer(c.Files, c.Question)
		for k, chunk := range []int{0, 1, 7, 4096} {
			if chunk > 0 && size/chunk > 2000 {
				continue
			}
			o := Options{Run: options.Run{ChunkBytes: chunk, Workers: 1 + (i+k)%4, Engine: options.Engine(known[(i+i/5+k)%len(known)])}}
			out := &answered{}
			report, err := TableAll(context.Background(), listed(names...), asTyped(c.Question), o, Callbacks{Done: failing}, out)
			sameTable(t, fmt.Sprintf("%s %+v: %.200q", c.Name, o, c.Files), report, out, err, want, wantErr)
		}
		if t.Failed() {
			return
		}
	}
}

func sameTable(t *testing.T, what string, report answer.TableReport, out *answered, err error,
	want tabletest.Result, wantErr error) {
	t.Helper()
	var problem *failure.Problem
	var malformed *tabletest.Malformed
	var none *failure.NotNumbersError
	switch {
	case wantErr == nil && errors.As(err, &none):
		if !want.NoNumbers[none.Count] && want.Fitting > 0 {
			t.Errorf("%s: %v, want numbers", what, none)
		}
	case err == nil && len(want.NoNumbers) > 0:
		t.Errorf("%s: a column without numbers is no error", what)
	case (err == nil) != (wantErr == nil):
		t.Errorf("%s: error %v, want %v", what, err, wantErr)
	case errors.As(err, &problem) && errors.As(wantErr, &malformed):
		if problem.Line != malformed.Line || problem.Off != malformed.Offset {
			t.Errorf("%s: %v, want %v", what, problem, malformed)
		}
	}
	if err != nil || wantErr != nil {
		return
	}
	if !report.Complete || report.Empty != want.Empty {
		t.Errorf("%s: complete: %v, %d empty lines, want %d", what, report.Complete, report.Empty, want.Empty)
	}
	for i, rows := range want.Answers {
		if got := out.answers[i]; !slices.EqualFunc(got, rows[1:], slices.Equal) {
			t.Errorf("%s: answer %d\n got %.500q\nwant %.500q", what, i, got, rows[1:])
		}
	}
}

// piped writes to a pipe what fill writes, and returns the end to read from.
func piped(t *testing.T, fill func(w io.Writer)) *os.File {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	written := make(chan error, 1)
	go func() {
		fill(w)
		written <- w.Close()
	}()
	t.Cleanup(func() {
		r.Close() // it is closed already, but after a failure
		if err := <-written; err != nil {
			t.Error(err)
		}
	})
	return r
}

// TestTableOfSlowPipe: records that come in drops are those of the whole.
func TestTableOfSlowPipe(t *testing.T) {
	const text = "id,text\n1,\"a\nb\"\n2,c\n3,\"d\"\"\n\n\"\n4,e"
	for _, n := range []int{1, 2, 3, 5, 9, 17} {
		in := piped(t, func(w io.Writer) {
			for rest := text; rest != ""; {
				drop := rest[:min(n, len(rest))]
				rest = rest[len(drop):]
				if _, err := io.WriteString(w, drop); err != nil {
					return
				}
				time.Sleep(time.Duration(n) * 4 * time.Millisecond)
			}
		})
		out := &answered{}
		spec := query.Spec{Dialect: query.Dialect{Delim: ',', Quote: '"', Header: true}, Questions: []query.Question{
			{Kind: query.Rows}, {Kind: query.Nth, Records: []query.Span{{First: 2, Last: 3}, {}}, Columns: []string{"text", "id"}}}}
		_, err := TableAll(context.Background(), listed("-"), spec, Options{}, Callbacks{Stdin: in, Done: failing}, out)
		want := [][][]string{{{"4"}}, {{"2", "d\"\n\n", "3"}, {"3", "e", "4"}, {"0", "a\nb", "1"}}}
		if err != nil || fmt.Sprintf("%q", out.answers) != fmt.Sprintf("%q", want) {
			t.Errorf("drops of %d bytes: %v, got %q, want %q", n, err, out.answers, want)
		}
	}
}

// TestTableOfShrunkFile: of a file that shrank after it was opened, what is left is answered
// for, and the report says that it is not complete.
func TestTableOfShrunkFile(t *testing.T) {
	const line = "ab,\"c\n\"\n" // one record of two lines
	const lines, left = 100_000, 40_001
	data := bytes.Repeat([]byte(line), lines)
	for _, quote := range []byte{'"', 0} {
		name := write(t, data)
		for _, e := range engines(t, name) {
			if err := os.WriteFile(name, data, 0o600); err != nil {
				t.Fatal(err)
			}
			spec := query.Spec{Dialect: query.Dialect{Delim: ',', Quote: quote}, Malformed: options.MalformedKeep,
				Questions: []query.Question{{Kind: query.Rows}, {Kind: query.Group, Keys: "1"}}}
			run, err := newTableRun(spec, Options{Run: options.Run{Engine: options.Engine(e), Workers: 2}})
			if err != nil {
				t.Fatal(err)
			}
			in := open(t, name)
			if err := os.Truncate(name, left*int64(len(line))); err != nil {
				t.Fatal(err)
			}
			out := &answered{}
			err = errors.Join(run.input(context.Background(), in), in.Close(), run.run.Answer(context.Background(), out))
			report, closeErr := run.report(err == nil)
			if err := errors.Join(err, closeErr); err != nil {
				t.Fatal(err)
			}
			want := left
			if quote == 0 {
				want *= 2
			}
			if got := out.answers[0][0][0]; got != strconv.Itoa(want) || report.Complete || len(report.Unread) == 0 {
				t.Errorf("%s, quote %q: %s records, want %d; complete: %v, unread: %v",
					e, quote, got, want, report.Complete, report.Unread)
			}
			if quote == '"' && fmt.Sprint(out.answers[1]) != fmt.Sprintf("[[ab %d]]", want) {
				t.Errorf("%s: groups %q", e, out.answers[1])
			}
		}
	}
}

// TestCancelledTable: a context that ends ends the run, at whatever it is; what has come is
// answered for.
func TestCancelledTable(t *testing.T) {
	spec := query.Spec{Dialect: query.Dialect{Delim: ',', Quote: '"'}, Questions: []query.Question{{Kind: query.Rows}}}
	for _, c := range []struct{ text, want string }{
		{"", "0"}, {"half a rec", "0"}, {"1,2\n3,4\n5,", "2"}, {strings.Repeat("1,2\n", 70_000) + "3,\"", "70000"},
	} {
		ctx, cancel := context.WithCancel(context.Background())
		in := piped(t, func(w io.Writer) {
			if _, err := io.WriteString(w, c.text); err != nil {
				t.Error(err)
			}
			time.Sleep(400 * time.Millisecond) // the first records are waited for before
			cancel()
			<-ctx.Done()
			time.Sleep(100 * time.Millisecond)
		})
		out := &answered{}
		report, err := TableAll(ctx, listed("-"), spec, Options{}, Callbacks{Stdin: in, Done: failing}, out)
		if !errors.Is(err, context.Canceled) || report.Complete || fmt.Sprint(out.answers) != "[[["+c.want+"]]]" {
			t.Errorf("%.20q: %v, complete: %v, %v, want %s", c.text, err, report.Complete, out.answers, c.want)
		}
	}
}

// TestLongRecord: of a record of 100 MB only what is asked for is kept.
func TestLongRecord(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 200 MB")
	}
	const parts = 100
	part := bytes.Repeat([]byte("long, \"\"and\"\" \nlonger\n"), 1_000_000/22+1)
	fill := func(w io.Writer) {
		io.WriteString(w, "1,a,2\n7,\"")
		for range parts {
			if _, err := w.Write(part); err != nil {
				return
			}
		}
		io.WriteString(w, "\",8\n5,b,6\n")
	}
	var data bytes.Buffer
	fill(&data)
	name := write(t, data.Bytes())
	spec := query.Spec{Dialect: query.Dialect{Delim: ',', Quote: '"'},
		Questions: []query.Question{{Kind: query.Group, Keys: "1", Aggregates: "sum(3)"}}}
	for _, from := range []string{name, "-"} {
		v := Callbacks{Done: failing}
		if from == "-" {
			v.Stdin = piped(t, fill)
		}
		out := &answered{}
		_, err := TableAll(context.Background(), listed(from), spec, Options{Run: options.Run{MemoryBytes: 64 << 20}}, v, out)
		if want := "[[[1 2] [5 6] [7 8]]]"; err != nil || fmt.Sprint(out.answers) != want {
			t.Errorf("%s: %v, %.200v, want %s", from, err, out.answers, want)
		}
	}
	spec.Questions[0].Keys = "2"
	_, err := TableAll(context.Background(), listed(name), spec, Options{Run: options.Run{MemoryBytes: 64 << 20}}, Callbacks{Done: failing}, &answered{})
	if err == nil || !strings.Contains(err.Error(), "the record at byte 6: field 2 is longer than") {
		t.Errorf("a key of 100 MB: %v", err)
	}
}

// TestTableOfManyFiles: thousands of files below folders are one table, whose descriptors are
// all given back.
func TestTableOfManyFiles(t *testing.T) {
	folder := t.TempDir()
	const files = 3000
	want := map[string]int{}
	for i := range files {
		if i%500 == 0 {
			if err := os.Mkdir(filepath.Join(folder, fmt.Sprint(i/500)), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		text := "key,n\n"
		for k := range i % 4 {
			text += fmt.Sprintf("k%d,%d\n", k, i)
			want[fmt.Sprint("k", k)] += i
		}
		name := filepath.Join(folder, fmt.Sprint(i/500), fmt.Sprintf("%05d", i))
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	spec := query.Spec{Dialect: query.Dialect{Delim: ',', Header: true},
		Questions: []query.Question{{Kind: query.Group, Keys: "key", Aggregates: "sum(n)"}}}
	before := descriptors()
	for _, workers := range []int{0, 1, 3} {
		out := &answered{}
		report, err := TableAll(context.Background(), source.Expand([]string{folder}, true), spec, Options{Run: options.Run{Workers: workers}},
			Callbacks{Done: failing}, out)
		var text []string
		for k := range 3 {
			text = append(text, fmt.Sprintf("[k%d %d]", k, want[fmt.Sprint("k", k)]))
		}
		if got := fmt.Sprint(out.answers); err != nil || !report.Complete || got != "[["+strings.Join(text, " ")+"]]" {
			t.Errorf("%d workers: %v, complete: %v, got %s, want %s", workers, err, report.Complete, got, text)
		}
	}
	bad := spec
	bad.Questions = []query.Question{{Kind: query.Group, Keys: "nobody"}}
	if _, err := TableAll(context.Background(), source.Expand([]string{folder}, true), bad, Options{}, Callbacks{Done: failing},
		&answered{}); err == nil {
		t.Error("a column that is not there was found")
	}
	if after := descriptors(); after != before {
		t.Errorf("%d descriptors are open, %d were", after, before)
	}
}

// TestTableOfLongHeader: a header may be longer than what is looked at first.
func TestTableOfLongHeader(t *testing.T) {
	header := strings.Repeat("x", 200_000)
	data := []byte(header + ",n\na,1\nb,2\n")
	spec := query.Spec{Dialect: query.Dialect{Delim: ',', Quote: '"', Header: true},
		Questions: []query.Question{{Kind: query.Group, Keys: header, Aggregates: "sum(n)"}}}
	for _, from := range []string{write(t, data), "-"} {
		v := Callbacks{Done: failing}
		if from == "-" {
			v.Stdin = piped(t, func(w io.Writer) {
				if _, err := w.Write(data); err != nil {
					t.Error(err)
				}
			})
		}
		out := &answered{}
		_, err := TableAll(context.Background(), listed(from), spec, Options{}, v, out)
		if err != nil || fmt.Sprint(out.answers) != "[[[a 1] [b 2]]]" {
			t.Errorf("%s: %.300v, %.300v", from, err, out.answers)
		}
	}
}

// descriptors returns how many are open, 0 where the system does not tell.
func descriptors() int {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(entries)
}
