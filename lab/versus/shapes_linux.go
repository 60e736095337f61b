package versus

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/klauspost/compress/gzip"

	"github.com/thresh-dev/thresh/internal/test/gen"
	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/pagecache"
	"github.com/thresh-dev/thresh/lab/peer"
)

// shapeFile is a file that shapes ask questions about.
type shapeFile struct {
	name  string
	bytes int64    // about, for a haystack of 4 GiB
	args  []string // its dialect, for thresh
	table peer.Table
	write func(w io.Writer, bytes int64) error
}

// columns returns columns of a name and a type each.
func columns(namesAndTypes ...string) (out [][2]string) {
	for pair := range slices.Chunk(namesAndTypes, 2) {
		out = append(out, [2]string(pair))
	}
	return out
}

func donationColumns() (out [][2]string) {
	for i := range 21 {
		out = append(out, [2]string{fmt.Sprintf("c%d", i+1), "VARCHAR"})
	}
	out[14][1] = "DOUBLE" // the amount
	return out
}

const groupsOfShapes = 1000

var (
	ordersTable = peer.Table{
		Columns: columns("id", "BIGINT", "city", "VARCHAR", "country", "VARCHAR", "amount", "DOUBLE", "note", "VARCHAR"),
		Delim:   ",", Quoted: true, Header: true,
	}
	keysTable = peer.Table{Columns: columns("key", "VARCHAR", "value", "BIGINT"), Delim: ","}

	narrowFile = shapeFile{"narrow", 200e6, []string{"-d", ";", "--quote", "none"},
		peer.Table{Columns: columns("key", "VARCHAR", "value", "DOUBLE"), Delim: ";"},
		func(w io.Writer, bytes int64) error {
			return gen.Measurements(w, bytes/14, tableSeed, gen.Stations{})
		}}
	wideFile = shapeFile{"wide", 250e6, []string{"-d", "|", "--quote", "none"},
		peer.Table{Columns: donationColumns(), Delim: "|"},
		func(w io.Writer, bytes int64) error { return gen.Donations(w, bytes, tableSeed) }}
	quotedFile = shapeFile{"quoted", 200e6, []string{"--header"}, ordersTable,
		func(w io.Writer, bytes int64) error { return gen.Orders(w, bytes, tableSeed) }}
	gzipFile = shapeFile{"quoted.csv.gz", 100e6, []string{"--header", "-d", ","}, ordersTable,
		func(w io.Writer, bytes int64) error {
			z := gzip.NewWriter(w)
			return errors.Join(gen.Orders(z, bytes, tableSeed), z.Close())
		}}
	manyFile = shapeFile{"many", 160e6, []string{"--quote", "none"}, keysTable,
		func(w io.Writer, bytes int64) error {
			return gen.Keys(w, bytes/20, max(1, bytes/40), tableSeed)
		}}
	skewedFile = shapeFile{"skewed", 160e6, []string{"--quote", "none"}, keysTable,
		func(w io.Writer, bytes int64) error {
			return gen.SkewedKeys(w, bytes/20, max(1, bytes/40), tableSeed)
		}}
	pricesFile = shapeFile{"prices", 160e6, []string{"--quote", "none"},
		peer.Table{Columns: columns("key", "VARCHAR", "value", "DOUBLE"), Delim: ","},
		func(w io.Writer, bytes int64) error {
			// Each group has a multiple of 100 rows: then all programs agree on the quantiles.
			const grain = 100 * groupsOfShapes
			return gen.Prices(w, max(1, bytes/18/grain)*grain, groupsOfShapes, tableSeed)
		}}
	linesFile = shapeFile{"ndjson", 200e6, []string{"-d", "json"},
		peer.Table{Columns: columns("id", "BIGINT", "labels", "STRUCT(channel VARCHAR, route VARCHAR)", "paid", "BOOLEAN")},
		func(w io.Writer, bytes int64) error { return gen.NDJSON(w, bytes, tableSeed) }}
)

// shape is a question about a file: to thresh, in SQL, and to Polars, which lacks some.
type shape struct {
	name   string
	file   *shapeFile
	ask    []string
	sql    string
	polars string
}

// shapes are the questions. Their answers are compared cell by cell.
var shapes = []shape{
	{"narrow: min, mean, max", &narrowFile, []string{"--group", "1", "--agg", "min(2),mean(2),max(2)"},
		"SELECT key, min(value), avg(value), max(value) FROM t GROUP BY key",
		`t.group_by("key").agg(pl.col("value").min().alias("a"), pl.col("value").mean().alias("b"), pl.col("value").max())`},
	{"narrow: count", &narrowFile, []string{"--group", "1"},
		"SELECT key, count(*) FROM t GROUP BY key", `t.group_by("key").len()`},
	{"narrow: stddev", &narrowFile, []string{"--group", "1", "--agg", "stddev(2)"},
		"SELECT key, stddev(value) FROM t GROUP BY key", `t.group_by("key").agg(pl.col("value").std())`},
	{"narrow: median", &narrowFile, []string{"--group", "1", "--agg", "median(2)"},
		"SELECT key, median(value) FROM t GROUP BY key", `t.group_by("key").agg(pl.col("value").median())`},
	{"filter 0.1 %", &narrowFile, []string{"--where", "$2 > 44.5", "--agg", "count,sum(2)"},
		"SELECT count(*), sum(value) FROM t WHERE value > 44.5",
		`t.filter(pl.col("value") > 44.5).select(pl.len(), pl.col("value").sum())`},
	{"filter 10 %", &narrowFile, []string{"--where", "$2 > 31.5", "--agg", "count,sum(2)"},
		"SELECT count(*), sum(value) FROM t WHERE value > 31.5",
		`t.filter(pl.col("value") > 31.5).select(pl.len(), pl.col("value").sum())`},
	{"filter 90 %", &narrowFile, []string{"--where", "$2 > 3.5", "--agg", "count,sum(2)"},
		"SELECT count(*), sum(value) FROM t WHERE value > 3.5",
		`t.filter(pl.col("value") > 3.5).select(pl.len(), pl.col("value").sum())`},

	{"wide: one short field", &wideFile, []string{"--group", "2"},
		"SELECT c2, count(*) FROM t GROUP BY c2", `t.group_by("c2").len()`},
	{"wide: months", &wideFile, []string{"--group", "5[:6]"},
		"SELECT left(c5, 6) AS month, count(*) FROM t GROUP BY month",
		`t.group_by(pl.col("c5").str.slice(0, 6)).len()`},
	{"wide: sum by state", &wideFile, []string{"--group", "10", "--agg", "count,sum(15)"},
		"SELECT c10, count(*), sum(c15) FROM t GROUP BY c10",
		`t.group_by("c10").agg(pl.len(), pl.col("c15").sum())`},
	{"wide: regex, top 10", &wideFile, []string{"--where", "$8 ~ ', *[^, ]'", "--top", "10:8~" + firstNameKey},
		"SELECT regexp_extract(c8, ', *([^, ]+)', 1) AS first, count(*) AS n FROM t WHERE regexp_matches(c8, ', *[^, ]') " +
			"GROUP BY first ORDER BY n DESC, first LIMIT 10",
		`t.select(pl.col("c8").str.extract(", *([^, ]+)", 1).alias("k")).drop_nulls().group_by("k").len()` +
			`.sort("len", "k", descending=[True, False]).head(10)`},

	{"quoted: few keys", &quotedFile, orderQuestion[1:],
		"SELECT country, count(*), sum(amount) FROM t GROUP BY country",
		`t.group_by("country").agg(pl.len(), pl.col("amount").sum())`},
	{"quoted: two keys", &quotedFile, []string{"--group", "country,city", "--agg", "count,max(amount)"},
		"SELECT country, city, count(*), max(amount) FROM t GROUP BY country, city",
		`t.group_by("country", "city").agg(pl.len(), pl.col("amount").max())`},
	{"quoted: a text of a set", &quotedFile,
		[]string{"--where", `country in ("DE", "FR", "IT")`, "--group", "country", "--agg", "mean(amount)"},
		"SELECT country, avg(amount) FROM t WHERE country IN ('DE', 'FR', 'IT') GROUP BY country",
		`t.filter(pl.col("country").is_in(["DE", "FR", "IT"])).group_by("country").agg(pl.col("amount").mean())`},
	{"quoted: like", &quotedFile, []string{"--where", `note like "%e%"`, "--group", "country"},
		"SELECT country, count(*) FROM t WHERE note LIKE '%e%' GROUP BY country",
		`t.filter(pl.col("note").str.contains("e", literal=True)).group_by("country").len()`},
	{"quoted: sum(a * b)", &quotedFile, []string{"--group", "country", "--agg", "sum(amount * id)"},
		"SELECT country, sum(amount * id) FROM t GROUP BY country",
		`t.group_by("country").agg((pl.col("amount") * pl.col("id")).sum())`},
	{"quoted: distinct", &quotedFile, []string{"--group", "country", "--agg", "distinct(city)"},
		"SELECT country, count(DISTINCT city) FROM t GROUP BY country",
		`t.group_by("country").agg(pl.col("city").n_unique())`},

	{"many keys: top 10 of sums", &manyFile,
		[]string{"--group", "1", "--agg", "sum(2)", "--top-by", "sum(2)", "--limit", "10"},
		"SELECT key, sum(value)::BIGINT AS total FROM t GROUP BY key ORDER BY total DESC, key LIMIT 10",
		`t.group_by("key").agg(pl.col("value").sum()).sort("value", "key", descending=[True, False]).head(10)`},
	{"many keys: distinct", &manyFile, []string{"--agg", "distinct(1)"},
		"SELECT count(DISTINCT key) FROM t", `t.select(pl.col("key").n_unique())`},
	{"skewed keys: top 10", &skewedFile, []string{"--top", "10:1"},
		"SELECT key, count(*) AS n FROM t GROUP BY key ORDER BY n DESC, key LIMIT 10",
		`t.group_by("key").len().sort("len", "key", descending=[True, False]).head(10)`},
	{"skewed keys: top 10 of maxima and sums", &skewedFile,
		[]string{"--group", "1", "--agg", "sum(2),max(2)", "--top-by", "sum(2)", "--limit", "10"},
		"SELECT key, sum(value)::BIGINT AS total, max(value) FROM t GROUP BY key ORDER BY total DESC, key LIMIT 10",
		`t.group_by("key").agg(pl.col("value").sum(), pl.col("value").max().alias("most"))` +
			`.sort("value", "key", descending=[True, False]).head(10)`},
	{"1,000 groups: p99", &pricesFile, []string{"--group", "1", "--agg", "p99(2)"},
		"SELECT key, quantile_disc(value, 0.99) FROM t GROUP BY key",
		`t.group_by("key").agg(pl.col("value").quantile(0.99, "lower"))`},
	{"1,000 groups: mean", &pricesFile, []string{"--group", "1", "--agg", "mean(2)"},
		"SELECT key, avg(value) FROM t GROUP BY key", `t.group_by("key").agg(pl.col("value").mean())`},

	{"NDJSON: group", &linesFile, []string{"--group", "labels.channel", "--agg", "count,sum(id)"},
		"SELECT labels.channel AS c, count(*), sum(id)::DOUBLE FROM t GROUP BY c",
		`t.group_by(pl.col("labels").struct.field("channel")).agg(pl.len(), pl.col("id").sum())`},
	{"NDJSON: filter", &linesFile, []string{"--where", "id > 1900000000", "--agg", "count,max(id)"},
		"SELECT count(*), max(id) FROM t WHERE id > 1900000000",
		`t.filter(pl.col("id") > 1900000000).select(pl.len(), pl.col("id").max())`},
	{"gz: few keys", &gzipFile, orderQuestion[1:],
		"SELECT country, count(*), sum(amount) FROM t GROUP BY country",
		`t.group_by("country").agg(pl.len(), pl.col("amount").sum())`},
}

// tableShapes compares all shapes, a row for each library, and reports the geometric mean of the ratios. It removes
// the files, which no other case needs.
func tableShapes(b *bench) {
	python, err := python("duckdb", "polars")
	if err != nil {
		b.skip(err.Error())
		return
	}
	files := map[*shapeFile]*pagecache.File{}
	defer func() {
		for _, f := range files {
			os.Remove(f.Name) // otherwise it is made again
		}
	}()
	name, from := b.name, len(b.compared.Rows)
	for i := range shapes {
		s := &shapes[i]
		if files[s.file] == nil {
			size := b.scaled(s.file.bytes)
			files[s.file] = b.rows(fmt.Sprintf("shape-%d-%s", size, s.file.name), size, func(w io.Writer) error {
				return s.file.write(w, size)
			})
		}
		file := files[s.file]
		b.name = name + ": " + s.name
		if err := ended(func() { b.compare(warmState(file), file.Bytes, s.sides(b, python, file)...) }); err != nil {
			check(fmt.Errorf("%s: %w", s.name, err))
		}
	}
	b.name = name
	b.addMeans(from,
		contender{name: "DuckDB", target: lab.AtLeast(4.8)},
		contender{name: "Polars", target: lab.AtLeast(4.2)})
}

// sides returns the contenders of a shape. DuckDB's answer, asked once, is the one that all must give.
func (s *shape) sides(b *bench, python string, file *pagecache.File) []contender {
	table := s.file.table
	table.Path = file.Name
	library := func(name, module, query string) contender {
		args := try(table.Query(python, module, b.workers, query))
		return contender{name: name, args: args, rate: ownClock(file.Bytes), target: lab.AtLeast(1)}
	}
	duck, polars := library("DuckDB", "duckdb", s.sql), library("Polars", "polars", s.polars)
	want := try(peerCells(b.answers(duck)))
	duck.answer, polars.answer = want.fromPeer, want.fromPeer
	return []contender{b.table(want, slices.Concat(s.file.args, s.ask, []string{file.Name})...), duck, polars}
}
