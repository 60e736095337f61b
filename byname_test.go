package thresh_test

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/threshold"
	"github.com/thresh-dev/thresh/options"
)

// TestColumnsByName: inputs with other columns, or the same in another order, answer as those do that have all columns
// of the table in its order, with nothing in what they lack.
func TestColumnsByName(t *testing.T) {
	for _, shrunk := range []int{0, 1, 64} {
		t.Run(fmt.Sprint(shrunk), func(t *testing.T) {
			if shrunk > 0 {
				threshold.Shrink(t, shrunk)
			}
			columnsByName(t, rand.New(rand.NewPCG(35, uint64(shrunk))), 150/(shrunk+1)+20)
		})
	}
}

func columnsByName(t *testing.T, r *rand.Rand, rounds int) {
	questions := []thresh.Question{
		thresh.Select{Columns: []string{"*"}}, thresh.Select{Columns: []string{"b", "e", "a"}},
		thresh.Select{Columns: []string{"*"}, OrderBy: "b desc, a"}, thresh.Columns{},
		thresh.Groups{Keys: "c", Aggregates: "count,sum(b),max(d),first(a)"}, thresh.Groups{Keys: "e,c"},
		thresh.Groups{Aggregates: "sum(b + a),count(d),count(e)"}, thresh.RecordCount{},
		thresh.Groups{Keys: "b", Aggregates: "sum(a)"}, thresh.Groups{Aggregates: "sum(a),min(b)"},
		thresh.Records{Numbers: []int64{0, 5, 11}, Columns: []string{"d", "a"}}, thresh.TopKeys{Keys: "d", Limit: 3},
	}
	for round := range rounds {
		folder := t.TempDir()
		d := options.Dialect{Delim: ',', Quote: []byte{'"', 0}[r.IntN(2)], Header: true}
		spec := thresh.TableSpec{Dialect: d, Questions: []thresh.Question{questions[r.IntN(len(questions))]}}
		if r.IntN(3) == 0 {
			spec.Where = "b > 20 or e is null"
		}
		table := []string{"a", "b", "c", "d", "e"}
		var as, like []string // the files, and those that have all columns of the table
		for f := range 1 + r.IntN(4) {
			columns := slices.Clone(table)
			switch {
			case f > 0 && r.IntN(3) == 0:
				r.Shuffle(len(columns), func(i, j int) { columns[i], columns[j] = columns[j], columns[i] })
			case f > 0:
				columns = append(columns, "f", "g")
				r.Shuffle(len(columns), func(i, j int) { columns[i], columns[j] = columns[j], columns[i] })
				columns = columns[:2+r.IntN(len(columns)-1)]
				if !slices.ContainsFunc(columns, func(c string) bool { return slices.Contains(table, c) }) {
					columns[0] = "c"
				}
			}
			one, other := textOf(r, columns, table, d.Quote)
			as, like = append(as, write(t, folder, fmt.Sprintf("%d.csv", f), one)),
				append(like, write(t, folder, fmt.Sprintf("like%d.csv", f), other))
		}
		o := options.Scan{}
		o.Workers = 1 + r.IntN(3)
		if r.IntN(2) == 0 {
			o.ChunkBytes = 1
		}
		got, report := answered(t, as, spec, o)
		want, _ := answered(t, like, spec, o)
		if got != want {
			t.Fatalf("round %d: %+v of %q:\n got %.900s\nwant %.900s", round, spec, as, got, want)
		}
		for _, m := range report.Missing {
			if text, err := os.ReadFile(m.Name); err != nil || m.Inputs < 1 ||
				strings.Contains(strings.SplitN(string(text), "\n", 2)[0], m.Column) {
				t.Fatalf("round %d: %+v is reported, %v", round, m, err)
			}
		}
	}
}

// textOf returns records with some columns, and the same ones with those of the table.
func textOf(r *rand.Rand, columns, table []string, quote byte) (text, like string) {
	text, like = strings.Join(columns, ",")+"\n", strings.Join(table, ",")+"\n"
	long := r.IntN(2) * 400 // records of both kinds: long ones are found in another way
	for range r.IntN(40) {
		record := map[string]string{}
		for i, c := range columns {
			record[c] = []string{"", fmt.Sprint(r.IntN(40)), fmt.Sprint("x", r.IntN(4)) + strings.Repeat("y", r.IntN(long+1))}[r.IntN(3)]
			if c == "a" || c == "b" {
				record[c] = fmt.Sprint(r.IntN(40))
			}
			if quote != 0 && r.IntN(4) == 0 {
				record[c] = `"` + record[c] + `"`
			}
			text += separator(i) + record[c]
		}
		for i, c := range table {
			like += separator(i) + record[c]
		}
		text, like = text+"\n", like+"\n"
	}
	return text, like
}

func write(t *testing.T, folder, name, text string) string {
	t.Helper()
	name = filepath.Join(folder, name)
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func answered(t *testing.T, names []string, spec thresh.TableSpec, o options.Scan) (string, answer.TableReport) {
	t.Helper()
	var answers bytes.Buffer
	w, err := thresh.NewWriter(&answers, options.Writer{Format: options.FormatCSV, Unquoted: spec.Dialect.Quote == 0})
	if err != nil {
		t.Fatal(err)
	}
	report, err := thresh.TableAll(t.Context(), listed(names), spec, o, thresh.Callbacks{}, w)
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatalf("%+v: %v", spec, err)
	}
	return answers.String(), report
}

func listed(names []string) iter.Seq2[string, error] { return thresh.Files(names, false) }

// TestNamesOfOthers: a column that only a later input has can be named; it is null in those before, which the report
// says. An input without any of the columns is an error.
func TestNamesOfOthers(t *testing.T) {
	folder := t.TempDir()
	names := []string{write(t, folder, "1.csv", "a,b\n1,2\n"), write(t, folder, "2.csv", "c,a\nx,3\n"), write(t, folder, "3.csv", "b\n4\n")}
	spec := thresh.TableSpec{Dialect: thresh.CSV(), Questions: []thresh.Question{thresh.Select{Columns: []string{"a", "c"}}}}
	got, report := answered(t, names, spec, options.Scan{})
	if got != "a,c\n1,\n3,x\n,\n" {
		t.Errorf("%q", got)
	}
	want := []answer.Missing{{Column: "c", Name: names[0], Inputs: 2}, {Column: "a", Name: names[2], Inputs: 1}}
	if !slices.Equal(report.Missing, want) {
		t.Errorf("%+v, want %+v", report.Missing, want)
	}
	names = append(names, write(t, folder, "4.csv", "x,y\n1,2\n"))
	_, err := thresh.TableAll(t.Context(), listed(names), spec, options.Scan{}, thresh.Callbacks{}, new(answer.Tables))
	if err == nil || !strings.HasSuffix(err.Error(), "4.csv has none of the columns of the table (a, b), but x, y") {
		t.Error(err)
	}
}

func separator(field int) string {
	if field == 0 {
		return ""
	}
	return ","
}
