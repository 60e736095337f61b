package main

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"math"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/thresh-dev/thresh/lab/donations"
	"github.com/thresh-dev/thresh/lab/peer"
)

// tableAnswer is the expected answer to a question about a table. Answers are numbers by group, and
// sums of floats may differ in their last bits. So a contender's answer is compared here: a right
// answer gives "".
type tableAnswer interface {
	fromThresh(stdout string) (string, error) // CSV
	fromPeer(stdout string) (string, error)   // the output of the scripts
}

// groupNumbers are the numbers of each group.
type groupNumbers map[string][]float64

// toleranceOfSums is the relative difference allowed between sums of floats in different orders.
const toleranceOfSums = 1e-9

func (want groupNumbers) check(got groupNumbers) (string, error) {
	if len(got) != len(want) {
		return "", fmt.Errorf("%d groups, want %d", len(got), len(want))
	}
	for key, numbers := range want {
		if len(got[key]) != len(numbers) {
			return "", fmt.Errorf("group %q has the numbers %v, want %v", key, got[key], numbers)
		}
		for i, n := range numbers {
			if math.Abs(got[key][i]-n) > toleranceOfSums*max(1, math.Abs(n)) {
				return "", fmt.Errorf("group %q has the numbers %v, want %v", key, got[key], numbers)
			}
		}
	}
	return "", nil
}

func (want groupNumbers) fromThresh(stdout string) (string, error) {
	answers, err := parseAnswers(stdout)
	if err != nil {
		return "", err
	}
	if len(answers) != 1 {
		return "", fmt.Errorf("%d answers, want 1", len(answers))
	}
	got := groupNumbers{}
	for _, record := range answers[0] {
		numbers := make([]float64, 0, len(record)-1)
		for _, field := range record[1:] {
			n, err := strconv.ParseFloat(field, 64)
			if err != nil {
				return "", fmt.Errorf("group %q: %w", record[0], err)
			}
			numbers = append(numbers, n)
		}
		got[record[0]] = numbers
	}
	return want.check(got)
}

func (want groupNumbers) fromPeer(stdout string) (string, error) {
	p, err := peer.ParseTimed(stdout)
	if err != nil {
		return "", err
	}
	var got groupNumbers
	if err := json.Unmarshal(p.Answer, &got); err != nil {
		return "", err
	}
	return want.check(got)
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

// simpleDonations answers the four questions in a plain loop. The expression matches first names.
func simpleDonations(s *subject, firstName *regexp.Regexp) (a donationsAnswer, err error) {
	a.Months = map[string]int64{}
	counts := map[string]int64{}
	err = eachRow(s, '|', func(fields [][]byte) error {
		if len(fields) != 21 {
			return fmt.Errorf("%d fields, want 21", len(fields))
		}
		for i, row := range donations.Rows {
			if int64(row) == a.Lines {
				a.Names[i] = string(bytes.TrimSpace(fields[7]))
			}
		}
		a.Lines++
		a.Months[string(fields[4][:6])]++
		if m := firstName.FindSubmatchIndex(fields[7]); m != nil {
			counts[string(fields[7][m[2]:m[3]])]++
		}
		return nil
	})
	for name, n := range counts {
		if n > a.FirstCount || n == a.FirstCount && name < a.First {
			a.First, a.FirstCount = name, n
		}
	}
	return a, err
}

// eachRow calls a function with the fields of each line of a file without quotes.
func eachRow(s *subject, delim byte, row func(fields [][]byte) error) error {
	const readBytes = 1 << 20
	lines := bufio.NewScanner(bufio.NewReaderSize(io.NewSectionReader(s.OS(), 0, s.Bytes), readBytes))
	var fields [][]byte
	for lines.Scan() {
		rest := lines.Bytes()
		fields = fields[:0]
		for i := bytes.IndexByte(rest, delim); i >= 0; i = bytes.IndexByte(rest, delim) {
			fields, rest = append(fields, rest[:i]), rest[i+1:]
		}
		if err := row(append(fields, rest)); err != nil {
			return fmt.Errorf("%s: row %q: %w", s.Name, lines.Text(), err)
		}
	}
	return lines.Err()
}

// add adds to the single number of a group.
func (want groupNumbers) add(key []byte, n float64) {
	if numbers := want[string(key)]; numbers != nil {
		numbers[0] += n
		return
	}
	want[string(key)] = []float64{n}
}

// simpleMeasurements returns minimum, mean and maximum by station.
func simpleMeasurements(s *subject) (groupNumbers, error) {
	type tenths struct{ low, sum, high, n int64 }
	stations := map[string]*tenths{}
	err := eachRow(s, ';', func(fields [][]byte) error {
		v, err := parseTenths(fields[1])
		at := stations[string(fields[0])]
		if at == nil {
			at = &tenths{low: v, high: v}
			stations[string(fields[0])] = at
		}
		at.low, at.high = min(at.low, v), max(at.high, v)
		at.sum, at.n = at.sum+v, at.n+1
		return err
	})
	want := groupNumbers{}
	for name, at := range stations {
		want[name] = []float64{float64(at.low) / 10, float64(at.sum) / 10 / float64(at.n), float64(at.high) / 10}
	}
	return want, err
}

// parseTenths parses a number with one decimal and returns it times ten.
func parseTenths(text []byte) (int64, error) {
	whole, decimal, ok := strings.Cut(string(text), ".")
	if !ok || len(decimal) != 1 {
		return 0, fmt.Errorf("%q is not a number with one decimal", text)
	}
	return strconv.ParseInt(whole+decimal, 10, 64)
}

// simpleOrders returns count and sum of the amounts by country. They are the same for both files of
// orders.
func simpleOrders(s *subject) (groupNumbers, error) {
	const amount, country = 3, 2
	cents, counts := map[string]int64{}, map[string]int64{}
	records := csv.NewReader(io.NewSectionReader(s.OS(), 0, s.Bytes))
	records.ReuseRecord = true
	for header := true; ; header = false {
		record, err := records.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", s.Name, err)
		}
		if header {
			continue
		}
		n, err := strconv.ParseInt(strings.Replace(record[amount], ".", "", 1), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", s.Name, err)
		}
		key := strings.Clone(record[country])
		cents[key] += n
		counts[key]++
	}
	want := groupNumbers{}
	for key, n := range counts {
		want[key] = []float64{float64(n), float64(cents[key]) / 100}
	}
	return want, nil
}

// simpleKeys returns the largest sums with their keys. To save memory it only stores 64-bit hashes of
// the keys, and finds the keys of the largest sums in a second pass.
func simpleKeys(s *subject) (groupNumbers, error) {
	defer debug.FreeOSMemory() // this process must be small again while others are measured
	seed := maphash.MakeSeed()
	sums := map[uint64]int64{}
	err := eachRow(s, ',', func(fields [][]byte) error {
		n, err := strconv.ParseInt(string(fields[1]), 10, 64)
		sums[maphash.Bytes(seed, fields[0])] += n
		return err
	})
	if err != nil {
		return nil, err
	}
	least := nthLargest(sums, keysShown)
	tops := map[string]int64{}
	err = eachRow(s, ',', func(fields [][]byte) error {
		if sum := sums[maphash.Bytes(seed, fields[0])]; sum >= least {
			tops[string(fields[0])] = sum
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	keys := make([]string, 0, len(tops))
	for key := range tops {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b string) int {
		if tops[a] != tops[b] {
			return int(tops[b] - tops[a])
		}
		return strings.Compare(a, b)
	})
	want := groupNumbers{}
	for _, key := range keys[:min(keysShown, len(keys))] {
		want[key] = []float64{float64(tops[key])}
	}
	return want, nil
}

// nthLargest returns the n-th largest sum, or the least if there are fewer.
func nthLargest(sums map[uint64]int64, n int) int64 {
	var largest []int64 // descending, at most n
	for _, sum := range sums {
		if len(largest) == n && sum <= largest[n-1] {
			continue
		}
		at, _ := slices.BinarySearchFunc(largest, sum, func(have, sum int64) int { return int(sum - have) })
		largest = slices.Insert(largest, at, sum)
		largest = largest[:min(n, len(largest))]
	}
	if len(largest) == 0 {
		return 0
	}
	return largest[len(largest)-1]
}

// simplePrices returns the median and the 99th percentile by group: the least values such that half,
// or 99 %, of the prices are not above them.
func simplePrices(s *subject) (groupNumbers, error) {
	defer debug.FreeOSMemory() // this process must be small again while others are measured
	cents := map[string][]int64{}
	err := eachRow(s, ',', func(fields [][]byte) error {
		n, err := strconv.ParseInt(strings.Replace(string(fields[1]), ".", "", 1), 10, 64)
		cents[string(fields[0])] = append(cents[string(fields[0])], n)
		return err
	})
	want := groupNumbers{}
	for key, all := range cents {
		slices.Sort(all)
		for _, percent := range []int{50, 99} {
			want[key] = append(want[key], float64(all[(len(all)*percent+99)/100-1])/100)
		}
	}
	return want, err
}
