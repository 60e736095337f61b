package table

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/scan"
	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/query"
	"github.com/thresh-dev/thresh/internal/table/tabletest"
	"github.com/thresh-dev/thresh/internal/test/rounds"
	"github.com/thresh-dev/thresh/internal/threshold"
	"github.com/thresh-dev/thresh/options"
)

// specOf returns a question of the twin as it is asked here.
func specOf(q tabletest.Question) query.Spec {
	s := query.Spec{Dialect: query.Dialect{Delim: q.Delim, Quote: q.Quote, Header: q.Header,
		Nulls: q.Nulls, SkipLines: int64(q.Skip)}, Malformed: options.Malformed(q.Malformed)}
	if q.Where != nil {
		s.Where = q.Where.Text
	}
	for _, ask := range q.Asks {
		to := query.Question{Kind: query.Kind(ask.Kind), Limit: int64(ask.Limit), Skip: int64(ask.Skip)}
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
		s.Questions = append(s.Questions, to)
	}
	return s
}

// collected is an Output that keeps answers as text.
type collected struct {
	columns []answer.Column
	answers [][][]string
}

func (o *collected) Begin(_ string, columns []answer.Column) error {
	o.columns = columns
	var heading []string
	for _, c := range columns {
		heading = append(heading, c.Name)
	}
	o.answers = append(o.answers, [][]string{heading})
	return nil
}

func (o *collected) Row(cells []answer.Cell) error {
	var texts []string
	for i, c := range cells {
		texts = append(texts, o.text(o.columns[i], c))
	}
	last := len(o.answers) - 1
	o.answers[last] = append(o.answers[last], texts)
	return nil
}

func (o *collected) End([]string) error { return nil }

func (o *collected) text(c answer.Column, cell answer.Cell) string {
	switch {
	case cell.Null:
		return tabletest.Null
	case c.Type == answer.ColumnText:
		return string(cell.Text)
	case c.Type == answer.ColumnFloat:
		return decimal.FromFloat(cell.Float).Text(0)
	}
	m := cell.Big
	if m != nil && (c.Type == answer.ColumnInteger || m.IsInt64()) {
		panic("a large cell that Int has room for") // output of integers does not look at Big
	}
	if m == nil {
		m = big.NewInt(cell.Int)
	}
	tens := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(c.Scale)), nil)
	return new(big.Rat).SetFrac(m, tens).FloatString(c.Scale)
}

// way is how a table is cut and by whom it is read.
type way struct {
	piece, ahead, workers int
	stream                bool
	mem                   int64
}

// answerTable answers a question about files as a scan would have it answered.
func answerTable(t *testing.T, files []string, spec query.Spec, v way) (*Run, *collected, error) {
	t.Helper()
	r, err := NewRun(spec, Options{Workers: v.workers, MemBytes: v.mem, AheadBytes: v.ahead})
	if err != nil {
		return r, nil, err
	}
	defer func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}()
	out := &collected{}
	return r, out, readAll(r, files, v, out)
}

// readAll reads the files of a table and answers.
func readAll(r *Run, files []string, v way, out answer.Writer) error {
	r.Stream(out)
	for _, name := range files {
		if err := readTable(r, name, v); err != nil {
			return err
		}
		if r.Enough() {
			break
		}
	}
	return r.Answer(context.Background(), out)
}

func readTable(r *Run, name string, v way) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	f, err := source.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if v.stream {
		f = f.AsStream(name)
	}
	if ok, err := r.Input(f, source.Range{End: int64(len(data))}, data, true); err != nil || !ok {
		return errors.Join(err, map[bool]error{false: errors.New("no first record")}[ok])
	}
	if r.NoRecords() {
		return nil
	}
	var stop atomic.Bool
	var searchers []scan.Searcher
	for range v.workers {
		searchers = append(searchers, r.Searcher(func(failure.UnreadError) {}, &stop))
	}
	failed := false
	for n, off := 0, 0; off < len(data) && !failed && !stop.Load(); n, off = n+1, off+v.piece {
		own := min(v.piece, len(data)-off)
		ahead := v.ahead
		if ahead == 0 {
			ahead = r.ahead(f.Kind)
		}
		b := engine.Block{Off: int64(off), Data: data[off:min(len(data), off+own+ahead)], Len: own}
		searchers[n%v.workers].Search(b, func(answer.Hit) bool { failed = true; return false })
	}
	for _, s := range searchers {
		if f, ok := s.(scan.Finisher); ok {
			f.Finish()
		}
	}
	if r.Enough() {
		return r.Done()
	}
	if all := r.pass.partials.Stretches(); !failed && r.err == nil && (len(all) != 1 || all[0].lines != int64(bytes.Count(data, []byte{'\n'}))) {
		return fmt.Errorf("%d stretches, the first of %d lines", len(all), all[0].lines)
	}
	before := r.Report.Seen
	err = r.Done()
	if seen := r.Report.Seen - before; err == nil && !failed && seen != int64(len(data)) {
		return fmt.Errorf("%d of %d bytes were gone through", seen, len(data))
	}
	return err
}

// resultOf converts the result of a run to the twin's types.
func resultOf(r *Run, out *collected, q tabletest.Question) tabletest.Result {
	got := tabletest.Result{Answers: out.answers, Records: r.Report.Records, Empty: r.Report.Empty, Bad: map[int]int64{}}
	for _, b := range r.Report.bad {
		got.Bad[b.Number] += b.Count
	}
	if q.Malformed == tabletest.Skip {
		got.Skipped = r.Report.Malformed
		got.SkippedBytes, got.SkippedLines = r.Report.MalformedBytes, r.Report.MalformedLines
	}
	return got
}

// TestCorpus holds the answers to those of the plain twin, however the files are cut. Each text is the
// subject of about 15 cases; the distance has no common factor with that, so each has its turn.
func TestCorpus(t *testing.T) {
	cases := tabletest.Corpus()
	for i := 0; i < len(cases); i += rounds.Every(8) {
		testCase(t, cases[i], i)
		if t.Failed() {
			return
		}
	}
}

func TestRandom(t *testing.T) {
	for seed := range rounds.Of(250) {
		testCase(t, tabletest.Random(uint64(seed)), seed)
		if t.Failed() {
			return
		}
	}
}

// TestRecordsOnly asks only for the number of records, which regular chunks answer by themselves.
// Thresholds are shrunk, so that a file has many chunks and is regular in some.
func TestRecordsOnly(t *testing.T) {
	cases := tabletest.Corpus()
	for seed := range uint64(300) {
		cases = append(cases, tabletest.Random(seed))
	}
	step := rounds.Every(12)
	for _, n := range []int{0, 7, 64} {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			if n > 0 {
				threshold.Shrink(t, n)
			}
			for i := n % 3; i < len(cases) && !t.Failed(); i += step {
				c := cases[i]
				c.Question.Asks, c.Question.Where = []tabletest.Ask{{Kind: tabletest.Rows}}, nil
				testCase(t, c, i)
			}
		})
	}
}

func testCase(t *testing.T, c tabletest.Case, number int) {
	t.Helper()
	want, wantErr := tabletest.Answer(c.Files, c.Question)
	var names []string
	size := 0
	folder := t.TempDir()
	for i, content := range c.Files {
		name := filepath.Join(folder, strconv.Itoa(i))
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
		size = max(size, len(content))
	}
	for i, piece := range tabletest.Splits(size) {
		if size/piece > 3000 || testing.Short() && (number+i)%4 > 0 || piece > 1 && (number+i)%3 > 0 {
			continue // each file is cut at every place, and in some other ways
		}
		v := way{piece: piece, ahead: []int{16 << 10, 1, 7, 100}[(number+i)%4], workers: 1 + (number+i)%3,
			stream: (number+i)%2 == 0, mem: 1 << 20}
		if size > 50_000 { // fields may be as long
			v.mem = 64 << 20
		}
		name := fmt.Sprintf("%s (%+v; %v; %.300q)", c.Name, v, c.Question, c.Files)
		r, out, err := answerTable(t, names, specOf(c.Question), v)
		compare(t, name, r, out, err, want, wantErr, c.Question)
		if t.Failed() {
			return
		}
	}
}

func compare(t *testing.T, name string, r *Run, out *collected, err error, want tabletest.Result, wantErr error, q tabletest.Question) {
	t.Helper()
	if (err == nil) != (wantErr == nil) {
		t.Errorf("%s: error %v, want %v", name, err, wantErr)
		return
	}
	if err != nil {
		var p *failure.Problem
		var m *tabletest.Malformed
		if errors.As(err, &p) && errors.As(wantErr, &m) && (p.Line != m.Line || p.Off != m.Offset) {
			t.Errorf("%s: %v, want %v", name, p, m)
		}
		return
	}
	got := resultOf(r, out, q)
	if want.First != nil && len(r.Report.Problems) > 0 {
		if p := r.Report.Problems[0]; p.Line != want.First.Line || p.Off != want.First.Offset {
			t.Errorf("%s: first problem %v, want %v", name, &p, want.First)
		}
	} else if want.First != nil {
		t.Errorf("%s: no problem collected, want %v", name, want.First)
	}
	want.First, want.Records, got.Records = nil, 0, 0
	if len(want.Answers) > 0 {
		for i, a := range want.Answers { // headings are those of columns with names
			want.Answers[i] = append([][]string{got.Answers[i][0]}, a[1:]...)
		}
	}
	tabletest.Compare(t, name, got, want)
}
