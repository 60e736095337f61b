package main

import (
	"context"
	"fmt"
	"math"
	"regexp"
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

// tableShapes compares all shapes, a row for each library, and reports the geometric mean of the ratios.
func tableShapes(ctx context.Context, b *bench, name string) (err error) {
	some, err := regexp.Compile(b.shapes)
	if err != nil {
		return fmt.Errorf("--shapes: %w", err)
	}
	python, err := b.data.python()
	if err != nil {
		b.skip(name, err.Error())
		return nil
	}
	files := map[*shapeFile]*subject{}
	defer func() { err = closeShapes(files, err) }()
	logs, asked := map[string]float64{}, 0
	for i := range shapes {
		s := &shapes[i]
		if !some.MatchString(s.name) {
			continue
		}
		asked++
		if files[s.file] == nil {
			if files[s.file], err = s.file.open(b); err != nil {
				return err
			}
		}
		file := files[s.file]
		sides, err := s.sides(ctx, b, python, file)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		from := len(b.report.Rows)
		if err := b.compare(ctx, name+": "+s.name, warmState(file), file.Bytes, sides...); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		for _, r := range b.report.Rows[from:] {
			logs[r.Peer] += math.Log(r.Number.Median)
		}
	}
	if asked < len(shapes) {
		return nil // a mean of some is not the case's
	}
	for _, library := range []string{"DuckDB", "Polars"} {
		mean := math.Exp(logs[library] / float64(len(shapes)))
		b.add(row{
			Case: name, Peer: library, What: timesItsRate, Target: atLeast(4),
			Number: summary{Median: mean, Low: mean, High: mean, Rounds: b.rounds},
			Note:   fmt.Sprintf("geometric mean of %d shapes", len(shapes)),
		})
	}
	return nil
}

// sides returns the contenders of a shape. DuckDB's answer, asked once, is the one that all must give.
func (s *shape) sides(ctx context.Context, b *bench, python string, file *subject) ([]contender, error) {
	table := s.file.table
	table.Path = file.Name
	sides := []contender{{
		name: "thresh",
		args: append(append(append([]string{b.thresh, "table", "--format", "csv"}, s.file.args...), s.ask...), file.Name),
	}}
	for _, p := range []struct{ name, library, query string }{
		{"DuckDB", "duckdb", s.sql}, {"Polars", "polars", s.polars},
	} {
		args, err := table.Query(python, p.library, b.workers, p.query)
		if err != nil {
			return nil, err
		}
		sides = append(sides, contender{name: p.name, args: args, rate: ownClock(file.Bytes), target: atLeast(1)})
	}
	var want cells
	oracle := sides[1]
	oracle.answer = func(stdout string) (_ string, err error) {
		want, err = peerCells(stdout)
		return "", err
	}
	if _, err := oracle.exec(ctx); err != nil {
		return nil, err
	}
	sides[0].answer = want.fromThresh
	for i := range sides[1:] {
		sides[i+1].answer = want.fromPeer
	}
	return sides, nil
}
