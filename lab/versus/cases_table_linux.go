package versus

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"strconv"

	"github.com/thresh-dev/thresh/internal/quantile"
	"github.com/thresh-dev/thresh/internal/test/gen"
	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/pagecache"
	"github.com/thresh-dev/thresh/lab/peer"
)

// table returns thresh table with these arguments as a contender, with answers as CSV.
func (b *bench) table(want tableAnswer, args ...string) contender {
	c := b.thresh("", append([]string{"table", "--format", "csv"}, args...)...)
	c.answer = want.fromThresh
	return c
}

// python returns the interpreter for which scripts/bench-setup.sh installed the libraries. It must have these.
func python(libraries ...string) (string, error) {
	python := peer.Python("")
	if python == "" {
		return "", peer.ErrNoLibraries
	}
	for _, name := range libraries {
		if why := peer.NoLibrary(name); why != "" {
			return "", errors.New(why + "; make bench-setup installs it")
		}
	}
	return python, nil
}

// ownClock returns the rate according to the time that the peer measured itself.
func ownClock(bytes int64) func(o peer.Output) (float64, error) {
	return func(o peer.Output) (float64, error) {
		p, err := peer.ParseTimed(o.Stdout)
		return float64(bytes) / p.Seconds, err
	}
}

// libraryQuestion is a question of the libraries' scripts about a file.
type libraryQuestion struct {
	file     *pagecache.File
	question string
	want     tableAnswer
}

// duckDB returns DuckDB as a contender, nothing if it is not installed; memory "" means no limit.
func (b *bench) duckDB(q libraryQuestion, memory string, least float64) []contender {
	return b.library("DuckDB", "duckdb", q, least, func(python string) []string {
		return peer.DuckDB(python, b.workers, memory, q.file.Name, q.question)
	})
}

// polars returns Polars as a contender, nothing if it is not installed.
func (b *bench) polars(q libraryQuestion, least float64) []contender {
	return b.library("Polars", "polars", q, least, func(python string) []string {
		return peer.Polars(python, b.workers, q.file.Name, q.question)
	})
}

// library returns a library with the rate, as a part of thresh's, that is the target; 0 is none.
func (b *bench) library(
	name, module string, q libraryQuestion, least float64, args func(python string) []string,
) []contender {
	python, err := python(module)
	if err != nil {
		b.skip(name + ": " + err.Error())
		return nil
	}
	return []contender{{name: name, args: args(python), answer: q.want.fromPeer, rate: ownClock(q.file.Bytes),
		target: lab.Target{AtLeast: least}}}
}

// compareLibraries compares some ways of thresh with the libraries that are installed.
func (b *bench) compareLibraries(st state, bytes int64, sides []contender, libraries ...[]contender) {
	for _, library := range libraries {
		sides = append(sides, library...)
	}
	if len(sides) > 1 { // otherwise all were reported as skipped
		b.compare(st, bytes, sides...)
	}
}

const tableSeed = 1

func (b *bench) donations(bytes int64) *pagecache.File {
	size := b.scaled(bytes)
	return b.rows(fmt.Sprintf("donations-%d", size), size, func(w io.Writer) error {
		return gen.Donations(w, size, tableSeed)
	})
}

// donationQuestions are the four questions of the article, in one pass.
var donationQuestions = []string{"-d", "|", "--quote", "none",
	"--rows", "--nth", "0,432,43243:8", "--group", "5[:6]", "--top", "1:8~" + firstNameKey}

// The expression for the first name in the query to thresh, and the one that is equivalent to the
// article's last program.
const (
	firstNameKey     = `, *([^, ]+)`
	firstNameArticle = `, ([^, ]+)`
)

// overDonations compares with the article's last program, which runs as a child process of this
// program, with libraries, and with wc, which only counts lines.
func overDonations(bytes int64) func(b *bench) {
	return func(b *bench) {
		file := b.donations(bytes)
		want := simpleDonations(file, firstNameKey)
		rev9 := b.child("", "", "donations", "rev9", file.Name).as("donations/rev9", lab.AtLeast(12), "")
		rev9.answer = simpleDonations(file, firstNameArticle).fromPeer
		sides := []contender{b.table(want, append(donationQuestions, file.Name)...), rev9,
			b.wc(file).as("wc -l", lab.AtLeast(1), "")}
		q := libraryQuestion{file, "donations", want}
		b.compareLibraries(warmState(file), file.Bytes, sides, b.duckDB(q, "", 9), b.polars(q, 9))
	}
}

// tableScaling compares all workers with one.
func tableScaling(b *bench) {
	file := b.donations(1_500_000_000)
	want := simpleDonations(file, firstNameKey)
	workers := func(n string) contender {
		return b.table(want, append(append([]string{"--workers", n}, donationQuestions...), file.Name)...)
	}
	b.compare(warmState(file), file.Bytes, workers("2"), workers("1").as("--workers 1", lab.AtLeast(1.8), ""))
}

// tableColumn compares grouping by one short field with counting lines.
func tableColumn(b *bench) {
	file := b.donations(1_500_000_000)
	groups := map[string][]float64{}
	lines := int64(0)
	eachRow(file, '|', func(fields [][]byte) {
		if groups[string(fields[1])] == nil {
			groups[string(fields[1])] = []float64{0}
		}
		groups[string(fields[1])][0]++
		lines++
	})
	b.compare(warmState(file), file.Bytes,
		b.table(groupCells(groups), "-d", "|", "--quote", "none", "--group", "2", file.Name),
		b.count(lines, "--lines", file.Name).as("count --lines", lab.AtLeast(0.5), ""))
}

const rowsOfMeasurements = 100_000_000

// measurements returns a file of measurements, and minimum, mean and maximum by station.
func (b *bench) measurements(name string, rows, rowBytes int64, at gen.Stations) (*pagecache.File, cells) {
	rows = b.scaled(rows)
	file := b.rows(fmt.Sprintf("%s-%d", name, rows), rows*rowBytes, func(w io.Writer) error {
		return gen.Measurements(w, rows, tableSeed, at)
	})
	return file, simpleMeasurements(file)
}

var measurementQuestion = []string{"-d", ";", "--quote", "none", "--group", "1", "--agg", "min(2),mean(2),max(2)"}

func tableMeasurements(b *bench) {
	file, want := b.measurements("measurements", rowsOfMeasurements, 15, gen.Stations{})
	q := libraryQuestion{file, "measurements", want}
	b.compareLibraries(warmState(file), file.Bytes,
		[]contender{b.table(want, append(measurementQuestion, file.Name)...)}, b.duckDB(q, "", 7), b.polars(q, 6))
}

// tableMeasurements10k compares with the file with 413 stations, in rows per second because its own
// rows are longer.
func tableMeasurements10k(b *bench) {
	const part = 5 // a fifth of the rows, which are about four times as long
	few, wantFew := b.measurements("measurements", rowsOfMeasurements, 15, gen.Stations{})
	many, wantMany := b.measurements("measurements10k", rowsOfMeasurements/part, 62, gen.Stations{MadeUp: 10_000})
	side := func(file *pagecache.File, want cells, part float64) contender {
		c := b.table(want, append(measurementQuestion, file.Name)...)
		rows := float64(b.scaled(rowsOfMeasurements))
		c.rate = func(o peer.Output) (float64, error) { return rows / part / o.Seconds, nil }
		return c
	}
	rates := b.measure(warmState(few, many), 0, side(many, wantMany, part), side(few, wantFew, 1))
	b.add(lab.Row{
		Peer: "thresh, 413 keys", What: lab.TimesItsRate, Number: lab.Summarize(quantile.Ratios(rates[0], rates[1])),
		Note: fmt.Sprintf("%.0f and %.0f million rows a second", median(rates[0])/1e6, median(rates[1])/1e6),
	})
}

var orderQuestion = []string{"--header", "--group", "country", "--agg", "count,sum(amount)"}

// tableOrders compares quoted CSV with the same without quotes, and with DuckDB.
func tableOrders(b *bench) {
	size := b.scaled(1_000_000_000)
	quoted := b.rows(fmt.Sprintf("orders-%d", size), size, func(w io.Writer) error {
		return gen.Orders(w, size, tableSeed)
	})
	plain := b.rows(fmt.Sprintf("orders-plain-%d", size), size, func(w io.Writer) error {
		return gen.OrdersPlain(w, size, tableSeed)
	})
	want := simpleOrders(quoted)
	none := b.table(want, append(append([]string{"--quote", "none"}, orderQuestion...), plain.Name)...).
		as("thresh, no quotes", lab.AtLeast(0.6), "rows of the same length, with --quote none")
	sides := []contender{b.table(want, append(orderQuestion, quoted.Name)...), none}
	duck := b.duckDB(libraryQuestion{quoted, "orders", want}, "", 0)
	b.compareLibraries(warmState(quoted, plain), quoted.Bytes, sides, duck)
}

const (
	keysShown = 10
	// memoryOfDuckDB is more than thresh gets: with 512 MiB, DuckDB runs out of memory.
	memoryOfDuckDB = "768MiB"
)

// keys returns a file of keys and numbers.
func (b *bench) keys(rows, distinct int64) *pagecache.File {
	return b.rows(fmt.Sprintf("keys-%d-%d", rows, distinct), rows*25, func(w io.Writer) error {
		return gen.Keys(w, rows, distinct, tableSeed)
	})
}

// tableKeys groups by ten million keys in limited memory.
func tableKeys(b *bench) {
	file := b.keys(b.scaled(50_000_000), b.scaled(10_000_000))
	want := simpleKeys(file)
	ours := b.table(want, "--quote", "none", "--mem", "512MiB",
		"--group", "1", "--agg", "sum(2)", "--top-by", "sum(2)", "--limit", fmt.Sprint(keysShown), file.Name)
	duck := b.duckDB(libraryQuestion{file, "keys", want}, memoryOfDuckDB, 1)
	for i := range duck {
		duck[i].note = "with " + memoryOfDuckDB + " of memory, and a folder to spill to"
	}
	b.compareLibraries(warmState(file), file.Bytes, []contender{ours}, duck)
}

// tableQuantiles asks for exact quantiles of large groups.
func tableQuantiles(b *bench) {
	// Each group has a multiple of 100 rows: then all programs agree on the quantiles.
	const groups, grain = 20, 100 * 20
	rows := max(1, b.scaled(10_000_000)/grain) * grain
	file := b.rows(fmt.Sprintf("prices-%d", rows), rows*20, func(w io.Writer) error {
		return gen.Prices(w, rows, groups, tableSeed)
	})
	b.besideLibraries(libraryQuestion{file, "prices", simplePrices(file)}, "--group", "1", "--agg", "p50(2),p99(2)")
}

// tableDistinct counts distinct texts.
func tableDistinct(b *bench) {
	distinct := b.scaled(4_000_000)
	file := b.keys(b.scaled(10_000_000), distinct)
	want := groupCells(map[string][]float64{fmt.Sprint(distinct): {}}) // the only cell is where other answers have the key
	b.besideLibraries(libraryQuestion{file, "distinct", want}, "--agg", "distinct(1)")
}

// besideLibraries compares a query with the usual memory limit with DuckDB and Polars, which have no limit.
func (b *bench) besideLibraries(q libraryQuestion, ask ...string) {
	side := func(flags ...string) contender {
		return b.table(q.want, append(append(append([]string{"--quote", "none"}, flags...), ask...), q.file.Name)...)
	}
	sides := []contender{side(), side("--mem", "64MiB").as("thresh --mem 64MiB", lab.Target{}, "")}
	b.compareLibraries(warmState(q.file), q.file.Bytes, sides, b.duckDB(q, "", 1), b.polars(q, 1))
}

// tableSelect writes the records of some more than half of the donations to a new file, and compares with cp,
// which writes all of them.
func tableSelect(b *bench) {
	const above = 25 // dollars
	file := b.donations(2_000_000_000)
	all, some := lineHash{Hash: sha256.New()}, lineHash{Hash: sha256.New()}
	eachRow(file, '|', func(fields [][]byte) {
		line := bytes.Join(fields, []byte("|"))
		all.add(line)
		if amount, err := strconv.ParseFloat(string(fields[14]), 64); err == nil && amount > above {
			some.add(line)
		}
	})
	out := outputBeside(file, "selected")
	b.compare(warmState(file), file.Bytes,
		writing(out, some.String(), b.Thresh, "table", "-d", "|", "--quote", "none", "--select", "*",
			"--where", "$15 > "+strconv.Itoa(above), "--format", "csv", "-o", out, file.Name),
		writing(out, all.String(), "cp", file.Name, out).as("cp", lab.AtLeast(0.8), ""))
}

// lineHash is the fileSum of lines.
type lineHash struct {
	hash.Hash
	begun bool
}

func (h *lineHash) add(line []byte) {
	if h.begun {
		h.Write([]byte{'\n'})
	}
	h.begun = true
	h.Write(line)
}

func (h *lineHash) String() string { return fmt.Sprintf("%x", h.Sum(nil)) }
