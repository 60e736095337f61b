package versus

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/thresh-dev/thresh/lab/donations"
	"github.com/thresh-dev/thresh/lab/pagecache"
	"github.com/thresh-dev/thresh/lab/peer"
)

// tableAnswer is the expected answer to a question about a table. Answers are rows in any order, and
// sums of floats may differ in their last bits. So a contender's answer is compared here: a right
// answer gives "".
type tableAnswer interface {
	fromThresh(stdout string) (string, error) // CSV
	fromPeer(stdout string) (string, error)   // the output of the scripts
}

// cells are the rows of an answer, sorted: numbers, and texts. What has no value is an empty text.
type cells [][]any

// cellsOf returns the cells of an answer. Texts that are numbers become numbers, because CSV does not
// tell them apart. Polars writes times with their microseconds.
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

// nullText is what thresh prints for null: a record of one column that is null would else be an empty line.
const nullText = "NULL"

func cellOf(cell any) any {
	if cell == nil || cell == nullText {
		return ""
	}
	text, ok := cell.(string)
	if !ok {
		return cell
	}
	if n, err := strconv.ParseFloat(text, 64); err == nil {
		return n
	}
	return strings.TrimSuffix(text, ".000000")
}

// groupCells returns the cells of numbers by group.
func groupCells(groups map[string][]float64) cells {
	var rows [][]any
	for key, numbers := range groups {
		row := []any{key}
		for _, n := range numbers {
			row = append(row, n)
		}
		rows = append(rows, row)
	}
	return cellsOf(rows)
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

// toleranceOfSums is the relative difference allowed between sums of floats in different orders.
const toleranceOfSums = 1e-9

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

// peerCells returns the cells that a library printed: as rows, or as numbers by group.
func peerCells(stdout string) (cells, error) {
	p, err := peer.ParseTimed(stdout)
	if err != nil {
		return nil, err
	}
	var groups map[string][]float64
	if json.Unmarshal(p.Answer, &groups) == nil {
		return groupCells(groups), nil
	}
	var rows [][]any
	err = json.Unmarshal(p.Answer, &rows)
	return cellsOf(rows), err
}

// parseAnswers returns the records of each answer in thresh's CSV output. Each answer has a header
// line, and answers are separated by an empty line.
func parseAnswers(stdout string) (answers [][][]string, err error) {
	for text := range strings.SplitSeq(strings.TrimSuffix(stdout, "\n"), "\n\n") {
		records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		if err != nil {
			return nil, fmt.Errorf("answer %q: %w", peer.FirstLine(text), err)
		}
		if len(records) == 0 {
			return nil, errors.New("an answer has no header line")
		}
		answers = append(answers, records[1:])
	}
	return answers, nil
}

// donationsAnswer is the answer to the four questions about donations.
type donationsAnswer donations.Answer

func (want donationsAnswer) check(got donationsAnswer) (string, error) {
	// fmt prints maps in key order.
	if w, g := fmt.Sprint(want), fmt.Sprint(got); w != g {
		return "", fmt.Errorf("answer %.200s, want %.200s", g, w)
	}
	return "", nil
}

func (want donationsAnswer) fromPeer(stdout string) (string, error) {
	p, err := peer.ParseTimed(stdout)
	if err != nil {
		return "", err
	}
	var got donationsAnswer
	if err := json.Unmarshal(p.Answer, &got); err != nil {
		return "", err
	}
	return want.check(got)
}

// fromThresh parses the answers to donationQuestions, in their order.
func (want donationsAnswer) fromThresh(stdout string) (string, error) {
	answers, err := parseAnswers(stdout)
	if err != nil {
		return "", err
	}
	if len(answers) != 4 || len(answers[0]) != 1 || len(answers[1]) > len(want.Names) || len(answers[3]) != 1 {
		return "", fmt.Errorf("answers %.200q do not match the four questions", stdout)
	}
	number := func(s string) int64 {
		n, e := strconv.ParseInt(s, 10, 64)
		err = errors.Join(err, e)
		return n
	}
	last := func(record []string) string { return record[len(record)-1] }
	got := donationsAnswer{Lines: number(last(answers[0][0])), Months: map[string]int64{}}
	for i, record := range answers[1] {
		got.Names[i] = strings.TrimSpace(last(record))
	}
	for _, record := range answers[2] {
		got.Months[record[0]] = number(last(record))
	}
	got.First, got.FirstCount = answers[3][0][0], number(last(answers[3][0]))
	if err != nil {
		return "", err
	}
	return want.check(got)
}

// Plain loops say what the answers are.

// simpleDonations answers the four questions. The expression matches first names.
func simpleDonations(s *pagecache.File, firstName string) (a donationsAnswer) {
	a.Months = map[string]int64{}
	counts, first := map[string]int64{}, regexp.MustCompile(firstName)
	eachRow(s, '|', func(fields [][]byte) {
		if len(fields) != 21 {
			check(fmt.Errorf("%s: %d fields, want 21", s.Name, len(fields)))
		}
		for i, row := range donations.Rows {
			if int64(row) == a.Lines {
				a.Names[i] = string(bytes.TrimSpace(fields[7]))
			}
		}
		a.Lines++
		a.Months[string(fields[4][:6])]++
		if m := first.FindSubmatchIndex(fields[7]); m != nil {
			counts[string(fields[7][m[2]:m[3]])]++
		}
	})
	for name, n := range counts {
		if n > a.FirstCount || n == a.FirstCount && name < a.First {
			a.First, a.FirstCount = name, n
		}
	}
	return a
}

// eachRow calls a function with the fields of each line of a file without quotes.
func eachRow(s *pagecache.File, delim byte, row func(fields [][]byte)) {
	lines := bufio.NewScanner(bufio.NewReaderSize(io.NewSectionReader(s.OS(), 0, s.Bytes), 1<<20))
	var fields [][]byte
	for lines.Scan() {
		rest := lines.Bytes()
		fields = fields[:0]
		for i := bytes.IndexByte(rest, delim); i >= 0; i = bytes.IndexByte(rest, delim) {
			fields, rest = append(fields, rest[:i]), rest[i+1:]
		}
		row(append(fields, rest))
	}
	check(lines.Err())
}

// fixed parses a number with that many decimals, as a multiple of its last digit.
func fixed(text []byte, decimals int) int64 {
	whole, decimal, _ := strings.Cut(string(text), ".")
	if len(decimal) != decimals {
		check(fmt.Errorf("%q is not a number with %d decimals", text, decimals))
	}
	return try(strconv.ParseInt(whole+decimal, 10, 64))
}

// simpleMeasurements returns minimum, mean and maximum by station.
func simpleMeasurements(s *pagecache.File) cells {
	type tenths struct{ low, sum, high, n int64 }
	stations := map[string]*tenths{}
	eachRow(s, ';', func(fields [][]byte) {
		v := fixed(fields[1], 1)
		at := stations[string(fields[0])]
		if at == nil {
			at = &tenths{low: v, high: v}
			stations[string(fields[0])] = at
		}
		at.low, at.high = min(at.low, v), max(at.high, v)
		at.sum, at.n = at.sum+v, at.n+1
	})
	want := map[string][]float64{}
	for name, at := range stations {
		want[name] = []float64{float64(at.low) / 10, float64(at.sum) / 10 / float64(at.n), float64(at.high) / 10}
	}
	return groupCells(want)
}

// simpleOrders returns count and sum of the amounts by country. They are the same for both files of
// orders.
func simpleOrders(s *pagecache.File) cells {
	const amount, country = 3, 2
	records := csv.NewReader(io.NewSectionReader(s.OS(), 0, s.Bytes))
	records.ReuseRecord = true
	try(records.Read()) // the header
	sums := map[string][2]int64{}
	for {
		record, err := records.Read()
		if err == io.EOF {
			break
		}
		check(err)
		key := strings.Clone(record[country])
		sum := sums[key]
		sums[key] = [2]int64{sum[0] + 1, sum[1] + fixed([]byte(record[amount]), 2)}
	}
	want := map[string][]float64{}
	for key, sum := range sums {
		want[key] = []float64{float64(sum[0]), float64(sum[1]) / 100}
	}
	return groupCells(want)
}

// simpleKeys returns the largest sums with their keys. To save memory it only stores 64-bit hashes of
// the keys, and finds the keys of the largest sums in a second pass.
func simpleKeys(s *pagecache.File) cells {
	seed := maphash.MakeSeed()
	sums := map[uint64]int64{}
	eachRow(s, ',', func(fields [][]byte) { sums[maphash.Bytes(seed, fields[0])] += fixed(fields[1], 0) })
	all := slices.Sorted(maps.Values(sums))
	least := all[max(0, len(all)-keysShown)]
	tops := map[string]int64{}
	eachRow(s, ',', func(fields [][]byte) {
		if sum := sums[maphash.Bytes(seed, fields[0])]; sum >= least {
			tops[string(fields[0])] = sum
		}
	})
	keys := slices.SortedFunc(maps.Keys(tops), func(a, b string) int {
		return cmp.Or(cmp.Compare(tops[b], tops[a]), strings.Compare(a, b))
	})
	want := map[string][]float64{}
	for _, key := range keys[:min(keysShown, len(keys))] {
		want[key] = []float64{float64(tops[key])}
	}
	return groupCells(want)
}

// simplePrices returns the median and the 99th percentile by group: the least values such that half,
// or 99 %, of the prices are not above them.
func simplePrices(s *pagecache.File) cells {
	cents := map[string][]int64{}
	eachRow(s, ',', func(fields [][]byte) {
		cents[string(fields[0])] = append(cents[string(fields[0])], fixed(fields[1], 2))
	})
	want := map[string][]float64{}
	for key, all := range cents {
		slices.Sort(all)
		for _, percent := range []int{50, 99} {
			want[key] = append(want[key], float64(all[(len(all)*percent+99)/100-1])/100)
		}
	}
	return groupCells(want)
}
