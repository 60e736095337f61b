package matrix

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/options"
)

// TestTables runs random queries on random tables. The content of a table is known before it is
// written, and the expected answers are computed with exact fractions.
func TestTables(t *testing.T) {
	names := slices.DeleteFunc(sorted(aggregates), func(name string) bool { return !isAggregate(t, name) })
	cases(t, 500, func(t *testing.T, r *rand.Rand) error {
		mode := r.IntN(3)
		s := randomSheet(r, mode)
		var off int64
		var length *int64
		if chance(r, 5) {
			off, length = s.within(r)
		}
		q := randomInquiry(r, s, names)
		q.options.Offset, q.options.Length = off, length
		q.spec.Malformed = options.Malformed(mode)
		if err := q.run(t, r, s); err != nil {
			text := fmt.Sprintf("%d records, %+v where %q, %d files, mode %d", len(s.records), q.spec.Questions, q.spec.Where, len(s.files), mode)
			for i, f := range s.files {
				text += fmt.Sprintf("\nfile %d as %s: %.600q", i, q.kinds[i], f.data)
			}
			return fmt.Errorf("%s\n%+v: %w", text, q.options, err)
		}
		return nil
	})
}

// inquiry is a query over a table, with one or more questions in one pass.
type inquiry struct {
	spec    thresh.TableSpec
	fits    func([]field) truth
	want    []func(records [][]field) [][]cell // rows of each answer
	options options.Scan
	kinds   []string
	numeric map[int]bool // columns of which numbers are wanted, from 0
}

// cell is a cell of an answer: a text, an exact number, the float64 nearest to a number, or null.
type cell struct {
	text   string
	number *big.Rat
	float  bool
	null   bool

	low, high *big.Rat // bounds of an estimate
}

func randomInquiry(r *rand.Rand, s *sheet, names []string) *inquiry {
	q := &inquiry{spec: thresh.TableSpec{Dialect: options.Dialect{Delim: s.delim, Quote: s.quote, Header: s.header}},
		fits: func([]field) truth { return yes }, numeric: map[int]bool{}}
	if chance(r, 3) {
		q.spec.Where, q.fits = s.randomFilter(r, 2)
	}
	for range 1 + r.IntN(6) {
		q.ask(r, s, names)
	}
	q.options.Workers, q.options.ChunkBytes = pick(r, 0, 1, 2, 5), pick(r, 0, 0, 1, 7, 1+r.IntN(200), 4096)
	q.options.MemoryBytes = pick[int64](r, 0, 0, 40<<20, 64<<20)
	size := 0
	for _, f := range s.files {
		size = max(size, len(f.data))
	}
	if q.options.ChunkBytes > 0 {
		q.options.ChunkBytes = max(q.options.ChunkBytes, size/300)
	}
	stdin := false
	for range s.files {
		kind := pick(r, sorted(kinds)...)
		if k := kinds[kind]; k.rare > 0 && !chance(r, k.rare) || k.name == nil && stdin {
			kind = "file"
		}
		stdin = stdin || kinds[kind].name == nil
		q.kinds = append(q.kinds, kind)
	}
	if k := kinds[q.kinds[0]]; len(s.files) == 1 && !k.stream {
		q.options.Engine = pick(r, options.EngineAuto, options.EnginePread, options.EngineMmap, options.EngineStream)
	}
	return q
}

// name returns a column as a query refers to it: by number, or by name if there is a header.
func (s *sheet) name(r *rand.Rand, column int) string {
	if s.header && chance(r, 2) {
		return []string{"key", "n", "x", "rest"}[column]
	}
	return strconv.Itoa(column + 1)
}

// ask adds a question.
func (q *inquiry) ask(r *rand.Rand, s *sheet, names []string) {
	var ask thresh.Question
	var want func([][]field) [][]cell
	switch r.IntN(6) {
	case 0:
		ask = thresh.RecordCount{}
		want = func(records [][]field) [][]cell { return [][]cell{{whole(len(records))}} }
	case 1:
		ask, want = askNth(r, s)
	case 2:
		key, of := s.randomKey(r)
		top := thresh.TopKeys{Keys: key, Limit: int64(1 + r.IntN(5))}
		ask, want = top, func(records [][]field) [][]cell {
			groups := grouped(records, []func([]field) (string, bool){of})
			return answerOf(groups, []aggregate{countAll}, true, int(top.Limit))
		}
	default:
		ask, want = q.askGroup(r, s, names)
	}
	q.spec.Questions, q.want = append(q.spec.Questions, ask), append(q.want, want)
}

func askNth(r *rand.Rand, s *sheet) (thresh.Question, func([][]field) [][]cell) {
	var ask thresh.Records
	var columns []int
	for range 1 + r.IntN(2) {
		columns = append(columns, r.IntN(s.columns))
		ask.Columns = append(ask.Columns, s.name(r, columns[len(columns)-1]))
	}
	for range 1 + r.IntN(3) {
		ask.Numbers = append(ask.Numbers, r.Int64N(int64(len(s.records))+2))
	}
	return ask, func(records [][]field) (rows [][]cell) {
		for _, n := range ask.Numbers {
			if n >= int64(len(records)) {
				continue
			}
			row := []cell{whole(int(n))}
			for _, c := range columns {
				row = append(row, cell{text: records[n][c].text, null: records[n][c].null})
			}
			rows = append(rows, row)
		}
		return rows
	}
}

func (q *inquiry) askGroup(r *rand.Rand, s *sheet, names []string) (thresh.Question, func([][]field) [][]cell) {
	var ask thresh.Groups
	var of []func([]field) (string, bool)
	var keys []string
	for range r.IntN(3) {
		name, key := s.randomKey(r)
		if strings.Contains(name, "~") && len(keys) > 0 || len(keys) > 0 && strings.Contains(keys[len(keys)-1], "~") {
			continue // an expression goes to the end of a list
		}
		keys, of = append(keys, name), append(of, key)
	}
	ask.Keys = strings.Join(keys, ",")
	var aggs []aggregate
	var texts []string
	for range 1 + r.IntN(4) {
		a, text := randomAggregate(r, s, names)
		if a.numbers {
			q.numeric[a.column] = true
		}
		aggs, texts = append(aggs, a), append(texts, text)
	}
	ask.Aggregates = strings.Join(texts, ",")
	byValue := chance(r, 4) && !strings.HasPrefix(texts[0], "approx") // the order of estimates is not promised
	if byValue {
		ask.OrderBy = thresh.ByValue
	}
	if chance(r, 4) {
		ask.Limit = int64(1 + r.IntN(4))
	}
	return ask, func(records [][]field) [][]cell {
		groups := grouped(records, of)
		if len(of) == 0 && len(groups) == 0 {
			groups = []recordGroup{{}}
		}
		survey(aggs, records)
		return answerOf(groups, aggs, byValue, int(ask.Limit))
	}
}

// randomKey returns a key of records and a function that computes it.
func (s *sheet) randomKey(r *rand.Rand) (string, func([]field) (string, bool)) {
	c := pick(r, 0, 0, 0, 1, s.columns-1)
	name := s.name(r, c)
	text := func(record []field) (string, bool) { return record[c].orNull(), true }
	switch {
	case chance(r, 6):
		from, to := r.IntN(3), 3+r.IntN(3)
		return fmt.Sprintf("%s[%d:%d]", name, from, to), func(record []field) (string, bool) {
			b := record[c].text
			if record[c].null {
				return nullText, true
			}
			return b[min(from, len(b)):min(to, len(b))], true
		}
	case chance(r, 6):
		expr := pick(r, `[a-z]+`, `k([0-9])`, `^(.)`, `b$`, `(x)?a`)
		re := regexp.MustCompile(expr)
		return name + "~" + expr, func(record []field) (string, bool) {
			m := re.FindStringSubmatch(record[c].text)
			if m == nil || record[c].null {
				return "", false
			}
			return m[len(m)-1], true
		}
	}
	return name, text
}

// truth is what a filter is for a record. The least of two is that of both, the greatest that of at least one.
type truth int

const (
	no truth = iota
	unknown
	yes
)

// truthOf returns the truth of what holds or not, if it is known.
func truthOf(known, holds bool) truth {
	switch {
	case !known:
		return unknown
	case holds:
		return yes
	}
	return no
}

// randomFilter returns a filter expression and a function that evaluates it.
func (s *sheet) randomFilter(r *rand.Rand, depth int) (string, func([]field) truth) {
	if depth > 0 && chance(r, 3) {
		left, l := s.randomFilter(r, depth-1)
		right, g := s.randomFilter(r, depth-1)
		switch r.IntN(3) {
		case 0:
			return "(" + left + " and " + right + ")", func(f []field) truth { return min(l(f), g(f)) }
		case 1:
			return "(" + left + " or " + right + ")", func(f []field) truth { return max(l(f), g(f)) }
		}
		return "not (" + left + ")", func(f []field) truth { return yes - l(f) }
	}
	switch {
	case chance(r, 3):
		expr := pick(r, `a`, `^k`, `b$`, `[0-9]{2}`, `^$`)
		re := regexp.MustCompile(expr)
		return "$1 ~ '" + expr + "'", func(f []field) truth { return truthOf(!f[0].null, re.MatchString(f[0].text)) }
	case chance(r, 8):
		return "$1 is null", func(f []field) truth { return truthOf(true, f[0].null) }
	}
	op := pick(r, "=", "!=", "<", "<=", ">", ">=")
	holds := map[string]func(int) bool{"=": func(c int) bool { return c == 0 }, "!=": func(c int) bool { return c != 0 },
		"<": func(c int) bool { return c < 0 }, "<=": func(c int) bool { return c <= 0 },
		">": func(c int) bool { return c > 0 }, ">=": func(c int) bool { return c >= 0 }}[op]
	if chance(r, 2) {
		text := pick(r, "a", "k1", "", "zz")
		return fmt.Sprintf(`$1 %s "%s"`, op, text), func(f []field) truth {
			return truthOf(!f[0].null, holds(cmp.Compare(f[0].text, text)))
		}
	}
	c := 1 + r.IntN(2)
	bound := number(pick(r, "0", "5", "-3", "9", "2.5", "100"))
	return fmt.Sprintf("$%d %s %s", c+1, op, bound.text), func(f []field) truth {
		return truthOf(f[c].number != nil, f[c].number != nil && holds(f[c].number.Cmp(bound.number)))
	}
}

// run runs the query and compares the answers.
func (q *inquiry) run(t *testing.T, r *rand.Rand, s *sheet) (err error) {
	v := thresh.Callbacks{Done: func(_ string, _ answer.Report, err error) error { return err }}
	var names []string
	var bytes int64
	end := func() error { return nil }
	for i, f := range s.files {
		bytes += int64(len(f.data))
		if k := kinds[q.kinds[i]]; k.name != nil {
			names = append(names, k.name(t, r, f.data))
			continue
		}
		var file *os.File
		file, end = kinds[q.kinds[i]].from(t, r, f.data)
		v.Stdin, names = file, append(names, "-")
	}
	if q.options.Length != nil {
		bytes = *q.options.Length
	}
	defer func() {
		for _, name := range names {
			if name != "-" {
				err = errors.Join(err, remove(name))
			}
		}
		err = errors.Join(err, end())
	}()
	list := func(yield func(string, error) bool) {
		for _, name := range names {
			if !yield(name, nil) {
				return
			}
		}
	}
	var got sheetOutput
	report, err := thresh.TableAll(context.Background(), list, q.spec, q.options, v, &got)
	var memory *failure.MemoryError
	if errors.As(err, &memory) && q.options.MemoryBytes > 0 {
		return nil
	}
	records := without(s.records, q.fits)
	var none *failure.NotNumbersError
	if errors.As(err, &none) && (len(records) == 0 || q.lacksNumbers(records)) {
		return nil
	}
	if err != nil {
		return err
	}
	for i, want := range q.want {
		if err := got.same(i, want(records)); err != nil {
			return fmt.Errorf("answer %d: %w", i, err)
		}
	}
	return q.account(s, &report, records, bytes)
}

// lacksNumbers reports whether a column that is asked for as numbers has values, but no number.
func (q *inquiry) lacksNumbers(records [][]field) bool {
	for column := range q.numeric {
		values, numbers := 0, 0
		for _, record := range records {
			if f := record[column]; f.number != nil {
				numbers++
			} else if !f.null {
				values++
			}
		}
		if values > 0 && numbers == 0 {
			return true
		}
	}
	return false
}

// account checks that the report covers every byte and line of the table.
func (q *inquiry) account(s *sheet, report *answer.TableReport, records [][]field, bytes int64) error {
	err := errors.Join(same("complete", report.Complete, true), same("bytes", report.Bytes, bytes),
		same("records", report.Records, int64(len(records))), same("empty lines", report.Empty, s.empty))
	if !s.keep {
		err = errors.Join(err, same("malformed records", report.Malformed, s.malformed))
	}
	bad := map[int]int64{}
	for column := range q.numeric {
		for _, record := range records {
			if f := record[column]; f.number == nil && !f.null {
				bad[column+1]++
			}
		}
	}
	for _, b := range report.NonNumeric {
		err = errors.Join(err, same(fmt.Sprint("no numbers in column ", b.Number), b.Count, bad[b.Number]))
		delete(bad, b.Number)
	}
	for column, n := range bad {
		if n > 0 {
			err = errors.Join(err, fmt.Errorf("the report misses %d texts of column %d that are not numbers", n, column))
		}
	}
	return err
}

// sheetOutput stores answers.
type sheetOutput struct {
	columns [][]answer.Column
	rows    [][][]answer.Cell
}

func (o *sheetOutput) Begin(_ string, columns []answer.Column) error {
	o.columns, o.rows = append(o.columns, slices.Clone(columns)), append(o.rows, nil)
	return nil
}

func (o *sheetOutput) Row(cells []answer.Cell) error {
	row := slices.Clone(cells)
	for i := range row {
		row[i].Text = slices.Clone(row[i].Text)
		if row[i].Big != nil {
			row[i].Big = new(big.Int).Set(row[i].Big)
		}
	}
	o.rows[len(o.rows)-1] = append(o.rows[len(o.rows)-1], row)
	return nil
}

func (o *sheetOutput) End([]string) error { return nil }

// same compares an answer with the expected rows.
func (o *sheetOutput) same(i int, want [][]cell) error {
	if i >= len(o.rows) {
		return errors.New("no such answer")
	}
	for k, row := range o.rows[i] {
		if k >= len(want) {
			return fmt.Errorf("%d rows, want %d", len(o.rows[i]), len(want))
		}
		if len(row) != len(want[k]) {
			return fmt.Errorf("row %d has %d cells, want %d", k, len(row), len(want[k]))
		}
		for c := range row {
			if err := want[k][c].same(o.columns[i][c], row[c]); err != nil {
				return fmt.Errorf("row %d, column %s: %w", k, o.columns[i][c].Name, err)
			}
		}
	}
	if len(o.rows[i]) < len(want) {
		return fmt.Errorf("%d rows, want %d", len(o.rows[i]), len(want))
	}
	return nil
}

func (c cell) same(column answer.Column, got answer.Cell) error {
	switch {
	case c.null || got.Null:
		if c.null != got.Null {
			return fmt.Errorf("null: %v, want %v", got.Null, c.null)
		}
		return nil
	case c.number == nil:
		return same("text", string(got.Text), c.text)
	case c.low != nil:
		return c.estimate(column, got)
	case c.float != (column.Type == answer.ColumnFloat):
		return fmt.Errorf("type %v, float: %v", column.Type, c.float)
	case c.float:
		nearest, _ := c.number.Float64()
		return same("float", got.Float, nearest)
	}
	value := exactly(column, got)
	if value.Cmp(c.number) != 0 {
		return fmt.Errorf("got %s, want %s", value.RatString(), c.number.RatString())
	}
	return nil
}

// exactly returns the exact number of a cell.
func exactly(column answer.Column, got answer.Cell) *big.Rat {
	if column.Type == answer.ColumnFloat {
		return new(big.Rat).SetFloat64(got.Float)
	}
	n := got.Big
	if n == nil {
		n = big.NewInt(got.Int)
	}
	return new(big.Rat).SetFrac(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(column.Scale)), nil))
}

// estimate checks that a cell is within the bounds of an estimate, as a float if it is one.
func (c cell) estimate(column answer.Column, got answer.Cell) error {
	value, low, high := exactly(column, got), c.low, c.high
	if column.Type == answer.ColumnFloat {
		least, _ := low.Float64()
		most, _ := high.Float64()
		low, high = new(big.Rat).SetFloat64(least), new(big.Rat).SetFloat64(most)
	}
	if value == nil || value.Cmp(low) < 0 || value.Cmp(high) > 0 {
		return fmt.Errorf("got %v, want from %s to %s", value, low.FloatString(3), high.FloatString(3))
	}
	return nil
}
