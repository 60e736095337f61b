package cluster

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/run"
	"github.com/thresh-dev/thresh/internal/search/count"
	"github.com/thresh-dev/thresh/internal/table/query"
)

func embedded(t testing.TB) *Runner {
	t.Helper()
	r, err := Embedded(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestSameAsLibrary asks questions of jobs with small cells, of which a range has several, and compares with the
// library. Most jobs answer several questions, whose cells have one size.
func TestSameAsLibrary(t *testing.T) {
	Quiet()
	n := 56                                             // of each kind several
	if os.Getenv("THRESH_CLUSTER_QUESTIONS") == "all" { // make cluster-questions
		n = questionsAll
	}
	r := rand.New(rand.NewPCG(1, 17))
	runner := embedded(t)
	all := questions(t, t.TempDir(), n)
	for len(all) > 0 {
		cell := int64(1+r.IntN(40)) << 10
		j := newJob(t, runner, Options{CellBytes: cell, RangeBytes: 4 * cell})
		batch := min(1+r.IntN(8), len(all))
		askAll(t, j, all[:batch])
		all = all[batch:]
	}
}

// TestTrial lets reads fail, and delays claims so that the runner splits ranges while they are scanned: an input
// is one range, or its runner has split it.
func TestTrial(t *testing.T) {
	Quiet()
	t.Setenv(trialVariable, "claim=130ms,fail=0.05")
	runner := embedded(t)
	splits := 0
	for _, q := range questions(t, t.TempDir(), 16) {
		j := newJob(t, runner, Options{CellBytes: 24 << 10, RangeBytes: 1 << 20})
		for _, receipt := range askAll(t, j, []asked{q}) {
			splits += max(receipt.Ranges-len(q.files), 0)
		}
	}
	if splits == 0 {
		t.Error("the runner has split no range")
	}
	t.Logf("%d splits", splits)
}

// TestChanged replaces an input between the plan and the scan.
func TestChanged(t *testing.T) {
	name := filepath.Join(t.TempDir(), "changed")
	write := func(text string) {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("one\ntwo\n")
	s, err := newSources("", "")
	if err != nil {
		t.Fatal(err)
	}
	all, err := s.list(t.Context(), source.Expand([]string{name}, false), run.Callbacks{})
	if err != nil || len(all) != 1 || all[0].err != nil {
		t.Fatal(all, err)
	}
	write("one\ntwo\nthree\n")
	if _, err := s.reopen(t.Context(), all[0].Input); err == nil || !strings.Contains(err.Error(), "changed while") {
		t.Errorf("a changed input: %v", err)
	}
}

// TestMissingCell hands in a result in which a cell is missing or occurs twice: an error, not a number.
func TestMissingCell(t *testing.T) {
	compiled := run.Lines()
	part := func(off, end int64) *count.Partial { return &count.Partial{Off: off, End: end, Count: 1} }
	for _, parts := range [][]*count.Partial{{part(0, 8), part(16, 24)}, {part(0, 8), part(0, 8), part(8, 16)}} {
		if report, err := compiled.Total(parts); err == nil {
			t.Errorf("parts that do not fit together: %d", report.Hits)
		}
	}
}

// TestAccount hands in results that lack bytes, or the cell of an empty input.
func TestAccount(t *testing.T) {
	p := &Plan{Inputs: []Input{{Bytes: 100}, {Bytes: 0}}, CellBytes: 10}
	for _, result := range []Partial{{Cells: 11, Bytes: 100}, {Cells: 11, Bytes: 90}, {Cells: 10, Bytes: 100}, {}} {
		encoded, err := result.encode()
		if err != nil {
			t.Fatal(err)
		}
		_, err = (&mailbox{answer: encoded}).result(p)
		if whole := result.Cells == 11 && result.Bytes == 100; (err == nil) != whole {
			t.Errorf("%d bytes in %d cells: %v", result.Bytes, result.Cells, err)
		}
	}
}

// TestTooManyCells cuts an input into more pieces than can be managed, and a table where it cannot be cut.
func TestTooManyCells(t *testing.T) {
	name := filepath.Join(t.TempDir(), "zeros")
	if err := errors.Join(os.WriteFile(name, nil, 0o666), os.Truncate(name, 1<<30)); err != nil {
		t.Fatal(err)
	}
	ctx := run.With(t.Context(), NewExecutor(newJob(t, embedded(t), Options{CellBytes: 8})))
	in, err := run.Open(name, false)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if _, err := run.Count(ctx, in, run.Lines(), run.Options{}); err == nil || !strings.Contains(err.Error(), "--cell 8 cuts") {
		t.Errorf("a thousand million pieces: %v", err)
	}
	spec := query.Spec{Dialect: query.Dialect{Delim: ',', Quote: '\''}, Questions: []query.Question{{Kind: query.Rows}}}
	ctx = run.With(t.Context(), NewExecutor(newJob(t, embedded(t), Options{CellBytes: 1 << 20})))
	if _, err := run.Table(ctx, in, spec, run.Options{}, textTable{}); err == nil || !strings.Contains(err.Error(), "--quote") {
		t.Errorf("a quote that is not known where: %v", err)
	}
	spec.Questions[0].Kind = query.Select
	if _, err := run.Table(ctx, in, spec, run.Options{}, textTable{}); err == nil || !strings.Contains(err.Error(), "--select") {
		t.Errorf("records: %v", err)
	}
}

// TestDamaged changes or cuts every byte of an encoded result: an error, not another number.
func TestDamaged(t *testing.T) {
	p := &Partial{Cells: 3, Bytes: 700}
	p.input(1).Counts = []*count.Partial{{Off: 0, End: 700, Count: 41}}
	whole, err := p.encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := decodePartial(whole)
	if err != nil || got.Bytes != 700 || got.Inputs[1].Counts[0].Count != 41 {
		t.Fatalf("%+v, %v", got, err)
	}
	for i := range whole {
		damaged := append([]byte(nil), whole...)
		damaged[i] ^= 1 << (i % 8)
		for _, b := range [][]byte{damaged, whole[:i]} {
			if got, err := decodePartial(b); err == nil {
				t.Errorf("byte %d: %+v", i, got)
			}
		}
	}
}
