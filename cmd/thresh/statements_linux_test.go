package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/test/python"
	"github.com/thresh-dev/thresh/internal/test/rounds"
)

// notSpoken lists what questions of docs/sql.md have in DuckDB's words only.
var notSpoken = []string{"(select q.", "count(distinct (", "strftime", "nulls last, id)", "min(paid)::varchar", "printf("}

// TestStatements asks the statements of docs/sql.md of both, DuckDB and thresh.
func TestStatements(t *testing.T) {
	statements := slices.Clone(typed)
	for _, e := range pageExamples(t) {
		if !slices.ContainsFunc(notSpoken, func(words string) bool { return strings.Contains(e.statement, words) }) {
			statements = append(statements, e.statement)
		}
	}
	sameAsDuckDB(t, statements)
}

// typed are statements as people type them who know other programs: names of items, and other notations.
var typed = []string{
	"select id, price * 2 as y from orders where y between 30 and 50 order by y desc, id limit 9",
	"select id * 2 as y, y + 1 as z, z || '!' w from orders where w like '3%' order by z, id",
	"select upper(city) u, count(*) n, count(*) filter (where u like 'B%') from orders where u > 'A' group by u having n > 3 order by n desc, u",
	"select case when price > 100 then 'big' else 'small' end as size, count(*) from orders where size = 'big' group by size",
	"select distinct price * 2 as y from orders where y > 350 order by y",
	"select price * 0 + id as price, id from orders where price > 190 order by id",
	"select extract(month from paid) as month, count(*) from orders where extract(month from paid) = month and month < 4 group by month order by month",
	"select -id as y, id from orders where y in (-3, -5) order by y + 0",
	"select a.id * 2 as y, b.city from orders a join (select * from orders) b on a.id = b.id where y < 20 order by y",
	"select quantile_cont(id, 0.5), percentile_cont(0.25) within group (order by id), median(price) from orders",
	"select country, percentile_disc(0.9) within group (order by id desc) p from orders group by 1 order by p",
	"select country, percentile_cont(0.7) within group (order by id desc) p from orders group by 1 order by p",
	"select country, string_agg(distinct city, ', ' order by city) from orders where id < 200 group by all order by all",
	"select count(), count(all note), max(distinct city), min(distinct price) from orders",
	"select max_by(id, price * 10000 - id), argmin(id, price * 10000 + id) from orders",
	"select sqrt(id), pow(id, 0.5), exp(id), ln(id), log(id), log2(id) from orders where id < 9 order by id",
	"select city, substr(city, -9, 7), substr(city, 0, 3), substr(city, 4, -2), substr(city, -2, 9), substr(city, -99) from orders where id < 99 order by id",
	"select lpad(city, 6, '*'), rpad(city, 3, 'x'), reverse(city), repeat(city, 2) from orders where id < 99 order by id",
	"select concat_ws('-', note, city, country) from orders where id < 99 order by id",
	"select dayname(paid) d, monthname(paid) m, count(*) from orders group by all order by all",
	"select id from orders where city like 'B!%' escape '!' or note like '%g_f%' escape '_' or city like 'B%' escape '!' order by id",
	"select distinct 'all' from orders where id < 0",
	"select 'all', 7 from orders where id < 0 group by all",
	"select * except (paid, price) from orders order by id limit 3",
	"select id, from orders order by id limit all offset 590",
	"select date_add(paid::timestamp, interval 2 day) from orders where id < 9 order by id",
}

// sameAsDuckDB asks statements about orders of both, and compares the rows in their order.
func sameAsDuckDB(t *testing.T, statements []string) {
	t.Helper()
	interpreter := python.Interpreter(t, "duckdb")
	folder := t.TempDir()
	file := filepath.Join(folder, "orders.csv")
	must(t, os.WriteFile(file, orders(), 0o600))
	asked, err := json.Marshal(statements)
	must(t, err)
	duck := exec.Command(interpreter, "-c", duckDB)
	var errs bytes.Buffer
	duck.Dir, duck.Stdin, duck.Stderr = folder, bytes.NewReader(asked), &errs
	out, err := duck.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, errs.Bytes())
	}
	var want [][][]string
	must(t, json.Unmarshal(out, &want))
	for i, statement := range statements {
		text := strings.ReplaceAll(statement, "from orders", "from '"+file+"'")
		var answers answer.Tables
		if _, err = thresh.SQL(context.Background(), text, thresh.SQLOptions{}, &answers); err != nil || len(answers) != 1 {
			t.Errorf("%s: %d answers, %v", statement, len(answers), err)
			continue
		}
		var got [][]string
		for _, row := range answers[0].Rows {
			var texts []string
			for _, cell := range row {
				texts = append(texts, cell.String())
			}
			got = append(got, texts)
		}
		for _, row := range want[i] {
			for j, text := range row {
				if text == "True" || text == "False" { // as Python writes them
					row[j] = strings.ToLower(text)
				}
			}
		}
		if d := tablesDiffer(got, want[i]); d != "" {
			t.Errorf("%s: %s", statement, d)
		}
	}
}

// Parts of random statements, of which both say the same.
var (
	someKeys = []string{"country", "city", "quantity", "lower(city)", "year(paid)", "month(paid)", "date_trunc('month', paid)::date",
		"case when price >= 100 then 'dear' when price < 100 then 'cheap' end", "coalesce(note, 'none')", "left(city, 1)", "quantity % 3",
		"note is null", "price > 50", "country || '/' || city", "length(city)", "floor(price)", "upper(substr(city, 2, 2))",
		"nullif(country, 'DE')", "country in ('DE', 'AT')", "paid::date", "round(price)", "'all'",
		"regexp_replace(city, '^([^e]+)e.*$', '\\1')", "extract(day from paid)", "case country when 'DE' then city else '' end",
		"date_trunc('month', paid)", "if(price > 20, lower(country), note)", "dayname(paid)", "lpad(city, 3, '*')", "concat_ws('/', note, country)",
		"reverse(city)", "substr(city, quantity - 9, quantity % 7 - 3)", "floor(sqrt(id))", "repeat(left(city, 1), quantity % 3)", "note like '%!%%' escape '!'"}
	someAggregates = []string{"count(*)", "count(note)", "sum(price)", "min(price)", "max(price)", "sum(price * quantity)", "count(distinct city)",
		"min(city)", "max(paid::date)", "sum(quantity)", "max(price) - min(price)", "sum(quantity) filter (where country = 'DE')",
		"count(*) filter (where price > 50)", "sum(price) + count(*)", "bool_or(price > 199)", "bool_and(quantity < 49)",
		"case when count(*) > 20 then 'many' else 'few' end", "quantile_disc(price, 0.9)", "sum(case when note is null then 1 else 0 end)",
		"arg_max(id, price * 10000 - id)", "greatest(min(quantity), 2)", "coalesce(sum(price), 0)", "sum(1)",
		"max(7)", "count(2)", "count()", "quantile_cont(quantity, 0.3)", "string_agg(distinct country, ',' order by country)",
		"percentile_disc(0.7) within group (order by id desc)", "percentile_cont(0.25) within group (order by id)",
		"max_by(id, price * 10000 + id)", "max(distinct price)", "count(all note)", "sum(case when quantity > 3 then price else 0 end)", "sum(length(city))"}
	someConditions = []string{"price > 100", "country = 'DE'", "note is null", "note is not null", "city like 'B%'", "quantity between 3 and 9",
		"country in ('DE', 'FR')", "not (price < 20)", "price * quantity > 500", "paid >= '2026-03-01'", "lower(note) like '%gift%'",
		"price is distinct from quantity", "month(paid) = 6", "city ~ '^[A-H]'", "coalesce(quantity, 0) = 0", "price > 50 or quantity > 20",
		"note = ''", "case when price > 10 then quantity > 5 else true end", "length(city) > 5", "id % 7 = 3",
		"'DE' in (country, note)", "'Bern' between country and city", "quantity * 2 between id % 50 and 60", "lower(city) in ('bern', note)"}
	// someNames are items, and conditions with their names.
	someNames = [][2]string{{"price * quantity as worth", "worth > 500"}, {"upper(city) as town", "town like 'B%'"},
		{"id % 7 as seventh", "seventh in (2, 3)"}, {"coalesce(note, '-') as remark", "remark <> '-' and length(remark) > 4"},
		{"month(paid) as month", "month between 3 and 6"}, {"price > 100 as dear", "dear or quantity > 5"}}
	someColumns = []string{"id", "city", "country", "price", "quantity", "note", "price * quantity", "upper(city)", "paid::date",
		"coalesce(note, '-')", "price > 100", "year(paid)", "city || '-' || id", "round(price)", "quantity + 1"}
)

// randomStatement returns a statement about orders with an order that leaves nothing open.
func randomStatement(r *rand.Rand) string {
	some := func(from []string, n int) (parts []string) {
		for _, i := range r.Perm(len(from))[:n] {
			parts = append(parts, from[i])
		}
		return parts
	}
	where := ""
	if n := r.IntN(3); n > 0 {
		where = " where (" + strings.Join(some(someConditions, n), []string{") and (", ") or ("}[r.IntN(2)]) + ")"
	}
	limit := ""
	if r.IntN(2) == 0 {
		limit = fmt.Sprintf(" limit %d", r.IntN(8))
		if r.IntN(2) == 0 {
			limit += fmt.Sprintf(" offset %d", r.IntN(8))
		}
	}
	switch r.IntN(4) {
	case 0:
		by := some(someColumns, r.IntN(3))
		for i := range by {
			by[i] += []string{"", " asc", " desc", " desc nulls first", " nulls first"}[r.IntN(5)]
		}
		named := ""
		if name := someNames[r.IntN(len(someNames))]; r.IntN(2) == 0 {
			named = name[0] + ", "
			where = strings.Replace(cmp.Or(where, " where true"), " where ", " where ("+name[1]+") and ", 1)
		}
		return "select " + named + strings.Join(some(someColumns, 1+r.IntN(4)), ", ") + " from orders" + where + " order by " +
			strings.Join(append(by, "id"), ", ") + limit
	case 1:
		return "select distinct " + strings.Join(some(someKeys, 1+r.IntN(2)), ", ") + " from orders" + where + " order by all" + limit
	case 2:
		return "select " + strings.Join(some(someAggregates, 1+r.IntN(4)), ", ") + " from orders" + where
	}
	keys := some(someKeys, 1+r.IntN(2))
	items := append(slices.Clone(keys), some(someAggregates, 1+r.IntN(3))...)
	having := ""
	if r.IntN(3) == 0 {
		having = " having count(*) > " + strconv.Itoa(r.IntN(60))
	}
	return "select " + strings.Join(items, ", ") + " from orders" + where + " group by " +
		[]string{"all", strings.Join(keys, ", ")}[r.IntN(2)] + having + " order by all" + limit
}

// TestSharedStatements asks random statements together, most of which share a pass, and each by itself. The rows and
// what is said about the values are the same, and the file is read once for all groups.
func TestSharedStatements(t *testing.T) {
	file := filepath.Join(t.TempDir(), "orders.csv")
	table := regexp.MustCompile(`(?m),\d+\.\d7,`).ReplaceAll(orders(), []byte(",n/a,")) // some prices are not numbers
	must(t, os.WriteFile(file, table, 0o600))
	r := rand.New(rand.NewPCG(35, 4))
	for range rounds.Of(40) {
		var texts []string
		for range 2 + r.IntN(5) {
			texts = append(texts, strings.ReplaceAll(randomStatement(r), "from orders", "from '"+file+"'"))
		}
		var together answer.Tables
		script := strings.Join(texts, ";\n")
		reports, err := thresh.SQL(context.Background(), script, thresh.SQLOptions{}, &together)
		groups := 0
		for n, text := range texts {
			var alone answer.Tables
			one, oneErr := thresh.SQL(context.Background(), text, thresh.SQLOptions{}, &alone)
			if (oneErr != nil) != (n >= len(together)) {
				t.Fatalf("%s: %v; together %v\n%s", text, oneErr, err, script)
			}
			if oneErr != nil {
				break
			}
			if !reflect.DeepEqual(alone[0], together[n]) {
				t.Fatalf("%s: %v\nwant %v\n%s", text, together[n], alone[0], script)
			}
			if a, b := one[0].NonNumeric, reports[n].NonNumeric; !reflect.DeepEqual(a, b) || one[0].Records != reports[n].Records {
				t.Fatalf("%s: %v of %d\nwant %v of %d\n%s", text, b, reports[n].Records, a, one[0].Records, script)
			}
			_, after, _ := strings.Cut(text, " from '"+file)
			if strings.Contains(after, " group by ") || strings.HasPrefix(text, "select distinct") || !strings.Contains(after, "order by") {
				if groups++; (reports[n].Bytes == 0) != (groups > 1) {
					t.Fatalf("%s: %d bytes are read for it, after %d like it\n%s", text, reports[n].Bytes, groups-1, script)
				}
			}
		}
	}
}

// TestRandomStatements asks random statements of both.
func TestRandomStatements(t *testing.T) {
	r := rand.New(rand.NewPCG(35, 1))
	var statements []string
	for range rounds.Of(400) {
		statements = append(statements, randomStatement(r))
	}
	sameAsDuckDB(t, statements)
}

// Parts of unions: texts, and numbers.
var (
	textParts   = []string{"country", "city", "coalesce(note, 'none')", "country || '/' || city", "'all'", "note"}
	numberParts = []string{"sum(price)", "count(*)", "max(price)", "sum(quantity)", "avg(quantity)", "min(price * quantity)"}
	recordParts = []string{"price", "quantity", "id", "price * quantity"}
)

// TestUnions asks statements with union all of both.
func TestUnions(t *testing.T) {
	statements := []string{
		"select id, price from orders where price > 199 union all select id, quantity from orders where id < 4 order by 1, 2",
		"(select id from orders order by price desc nulls last, id limit 2) union all select count(*) from orders",
		"select id from orders where id < 3 union all (select quantity from orders order by id limit 2) union all select -1 from orders where id = 7",
		"select max(n), sum(n), count(k) from (select city as k, count(*) as n from orders group by 1 union all select note, count(*) from orders group by 1)",
		"with x as (select city as k from orders union all select country from orders) select k, count(*) from x group by k order by all",
		"select k, n from (select country as k, sum(price) as n from orders group by 1 union all select 'all', sum(quantity) from orders) where n > 10 order by all",
		"select count(*) from orders union all select sum(price) from orders union all select avg(price) from orders",
		"from (select id from orders where id < 3 union all select id from orders where id = 9) order by id desc offset 1",
		"select 'x' as k, id, 7, 2.5 as p from orders order by id limit 2",
		"select 'x' as k, 5 as f, sum(2) from orders group by all",
		"select country from orders union select city from orders order by 1",
		"select country as c from orders union distinct select city from orders union all select 'DE' from orders where id < 3 order by c limit 9",
		"select count(*), sum(n) from (select city as k, quantity as n from orders union select country, quantity from orders)",
		"((select id from orders limit 1) union all (select 5 from orders limit 1)) order by 1 desc",
	}
	r := rand.New(rand.NewPCG(35, 2))
	pick := func(from []string) string { return from[r.IntN(len(from))] }
	for range rounds.Of(100) {
		var parts []string
		records := r.IntN(2) == 0
		for range 2 + r.IntN(2) {
			numbers, group := numberParts, " group by all"
			if records {
				numbers, group = recordParts, ""
			}
			parts = append(parts, "select "+pick(textParts)+" as k, "+pick(numbers)+", "+pick(numbers)+" from orders where "+
				pick(someConditions)+group)
		}
		union := strings.Join(parts, " union all ")
		switch r.IntN(3) {
		case 0:
			statements = append(statements, union+" order by all limit "+strconv.Itoa(r.IntN(20)))
		case 1:
			statements = append(statements, "select k, count(*) from ("+union+") group by k order by k")
		default:
			statements = append(statements, union+" order by 3 desc nulls first, 1, 2 desc")
		}
	}
	sameAsDuckDB(t, statements)
}
