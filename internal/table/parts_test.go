package table

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/table/query"
	"github.com/thresh-dev/thresh/internal/table/tabletest"
)

// TestParts adds the parts of a table, and holds the answers to those of one run.
func TestParts(t *testing.T) {
	for seed := range uint64(60) {
		c := tabletest.Random(seed * 3) // well-formed ones
		if len(c.Files) > 1 || c.Question.Where != nil {
			continue
		}
		q := c.Question
		q.Malformed = tabletest.Skip
		q.Asks = nil
		columns := max(1, q.Columns(c.Files))
		for _, keys := range [][]tabletest.Key{nil, {{Column: 1}}, {{Column: columns}, {Column: 1}}} {
			q.Asks = append(q.Asks, tabletest.Ask{Kind: tabletest.Group, Keys: keys, Aggs: tabletest.All(1, columns)})
		}
		want, err := tabletest.Answer(c.Files, q)
		if err != nil {
			continue
		}
		name := filepath.Join(t.TempDir(), "table")
		if err := os.WriteFile(name, c.Files[0], 0o600); err != nil {
			t.Fatal(err)
		}
		spec := specOf(q)
		part := func() *Run {
			r, err := NewRun(spec, Options{Workers: 1, MemBytes: 1 << 20})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = r.Close() })
			return r
		}
		// The whole table is one part, which goes from run to run.
		first, second, last := part(), part(), part()
		if err := readOnly(first, name); err != nil {
			t.Fatal(err)
		}
		p, err := first.Export(context.Background(), 1, Stretch{Name: name, End: int64(len(c.Files[0]))})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range []*Run{second, last} {
			if ok, err := r.Prime(name, c.Files[0], true); err != nil || !ok && len(p.Answers) > 0 {
				t.Fatal(ok, err)
			}
		}
		if len(p.Answers) == 0 {
			continue
		}
		if p, err = second.Merge(context.Background(), []*Part{p}); err != nil {
			t.Fatal(err)
		}
		out := &collected{}
		if err := errors.Join(last.Add(p), last.Total(p.Stretches), last.Answer(context.Background(), out)); err != nil {
			t.Fatal(err)
		}
		compare(t, fmt.Sprintf("%s: %v: %.300q", c.Name, q, c.Files), last, out, nil, want, nil, q)
	}
}

// readOnly reads a table whose answers are not asked for.
func readOnly(r *Run, name string) error {
	f, err := source.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return readTable(r, name, way{piece: 50, ahead: 7, workers: 1})
}

// TestListLimit: more text than string_agg has room for is an error, whatever the separator and the number of workers.
func TestListLimit(t *testing.T) {
	name := filepath.Join(t.TempDir(), "table")
	line := strings.Repeat("x", 1<<10-1) + "\n"
	for _, c := range []struct {
		lines     int
		text, agg string
		ok        bool
	}{
		{1000, line, "string_agg(1, '')", true}, {1025, line, "string_agg(1, '')", true}, {1026, line, "string_agg(1, '')", false},
		{1024, line, "string_agg(1, '12')", false}, {600, line, "string_agg(1 order by 1)", false},
		{100_000, "x\n", "string_agg(1)", true}, {100_001, "x\n", "string_agg(1)", false},
	} {
		if err := os.WriteFile(name, []byte(strings.Repeat(c.text, c.lines)), 0o600); err != nil {
			t.Fatal(err)
		}
		spec := query.Spec{Dialect: query.Dialect{Delim: ','}, Questions: []query.Question{{Kind: query.Group, Aggregates: c.agg}}}
		_, _, err := answerTable(t, []string{name}, spec, way{piece: 70_000, workers: 3, mem: 16 << 20})
		if (err == nil) != c.ok {
			t.Errorf("%d lines, %s: %v", c.lines, c.agg, err)
		}
	}
}

// TestWideSums adds integers of 19 digits, in such numbers that their sum needs two words, with every sign.
func TestWideSums(t *testing.T) {
	for seed := range uint64(20) {
		var b strings.Builder
		x := seed
		for i := range 3000 {
			x = mix(x + uint64(i))
			sign := []string{"", "-", "+"}[x%3]
			if seed%3 == 0 {
				sign = ""
			}
			number := fmt.Sprint(x>>(seed%4) | 1<<60)
			if seed%5 == 1 {
				number += "." + fmt.Sprint(x%1000)
			}
			fmt.Fprintf(&b, "%d,%s%s\n", x%3, sign, number)
		}
		var aggs []tabletest.Agg
		for _, f := range []string{"sum", "mean", "counted"} {
			aggs = append(aggs, tabletest.Agg{Func: f, Column: 2})
		}
		asks := []tabletest.Ask{{Kind: tabletest.Group, Keys: []tabletest.Key{{Column: 1}}, Aggs: aggs}}
		if seed%2 == 0 { // with the extremes, numbers take another way
			asks[0].Aggs = append(asks[0].Aggs, tabletest.Agg{Func: "max", Column: 2}, tabletest.Agg{Func: "variance", Column: 2})
		}
		q := tabletest.Question{Dialect: tabletest.Dialect{Delim: ','}, Asks: asks}
		testCase(t, tabletest.Case{Name: "wide", Files: [][]byte{[]byte(b.String())}, Question: q}, int(seed))
	}
}

// TestTies: of several records with the least value, arg_min takes the first of the input, whichever worker has it.
func TestTies(t *testing.T) {
	name := filepath.Join(t.TempDir(), "table")
	for first := range 12 { // the records before it have other values
		text := strings.Repeat("x,5,2026-01-02,y\n", first) + "first,1,2026-01-01,a\n"
		for i := range 40 {
			text += fmt.Sprintf("later%d,1.0,2026-01-01T00:00Z,a\n", i)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, agg := range []string{"arg_min(1, 2)", "arg_max(1, -1 * $2)", "arg_min(1, 3)", "arg_min(1, 4)"} {
			for workers := 1; workers < 5; workers++ {
				spec := query.Spec{Dialect: query.Dialect{Delim: ','}, Questions: []query.Question{{Kind: query.Group, Aggregates: agg}}}
				v := way{piece: 20, ahead: 100, workers: workers, mem: 1 << 20}
				_, out, err := answerTable(t, []string{name}, spec, v)
				if err != nil || out.answers[0][1][0] != "first" {
					t.Errorf("%s after %d records, %d workers: %v %v", agg, first, workers, out.answers, err)
				}
			}
		}
	}
}
