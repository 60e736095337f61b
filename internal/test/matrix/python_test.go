package matrix

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/test/python"
	"github.com/thresh-dev/thresh/options"
	"github.com/thresh-dev/thresh/question"
)

// pythonCase is a case for testdata/oracle.py.
type pythonCase struct {
	Kind   string `json:"kind"`
	File   string `json:"file"`
	Delim  string `json:"delim"`
	Quote  string `json:"quote"`
	Header bool   `json:"header"`
	Type   string `json:"type"`
	Stride int64  `json:"stride"`
}

// askPython runs testdata/oracle.py on all cases, in one process.
func askPython[T any](t *testing.T, cases []pythonCase) (answers []T) {
	t.Helper()
	interpreter := python.Interpreter(t)
	in, err := json.Marshal(cases)
	if err != nil {
		t.Fatal(err)
	}
	script := exec.Command(interpreter, "testdata/oracle.py")
	script.Stdin, script.Stderr = bytes.NewReader(in), os.Stderr
	out, err := script.Output()
	if err != nil {
		t.Fatalf("testdata/oracle.py: %v", err)
	}
	if err := json.Unmarshal(out, &answers); err != nil || len(answers) != len(cases) {
		t.Fatalf("testdata/oracle.py: %d answers to %d cases: %v", len(answers), len(cases), err)
	}
	return answers
}

// pythonGroup is Python's answer for a group: sum, min, max, p50 and p99.9 of two columns.
type pythonGroup struct {
	Key             string
	Count, Distinct int
	Columns         [2][]string
}

func fraction(t *testing.T, text string) *big.Rat {
	t.Helper()
	n, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatalf("not a number: %q", text)
	}
	return n
}

// TestPythonTables compares tables with the results of Python's csv and fractions modules.
func TestPythonTables(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 1))
	var asked []pythonCase
	for len(asked) < 150 {
		s := randomSheet(r, failMode)
		data := s.files[0].data
		if len(s.files) > 1 || bytes.HasPrefix(data, []byte("\xef\xbb\xbf")) || anyFloat(s) || textOnly(s) || anyEmptyText(s) {
			continue
		}
		one := pythonCase{Kind: "table", File: write(t, "table", data), Delim: string(rune(s.delim)), Header: s.header}
		if s.quote != 0 {
			one.Quote = string(rune(s.quote))
		}
		asked = append(asked, one)
	}
	for i, want := range askPython[[]pythonGroup](t, asked) {
		c := asked[i]
		spec := thresh.TableSpec{Dialect: options.Dialect{Delim: c.Delim[0], Header: c.Header}, Questions: []thresh.Question{thresh.Groups{
			Keys:       "1",
			Aggregates: "count,distinct(2),sum(2),min(2),max(2),p50(2),p99.9(2),sum(3),min(3),max(3),p50(3),p99.9(3)"}}}
		if c.Quote != "" {
			spec.Dialect.Quote = c.Quote[0]
		}
		var got sheetOutput
		list := func(yield func(string, error) bool) { yield(c.File, nil) }
		_, err := thresh.TableAll(context.Background(), list, spec, options.Scan{Run: options.Run{Workers: 1 + i%3, ChunkBytes: []int{0, 100, 4096}[i%3]}},
			thresh.Callbacks{Done: func(_ string, _ answer.Report, err error) error { return err }}, &got)
		if err == nil {
			err = got.same(0, pythonRows(t, want))
		}
		if err != nil {
			data, _ := os.ReadFile(c.File)
			t.Errorf("%+v: %v\n%.1000q", c, err, data)
		}
	}
}

func anyFloat(s *sheet) bool {
	for _, record := range s.records {
		if record[2].float {
			return true
		}
	}
	return false
}

// textOnly reports whether a column of which numbers are asked has none: its least and greatest values are texts then.
func textOnly(s *sheet) bool {
	for column := 1; column <= 2; column++ {
		if !slices.ContainsFunc(s.records, func(record []field) bool { return record[column].number != nil }) {
			return true
		}
	}
	return false
}

// anyEmptyText reports whether a column that is asked for has an empty text in quotes. Python's csv takes that for an
// empty field, which is null.
func anyEmptyText(s *sheet) bool {
	return slices.ContainsFunc(s.records, func(record []field) bool {
		return slices.ContainsFunc(record[:3], func(f field) bool { return f.text == "" && !f.null })
	})
}

// pythonRows returns the rows of groups. The empty key is null, and comes last.
func pythonRows(t *testing.T, groups []pythonGroup) (rows [][]cell) {
	slices.SortStableFunc(groups, func(a, b pythonGroup) int {
		return cmp.Compare(min(len(b.Key), 1), min(len(a.Key), 1))
	})
	for _, g := range groups {
		row := []cell{{text: g.Key, null: g.Key == ""}, whole(g.Count), whole(g.Distinct)}
		for _, figures := range g.Columns {
			for k := range 5 {
				if figures == nil {
					row = append(row, cell{null: true})
				} else {
					row = append(row, cell{number: fraction(t, figures[k])})
				}
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// pythonValues is Python's answer for a column.
type pythonValues struct {
	N, NaN, Infinite int64
	Sum, Min, Max    string
}

// TestPythonValues compares statistics with the results of Python's struct and fractions modules.
func TestPythonValues(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 2))
	var asked []pythonCase
	for range 200 {
		c := randomColumn(r, 0)
		data := only(r, c.parts, r.IntN(3000))
		asked = append(asked, pythonCase{Kind: "values", File: write(t, "values", data), Type: c.name, Stride: c.stride})
	}
	for i, want := range askPython[pythonValues](t, asked) {
		c := asked[i]
		query, err := thresh.Statistics(question.Values{Type: question.ValueType(c.Type), Stride: c.Stride})
		if err != nil {
			t.Fatal(err)
		}
		in, err := thresh.Open(c.File)
		if err != nil {
			t.Fatal(err)
		}
		report, err := thresh.Count(context.Background(), in, query, options.Scan{Run: options.Run{ChunkBytes: []int{0, 7, 64}[i%3]}})
		if err := errors.Join(err, in.Close()); err != nil {
			t.Fatal(err)
		}
		s := report.Stats
		err = errors.Join(same("n", s.N, want.N), same("NaN", s.NaN, want.NaN))
		if want.Infinite == 0 && want.N > want.NaN {
			err = errors.Join(err, sameNumber(t, "sum", s.Sum, want.Sum, c.Type), sameNumber(t, "min", s.Min, want.Min, c.Type),
				sameNumber(t, "max", s.Max, want.Max, c.Type))
		}
		if err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// sameNumber compares a printed number with a fraction: exactly, or for floats with the nearest float.
// Sums of floats are float64.
func sameNumber(t *testing.T, what, got, want, typeName string) error {
	t.Helper()
	w := fraction(t, want)
	if strings.HasSuffix(got, "Inf") { // a sum beyond the largest float64
		x, err := strconv.ParseFloat(got, 64)
		y, _ := w.Float64()
		return errors.Join(err, same(what, x, y))
	}
	g := fraction(t, got)
	typ := valueTypes[strings.TrimSuffix(strings.TrimSuffix(typeName, "be"), "le")]
	if typ.kind != 'f' {
		return same(what, g.RatString(), w.RatString())
	}
	if what != "sum" && typ.fraction > 0 {
		x, err := typ.nearest(got)
		y, _ := w.Float64()
		return errors.Join(err, same(what, x, y))
	}
	if what != "sum" && typeName[:3] == "f32" {
		x, _ := g.Float32()
		y, _ := w.Float32()
		return same(what, x, y)
	}
	x, _ := g.Float64()
	y, _ := w.Float64()
	if x != y {
		return fmt.Errorf("%s: got %v, want %v", what, x, y)
	}
	return nil
}
