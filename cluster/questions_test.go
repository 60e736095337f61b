package cluster

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/run"
	"github.com/thresh-dev/thresh/internal/search/grep"
	"github.com/thresh-dev/thresh/internal/table/query"
	"github.com/thresh-dev/thresh/options"
	"github.com/thresh-dev/thresh/question"
	"github.com/thresh-dev/thresh/receipt"
)

// asked is a question about some files, seeded.
type asked struct {
	Verb  Verb
	limit int64 // of Find
	ask   run.Asked
	lines question.Lines
	print grep.Options
	spec  query.Spec
	files []string
}

// questionsAll is how many questions there are. Tests ask fewer if they would take too long.
const questionsAll = 200

// questions returns n questions about files in a folder, which it makes. The same seed makes the same.
func questions(t testing.TB, folder string, n int) (all []asked) {
	t.Helper()
	r := rand.New(rand.NewPCG(17, 2026))
	for name, content := range map[string][]byte{
		"app.log": logText(r, 2500), "long.log": longLines(r), "aaa.txt": bytes.Repeat([]byte("aabaaa\n\naaaa"), 3000),
		"i32.bin": ints(r, 30001), "f64.bin": floats(r, 20000), "f64-2.bin": floats(r, 3000), "empty": nil,
		"orders.csv": orders(r, 3000, true), "more.csv": orders(r, 500, true), "plain.csv": orders(r, 3000, false),
		"binary.log": append(logText(r, 500), logText(r, 900)[:9000]...),
		"one.csv":    []byte("id,country,amount,note\n1,DE,2.5,x\n"), "zeros.bin": make([]byte, 100_001),
	} {
		if name == "binary.log" {
			content[17_000] = 0
		}
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	kinds := []func(*rand.Rand) asked{countText, countColumn, countRecords, findText, findColumn, grepLines, tableGroups, tableGroups}
	for i := range n {
		q := kinds[i%len(kinds)](r)
		for j, name := range q.files {
			q.files[j] = filepath.Join(folder, name)
		}
		all = append(all, q)
	}
	return all
}

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

func some(r *rand.Rand, of ...string) (few []string) {
	for _, s := range of {
		if r.IntN(2) == 0 {
			few = append(few, s)
		}
	}
	if len(few) == 0 {
		few = append(few, of[r.IntN(len(of))])
	}
	return few
}

func texts(r *rand.Rand) run.Asked {
	l := &question.Literals{}
	switch r.IntN(4) {
	case 0:
		l.Texts = []string{pick(r, "aa", "ERROR", "a", "aaa\n", "\n\n", "nowhere", "user=7", "\x00\x00\x00", "\xbd")}
	case 1:
		l.Texts, l.IgnoreCase = some(r, "error", "aab", "abaaa", "user=1", "user=12", "\na"), r.IntN(2) == 0
	case 2:
		l.Hex = []string{pick(r, "61 ?? 61", "0A", "00 00", "FF ?F", "61 61 61 61")}
	default:
		return run.Asked{Kind: "regexps", Regexps: some(r, "ER+OR", "user=[0-9]{2}", "^a+b", "a*$", "status=5..")}
	}
	return run.Asked{Kind: "any", Literals: *l}
}

func countText(r *rand.Rand) asked {
	return asked{Verb: Count, ask: texts(r), files: some(r, "app.log", "long.log", "aaa.txt", "empty", "zeros.bin")}
}

func column(r *rand.Rand) (question.Values, string) {
	kind := pick(r, "i32", "u8", "i16be", "f64", "f32", "i64", "f16", "bf16", "f8e4m3")
	file := pick(r, "i32.bin", "zeros.bin")
	if kind == "f64" || kind == "f32" {
		file = pick(r, "f64.bin", "f64-2.bin")
	}
	return question.Values{Type: question.ValueType(kind), Stride: pick[int64](r, 0, 0, 3, 12)}, file
}

func conditions(r *rand.Rand) []question.Condition {
	return []question.Condition{{Op: pick(r, question.Equal, question.NotEqual, question.Less, question.GreaterOrEqual),
		Value: pick(r, "0", "10", "1")}}
}

func countColumn(r *rand.Rand) asked {
	c, file := column(r)
	q := asked{Verb: Count, ask: run.Asked{Kind: "histogram", Values: c, Bins: question.Bins{Width: "1000000"}}, files: []string{file}}
	switch r.IntN(3) {
	case 0:
		q.ask.Kind, q.ask.Values.Conditions = "values", conditions(r)
	case 1:
		q.ask.Kind = "stats"
		if r.IntN(2) == 0 {
			q.ask.Values.Conditions = conditions(r)
		}
		if c.Type == "f64" {
			q.files = []string{"f64.bin", "f64-2.bin"}
		}
	default:
		if c.Type == "i64" {
			q.ask.Bins.Width = "100000000000000"
		} else if c.Type == "u8" || c.Type == "i16be" {
			q.ask.Bins = question.Bins{}
		} else if c.Type[0] == 'f' || c.Type[0] == 'b' {
			q.ask.Bins = question.Bins{Number: 20, Low: "-100", High: "100"}
		}
	}
	return q
}

func countRecords(r *rand.Rand) asked {
	return asked{Verb: Count, ask: run.Asked{Kind: pick(r, "nonzero", "rows", "rows", "rows", "lines", "words", "chars", "sizes"), Delim: ','},
		files: some(r, "orders.csv", "plain.csv", "more.csv", "long.log", "empty")}
}

func findText(r *rand.Rand) asked {
	q := countText(r)
	q.Verb, q.limit = Find, pick[int64](r, 0, 1, 3)
	return q
}

func findColumn(r *rand.Rand) asked {
	c, file := column(r)
	c.Conditions = conditions(r)
	return asked{Verb: Find, ask: run.Asked{Kind: "values", Values: c}, limit: pick[int64](r, 0, 1, 3), files: []string{file}}
}

func grepLines(r *rand.Rand) asked {
	q := asked{Verb: Grep, files: some(r, "app.log", "long.log", "aaa.txt", "plain.csv", "empty", "binary.log")}
	q.lines = question.Lines{Patterns: some(r, "ERROR", "user=1.*5$", "aab", "x{5}", "^$", "last"), IgnoreCase: r.IntN(3) == 0, Word: r.IntN(5) == 0}
	o := &q.print
	o.Mode = pick(r, grep.Print, grep.Print, grep.Print, grep.Count, grep.Any, grep.Each)
	o.Max, o.Invert, o.Text = pick[int64](r, -1, -1, -1, 0, 3), r.IntN(5) == 0, r.IntN(3) == 0
	o.Numbers, o.Offsets, o.Only, o.Color = r.IntN(3) == 0, r.IntN(3) == 0, r.IntN(4) == 0, r.IntN(6) == 0
	if r.IntN(2) == 0 {
		o.Name = "name" // any
	}
	if o.JSON = r.IntN(5) == 0; o.JSON {
		o.Name, o.Only = "name", false
	}
	if r.IntN(2) == 0 && !o.Only {
		o.Before, o.After = r.IntN(4), r.IntN(4)
	}
	if o.Mode == grep.Each {
		o.Invert, o.Max = false, -1
	}
	return q
}

func tableGroups(r *rand.Rand) asked {
	spec := query.Spec{Dialect: query.Dialect{Delim: ',', Quote: '"', Header: true}, Malformed: options.MalformedSkip}
	files := pick(r, []string{"orders.csv", "more.csv"}, []string{"orders.csv"}, []string{"empty", "more.csv", "orders.csv"},
		[]string{"plain.csv"}, []string{"one.csv", "orders.csv"})
	if files[0] == "plain.csv" && r.IntN(2) == 0 {
		spec.Dialect.Quote = 0
	}
	if r.IntN(3) == 0 {
		spec.Where = pick(r, `country = "DE"`, `amount > 100`, `note ~ 'line' or country != "FR"`)
	}
	spec.Malformed = pick(r, options.MalformedSkip, options.MalformedKeep, options.MalformedFail)
	for range 1 + r.IntN(3) {
		ask := query.Question{Kind: query.Group, Keys: pick(r, "", "country", "country,id[:1]", "note", "id"),
			Aggregates: strings.Join(some(r, "count", "sum(amount)", "min(amount)", "max(amount)", "mean(amount)", "distinct(note)",
				"p50(amount)", "p99.9(amount)", "distinct(country)", "p10(id)", "approx_distinct(note)"), ",")}
		switch r.IntN(4) {
		case 0:
			ask = query.Question{Kind: query.Rows}
		case 1:
			ask = query.Question{Kind: query.Top, Keys: pick(r, "country", "note", "amount"), Limit: 7}
		case 2:
			ask.By, ask.Limit = query.ByFirst, 5
		}
		spec.Questions = append(spec.Questions, ask)
	}
	return asked{Verb: Table, spec: spec, files: append([]string(nil), files...)}
}

func logText(r *rand.Rand, lines int) []byte {
	var b bytes.Buffer
	for i := range lines {
		fmt.Fprintf(&b, "2026-11-23T10:%02d:%02d %s user=%d status=%d %s\n", i/60%60, i%60, pick(r, "INFO", "ERROR", "warn"),
			r.IntN(150), 200+100*r.IntN(4), strings.Repeat("x", r.IntN(20)))
	}
	b.WriteString("the last line has no end ERROR")
	return b.Bytes()
}

// longLines has lines longer than cells, and none at all for a while.
func longLines(r *rand.Rand) []byte {
	var b bytes.Buffer
	for i := range 12 {
		b.WriteString(strings.Repeat(pick(r, "aab ", "xxxxxx ERROR ", "Zwölf 色は匂へど\u2003", "user=12 "), 1+r.IntN(3000)))
		if i != 5 {
			b.WriteByte('\n')
		}
	}
	return b.Bytes()
}

func ints(r *rand.Rand, n int) (b []byte) {
	for range n {
		v := uint32(r.Uint32())
		if r.IntN(3) > 0 {
			v = uint32(r.IntN(20))
		}
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return append(b, 1, 2, 3)
}

func floats(r *rand.Rand, n int) (b []byte) {
	for range n {
		v := r.NormFloat64() * math.Pow(10, float64(r.IntN(30)-10))
		if r.IntN(500) == 0 {
			v = math.NaN()
		}
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return b
}

func orders(r *rand.Rand, n int, quoted bool) []byte {
	var b bytes.Buffer
	b.WriteString("id,country,amount,note\n")
	for i := range n {
		amount := fmt.Sprintf("%d.%0*d", r.IntN(1000)-100, 1+r.IntN(3), r.IntN(10))
		switch r.IntN(40) {
		case 0:
			amount = "unknown"
		case 1:
			amount = ""
		case 2:
			amount = "12345678901234567890.123456789"
		}
		note := pick(r, "a", "bb", "", "ccc") + fmt.Sprint(r.IntN(200))
		if quoted && r.IntN(3) == 0 {
			note = `"` + note + strings.Repeat("\nline, with \"\"quotes\"\"", r.IntN(3)) + `"`
		}
		if quoted && r.IntN(400) == 0 {
			note = `"` + strings.Repeat("a long field\n,", 1000) + `"`
		}
		fmt.Fprintf(&b, "%d,%s,%s,%s\n", i, pick(r, "DE", "FR", "US", "", "Österreich"), amount, note)
		if r.IntN(900) == 0 {
			b.WriteString("malformed,record\n")
		}
	}
	return b.Bytes()
}

// text returns what is printed about a question, and the report. The context says who answers it.
func (q asked) text(t testing.TB, ctx context.Context) string {
	t.Helper()
	var b strings.Builder
	var reports strings.Builder // of lines, which may be printed before the reports about inputs before them
	done := func(name string, r run.Report, err error) error {
		if q.Verb == Find { // how far it was searched depends on luck
			r.Bytes = 0
		}
		fmt.Fprintln(&b, filepath.Base(name), reportText(r, err))
		return nil
	}
	v := run.Callbacks{Done: done, Hits: func(name string, hits []answer.Hit) error {
		for _, h := range hits {
			fmt.Fprintln(&b, filepath.Base(name), h)
		}
		return nil
	}}
	names := source.Expand(q.files, false)
	var err error
	switch q.Verb {
	case Count, Find:
		compiled, queryErr := q.ask.Query()
		if queryErr != nil {
			t.Fatal(queryErr)
		}
		var total run.Report
		if q.Verb == Find {
			total, err = run.FindAll(ctx, names, compiled, run.Options{Limit: q.limit}, v)
		} else {
			total, err = run.CountAll(ctx, names, compiled, run.Options{}, v)
		}
		fmt.Fprintln(&b, reportText(total, nil))
	case Grep:
		compiled, queryErr := grep.Compile(q.lines)
		if queryErr != nil {
			t.Fatal(queryErr)
		}
		_, err = run.GrepAll(ctx, names, compiled, &b, q.print, run.Options{}, v, func(name string, r answer.GrepReport, err error) error {
			fmt.Fprintln(&reports, r.Lines, r.Counts, r.Binary, err)
			return nil
		})
	case Table:
		v.Done = func(_ string, _ run.Report, err error) error { return err }
		var report answer.TableReport
		report, err = run.TableAll(ctx, names, q.spec, run.Options{}, v, textTable{&b})
		if !isRecorded(err) {
			return tableText(&b, report, err)
		}
	}
	if err != nil && !isRecorded(err) {
		t.Fatal(err)
	}
	return elapsed.ReplaceAllString(b.String()+reports.String(), "")
}

// elapsed is what differs between two answers in JSON: times, and how much was searched when it was known to suffice.
var elapsed = regexp.MustCompile(`"elapsed":\{[^}]*\},|"bytes_(searched|printed)":[0-9]+,`)

// errRecorded ends a question that was only recorded.
var errRecorded = errors.New("recorded")

func isRecorded(err error) bool { return errors.Is(err, errRecorded) }

// answered returns the answers to questions by one job, as the library asks them.
func answered(t testing.TB, j *Job, batch []asked) (texts []string, receipts []Receipt) {
	t.Helper()
	var all []Asked
	record := &Executor{Job: j, answer: func(_ context.Context, _ *Job, a Asked) (*Answer, error) {
		all = append(all, a)
		return nil, errRecorded
	}}
	for _, q := range batch {
		q.text(t, run.With(t.Context(), record))
	}
	answers, err := j.AskAll(t.Context(), all)
	if err != nil {
		t.Fatalf("%+v: %v", batch, err)
	}
	for i, q := range batch {
		replay := &Executor{Job: j, answer: func(context.Context, *Job, Asked) (*Answer, error) { return answers[i], nil }}
		texts = append(texts, q.text(t, run.With(t.Context(), replay)))
		if receipts = append(receipts, answers[i].Receipt); receipts[i].Cells == 0 {
			t.Errorf("%+v: no cell was scanned", q)
		}
	}
	return texts, receipts
}

// askAll answers questions with one job, and compares with the library. It returns the receipts.
func askAll(t testing.TB, j *Job, batch []asked) []Receipt {
	t.Helper()
	texts, receipts := answered(t, j, batch)
	for i, q := range batch {
		if got, want := texts[i], q.text(t, t.Context()); got != want {
			same := 0
			for same < min(len(got), len(want)) && got[same] == want[same] {
				same++
			}
			t.Errorf("cells of %d bytes: %+v\nafter %d bytes: got  %.500s\nwant %.500s", j.Options.CellBytes, q, same, got[same:], want[same:])
		}
	}
	return receipts
}

// newJob returns a job with cells of a size.
func newJob(t testing.TB, r *Runner, o Options) *Job {
	t.Helper()
	j, err := NewJob(r, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(j.Close)
	return j
}

func reportText(r run.Report, err error) string {
	text := fmt.Sprint(r.Hits, err)
	if r.Stats != nil {
		text += fmt.Sprintf(" %+v", *r.Stats)
	}
	if r.Histogram != nil {
		text += fmt.Sprintf(" %+v", *r.Histogram)
	}
	if r.Text != nil {
		text += fmt.Sprintf(" %+v", *r.Text)
	}
	return text
}

func tableText(b *strings.Builder, r answer.TableReport, err error) string {
	if err != nil {
		return err.Error()
	}
	r.Bytes, r.TruncatedBytes, r.Complete, r.Unread, r.Receipt = 0, 0, false, nil, receipt.Receipt{}
	fmt.Fprintf(b, "%+v", r)
	return b.String()
}

// textTable writes answers as text.
type textTable struct{ b *strings.Builder }

func (t textTable) Begin(title string, columns []answer.Column) error {
	fmt.Fprintln(t.b, title, columns)
	return nil
}

func (t textTable) Row(cells []answer.Cell) error {
	for _, c := range cells {
		fmt.Fprintf(t.b, "%v %q %v %v %v|", c.Null, c.Text, c.Int, c.Big, c.Float)
	}
	fmt.Fprintln(t.b)
	return nil
}

func (t textTable) End(notes []string) error {
	fmt.Fprintln(t.b, notes)
	return nil
}
