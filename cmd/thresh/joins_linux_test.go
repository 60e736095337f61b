package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/test/python"
	"github.com/thresh-dev/thresh/internal/test/rounds"
	"github.com/thresh-dev/thresh/internal/threshold"
	"github.com/thresh-dev/thresh/options"
)

// duckJoins answers a JSON list of statements about three files.
const duckJoins = `
import json, sys, duckdb
duckdb.execute("set threads = 1")
for name, columns in json.loads(sys.argv[1]).items():
    duckdb.execute(f"create table {name} as select * from read_csv('{name}.csv', header = true, auto_detect = false, " +
        f"delim = ',', quote = '\"', escape = '\"', nullstr = '', allow_quoted_nulls = false, columns = {columns})")
answers = []
for query in json.load(sys.stdin):
    rows = duckdb.execute(query).fetchall()
    answers.append([["" if v is None else str(v) for v in row] for row in rows])
json.dump(answers, sys.stdout)
`

// joinColumns are the columns of the files, as DuckDB is told.
var joinColumns = map[string]map[string]string{
	"hits":    {"hit": "INTEGER", "region": "INTEGER", "city": "VARCHAR", "ms": "INTEGER"},
	"regions": {"id": "INTEGER", "name": "VARCHAR", "weight": "INTEGER"},
	"cities":  {"city": "VARCHAR", "country": "VARCHAR", "region": "INTEGER"},
}

// joinTables returns the records of the files, with nulls ("-"), empty texts, repeated keys and keys of one side alone.
func joinTables(r *rand.Rand, hits int) map[string][][]string {
	maybe := func(n int, text string) string {
		if r.IntN(n) == 0 {
			return "-"
		}
		return text
	}
	number := func(n int) string { return fmt.Sprint(r.IntN(n)) }
	cities := []string{"Bern", "Rome, IT", `the "old" one`, "", "Oslo\nWest", "Zürich", "bern", "Ulm", "Bern "}
	city := func() string { return cities[r.IntN(len(cities))] }
	all := map[string][][]string{"hits": {{"hit", "region", "city", "ms"}}, "regions": {{"id", "name", "weight"}},
		"cities": {{"city", "country", "region"}}}
	for i := range hits {
		all["hits"] = append(all["hits"], []string{fmt.Sprint(i), maybe(12, number(30)), maybe(12, city()), maybe(9, number(500))})
	}
	for range 1 + r.IntN(120) {
		name := city()
		if name == "" {
			name = "x"
		}
		all["regions"] = append(all["regions"], []string{maybe(10, number(40)), maybe(5, name), maybe(6, number(9))})
	}
	for range 1 + r.IntN(12) {
		all["cities"] = append(all["cities"], []string{maybe(10, city()), maybe(8, []string{"CH", "IT", "DE"}[r.IntN(3)]), maybe(9, number(30))})
	}
	return all
}

// joinFile writes records as a form has them, and returns what a statement calls the file.
func joinFile(t *testing.T, folder, form, name string, rows [][]string) string {
	t.Helper()
	var b bytes.Buffer
	end := "\n"
	if strings.Contains(form, "crlf") {
		end = "\r\n"
	}
	for n, row := range rows {
		if strings.Contains(form, "json") {
			if n > 0 {
				object := map[string]any{}
				for i, v := range row {
					if object[rows[0][i]] = v; v == "-" {
						object[rows[0][i]] = nil
					}
				}
				must(t, json.NewEncoder(&b).Encode(object))
			}
			continue
		}
		for i, v := range row {
			if i > 0 {
				b.WriteByte(',')
			}
			switch {
			case v == "-":
			case v == "" || strings.ContainsAny(v, "\",\n"):
				b.WriteString(`"` + strings.ReplaceAll(v, `"`, `""`) + `"`)
			default:
				b.WriteString(v)
			}
		}
		b.WriteString(end)
	}
	file := filepath.Join(folder, name+".csv")
	if strings.Contains(form, "json") {
		file = filepath.Join(folder, name+".ndjson")
	}
	if strings.Contains(form, "gz") {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		_, err := w.Write(b.Bytes())
		must(t, err)
		must(t, w.Close())
		b, file = packed, file+".gz"
	}
	must(t, os.WriteFile(file, b.Bytes(), 0o600))
	return file
}

// Parts of statements that join.
var (
	joinFroms = []string{
		"hits h join regions r on h.region = r.id",
		"regions r join hits h on r.id = h.region",
		"hits h left join regions r on h.region = r.id",
		"regions r left outer join hits h on r.id = h.region",
		"hits h inner join regions r on h.region = r.id and r.weight > 3",
		"hits h left join regions r on h.region = r.id and r.weight > 3",
		"hits h join regions r on h.region = r.id and h.ms > 100 and h.ms > r.weight * 20",
		"hits h join regions r on h.region + 1 = r.id",
		"regions r left join hits h on r.id = h.region + 1",
		"hits h join regions r on h.region = r.id and r.weight = h.ms % 90",
		"regions r join hits h on h.city = r.name and h.region = r.id",
		"hits h join regions r on h.region = r.id join cities c on c.city = h.city",
		"regions r join cities c on c.region = r.id join hits h on h.city = c.city",
		"hits h left join regions r on h.region = r.id left join cities c on c.city = r.name",
		"hits h join cities c on h.city = c.city and h.region = c.region left join regions r on r.id = h.region",
		"regions r join hits h on h.region = r.id left join cities c on upper(c.city) = upper(r.name)",
		"hits h right join regions r on h.region = r.id", "regions r right outer join hits h on r.id = h.region and r.weight > 3",
		"hits h full join regions r on h.region = r.id", "regions r full outer join hits h on r.id = h.region + 1",
		"hits h full join regions r on h.region = r.id and h.city = r.name left join cities c on c.city = h.city",
		"hits h, regions r", "regions r, hits h", "hits h cross join regions r", "regions r, cities c join hits h on h.city = c.city",
		"cities c left join hits h on c.city = h.city and c.region = h.region and h.ms > 200 join regions r on r.id = c.region",
	}
	joinTests = []string{
		"hits h semi join regions r on h.region = r.id",
		"hits h anti join regions r on h.region = r.id",
		"hits h semi join cities c on h.city = c.city and c.region = h.region",
		"hits h anti join cities c on h.city = c.city and c.country = 'CH'",
	}
	joinTestsBelow = []string{
		"regions r semi join hits h on h.region = r.id",
		"regions r anti join hits h on h.region = r.id and h.ms > 50",
	}
	joinIns = []string{
		"h.region in (select id from regions where weight > 3)",
		"h.region not in (select id from regions where id > 4)",
		"h.region not in (select id from regions )",
		"h.region not in (select id from regions where id > 900)",
		"h.city in (select city from cities group by city having count(*) < 3)",
		"h.region + 1 in (select region from cities where country in (select country from cities where region > 9))",
		"upper(h.city) not in (select upper(name) from regions where name is not null)",
	}
	hitItems      = []string{"h.hit", "h.region", "h.city", "h.ms", "h.ms * 2", "h.region + 1", "upper(h.city)", "h.ms > 100"}
	regionItems   = []string{"r.id", "r.name", "r.weight", "coalesce(r.name, '?')", "r.weight + 1", "lower(r.name)", "r.id is null"}
	hitWheres     = []string{"h.ms > 100", "h.city is not null", "h.ms is null", "h.region in (1, 2, 3, 4, 5, 6, 7)", "h.city like 'B%'", "h.hit % 3 = 1"}
	regionWheres  = []string{"r.name is not null", "r.weight > 2", "r.weight is null", "r.name = 'Bern'", "coalesce(r.weight, 5) < 6"}
	bothWheres    = []string{"h.ms > r.weight * 50", "h.city = r.name", "r.weight > 3 or h.ms < 100", "h.city is distinct from r.name"}
	hitFolds      = []string{"count(*)", "sum(h.ms)", "max(h.city)", "count(distinct h.city)", "min(h.hit)"}
	regionFolds   = []string{"count(r.name)", "sum(r.weight)", "min(r.name)", "count(distinct r.id)"}
	bothFolds     = []string{"sum(h.ms * r.weight)", "count(*) filter (where r.weight > 4)", "max(h.ms + r.weight) - min(r.weight)"}
	hitJoinKeys   = []string{"h.city", "h.region", "h.ms % 3"}
	otherJoinKeys = []string{"r.name", "r.weight", "lower(r.name)", "r.id"}

	// of sources that are joined by where: what they have in common is an equality
	commaWheres = []string{"h.region = r.id", "(h.region = r.id and r.weight > 3 or r.id = h.region and h.ms < 100)", "r.id = h.region + 1",
		"((h.region = r.id and r.weight < 4 and h.ms > 50) or (r.weight > 6 and h.ms < 200 and r.id = h.region and h.hit % 2 = 0))",
		"(h.region = r.id or h.region = r.id and r.id = h.region) and h.ms > r.weight"}
)

// randomJoin returns a statement that joins, with an order that leaves nothing open.
func randomJoin(r *rand.Rand) string {
	one := func(from ...[]string) string {
		of := from[r.IntN(len(from))]
		return of[r.IntN(len(of))]
	}
	some := func(n int, from ...[]string) string {
		var parts []string
		for range n {
			parts = append(parts, one(from...))
		}
		return strings.Join(parts, ", ")
	}
	from := one(joinFroms, joinFroms, joinFroms, joinTests, joinTestsBelow, []string{"hits h"})
	items, wheres, folds, keys := [][]string{hitItems, regionItems}, [][]string{hitWheres, regionWheres, bothWheres},
		[][]string{hitFolds, regionFolds, bothFolds}, [][]string{hitJoinKeys, otherJoinKeys}
	if from == "hits h" || strings.Contains(from, "semi") || strings.Contains(from, "anti") {
		side := 0
		if strings.HasPrefix(from, "regions") {
			side = 1
		}
		items, wheres, folds, keys = items[side:side+1], wheres[side:side+1], folds[side:side+1], keys[side:side+1]
	}
	where := ""
	if strings.Contains(from, "r, ") || strings.Contains(from, "h, ") || strings.Contains(from, "cross") {
		where = " where " + one(commaWheres)
	}
	for range r.IntN(3) {
		where += []string{" where ", " and "}[min(len(where), 1)] + "(" + one(wheres...) + ")"
	}
	if r.IntN(5) == 0 && !strings.Contains(from, "semi join hits") && !strings.Contains(from, "anti join hits") {
		where += []string{" where ", " and "}[min(len(where), 1)] + one(joinIns)
	}
	limit := ""
	if r.IntN(3) == 0 {
		limit = fmt.Sprintf(" limit %d offset %d", 1+r.IntN(30), r.IntN(9))
	}
	switch r.IntN(4) {
	case 0:
		return "select " + some(1+r.IntN(3), folds...) + " from " + from + where
	case 1:
		if len(keys) == 2 && r.IntN(3) == 0 {
			return "select h.city, upper(r.name), " + one(folds...) + " from " + from + where + " group by r.name, h.city having " +
				[]string{"r.name is not null", "h.city > 'C' and r.name < 'x'", "count(*) > 2 and h.city is null"}[r.IntN(3)] +
				" order by all" + limit
		}
		return "select " + one(keys...) + " as k, " + some(1+r.IntN(3), folds...) + " from " + from + where +
			" group by k having count(*) > 1 order by all" + limit
	case 2:
		return "select distinct " + some(1+r.IntN(2), items...) + " from " + from + where + " order by all" + limit
	}
	return "select " + some(1+r.IntN(4), items...) + " from " + from + where + " order by all" + limit
}

// duckDBAnswers returns what DuckDB answers about the files of a folder.
func duckDBAnswers(t *testing.T, interpreter, folder string, statements []string) (answers [][][]string) {
	t.Helper()
	asked, err := json.Marshal(statements)
	must(t, err)
	columns, err := json.Marshal(joinColumns)
	must(t, err)
	// The order of the columns is that of the file.
	text := string(columns)
	for name := range joinColumns {
		head, err := os.ReadFile(filepath.Join(folder, name+".csv"))
		must(t, err)
		names, err := csv.NewReader(bytes.NewReader(head)).Read()
		must(t, err)
		var in []string
		for _, n := range names {
			in = append(in, fmt.Sprintf("%q:%q", n, joinColumns[name][n]))
		}
		old, err := json.Marshal(joinColumns[name])
		must(t, err)
		text = strings.Replace(text, string(old), "{"+strings.Join(in, ",")+"}", 1)
	}
	duck := exec.Command(interpreter, "-c", duckJoins, text)
	var errs bytes.Buffer
	duck.Dir, duck.Stdin, duck.Stderr = folder, bytes.NewReader(asked), &errs
	out, err := duck.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, errs.Bytes())
	}
	must(t, json.Unmarshal(out, &answers))
	for _, rows := range answers {
		for _, row := range rows {
			for i, v := range row {
				if v == "True" || v == "False" { // as Python writes them
					row[i] = strings.ToLower(v)
				}
			}
		}
	}
	return answers
}

// joinForms are how the files are written, and how they are read. The size is that to which buffers are shrunk; 0 leaves
// them.
var joinForms = []struct {
	hits, regions, cities string
	workers, chunk, size  int
}{
	{"csv", "csv", "csv", 1, 0, 0},
	{"csv", "csv", "csv", 4, 4096, 0},
	{"crlf", "crlf gz", "json", 2, 512, 64},
	{"json", "csv", "json", 3, 1000, 0},
	{"csv gz", "json gz", "csv", 2, 0, 7},
	{"json", "json", "json", 2, 300, 3},
}

// TestJoins asks random statements that join of both, DuckDB and thresh.
func TestJoins(t *testing.T) {
	interpreter := python.Interpreter(t, "duckdb")
	for n, form := range joinForms {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			if form.size > 0 {
				threshold.Shrink(t, form.size)
			}
			r := rand.New(rand.NewPCG(35, uint64(n)))
			folder := t.TempDir()
			tables := joinTables(r, []int{3000, 1500, 5, 400}[n%4])
			files := map[string]string{}
			for name, of := range map[string]string{"hits": form.hits, "regions": form.regions, "cities": form.cities} {
				joinFile(t, folder, "csv", name, tables[name])
				files[name] = joinFile(t, folder, of, name, tables[name])
			}
			statements := []string{ // a key that is also selected, of rows that are repeated, and of those without a match
				"select h.region + 1, r.name from hits h join regions r on h.region + 1 = r.id order by all",
				"select h.region + 1, r.id from regions r left join hits h on r.id = h.region + 1 order by all",
				"select coalesce(h.region, 7), r.id from regions r left join hits h on r.id = coalesce(h.region, 7) order by all",
			}
			for range rounds.Of(110) {
				statements = append(statements, randomJoin(r))
			}
			want := duckDBAnswers(t, interpreter, folder, statements)
			o := thresh.SQLOptions{Scan: options.Scan{Run: options.Run{Workers: form.workers, ChunkBytes: form.chunk}}}
			for i, s := range statements {
				for name, file := range files {
					s = strings.ReplaceAll(s, " "+name+" ", " '"+file+"' ")
				}
				if d := tablesDiffer(rowsOfSQL(t, s, o), want[i]); d != "" {
					t.Errorf("%s: %s", s, d)
				}
			}
		})
	}
}

// TestJoinsInOrder: without an order, rows come in that of the larger file whatever the workers and the buffers, and a
// limit takes the first ones.
func TestJoinsInOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(35, 99))
	folder := t.TempDir()
	tables := joinTables(r, 2000)
	files := map[string]string{}
	for name := range tables {
		files[name] = joinFile(t, folder, "csv", name, tables[name])
	}
	var regions [][]string // by hand, from the records
	for _, hit := range tables["hits"][1:] {
		for _, region := range tables["regions"][1:] {
			if hit[1] == region[0] && hit[1] != "-" {
				regions = append(regions, []string{hit[0], strings.TrimPrefix(region[2], "-")})
			}
		}
	}
	const inner = "select h.hit, r.weight from regions r join hits h on h.region = r.id"
	for _, statement := range []string{inner,
		"select h.hit, r.name, c.country from regions r left join hits h on h.region = r.id left join cities c on c.city = h.city",
		"from regions r anti join hits h on h.region = r.id",
		"select * from hits h join regions r on h.region = r.id where h.hit in (select hit from hits where ms > 250)",
	} {
		for name, file := range files {
			statement = strings.ReplaceAll(statement, " "+name+" ", " '"+file+"' ")
		}
		var whole [][]string
		for _, size := range []int{0, 2, 5, 64} {
			t.Run(fmt.Sprint(size), func(t *testing.T) {
				if size > 0 {
					threshold.Shrink(t, size)
				}
				for _, workers := range []int{1, 4} {
					o := thresh.SQLOptions{Scan: options.Scan{Run: options.Run{Workers: workers, ChunkBytes: 700 * size}}}
					rows := rowsOfSQL(t, statement, o)
					if whole == nil {
						if whole = rows; strings.HasPrefix(statement, "select h.hit, r.weight") {
							whole = regions
						}
					}
					if d := tablesDiffer(rows, whole); d != "" {
						t.Fatalf("%s, %d workers: %s", statement, workers, d)
					}
					for _, from := range []int{0, 1, 7, len(whole) - 3, len(whole), len(whole) / 2} {
						for _, n := range []int{1, 2, 50} {
							from, to := min(max(from, 0), len(whole)), min(max(from, 0)+n, len(whole))
							limited := fmt.Sprintf("%s limit %d offset %d", statement, n, from)
							if d := tablesDiffer(rowsOfSQL(t, limited, o), whole[from:to]); d != "" {
								t.Fatalf("%s, %d workers: %s", limited, workers, d)
							}
						}
					}
				}
			})
		}
	}
}

// TestJoinBound: what is in memory is bounded, and the error says what is too large. What fits does not depend on columns
// that are not needed, nor on records that are not.
func TestJoinBound(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.csv")
	var b bytes.Buffer
	b.WriteString("id,text\n")
	for i := range 300_000 {
		fmt.Fprintf(&b, "%d,%0200d\n", i, i)
	}
	must(t, os.WriteFile(file, b.Bytes(), 0o600))
	o := thresh.SQLOptions{Scan: options.Scan{Run: options.Run{MemoryBytes: 80 << 20, Workers: 2}}}
	from := fmt.Sprintf(" from '%s' a join '%[1]s' b on a.id = b.id", file)
	_, err := thresh.SQL(context.Background(), "select max(b.text)"+from, o, new(answer.Tables))
	if err == nil || !strings.Contains(err.Error(), "do not fit into 40 MiB, what Run.MemoryBytes 80 MiB has for them") ||
		strings.Count(err.Error(), "a.csv (59.4 MiB)") != 2 {
		t.Errorf("%v", err)
	}
	for statement, want := range map[string]string{
		"select count(*)" + from:                                                        "300000",
		"select sum(b.id)" + from:                                                       "44999850000",
		"select max(b.text::int)" + from + " where b.id < 1000":                         "999",
		"select count(*)" + from + " join '" + file + "' c on c.id = b.id and c.id < 9": "9",
	} {
		if rows := rowsOfSQL(t, statement, o); fmt.Sprint(rows) != "[["+want+"]]" {
			t.Errorf("%s: %v, want %s", statement, rows, want)
		}
	}
}

// rowsOfSQL returns the rows of a statement as texts.
func rowsOfSQL(t *testing.T, statement string, o thresh.SQLOptions) (rows [][]string) {
	t.Helper()
	var answers answer.Tables
	if _, err := thresh.SQL(context.Background(), statement, o, &answers); err != nil || len(answers) != 1 {
		t.Errorf("%s: %d answers, %v", statement, len(answers), err)
		return nil
	}
	for _, row := range answers[0].Rows {
		var texts []string
		for _, cell := range row {
			texts = append(texts, cell.String())
		}
		rows = append(rows, texts)
	}
	return rows
}
