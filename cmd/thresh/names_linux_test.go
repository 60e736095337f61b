package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/test/client"
	"github.com/thresh-dev/thresh/internal/test/python"
)

// duckDBNamed answers a JSON list of statements, each with the names of its columns in the first row.
const duckDBNamed = `
import json, sys, duckdb
duckdb.execute("set threads = 1")
answers = []
for query in json.load(sys.stdin):
    r = duckdb.execute(query)
    names = [c[0] for c in r.description]
    answers.append([names] + [["" if v is None else str(v) for v in row] for row in r.fetchall()])
json.dump(answers, sys.stdout)
`

// asked is a statement, and the same for DuckDB, if that is written differently.
type asked struct{ statement, duckDB string }

// namedFiles are the files of TestNames.
var namedFiles = map[string]string{
	"a.csv": "City,Amount,odd name\nRome,1,x\nOslo,2,y\nRome,3,\n",
	"b.csv": "a,bB\n1,2\n",
}

// namedStatements are about names: exact, and in another case.
var namedStatements = []asked{
	{"select city, AMOUNT from 'a.csv'", ""},
	{`select "city" from 'a.csv' where "AMOUNT" > 1`, ""},
	{"select CITY, sum(amount) as S from 'a.csv' group by cITY having s > 2 order by S desc, City", ""},
	{"select city as CITY, count(*) as n from 'a.csv' group by City order by cItY", ""},
	{`select * exclude (CITY, "Odd Name") from 'a.csv' order by aMOUNT desc`, ""},
	{"select t.city from (select City from 'a.csv') t order by T.CITY limit 1", ""},
	{"with x as (select a, BB as c from 'b.csv') select C, A from X", ""},
	{"select max(amount) filter (where CITY = 'Rome') as m from 'a.csv'", ""},
}

// TestNames asks both programs about the same names, in whatever case.
func TestNames(t *testing.T) { compareNamed(t, namedFiles, namedStatements) }

// compareNamed asks both programs, and compares rows and names of columns.
func compareNamed(t *testing.T, files map[string]string, all []asked) {
	t.Helper()
	interpreter := python.Interpreter(t, "duckdb")
	bash := client.Program(t, "bash", "bash")
	folder := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const marker = "### next"
	var script strings.Builder
	var queries []string
	for i, one := range all {
		file := fmt.Sprintf("%d.sql", i)
		if err := os.WriteFile(filepath.Join(folder, file), []byte(one.statement), 0o600); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&script, "thresh sql -f %s\necho '%s'\n", file, marker)
		if one.duckDB == "" {
			one.duckDB = one.statement
		}
		queries = append(queries, one.duckDB)
	}
	run := func(in, name string, args ...string) []byte {
		c := exec.Command(name, args...)
		var errs bytes.Buffer
		c.Dir, c.Stdin, c.Stderr = folder, strings.NewReader(in), &errs
		out, err := c.Output()
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, errs.Bytes())
		}
		return out
	}
	in, err := json.Marshal(queries)
	if err != nil {
		t.Fatal(err)
	}
	var want [][][]string
	if err := json.Unmarshal(run(string(in), interpreter, "-c", duckDBNamed), &want); err != nil {
		t.Fatal(err)
	}
	answers := strings.Split(string(run(script.String(), bash)), marker+"\n")
	for i, one := range all {
		got, err := csv.NewReader(strings.NewReader(answers[i])).ReadAll()
		if err != nil || len(got) == 0 || !slices.EqualFunc(got, want[i], slices.Equal) {
			t.Errorf("%s:\n got %q, %v\nwant %q", one.statement, got, err, want[i])
		}
	}
}

// severalFiles are the files of TestFilesByName.
var severalFiles = map[string]string{
	"1.csv": "id,city,amount\n1,Rome,10\n2,Oslo,20\n3,Rome,\n",
	"2.csv": "amount,extra,CITY,id\n40,x,Rome,4\n50,\"y,z\",Bonn,5\n",
	"3.csv": "Id,city\n6,Rome\n7,Bonn\n",
}

// TestFilesByName asks both programs about several files as one table, with columns by name. What DuckDB calls * are the
// columns of all files; here they are those of the first.
func TestFilesByName(t *testing.T) {
	const here, there = "['1.csv', '2.csv', '3.csv']", "read_csv(['1.csv', '2.csv', '3.csv'], union_by_name = true)"
	var all []asked
	for _, statement := range []string{
		"select id, city, amount from FILES order by id",
		"select city, count(*) as n, sum(amount) as s from FILES group by city order by city",
		"select extra, id from FILES where extra is not null or id > 6 order by id desc",
		"select filename, count(*) as n, max(amount) as m from FILES group by filename order by filename",
		"select id, filename as f from FILES where filename <> '2.csv' order by FILENAME desc, id",
		"select count(*) as n, count(amount) as a, count(extra) as e from FILES",
		"select * exclude (amount, city), filename from FILES where filename like '3%' and extra is null order by id",
	} {
		duck := strings.ReplaceAll(statement, "FILES", there)
		duck = strings.ReplaceAll(duck, "exclude (amount, city)", "exclude (amount, city, extra)")
		all = append(all, asked{strings.ReplaceAll(statement, "FILES", here), duck})
	}
	compareNamed(t, severalFiles, all)
}
