package sql

import (
	"fmt"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/table/query"
)

// compiled shows what a statement is compiled to.
func compiled(q *Query) string {
	a := q.Question
	s := fmt.Sprintf("where[%s] ", q.Where)
	for _, o := range q.Sources {
		s += fmt.Sprintf("%v %s on[%s]%q ", o.Kind, o.Name, o.On, o.Using)
	}
	if a.Kind == query.Select {
		s += fmt.Sprintf("select%q without%q", a.Columns, a.Without)
	} else {
		s += fmt.Sprintf("keys[%s] agg[%s] having[%s]", a.Keys, a.Aggregates, a.Having)
	}
	return s + fmt.Sprintf(" by[%s] %d+%d %v %q", a.By, a.Skip, a.Limit, q.Columns, q.Names)
}

// TestCompile: the questions that statements are.
func TestCompile(t *testing.T) {
	for _, c := range []struct{ statement, want string }{
		{"select * from 'f'", `where[] select["*"] without[] by[] 0+0 [] []`},
		{"from 'f'", `where[] select["*"] without[] by[] 0+0 [] []`},
		{"from 'f' select a, b + 1 as c where a > 1 limit 3 offset 2",
			"where[a > 1] select[\"a\" \"b + 1 as `c`\"] without[] by[] 2+3 [] []"},
		{"SELECT * EXCLUDE (a, \"b c\") FROM 'f' ORDER BY a DESC NULLS FIRST, 1",
			""},
		{"select a x, b from 'f' order by x, 2 desc", "where[] select[\"a as `x`\" \"b\"] without[] by[(a) asc, (b) desc] 0+0 [] []"},
		{"select count(*) from 'f'", "where[] keys[] agg[count(*) as `count(*)`] having[] by[] 0+0 [0] [\"count(*)\"]"},
		{"select a, sum(b) as s from 'f' group by a having s > 1 order by s desc, a",
			"where[] keys[a] agg[sum(b) as `s`] having[s > 1] by[2 desc, 1 asc] 0+0 [0 1] [\"a\" \"s\"]"},
		{"select sum(b), lower(a) k from 'f' group by k",
			"where[] keys[(lower(a)) as `k`] agg[sum(b) as `sum(b)`] having[] by[] 0+0 [1 0] [\"sum(b)\" \"k\"]"},
		{"select a, a, count(*) from 'f' group by all", "where[] keys[a, a] agg[count(*) as `count(*)`] having[] by[] 0+0 [0 0 2] [\"a\" \"a_2\" \"count(*)\"]"},
		{"select distinct a from 'f' order by a", "where[] keys[a] agg[] having[] by[1 asc] 0+0 [0] [\"a\"]"},
		{"select t.a, count(*) from 'f' t where t.b is not distinct from 'x' group by 1 order by max(t.c) - 1",
			"where[b is not distinct from 'x'] keys[a] agg[count(*) as `count(*)`] having[] by[max(c) - 1 asc] 0+0 [0 1] [\"a\" \"count(*)\"]"},
		{"select a::date d, b::timestamp as t from 'f'", "where[] select[\"a::date as `d`\" \"b::timestamp as `t`\"] without[] by[] 0+0 [] []"},
		{"select f.a, g.\"x y\", g.* from 'f.csv' left join 'd/g.b.csv' on f.a = g.\"b c\" join 'h' h using (a, b) where f.a > 1",
			"where[f.a > 1] inner f on[][] left g on[f.a = g.`b c`][] inner h on[][\"a\" \"b\"] " +
				"select[\"f.a\" \"g.`x y`\" \"g.*\"] without[] by[] 0+0 [] []"},
		{"select a from 'f' f, 'g' g cross join 'h' h where f.a = g.a and h.b = f.b",
			"where[f.a = g.a and h.b = f.b] inner f on[][] inner g on[][] inner h on[][] select[\"a\"] without[] by[] 0+0 [] []"},
		{"select * exclude (x) from 'f' f right outer join 'g' g on f.a = g.a left join 'h' h on h.b = g.b",
			"where[] inner g on[][] left f on[f.a = g.a][] left h on[h.b = g.b][] select[\"*\"] without[\"x\"] by[] 0+0 [] []"},
		{"select t.\"a b\", t.* from 'f' t", "where[] select[\"`a b`\" \"*\"] without[] by[] 0+0 [] []"},
		{"from 'f' where a between 1 and 2 and lower(t.b) not in (select c from 'g' where d in (select e from 'h')) and (x = 1 or y = 2) limit 2",
			"where[(a between 1 and 2) and ((x = 1 or y = 2))] inner f on[][] not in  on[][] select[\"*\"] without[] by[] 0+2 [] []"},
		{"select a from 'f' limit 0", "where[] select[\"a\"] without[] by[] 0+1 [] []"},
		{"select count(*) filter (where a > 1) n, interval 5 minute from 'f'",
			"where[] keys[] agg[count(*) filter (where a > 1) as `n`, (interval 5 minute) as `interval 5 minute`] having[] by[] 0+0 [0 1] " +
				"[\"n\" \"interval 5 minute\"]"},
	} {
		s, err := Views{}.Parse(c.statement)
		if err != nil {
			t.Errorf("%s: %v", c.statement, err)
			continue
		}
		q, err := s.Compile()
		if c.want == "" {
			if err == nil || !strings.Contains(err.Error(), "* is not a column to order by") {
				t.Errorf("%s: %v", c.statement, err)
			}
			continue
		}
		if err != nil || compiled(q) != c.want {
			t.Errorf("%s:\n got %s\nwant %s\n%v", c.statement, compiled(q), c.want, err)
		}
	}
}

// TestErrors: what is wrong with a statement, and where. The place is marked with ^ in it.
func TestErrors(t *testing.T) {
	for _, c := range []struct{ statement, want string }{
		{"select a ^where a > 1", "from is missing"},
		{"select a from ^f", "the name of a file is in quotes: from 'f'"},
		{"select a from 'f' ^wher a > 1 and b", ""},
		{"select a from 'f' group by ^", "a column is missing here"},
		{"select a from 'f' limit ^x", "a number of rows is missing after limit"},
		{"select a from 'f' a left join 'h' c on a.y = c.y ^right join 'g' b on a.x = b.x", "a right or full join is the first one"},
		{"select a from 'f' a ^full join 'g' b using (x)", "a full join has on"},
		{"select a from 'f' a ^natural join 'g' b", "natural joins are not there"},
		{"select a from 'f' a where a = 1 ^full join 'g' b on a.x = b.x", "the joins are join, left, right, full, semi, anti and cross join"},
		{"select ^* from 'f' a right join 'g' b using (x)", "name the columns of a right join with using"},
		{"select * from 'f' ^union select a from 'g'", "union without all needs the names of columns"},
		{"select a from 'f' a join 'g' b ^where a = 1", "on is missing here"},
		{"select a from 'f' a join 'g' b using ^a", "write using (COLUMN, …)"},
		{"select a from 'f' a join 'g' b using (^)", "a column is missing here"},
		{"select a from 'f' a join 'g' b on ^", "a condition is missing here"},
		{"select a from 'f' join ^'f' on a = b", "two tables are called f"},
		{"select a from 'f' a where x = 1 ^join 'g' b on a.x = b.x", "right after from"},
		{"select ^b.* from 'f' a", "no table has this name"},
		{"select a from 'f' where x = 1 or x in ^(select b from 'g')", "in, which is a condition of its own in where"},
		{"select a from 'f' where exists ^(select b from 'g')", "in, which is a condition of its own in where"},
		{"select a from 'f' where x in ^(select b from 'g') or y = 1", "in, which is a condition of its own in where"},
		{"select a from 'f' where ^not x in (select b from 'g')", "write x in (select …) or x not in (select …)"},
		{"select a from 'f' where ^max(x) in (select b from 'g')", "an aggregate cannot be in where"},
		{"select a from 'f' where y = 1 and x in (select b from ^g)", "the name of a file is in quotes"},
		{"select a from 'f', ^g", "the name of a file is in quotes"},
		{"^create table t as select a from 'f'", "create view NAME as select"},
		{"create view ^'t' as select a from 'f'", "a name is missing after view"},
		{"create view t ^select a from 'f'", "as is missing after the name"},
		{"create view t as select a from ^f", "the name of a file is in quotes"},
		{"select a from read_csv('f', names = ^'a')", "a name in single quotes is missing"},
		{"select a from read_csv('f', skip = ^'a')", "a number of lines is missing"},
		{"select a from read_json('f', ^delim = ';')", "delim is an option of read_csv"},
		{"^select a from 'f' limit 1 union all select a from 'g'", "order by and limit in a union belong to all of it"},
		{"select a from 'f' union all select ^a, b from 'g'", "this statement of the union has 2 columns, and the first has 1"},
		{"select a from 'f' union all ^", "a statement begins with select or from"},
		{"(select a from 'f') ^intersect select a from 'f'", "intersect is not there"},
		{"select sum(a) from 'f' where ^sum(a) > 1", "an aggregate cannot be in where"},
		{"select ^*, count(*) from 'f'", "* has columns that differ in a group"},
		{"select a from 'f' order by ^3", "there is no item 3: the select list has 1"},
		{"select a from 'f' group by a ^having2 x", "this is not expected here"},
		{"select * ^replace (a) from 'f'", "only exclude can follow *"},
		{"select a from (select b from 'f'", "the parenthesis is never closed"},
		{"select a from ^read_parquet('f')", "there is no table function read_parquet"},
		{"select a from read_csv('f', ^delimiter = '|')", "there is no option delimiter"},
		{"select a from read_csv('f', header = ^1)", "true or false is missing here"},
		{"select a from 'f' where a = 'x^", ""},
		{"select a from 'f' order by a nulls ^x", ""},
		{"select a from 'f')", "no parenthesis is open"},
		{"select sum(a) ^over (), b from 'f'", "window functions are not there"},
		{"select a, row_number() ^over (partition by b) r from 'f'", "window functions are not there"},
		{"select a from 'f' ^qualify a = 1", "window functions are not there"},
		{"select ^top 10 a from 'f'", "write limit 10 at the end"},
		{"select a from 'f' limit 5^, 10", "write limit 10 offset 5"},
		{"select a from 'f' where b ^rlike '^a'", "write s ~ '^a.*b$'"},
		{"select a from 'f' where b ^similar to 'a'", "write s ~ '^a.*b$'"},
		{"select b ^glob 'a' from 'f'", "write s like 'a%'"},
		{"select a from 'f' where b ^isnull", "write is null"},
		{"select a from 'f' where b = 'x' ^collate nocase", "write lower(s) = 'a'"},
		{"select a from 'f' group by grouping ^sets ((a))", "grouping sets, rollup and cube are not there"},
		{"select a from 'f' group by a ^with rollup", "grouping sets, rollup and cube are not there"},
		{"select * from 'f' ^pivot (sum(x) for g in ('a'))", "pivot is not there"},
		{"^pivot 'f' on g using sum(x)", "pivot is not there"},
		{"^values (1)", "nothing is loaded"},
		{"with ^recursive r as (select a from 'f') select a from r", "statements that ask themselves"},
		{"select a, ^(select max(x) from 'f') from 'f'", "a statement in parentheses can follow"},
		{"select ^[a, b] from 'f'", "there are no lists"},
		{"select a from 'f' ^minus select a from 'f'", "minus is not there"},
		{"select a ^// 2 from 'f'", "// is written trunc(a / b)"},
		{"^selct a from 'f'", "did you mean \"select\"?"},
		{"select a ^form 'f'", "did you mean \"from\"?"},
		{"select a from 'f' ^were b = 1", "did you mean \"where\"?"},
		{"select a from 'f' ^gruop by b", "did you mean \"group\"?"},
		{"select a from 'f' ^order b", "by is missing after order"},
	} {
		at := strings.IndexByte(c.statement, '^')
		text := strings.Replace(c.statement, "^", "", 1)
		s, err := Views{}.Parse(text)
		if err == nil {
			_, err = s.Compile()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", text, err, c.want)
			continue
		}
		if lines := strings.Split(err.Error(), "\n"); at >= 0 && c.want != "" && len(lines[2]) != at+1 {
			t.Errorf("%s: the caret is at %d, want %d\n%v", text, len(lines[2])-1, at, err)
		}
	}
}

// TestNamesOfNames: items that stand for two of the one before each are refused, and not made longer and longer.
func TestNamesOfNames(t *testing.T) {
	text, name := "select a", "a"
	for range 40 {
		text += ", " + name + " + " + name + " as " + name + "b"
		name += "b"
	}
	s, err := Views{}.Parse(text + " from 'f' where " + name + " > 1")
	if err == nil {
		_, err = s.Compile()
	}
	if err == nil || !strings.Contains(err.Error(), "names of items stand for names of items") {
		t.Error(err)
	}
}

// TestSplit: semicolons and comments, but not those in quotes.
func TestSplit(t *testing.T) {
	text := "select ';' from 'a--b'; -- one; two\n/* three; */ select \"x;y\" from 'it''s;';;\n"
	statements, at := Split(text)
	if len(statements) != 2 || at[1] != 23 {
		t.Fatalf("%q at %d", statements, at)
	}
	for i, want := range []string{"select ';' from 'a--b'", "select \"x;y\" from 'it''s;'"} {
		if got := strings.TrimSpace(statements[i]); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for _, open := range []string{"select 'x", "select /* x", "-- x", "'", "/*", "\"", ";"} {
		Split(open)
	}
}

// FuzzParse: no text is more than an error.
func FuzzParse(f *testing.F) {
	f.Add("select a, sum(b) as s from read_csv('f', delim='|') t where t.a > 1 group by 1 having s > 1 order by 2 desc limit 3 offset 4")
	f.Add("with x as (from 'f') select distinct * exclude (a) from x where a is not distinct from 'b'")
	f.Add("from 'a' x left outer join (from 'b') y on x.a = y.\"b\" and x.c = 1 anti join 'c' using (d) select x.*, y.\"e f\" g")
	f.Add("from 'a' where x in (select y from 'b' where z not in (from 'c')) and w between 1 and 2")
	f.Add("(select a from 'f' limit 1) union all select b from 'g' union all (from 'h') order by all limit 2")
	f.Add("select a from 'f' full join 'g' on a = b union select b c from 'f' right join 'h' using (d) union all select 1 from 'f' order by 1")
	f.Add("create or replace temp view v as from read_csv('f', names = ['a', 'b'], nullstr = ['-'], skip = 2)")
	f.Add("select a + a as b, b + b as c, c + c as d, extract(month from d) as month from 'f' where d > 1 and b in (1) order by c")
	f.Add("select percentile_cont(0.5) within group (order by a desc) p, string_agg(distinct b, ',') from 'f' where b like 'x' escape '!'")
	f.Add("explain select count(*) filter (where a) from ['a','b'] group by all")
	f.Fuzz(func(t *testing.T, text string) {
		all, at := Split(text)
		for i, one := range all {
			if !strings.HasPrefix(text[at[i]:], one[:0]) || at[i]+len(one) > len(text) {
				t.Fatalf("%q lies beyond the text", one)
			}
			s, err := Views{}.Parse(one)
			if err == nil && s != nil {
				_, err = s.Compile()
			}
			if err != nil {
				_ = Line(err).Error()
			}
		}
	})
}

// TestLong: statements of thousands of items are compiled in linear time, or nearly: each of these would take minutes
// if every item were compared with all tokens, or its text added to that of those before.
func TestLong(t *testing.T) {
	const items = 20_000
	list := make([]string, items)
	for i := range list {
		list[i] = fmt.Sprintf("sum(a + %d) filter (where b = %[1]d)", i)
	}
	for statement, columns := range map[string]int{
		"select " + strings.Join(list, ", ") + " from 'f'":                                 items,
		"select " + strings.Repeat("a, ", items) + "a from 'f'":                            0,
		"select " + strings.Repeat("A + 1, ", items/10) + "count(*) from 'f' group by all": items/10 + 1,
		"select count(*) from 'f' where a" + strings.Repeat(" + a", items) + " > 1":        1,
		"select count(*) from 'f' where a in (" + strings.Repeat("1, ", items) + "2)":      1,
	} {
		s, err := Views{}.Parse(statement)
		if err != nil {
			t.Fatalf("%.50s: %v", statement, err)
		}
		if q, err := s.Compile(); err != nil || len(q.Columns) != columns {
			t.Errorf("%.50s: %d columns, want %d, %v", statement, len(q.Columns), columns, err)
		}
	}
}
