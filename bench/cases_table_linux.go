package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"

	"github.com/thresh-dev/thresh/lab/gen"
)

// table returns thresh table with these arguments as a contender, with answers as CSV.
func (b *bench) table(want tableAnswer, args ...string) contender {
	return contender{
		name: "thresh", answer: want.fromThresh,
		args: append([]string{b.thresh, "table", "--format", "csv"}, args...),
	}
}

// tableFile returns a file of that name. A generator of whole rows makes it once; its size is at most
// room.
func (b *bench) tableFile(name string, room int64, write func(w io.Writer) error) (*subject, error) {
	return b.data.rows(name, room, func(path string) error {
		f, err := os.Create(path)
		if err != nil {
			return err
		}
		return errors.Join(write(f), f.Sync(), f.Close())
	})
}

const tableSeed = 1

func (b *bench) donations(bytes int64) (*subject, error) {
	size := b.scaled(bytes)
	return b.tableFile(fmt.Sprintf("donations-%d", size), size, func(w io.Writer) error {
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

func tableDonations(ctx context.Context, b *bench, name string) error {
	return overDonations(ctx, b, name, 1_500_000_000)
}

func tableDonationsLarge(ctx context.Context, b *bench, name string) error {
	return overDonations(ctx, b, name, 3_300_000_000)
}

// overDonations compares with the article's last program, which runs as a child process of this
// program, with libraries, and with wc, which only counts lines.
func overDonations(ctx context.Context, b *bench, name string, bytes int64) error {
	file, err := b.donations(bytes)
	if err != nil {
		return err
	}
	defer file.Close()
	want, err := simpleDonations(file, regexp.MustCompile(firstNameKey))
	if err != nil {
		return err
	}
	article, err := simpleDonations(file, regexp.MustCompile(firstNameArticle))
	if err != nil {
		return err
	}
	rev9 := b.child("donations/rev9", "", "donations", "rev9", file.Name)
	rev9.answer, rev9.target = article.fromPeer, atLeast(12)
	sides := []contender{
		b.table(want, append(donationQuestions, file.Name)...), rev9,
		{
			name: "wc -l", args: []string{"wc", "-l", file.Name}, answer: firstField,
			want: fmt.Sprint(want.Lines), target: atLeast(1),
		},
	}
	duck, err := b.duckDB(file, "donations", "", want)
	sides = b.appendPeer(sides, name, duck, 9, err)
	polars, err := b.polars(file, "donations", want)
	sides = b.appendPeer(sides, name, polars, 9, err)
	return b.compare(ctx, name, warmState(file), file.Bytes, sides...)
}

// appendPeer appends a peer with its target, or reports why it is skipped.
func (b *bench) appendPeer(sides []contender, name string, peer contender, least float64, err error) []contender {
	if err != nil {
		b.skip(name, peer.name+": "+err.Error())
		return sides
	}
	if least > 0 {
		peer.target = atLeast(least)
	}
	return append(sides, peer)
}

// tableScaling compares all workers with one.
func tableScaling(ctx context.Context, b *bench, name string) error {
	file, err := b.donations(1_500_000_000)
	if err != nil {
		return err
	}
	defer file.Close()
	want, err := simpleDonations(file, regexp.MustCompile(firstNameKey))
	if err != nil {
		return err
	}
	args := append(donationQuestions, file.Name)
	two := b.table(want, append([]string{"--workers", "2"}, args...)...)
	one := b.table(want, append([]string{"--workers", "1"}, args...)...)
	one.name, one.target = "--workers 1", atLeast(1.8)
	return b.compare(ctx, name, warmState(file), file.Bytes, two, one)
}

// tableColumn compares grouping by one short field with counting lines.
func tableColumn(ctx context.Context, b *bench, name string) error {
	file, err := b.donations(1_500_000_000)
	if err != nil {
		return err
	}
	defer file.Close()
	want := groupNumbers{}
	lines := int64(0)
	err = eachRow(file, '|', func(fields [][]byte) error {
		want.add(fields[1], 1)
		lines++
		return nil
	})
	if err != nil {
		return err
	}
	count := b.count(lines, "--lines", file.Name)
	count.name, count.target = "count --lines", atLeast(0.5)
	return b.compare(ctx, name, warmState(file), file.Bytes,
		b.table(want, "-d", "|", "--quote", "none", "--group", "2", file.Name), count)
}

const rowsOfMeasurements = 100_000_000

// measurements returns a file of measurements, and minimum, mean and maximum by station.
func (b *bench) measurements(name string, rows, rowBytes int64, at gen.Stations) (*subject, groupNumbers, error) {
	rows = b.scaled(rows)
	file, err := b.tableFile(fmt.Sprintf("%s-%d", name, rows), rows*rowBytes, func(w io.Writer) error {
		return gen.Measurements(w, rows, tableSeed, at)
	})
	if err != nil {
		return nil, nil, err
	}
	want, err := simpleMeasurements(file)
	return file, want, err
}

var measurementQuestion = []string{"-d", ";", "--quote", "none", "--group", "1", "--agg", "min(2),mean(2),max(2)"}

func tableMeasurements(ctx context.Context, b *bench, name string) error {
	file, want, err := b.measurements("measurements", rowsOfMeasurements, 15, gen.Stations{})
	if err != nil {
		return err
	}
	defer file.Close()
	sides := []contender{b.table(want, append(measurementQuestion, file.Name)...)}
	duck, err := b.duckDB(file, "measurements", "", want)
	sides = b.appendPeer(sides, name, duck, 7, err)
	polars, err := b.polars(file, "measurements", want)
	sides = b.appendPeer(sides, name, polars, 6, err)
	if len(sides) == 1 {
		return nil // both were reported as skipped
	}
	return b.compare(ctx, name, warmState(file), file.Bytes, sides...)
}

// tableMeasurements10k compares with the file with 413 stations, in rows per second because its own
// rows are longer.
func tableMeasurements10k(ctx context.Context, b *bench, name string) error {
	few, wantFew, err := b.measurements("measurements", rowsOfMeasurements, 15, gen.Stations{})
	if err != nil {
		return err
	}
	defer few.Close()
	const part = 5 // a fifth of the rows, which are about four times as long
	many, wantMany, err := b.measurements("measurements10k", rowsOfMeasurements/part, 62, gen.Stations{MadeUp: 10_000})
	if err != nil {
		return err
	}
	defer many.Close()
	manySide := b.table(wantMany, append(measurementQuestion, many.Name)...)
	fewSide := b.table(wantFew, append(measurementQuestion, few.Name)...)
	rows := float64(b.scaled(rowsOfMeasurements))
	manySide.rate = func(o outcome) (float64, error) { return rows / part / o.seconds, nil }
	fewSide.rate = func(o outcome) (float64, error) { return rows / o.seconds, nil }
	rates, err := b.measure(ctx, bothWarm(few, many), 0, []contender{manySide, fewSide})
	if err != nil {
		return err
	}
	b.add(row{
		Case: name, Peer: "thresh, 413 keys", What: timesItsRate, Number: summarize(ratios(rates[0], rates[1])),
		Note: fmt.Sprintf("%.0f and %.0f million rows a second",
			summarize(rates[0]).Median/1e6, summarize(rates[1]).Median/1e6),
	})
	return nil
}

// bothWarm is the state with two files in the page cache.
func bothWarm(a, b *subject) state {
	first, second := warmState(a), warmState(b)
	return state{
		before: func() error { return errors.Join(first.before(), second.before()) },
		after:  func() error { return errors.Join(first.after(), second.after()) },
	}
}

var orderQuestion = []string{"--header", "--group", "country", "--agg", "count,sum(amount)"}

// tableOrders compares quoted CSV with the same without quotes, and with DuckDB.
func tableOrders(ctx context.Context, b *bench, name string) error {
	size := b.scaled(1_000_000_000)
	quoted, err := b.tableFile(fmt.Sprintf("orders-%d", size), size, func(w io.Writer) error {
		return gen.Orders(w, size, tableSeed)
	})
	if err != nil {
		return err
	}
	defer quoted.Close()
	plain, err := b.tableFile(fmt.Sprintf("orders-plain-%d", size), size, func(w io.Writer) error {
		return gen.OrdersPlain(w, size, tableSeed)
	})
	if err != nil {
		return err
	}
	defer plain.Close()
	want, err := simpleOrders(quoted)
	if err != nil {
		return err
	}
	none := b.table(want, append(append([]string{"--quote", "none"}, orderQuestion...), plain.Name)...)
	none.name, none.target, none.note = "thresh, no quotes", atLeast(0.6), "rows of the same length, with --quote none"
	sides := []contender{b.table(want, append(orderQuestion, quoted.Name)...), none}
	duck, err := b.duckDB(quoted, "orders", "", want)
	sides = b.appendPeer(sides, name, duck, 0, err)
	return b.compare(ctx, name, bothWarm(quoted, plain), quoted.Bytes, sides...)
}

const (
	rowsOfKeys   = 50_000_000
	distinctKeys = 10_000_000
	keysShown    = 10

	// memoryOfDuckDB is more than thresh gets: with 512 MiB, DuckDB runs out of memory.
	memoryOfDuckDB = "768MiB"
)

// tableKeys groups by ten million keys in limited memory.
func tableKeys(ctx context.Context, b *bench, name string) error {
	rows, distinct := b.scaled(rowsOfKeys), b.scaled(distinctKeys)
	file, err := b.tableFile(fmt.Sprintf("keys-%d-%d", rows, distinct), rows*25, func(w io.Writer) error {
		return gen.Keys(w, rows, distinct, tableSeed)
	})
	if err != nil {
		return err
	}
	defer file.Close()
	want, err := simpleKeys(file)
	if err != nil {
		return err
	}
	sides := []contender{b.table(want, "--quote", "none", "--mem", "512MiB",
		"--group", "1", "--agg", "sum(2)", "--top-by", "sum(2)", "--limit", fmt.Sprint(keysShown), file.Name)}
	duck, err := b.duckDB(file, "keys", memoryOfDuckDB, want)
	duck.note = "with " + memoryOfDuckDB + " of memory, and a folder to spill to"
	if sides = b.appendPeer(sides, name, duck, 1, err); len(sides) == 1 {
		return nil
	}
	return b.compare(ctx, name, warmState(file), file.Bytes, sides...)
}

const (
	rowsOfPrices   = 10_000_000
	groupsOfPrices = 20
	distinctTexts  = 4_000_000
)

// tableQuantiles asks for exact quantiles of large groups.
func tableQuantiles(ctx context.Context, b *bench, name string) error {
	// Each group has a multiple of 100 rows: then all programs agree on the quantiles.
	const grain = 100 * groupsOfPrices
	rows := max(1, b.scaled(rowsOfPrices)/grain) * grain
	file, err := b.tableFile(fmt.Sprintf("prices-%d", rows), rows*20, func(w io.Writer) error {
		return gen.Prices(w, rows, groupsOfPrices, tableSeed)
	})
	if err != nil {
		return err
	}
	defer file.Close()
	want, err := simplePrices(file)
	if err != nil {
		return err
	}
	return b.beside(ctx, name, file, "prices", want, "--group", "1", "--agg", "p50(2),p99(2)")
}

// tableDistinct counts distinct texts.
func tableDistinct(ctx context.Context, b *bench, name string) error {
	rows, distinct := b.scaled(rowsOfPrices), b.scaled(distinctTexts)
	file, err := b.tableFile(fmt.Sprintf("keys-%d-%d", rows, distinct), rows*25, func(w io.Writer) error {
		return gen.Keys(w, rows, distinct, tableSeed)
	})
	if err != nil {
		return err
	}
	defer file.Close()
	want := groupNumbers{fmt.Sprint(distinct): {}} // the only cell is where other answers have the key
	return b.beside(ctx, name, file, "distinct", want, "--agg", "distinct(1)")
}

// beside compares a query with the usual memory limit with DuckDB and Polars, which have no limit.
func (b *bench) beside(ctx context.Context, name string, file *subject, question string, want tableAnswer,
	ask ...string) error {
	sides := []contender{b.table(want, append(append([]string{"--quote", "none"}, ask...), file.Name)...)}
	small := b.table(want, append(append([]string{"--quote", "none", "--mem", "64MiB"}, ask...), file.Name)...)
	small.name = "thresh --mem 64MiB"
	sides = append(sides, small)
	duck, err := b.duckDB(file, question, "", want)
	sides = b.appendPeer(sides, name, duck, 1, err)
	polars, err := b.polars(file, question, want)
	sides = b.appendPeer(sides, name, polars, 1, err)
	return b.compare(ctx, name, warmState(file), file.Bytes, sides...)
}
