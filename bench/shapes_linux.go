package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"

	"github.com/klauspost/compress/gzip"

	"github.com/thresh-dev/thresh/lab/gen"
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

// open returns the file of a shape, made if it is not there.
func (f *shapeFile) open(b *bench) (*subject, error) {
	size := b.scaled(f.bytes)
	return b.tableFile(fmt.Sprintf("shape-%d-%s", size, f.name), size, func(w io.Writer) error {
		return f.write(w, size)
	})
}

// cells are the rows of an answer, sorted: numbers, and texts. What has no value is an empty text.
type cells [][]any

// cellsOf returns the cells of an answer. Texts that are numbers become numbers, because CSV does not
// tell them apart.
func cellsOf[T any](rows [][]T) cells {
	out := make(cells, len(rows))
	for i, row := range rows {
		for _, cell := range row {
			out[i] = append(out[i], cellOf(cell))
		}
	}
	slices.SortFunc(out, func(a, b []any) int {
		return slices.CompareFunc(a, b, func(a, b any) int { return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	})
	return out
}

func cellOf(cell any) any {
	if cell == nil {
		return ""
	}
	text, ok := cell.(string)
	if !ok {
		return cell
	}
	if n, err := strconv.ParseFloat(text, 64); err == nil {
		return n
	}
	return text
}

func (want cells) check(got cells) (string, error) {
	if len(got) != len(want) {
		return "", fmt.Errorf("%d rows, want %d", len(got), len(want))
	}
	for i := range want {
		if !slices.EqualFunc(want[i], got[i], sameCell) {
			return "", fmt.Errorf("row %v, want %v", got[i], want[i])
		}
	}
	return "", nil
}

func sameCell(a, b any) bool {
	x, ok := a.(float64)
	y, also := b.(float64)
	if !ok || !also {
		return a == b
	}
	return math.Abs(x-y) <= toleranceOfSums*max(1, math.Abs(x))
}

func (want cells) fromThresh(stdout string) (string, error) {
	answers, err := parseAnswers(stdout)
	if err != nil {
		return "", err
	}
	if len(answers) != 1 {
		return "", fmt.Errorf("%d answers, want 1", len(answers))
	}
	return want.check(cellsOf(answers[0]))
}

func (want cells) fromPeer(stdout string) (string, error) {
	got, err := peerCells(stdout)
	if err != nil {
		return "", err
	}
	return want.check(got)
}

// peerCells returns the cells that a library printed.
func peerCells(stdout string) (cells, error) {
	p, err := peer.ParseTimed(stdout)
	if err != nil {
		return nil, err
	}
	var rows [][]any
	err = json.Unmarshal(p.Answer, &rows)
	return cellsOf(rows), err
}

// closeShapes closes and removes the files of shapes, which no other case needs.
func closeShapes(files map[*shapeFile]*subject, err error) error {
	for _, f := range files {
		err = errors.Join(err, f.Close(), os.Remove(f.Name))
	}
	return err
}
