package table

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/thresh-dev/thresh/internal/table/tabletest"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// randomOrder returns an order of records by columns, parts of them and expressions.
func randomOrder(r *rand.Rand, columns int) (by []tabletest.Sort) {
	for range 1 + r.IntN(3) {
		v := tabletest.Column(1 + r.IntN(columns))
		switch r.IntN(6) {
		case 0:
			v = tabletest.Part(1+r.IntN(columns), r.IntN(2), 2+r.IntN(3))
		case 1:
			v = v.Call([]string{"length", "lower", "abs", "year"}[r.IntN(4)])
		case 2:
			v = v.Operation([]string{"+", "*", "/"}[r.IntN(3)], tabletest.Column(1+r.IntN(columns)))
		}
		by = append(by, tabletest.Sort{Of: v, Descending: r.IntN(2) == 0, NullsFirst: r.IntN(3) == 0})
	}
	return by
}

// TestSelectInOrder sorts the records of all difficult tables, whole ones and some columns, in memory and in runs, with and
// without a limit.
func TestSelectInOrder(t *testing.T) {
	cases := tabletest.Corpus()
	for seed := range uint64(400) {
		cases = append(cases, tabletest.Random(seed))
	}
	step := 14
	if testing.Short() {
		step = 50
	}
	for _, n := range []int{0, 2, 7, 64, 1000} {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			if n > 0 {
				threshold.Shrink(t, n)
			}
			for i := n % 5; i < len(cases) && !t.Failed(); i += step {
				r := rand.New(rand.NewPCG(uint64(i), uint64(n)))
				c := cases[i]
				columns := max(1, c.Question.Columns(c.Files))
				if columns > 1000 || n > 0 && size(c.Files) > 20_000 {
					continue
				}
				ask := tabletest.Ask{Kind: tabletest.Select, Limit: []int{0, 0, 1, 3, 20}[r.IntN(5)],
					Skip: []int{0, 0, 0, 2, 1000}[r.IntN(5)], Sort: randomOrder(r, columns)}
				if i%3 > 0 {
					ask.Columns = []int{columns, 1, 1}[:1+i%3]
				}
				c.Question.Asks = []tabletest.Ask{ask}
				if i%2 == 0 {
					testCase(t, c, i)
				} else {
					testWritten(t, c, i)
				}
			}
		})
	}
}

// TestSelectInOrderOfMany sorts more records than a batch, with many ties, so that bounds are found and shared.
func TestSelectInOrderOfMany(t *testing.T) {
	for _, n := range []int{0, 3, 64} {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			if n > 0 {
				threshold.Shrink(t, n)
			}
			for seed := range uint64(5) {
				r := rand.New(rand.NewPCG(seed, uint64(n)))
				c := tabletest.Case{Name: fmt.Sprint("many ", seed), Files: [][]byte{nil, nil}}
				c.Question.Dialect = tabletest.Dialect{Delim: ',', Quote: '"'}
				ascending, records := r.IntN(3), 2500>>(n%5)
				for i := range records {
					value := r.IntN(1000)
					if ascending == 0 {
						value = i
					}
					c.Files[i*2/records] = fmt.Appendf(c.Files[i*2/records], "%s,%s,%d\n", fieldOf(r, value, int(seed)), fieldOf(r, value, 1), i)
				}
				ask := tabletest.Ask{Kind: tabletest.Select, Limit: []int{0, 1, 10, 3000}[r.IntN(4)], Skip: []int{0, 5}[r.IntN(2)]}
				ask.Sort = append(ask.Sort, tabletest.Sort{Of: tabletest.Column(1), Descending: r.IntN(2) == 0, NullsFirst: r.IntN(4) == 0})
				if r.IntN(2) == 0 {
					ask.Sort = append(ask.Sort, tabletest.Sort{Of: tabletest.Column(2), Descending: r.IntN(2) == 0})
				}
				c.Question.Asks = []tabletest.Ask{ask}
				testCase(t, c, int(seed))
			}
		})
	}
}

// TestTiesAtTheBound: a record whose first value is that of the last one wanted is wanted if its second value is before.
func TestTiesAtTheBound(t *testing.T) {
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 35))
		var text []byte
		for i := range 6000 {
			first := fmt.Sprint(1 + r.IntN(2))
			if seed%2 == 1 && r.IntN(9) == 0 {
				first = "" // then a batch is not of plain numbers alone
			}
			text = fmt.Appendf(text, "%s,%d,%d\n", first, 6000-i+r.IntN(50), i)
		}
		c := tabletest.Case{Name: fmt.Sprint("ties ", seed), Files: [][]byte{text}}
		c.Question.Dialect = tabletest.Dialect{Delim: ','}
		c.Question.Asks = []tabletest.Ask{{Kind: tabletest.Select, Limit: 5, Sort: []tabletest.Sort{
			{Of: tabletest.Column(1), Descending: seed&2 != 0}, {Of: tabletest.Column(2), Descending: seed&4 != 0}}}}
		testCase(t, c, int(seed))
	}
}

// fieldOf returns a field of one of several kinds of columns.
func fieldOf(r *rand.Rand, value, kind int) string {
	if r.IntN(20) == 0 {
		return []string{"", `""`, "n/a", "-1e3", "2026-01-01", "x"}[r.IntN(6)]
	}
	switch kind % 6 {
	case 0:
		return fmt.Sprint(value)
	case 1:
		return fmt.Sprintf("%d.%02d", value/10, value%10)
	case 2:
		return fmt.Sprintf("name %04d", value)
	case 3:
		return fmt.Sprintf("20%02d-%02d-%02d", value%30, 1+value%12, 1+value%28)
	case 4:
		return fmt.Sprintf("2026-01-%02dT%02d:00:00%s", 1+value%28, value%24, []string{"", "Z", "+02:00"}[r.IntN(3)])
	}
	return fmt.Sprintf("%de-%d", value, value%40)
}

// TestOrderOfAnySize: the answer does not depend on the memory, the number of workers and how the file is cut.
func TestOrderOfAnySize(t *testing.T) {
	r := rand.New(rand.NewPCG(34, 34))
	var text bytes.Buffer
	for i := range 1500 {
		fmt.Fprintf(&text, "%d,%d,%s\n", r.IntN(50), i, bytes.Repeat([]byte{'x'}, r.IntN(80)+r.IntN(2)*r.IntN(2)*r.IntN(3000)))
	}
	c := tabletest.Case{Files: [][]byte{text.Bytes()}}
	c.Question.Dialect = tabletest.Dialect{Delim: ','}
	c.Question.Asks = []tabletest.Ask{{Kind: tabletest.Select, Sort: []tabletest.Sort{{Of: tabletest.Column(1), Descending: true}}}}
	want, err := tabletest.Answer(c.Files, c.Question)
	if err != nil {
		t.Fatal(err)
	}
	name := t.TempDir() + "/file"
	if err := os.WriteFile(name, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, limit := range []int{0, 1, 100, 1499, 5000} {
		spec := specOf(c.Question)
		spec.Questions[0].Limit = int64(limit)
		for mem := int64(0); mem < 16<<20; mem = 3*mem + 150_000 {
			for _, workers := range []int{1, 3} {
				_, out, err := answerTable(t, []string{name}, spec, way{piece: 1 + r.IntN(100_000), workers: workers, mem: mem})
				if err != nil {
					t.Fatal(err)
				}
				rows := want.Answers[0][1:]
				if limit > 0 {
					rows = rows[:min(len(rows), limit)]
				}
				if got := out.answers[0][1:]; !slices.EqualFunc(got, rows, slices.Equal) {
					t.Fatalf("limit %d, %d bytes, %d workers: %d rows differ from %d", limit, mem, workers, len(got), len(rows))
				}
			}
		}
	}
}
