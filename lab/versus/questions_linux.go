package versus

import (
	_ "embed" // the questions
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"github.com/thresh-dev/thresh/internal/test/gen"
	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/pagecache"
	"github.com/thresh-dev/thresh/lab/peer"
)

//go:embed hits.sql
var hitsSQL string

//go:embed groups.sql
var groupsSQL string

//go:embed shop.sql
var shopSQL string

// sqlQuestion is a statement about tables, whose names are in braces, which both thresh and DuckDB answer.
type sqlQuestion struct{ name, sql string }

// questionsOf returns those of a text: a line each with a name, a colon and a statement.
func questionsOf(text string) (all []sqlQuestion) {
	var sums []string
	for i := range 90 {
		sums = append(sums, fmt.Sprintf("sum(width + %d)", i))
	}
	text = strings.ReplaceAll(text, "{sums}", strings.Join(sums, ", "))
	for line := range strings.Lines(text) {
		if name, sql, ok := strings.Cut(strings.TrimSpace(line), ": "); ok && !strings.HasPrefix(name, "--") {
			all = append(all, sqlQuestion{name, sql})
		}
	}
	return all
}

// askedTable is a table that questions are about.
type askedTable struct {
	name string
	file *pagecache.File
	peer.Table
}

// readCSV returns a table as a statement reads it: with the types of columns, which DuckDB needs, or without.
func (t *askedTable) readCSV(typed bool) string {
	quote := ""
	if t.Quoted {
		quote = `"`
	}
	options := fmt.Sprintf("delim = '%s', quote = '%s', header = %v", t.Delim, quote, t.Header)
	var names, types []string
	for _, c := range t.Columns {
		names, types = append(names, "'"+c[0]+"'"), append(types, fmt.Sprintf("'%s': '%s'", c[0], c[1]))
	}
	switch {
	case typed:
		options += fmt.Sprintf(", escape = '%s', auto_detect = false, parallel = true, strict_mode = %v, "+
			"allow_quoted_nulls = false, columns = {%s}", quote, t.Quoted, strings.Join(types, ", "))
	case !t.Header:
		options += fmt.Sprintf(", names = [%s]", strings.Join(names, ", "))
	}
	return fmt.Sprintf("read_csv('%s', %s)", t.file.Name, options)
}

// hitsBytes are about a million rows, for a haystack of 4 GiB.
const hitsBytes = 550e6

// tableHits asks about quoted text or text with tabs.
func tableHits(delim byte) func(b *bench) {
	return func(b *bench) {
		size := b.scaled(hitsBytes)
		file := b.rows(fmt.Sprintf("hits-%d-%d", size, delim), size, func(w io.Writer) error {
			return gen.Hits(w, size, tableSeed, delim)
		})
		b.askAll(hitsSQL, hitsTable(file, delim))
	}
}

func hitsTable(file *pagecache.File, delim byte) askedTable {
	return askedTable{"t", file,
		peer.Table{Columns: columns(gen.HitsColumns()...), Delim: string(delim), Quoted: delim != '\t', Header: true}}
}

// rowsToGroup is for a haystack of 4 GiB.
const rowsToGroup = 10_000_000

// tableGroups asks about groups of rows, by keys with so many values and by keys with the others.
func tableGroups(keys int64, nulls bool) func(b *bench) {
	return func(b *bench) {
		rows := b.scaled(rowsToGroup)
		file := b.rows(fmt.Sprintf("groups-%d-%d-%v", rows, keys, nulls), rows*60, func(w io.Writer) error {
			return gen.Groups(w, rows, keys, nulls, tableSeed)
		})
		b.askAll(groupsSQL, groupsTable(file))
	}
}

func groupsTable(file *pagecache.File) askedTable {
	return askedTable{"t", file, peer.Table{Columns: columns(gen.GroupsColumns()...), Delim: ",", Header: true}}
}

// salesOfShop is for a haystack of 4 GiB.
const salesOfShop = 4_000_000

// tableShop asks about a table alone and about tables that are joined.
func tableShop(b *bench) {
	sales := b.scaled(salesOfShop)
	var all []askedTable
	for _, t := range gen.Shop() {
		file := b.rows(fmt.Sprintf("%s-%d.tbl", t.Name, sales), sales*150, func(w io.Writer) error {
			return t.Write(w, sales, tableSeed)
		})
		all = append(all, askedTable{t.Name, file, peer.Table{Columns: columns(t.Columns...), Delim: "|"}})
	}
	b.askAll(shopSQL, all...)
}

// askAll asks all questions of a text, and reports the geometric mean of the ratios.
func (b *bench) askAll(text string, tables ...askedTable) {
	for _, t := range tables {
		defer os.Remove(t.file.Name) // no other case needs it
	}
	python, err := python("duckdb", "polars")
	if err != nil {
		b.skip(err.Error())
		return
	}
	name, from := b.name, len(b.compared.Rows)
	for _, q := range questionsOf(text) {
		b.name = name + ": " + q.name
		if err := ended(func() { q.ask(b, python, tables) }); err != nil {
			check(fmt.Errorf("%s: %w", q.name, err))
		}
	}
	b.name = name
	b.addMeans(from,
		contender{name: "DuckDB", target: lab.AtLeast(6)},
		contender{name: "Polars", target: lab.AtLeast(4.5)})
}

// addMeans adds the geometric mean of the ratios to each peer in the rows since from.
func (b *bench) addMeans(from int, peers ...contender) {
	rows := b.compared.Rows[from:]
	for _, peer := range peers {
		sum, n := 0.0, 0
		for _, r := range rows {
			if r.Peer == peer.name {
				sum += math.Log(r.Number.Median)
				n++
			}
		}
		if n == 0 {
			continue // it was asked nothing
		}
		mean := math.Exp(sum / float64(n))
		b.add(lab.Row{
			Peer: peer.name, What: lab.TimesItsRate, Target: peer.target,
			Number: lab.Summary{Median: mean, Low: mean, High: mean, Rounds: b.Rounds},
			Note:   fmt.Sprintf("geometric mean of %d questions", n),
		})
	}
}

// ask compares the contenders. DuckDB's answer, asked once, is the one that all must give. Polars, which lacks some
// functions and knows no null texts, is left out where it does not.
func (q sqlQuestion) ask(b *bench, python string, tables []askedTable) {
	ours, theirs, files := q.about(tables)
	bytes := int64(0)
	for _, f := range files {
		bytes += f.Bytes
	}
	duck := contender{name: "DuckDB", args: try(tables[0].Query(python, "duckdb", b.workers, theirs)),
		rate: ownClock(bytes), target: lab.AtLeast(2)}
	polars := contender{name: "Polars", args: try(q.polars(python, b.workers, tables)),
		rate: ownClock(bytes), target: lab.AtLeast(1)}
	want := try(peerCells(b.answers(duck)))
	duck.answer, polars.answer = want.fromPeer, want.fromPeer
	mine := b.thresh("", "sql", "--format", "csv", "--null", nullText, ours)
	mine.answer = want.fromThresh
	sides := []contender{mine, duck}
	if _, err := polars.exec(b.ctx); err == nil {
		sides = append(sides, polars)
	} else {
		b.logf("  without Polars: %v", err)
	}
	b.compare(warmState(files...), bytes, sides...)
}

// polars returns the command that asks Polars.
func (q sqlQuestion) polars(python string, threads int, tables []askedTable) ([]string, error) {
	sql, named := q.sql, map[string]peer.Table{}
	for _, t := range tables {
		sql = strings.ReplaceAll(sql, "{"+t.name+"}", t.name)
		t.Path = t.file.Name
		named[t.name] = t.Table
	}
	return peer.PolarsSQL(python, threads, named, sql)
}

// about returns the statement about tables, as thresh and as DuckDB read them, and their files.
func (q sqlQuestion) about(tables []askedTable) (ours, theirs string, files []*pagecache.File) {
	ours, theirs = q.sql, q.sql
	for _, t := range tables {
		if name := "{" + t.name + "}"; strings.Contains(q.sql, name) {
			ours = strings.ReplaceAll(ours, name, t.readCSV(false))
			theirs = strings.ReplaceAll(theirs, name, t.readCSV(true))
			files = append(files, t.file)
		}
	}
	return ours, theirs, files
}
