package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/internal/test/client"
	"github.com/thresh-dev/thresh/internal/test/python"
)

// duckDB answers a JSON list of queries about orders.csv.
const duckDB = `
import json, sys, duckdb
duckdb.execute("set threads = 1")
duckdb.execute("""create table orders as select * from read_csv('orders.csv', header = true, auto_detect = false,
    delim = ',', quote = '"', escape = '"', nullstr = '', allow_quoted_nulls = false, columns = {'id': 'INTEGER',
    'paid': 'TIMESTAMP', 'city': 'VARCHAR', 'country': 'VARCHAR', 'price': 'DECIMAL(18, 2)', 'quantity': 'INTEGER',
    'note': 'VARCHAR'})""")
answers = []
for query in json.load(sys.stdin):
    rows = duckdb.execute(query).fetchall()
    answers.append([["" if v is None else str(v) for v in row] for row in rows])
json.dump(answers, sys.stdout)
`

// TestSQL asks what docs/sql.md shows, both ways.
func TestSQL(t *testing.T) {
	interpreter := python.Interpreter(t, "duckdb")
	bash := client.Program(t, "bash", "bash")
	var queries []string
	const marker = "### next"
	var script strings.Builder
	for _, e := range pageExamples(t) {
		fmt.Fprintf(&script, "thresh table orders.csv %s || exit 1\necho '%s'\n", e.flags, marker)
		queries = append(queries, e.statement)
	}
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "orders.csv"), orders(), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(in string, name string, args ...string) []byte {
		c := exec.Command(name, args...)
		var errs bytes.Buffer
		c.Dir, c.Stdin, c.Stderr = folder, strings.NewReader(in), &errs
		out, err := c.Output()
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, errs.Bytes())
		}
		return out
	}
	asked, err := json.Marshal(queries)
	if err != nil {
		t.Fatal(err)
	}
	var want [][][]string
	if err := json.Unmarshal(run(string(asked), interpreter, "-c", duckDB), &want); err != nil {
		t.Fatal(err)
	}
	answers := strings.Split(string(run(script.String(), bash)), marker+"\n")
	for i, query := range queries {
		got, err := csv.NewReader(strings.NewReader(answers[i])).ReadAll()
		if err != nil || len(got) < 2 {
			t.Errorf("%s: %q, %v", query, answers[i], err)
			continue
		}
		if d := tablesDiffer(got[1:], want[i]); d != "" {
			t.Errorf("%s: %s", query, d)
		}
	}
}

// duckDBPage answers a JSON list of statements about the tables of docs/sql.md.
const duckDBPage = `
import json, sys, duckdb
duckdb.execute("set threads = 1")
open('countries.csv', 'w').write('code,name\nDE,Germany\nFR,France\nXX,Nowhere\n')
answers = []
for query in json.load(sys.stdin):
    rows = duckdb.execute(query.replace("'orders.csv'", """(select * replace (amount::decimal(18, 2) as amount)
        from read_csv('orders.csv', header = true, quote = '"', nullstr = '', allow_quoted_nulls = false))""")).fetchall()
    answers.append([["" if v is None else str(v) for v in row] for row in rows])
json.dump(answers, sys.stdout)
`

// TestSQLPage asks the statements whose answers docs/sql.md shows of DuckDB.
func TestSQLPage(t *testing.T) {
	interpreter := python.Interpreter(t, "duckdb")
	text, err := os.ReadFile("../../docs/sql.md")
	must(t, err)
	var statements []string
	var shown [][][]string
	form := regexp.MustCompile(`thresh sql "(.*)"$`)
	for _, c := range parsePage(string(text)).commands {
		m := form.FindStringSubmatch(c.text)
		if m == nil || strings.Contains(c.text, "--chart") {
			continue
		}
		answers := strings.Split(c.output, "\n\n")
		for i, one := range strings.Split(strings.ReplaceAll(m[1], "'-'", "'orders.csv'"), ";") {
			rows, err := csv.NewReader(strings.NewReader(answers[i])).ReadAll()
			must(t, err)
			statements, shown = append(statements, one), append(shown, rows[1:])
		}
	}
	asked, err := json.Marshal(statements)
	must(t, err)
	duck := exec.Command(interpreter, "-c", duckDBPage)
	var errs bytes.Buffer
	duck.Dir, duck.Stdin, duck.Stderr = t.TempDir(), bytes.NewReader(asked), &errs
	linkAll(t, docsData(t), duck.Dir)
	out, err := duck.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, errs.Bytes())
	}
	var want [][][]string
	must(t, json.Unmarshal(out, &want))
	for i, statement := range statements {
		if !strings.Contains(statement, "order by") { // in any order
			slices.SortFunc(want[i], slices.Compare)
			slices.SortFunc(shown[i], slices.Compare)
		}
		if d := tablesDiffer(shown[i], want[i]); d != "" {
			t.Errorf("%s: %s", statement, d)
		}
	}
	if len(statements) < 10 {
		t.Errorf("only %d statements", len(statements))
	}
}

// pageExample is a question of docs/sql.md: the flags of thresh table, and a statement.
type pageExample struct{ flags, statement string }

func pageExamples(t *testing.T) (all []pageExample) {
	t.Helper()
	page, err := os.ReadFile("../../docs/sql.md")
	if err != nil {
		t.Fatal(err)
	}
	form := regexp.MustCompile("(?s)```sql\n-- [^\n]*\n-- thresh table orders.csv ([^\n]*)\n(.*?)\n```")
	for _, m := range form.FindAllSubmatch(page, -1) {
		all = append(all, pageExample{string(m[1]), string(m[2])})
	}
	if len(all) < 70 {
		t.Fatalf("only %d questions", len(all))
	}
	return all
}

// orders returns a table of orders, always the same one.
func orders() []byte {
	r := rand.New(rand.NewPCG(20, 26))
	b := []byte("id,paid,city,country,price,quantity,note\n")
	cities := map[string][]string{"DE": {"Berlin", "berlin", "Hamburg", "Bonn"}, "AT": {"Wien", "Graz"}, "FR": {"Paris", "Nantes"},
		"CH": {"Bern", "Basel"}, "ES": {"Madrid"}, "IT": {"Bari", "Roma"}, "JP": {"Osaka", "東京"}}
	countries := []string{"DE", "DE", "DE", "AT", "FR", "FR", "CH", "ES", "IT", "JP"}
	for id := range 2000 {
		paid := time.Date(2025, 11, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(r.IntN(330*24*3600)) * time.Second)
		country := countries[r.IntN(len(countries))]
		price := fmt.Sprintf("%d.%02d", r.IntN(200), r.IntN(100))
		if r.IntN(20) == 0 {
			price = ""
		}
		quantity := strconv.Itoa(1 + r.IntN(r.IntN(49)+1))
		if r.IntN(30) == 0 {
			quantity = ""
		}
		note := []string{"", "", `""`, "late", "Late again", `"a gift, wrapped"`, "GIFT", "Gift card", "10% off"}[r.IntN(9)]
		b = fmt.Appendf(b, "%d,%s,%s,%s,%s,%s,%s\n", id+1, paid.Format("2006-01-02T15:04:05"),
			cities[country][r.IntN(len(cities[country]))], country, price, quantity, note)
	}
	return b
}

// tablesDiffer describes the first cell in which two answers differ. Floats may differ in their last digits.
func tablesDiffer(got, want [][]string) string {
	if len(got) != len(want) {
		return fmt.Sprintf("got %d rows, want %d: %q, %q", len(got), len(want), got, want)
	}
	for i := range got {
		if len(got[i]) != len(want[i]) {
			return fmt.Sprintf("got %q, want %q", got[i], want[i])
		}
		for j := range got[i] {
			a, err := strconv.ParseFloat(got[i][j], 64)
			b, err2 := strconv.ParseFloat(want[i][j], 64)
			const apart = 1e-12
			if got[i][j] != want[i][j] && (err != nil || err2 != nil || math.Abs(a-b) > apart*math.Abs(b)) {
				return fmt.Sprintf("row %d: got %q, want %q", i, got[i], want[i])
			}
		}
	}
	return ""
}
