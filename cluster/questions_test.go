package cluster

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/run"
	"github.com/thresh-dev/thresh/internal/table/query"
	"github.com/thresh-dev/thresh/options"
	"github.com/thresh-dev/thresh/question"
	"github.com/thresh-dev/thresh/receipt"
)

// asked is a question about some files, seeded.
type asked struct {
	Question
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
		"one.csv": []byte("id,country,amount,note\n1,DE,2.5,x\n"), "zeros.bin": make([]byte, 100_001),
	} {
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

func texts(r *rand.Rand, q *Question) {
	switch r.IntN(4) {
	case 0:
		q.Texts = []string{pick(r, "aa", "ERROR", "a", "aaa\n", "\n\n", "nowhere", "user=7", "\x00\x00\x00")}
	case 1:
		q.Texts, q.IgnoreCase = some(r, "error", "aab", "abaaa", "user=1", "user=12", "\na"), r.IntN(2) == 0
	case 2:
		q.Hex = []string{pick(r, "61 ?? 61", "0A", "00 00", "FF ?F", "61 61 61 61")}
	default:
		q.Regexps = some(r, "ER+OR", "user=[0-9]{2}", "^a+b", "a*$", "status=5..")
	}
}

func countText(r *rand.Rand) asked {
	q := asked{Question{Verb: Count}, some(r, "app.log", "long.log", "aaa.txt", "empty", "zeros.bin")}
	texts(r, &q.Question)
	return q
}

func column(r *rand.Rand) (*question.Values, string) {
	kind := pick(r, "i32", "u8", "i16be", "f64", "f32", "i64", "f16", "bf16", "f8e4m3")
	file := pick(r, "i32.bin", "zeros.bin")
	if kind == "f64" || kind == "f32" {
		file = pick(r, "f64.bin", "f64-2.bin")
	}
	return &question.Values{Type: question.ValueType(kind), Stride: pick[int64](r, 0, 0, 3, 12)}, file
}

func conditions(r *rand.Rand, c *question.Values) {
	c.Conditions = []question.Condition{{Op: pick(r, question.Equal, question.NotEqual, question.Less, question.GreaterOrEqual),
		Value: pick(r, "0", "10", "1")}}
}

func countColumn(r *rand.Rand) asked {
	c, file := column(r)
	q := asked{Question{Verb: Count, Column: c}, []string{file}}
	switch r.IntN(3) {
	case 0:
		conditions(r, c)
	case 1:
		q.Stats = true
		if r.IntN(2) == 0 {
			conditions(r, c)
		}
		if c.Type == "f64" {
			q.files = []string{"f64.bin", "f64-2.bin"}
		}
	default:
		q.Histogram = &question.Bins{Width: "1000000"}
		if c.Type == "i64" {
			q.Histogram.Width = "100000000000000"
		} else if c.Type == "u8" || c.Type == "i16be" {
			q.Histogram = new(question.Bins)
		} else if c.Type[0] == 'f' || c.Type[0] == 'b' {
			q.Histogram = &question.Bins{Number: 20, Low: "-100", High: "100"}
		}
	}
	return q
}

func countRecords(r *rand.Rand) asked {
	q := asked{Question{Verb: Count, Delim: ','}, some(r, "orders.csv", "plain.csv", "more.csv", "long.log", "empty")}
	switch r.IntN(8) {
	case 0:
		q.NonZero = true
	case 1, 2, 3:
		q.Rows = true
	case 4:
		q.Lines = true
	case 5:
		q.Words = true
	case 6:
		q.Chars = true
	default:
		q.Lines, q.Words, q.Chars = true, r.IntN(2) == 0, true
	}
	return q
}

func findText(r *rand.Rand) asked {
	q := countText(r)
	q.Verb, q.All = Find, r.IntN(2) == 0
	return q
}

func findColumn(r *rand.Rand) asked {
	c, file := column(r)
	conditions(r, c)
	return asked{Question{Verb: Find, Column: c, All: r.IntN(2) == 0}, []string{file}}
}

func grepLines(r *rand.Rand) asked {
	g := GrepQuestion{Patterns: some(r, "ERROR", "user=1.*5$", "aab", "x{5}", "^$"), IgnoreCase: r.IntN(3) == 0,
		Invert: r.IntN(5) == 0, Word: r.IntN(5) == 0, Count: r.IntN(3) == 0, Offsets: r.IntN(3) == 0, Only: r.IntN(4) == 0}
	return asked{Question{Verb: Grep, Lined: g}, some(r, "app.log", "long.log", "aaa.txt", "plain.csv", "empty")}
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
	return asked{Question{Verb: Table, Table: spec}, append([]string(nil), files...)}
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

// library answers a question on one machine, as text.
func (q asked) library(t testing.TB) string {
	t.Helper()
	var b strings.Builder
	ctx := context.Background()
	if q.Verb == Table {
		report, err := run.TableAll(ctx, source.Expand(q.files, false), q.Question.Table, run.Options{},
			run.Callbacks{Done: func(_ string, _ run.Report, err error) error { return err }}, textTable{&b})
		return tableText(&b, report, err)
	}
	var parts [][]string
	for _, name := range q.files {
		in, err := run.Open(name, false)
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		switch q.Verb {
		case Count:
			compiled, err := q.query()
			if err != nil {
				t.Fatal(err)
			}
			report, err := run.Count(ctx, in, compiled, run.Options{})
			lines = append(lines, reportText(report, err))
		case Find:
			compiled, err := q.query()
			if err != nil {
				t.Fatal(err)
			}
			o := run.Options{Limit: 1}
			if q.All {
				o.Limit = 0
			}
			if _, err := run.Find(ctx, in, compiled, o, func(hits []answer.Hit) error {
				for _, h := range hits {
					if q.All {
						lines = append(lines, fmt.Sprint(h.Off, h.Len))
					} else {
						lines = append(lines, fmt.Sprint(h.Off))
					}
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		case Grep:
			compiled, o, err := q.lines()
			if err != nil {
				t.Fatal(err)
			}
			o.Text = true
			var out bytes.Buffer
			report, err := run.Grep(ctx, in, compiled, &out, o, run.Options{})
			if err != nil {
				t.Fatal(err)
			}
			lines = append(lines, fmt.Sprint(report.Lines), out.String())
		}
		if err := in.Close(); err != nil {
			t.Fatal(err)
		}
		parts = append(parts, lines)
	}
	return fmt.Sprint(parts)
}

// askAll answers questions with one job, and compares with the library. It returns the receipts.
func askAll(t testing.TB, j *Job, batch []asked) (receipts []Receipt) {
	t.Helper()
	all := make([]Asked, len(batch))
	for i, q := range batch {
		all[i] = Asked{&q.Question, q.files}
	}
	answers, err := j.AskAll(t.Context(), all)
	if err != nil {
		t.Fatalf("%+v: %v", batch, err)
	}
	for i, q := range batch {
		got, want := q.text(t, answers[i]), q.library(t)
		if got != want {
			t.Errorf("cells of %d bytes: %+v\ngot  %.2000s\nwant %.2000s", j.Options.CellBytes, q, got, want)
		}
		if receipts = append(receipts, answers[i].Receipt); receipts[i].Cells == 0 {
			t.Errorf("%+v: no cell was scanned", q)
		}
		if err := answers[i].Close(); err != nil {
			t.Error(err)
		}
	}
	return receipts
}

// text returns an answer as text.
func (q asked) text(t testing.TB, answer *Answer) string {
	t.Helper()
	var b strings.Builder
	if q.Verb == Table {
		report, err := answer.WriteTable(t.Context(), textTable{&b})
		return tableText(&b, report, err)
	}
	var parts [][]string
	for i, in := range answer.Inputs {
		var lines []string
		var err error
		switch {
		case q.Verb == Count:
			lines = append(lines, reportText(in.Report, nil))
		case q.Verb == Find && q.All:
			err = answer.Hits(i, func(off, length int64) error {
				lines = append(lines, fmt.Sprint(off, length))
				return nil
			})
		case q.Verb == Find && in.Hits > 0:
			lines = append(lines, fmt.Sprint(in.Lowest))
		case q.Verb == Grep:
			var out bytes.Buffer
			err = answer.Lines(i, func(text []byte) error {
				out.Write(text)
				return nil
			})
			lines = append(lines, fmt.Sprint(in.Hits), out.String())
		}
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, lines)
	}
	return fmt.Sprint(parts)
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
