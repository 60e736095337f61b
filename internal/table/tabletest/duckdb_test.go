package tabletest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/thresh-dev/thresh/internal/test/python"
)

// duckCase is what testdata/read_tables.py is asked about a file.
type duckCase struct {
	File      string `json:"file"`
	Delim     string `json:"delim"`
	Quote     string `json:"quote"`
	Columns   int    `json:"columns"`
	Aggregate bool   `json:"aggregate,omitempty"`
	text      []byte
	dialect   Dialect
}

type duckAnswer struct {
	Rows  [][]string `json:"rows"`
	Error string     `json:"error"`
}

// duckDB asks DuckDB, in one process.
func duckDB(t *testing.T, cases []duckCase) (answers []duckAnswer) {
	t.Helper()
	interpreter := python.Interpreter(t, "duckdb")
	folder := t.TempDir()
	for i := range cases {
		cases[i].File = filepath.Join(folder, strconv.Itoa(i)+".csv")
		if err := os.WriteFile(cases[i].File, cases[i].text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	in, err := json.Marshal(cases)
	if err != nil {
		t.Fatal(err)
	}
	script := exec.Command(interpreter, "testdata/read_tables.py")
	script.Stdin, script.Stderr = bytes.NewReader(in), os.Stderr
	out, err := script.Output()
	if err != nil {
		t.Fatalf("%s testdata/read_tables.py: %v", interpreter, err)
	}
	if err := json.Unmarshal(out, &answers); err != nil || len(answers) != len(cases) {
		t.Fatalf("testdata/read_tables.py: %d answers to %d cases: %v", len(answers), len(cases), err)
	}
	return answers
}

// readable reports whether DuckDB can read such a table. Tables have few columns.
func readable(d Dialect, columns int, file []byte) bool {
	return utf8.Valid(file) && 0 < d.Delim && d.Delim < 0x80 && d.Quote < 0x80 &&
		0 < columns && columns < 50 && len(file) < 20_000
}

// TestDuckDBReads holds the twin to DuckDB: the same fields where both accept a file, and
// no file that one accepts and the other does not but for the reasons that
// testdata/differences.md gives.
func TestDuckDBReads(t *testing.T) {
	all := Corpus()
	for seed := range uint64(1200) {
		all = append(all, Random(seed))
	}
	var cases []duckCase
	seen := map[string]bool{}
	add := func(d Dialect, text []byte) {
		one := duckCase{
			Delim: string(rune(d.Delim)), Quote: strings.Trim(string(rune(d.Quote)), "\x00"),
			Columns: d.Columns([][]byte{text}), text: text, dialect: d,
		}
		if id := one.Delim + one.Quote + string(text); !seen[id] && readable(d, one.Columns, text) {
			seen[id] = true
			cases = append(cases, one)
		}
	}
	for _, c := range all {
		d := c.Question.Dialect
		d.Header, d.Nulls, d.Skip = false, nil, 0
		for _, file := range c.Files {
			// DuckDB refuses files of which not all lines end alike.
			feeds := bytes.ReplaceAll(file, []byte("\r"), nil)
			add(d, feeds)
			add(d, bytes.ReplaceAll(feeds, []byte("\n"), []byte("\r\n")))
		}
	}
	accepted, refused := 0, 0
	for i, duck := range duckDB(t, cases) {
		c := cases[i]
		var result Result
		got, err := Question{Dialect: c.dialect}.read([][]byte{c.text}, &result)
		if c.Columns == 1 { // DuckDB skips empty lines
			got = slices.DeleteFunc(got, func(fields []string) bool { return fields[0] == Null })
			duck.Rows = slices.DeleteFunc(duck.Rows, func(fields []string) bool { return fields[0] == Null })
		}
		switch {
		case err != nil && duck.Error != "":
			refused++
		case err != nil:
			if r := result.First.Reason; r != OutOfPlace && r != Unclosed {
				t.Errorf("%q: the twin says %v, DuckDB reads %.300q", brief(c.text), err, duck.Rows)
			}
		case duck.Error != "":
			t.Errorf("%q: the twin reads %.300q, DuckDB says %s", brief(c.text), got, duck.Error)
		case !slices.EqualFunc(got, duck.Rows, slices.Equal):
			t.Errorf("%q: the twin reads %.300q, DuckDB %.300q", brief(c.text), got, duck.Rows)
		default:
			accepted++
		}
	}
	if accepted < 1000 || refused < 400 {
		t.Errorf("of %d files only %d were accepted by both and %d refused by both", len(cases), accepted, refused)
	}
}

// TestDuckDBAggregates holds the aggregates to DuckDB's over exact decimals.
func TestDuckDBAggregates(t *testing.T) {
	var cases []duckCase
	for seed := range uint64(40) {
		r := random{rand.New(rand.NewPCG(seed, 5))}
		text := []byte("other,0.000000\n") // all print six decimals, as DECIMAL(38, 6) does
		for range r.IntN(400) {
			number := fmt.Sprintf("%s%d.%0*d", []string{"", "-", "+"}[r.IntN(3)], r.IntN(20), 1+r.IntN(6), r.IntN(10))
			switch r.IntN(10) {
			case 0:
				number = ""
			case 1:
				number = []string{"x", "1.2.3", "-", "--1", "5-"}[r.IntN(5)]
			case 2:
				number = fmt.Sprintf("%d%018d", 1+r.IntN(1000), r.IntN(1e18))
			}
			text = fmt.Appendf(text, "%s,%s\n", []string{"a", "b", "", "ab", "é"}[r.IntN(5)], number)
		}
		cases = append(cases, duckCase{Delim: ",", Quote: `"`, Columns: 2, Aggregate: true, text: text})
	}
	asks := []Ask{{Kind: Group, Keys: []Key{{Column: 1}}, Aggs: []Agg{
		{Func: "count", Column: 0}, {Func: "sum", Column: 2}, {Func: "min", Column: 2}, {Func: "max", Column: 2},
		{Func: "distinct", Column: 2}, {Func: "p50", Column: 2}, {Func: "p99", Column: 2},
	}}}
	for i, duck := range duckDB(t, cases) {
		got, err := Answer([][]byte{cases[i].text}, Question{Dialect: csv, Asks: asks})
		if err != nil || duck.Error != "" {
			t.Fatalf("the twin says %v, DuckDB %s", err, duck.Error)
		}
		if d := rowsDiffer(got.Answers[0][1:], duck.Rows); d != "" {
			t.Errorf("%d: got the twin's rows, want DuckDB's: %s", i, d)
		}
	}
}
