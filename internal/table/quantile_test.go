package table

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/table/query"
	"github.com/thresh-dev/thresh/internal/table/tabletest"
	"github.com/thresh-dev/thresh/internal/test/rounds"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// shrunk runs a test with the sizes as they are, and with all of them shrunk.
func shrunk(t *testing.T, test func(t *testing.T)) {
	t.Run("real", test)
	for _, n := range []int{1, 2, 3, 7, 64} {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			threshold.Shrink(t, n)
			test(t)
		})
	}
}

// numberKinds generate the fields of a column. A column has one kind or several.
var numberKinds = []func(r *rand.Rand) string{
	func(r *rand.Rand) string { return strconv.Itoa(r.IntN(256)) },
	func(r *rand.Rand) string { return "9" },
	func(r *rand.Rand) string { return fmt.Sprintf("%d.%02d", r.IntN(2000)-1000, r.IntN(100)) },
	func(r *rand.Rand) string { return strconv.FormatInt(r.Int64()>>r.IntN(60)*int64(r.IntN(3)-1), 10) },
	// Integers, some Plain and some not, many with the same nearest float64.
	func(r *rand.Rand) string { return strconv.FormatUint(1<<62-20+r.Uint64N(40), 10) },
	func(r *rand.Rand) string { return strconv.FormatInt(1<<53-5+r.Int64N(10), 10) },
	// Texts of float64 as programs write them, and decimals close to each other.
	func(r *rand.Rand) string { return strconv.FormatFloat(r.NormFloat64(), 'f', -1, 64) },
	func(r *rand.Rand) string { return fmt.Sprintf("0.1%0*d", 14+r.IntN(8), r.IntN(30)) },
	func(r *rand.Rand) string { return fmt.Sprintf("-12345678901234567890%d.%d", r.IntN(9), r.IntN(3)) },
	func(r *rand.Rand) string { return fmt.Sprintf("%d.%de%d", r.IntN(20), r.IntN(30), r.IntN(8)-4) },
	func(r *rand.Rand) string { return []string{"", " ", "x", "-0", "0.00000000", "1e400", "."}[r.IntN(7)] },
	func(r *rand.Rand) string { return strings.Repeat("7", 1+r.IntN(90)) },
}

// quantileCase makes a table of a few groups of about as many values as size.
func quantileCase(r *rand.Rand, size int) tabletest.Case {
	var file bytes.Buffer
	kinds := make([]func(r *rand.Rand) string, 1+r.IntN(3))
	for i := range kinds {
		kinds[i] = numberKinds[r.IntN(len(numberKinds))]
	}
	keys := 1 + r.IntN(4)
	rows := min(size, 1<<20)*(1+r.IntN(keys)) + r.IntN(3)
	for range max(rows, 1) {
		key := []string{"a", "", "b\x00", "a long key that is in no entry whole"}[r.IntN(keys)]
		fmt.Fprintf(&file, "%s,%s\n", key, kinds[r.IntN(len(kinds))](r))
	}
	var aggs []tabletest.Agg
	for _, f := range []string{"p0", "p1", "p50", "p99", "p99.99", "p100", "distinct", "min", "max"} {
		if r.IntN(3) > 0 {
			aggs = append(aggs, tabletest.Agg{Func: f, Column: 2})
		}
	}
	if r.IntN(2) > 0 {
		aggs = append(aggs, tabletest.Agg{Func: "hist", Column: 2, Constant: strconv.Itoa(1 + r.IntN(1+r.IntN(40)))})
	}
	aggs = append(aggs, tabletest.Agg{Func: "count"}, tabletest.Agg{Func: fmt.Sprintf("p%d.%d", r.IntN(100), r.IntN(10)), Column: 2})
	keysAsked := [][]tabletest.Key{{{Column: 1}}, {{Column: 1}, {Column: 1, Sliced: true, To: 1}}, {{Column: 1, Sliced: true, To: 0}}}
	return tabletest.Case{Files: [][]byte{file.Bytes()}, Question: tabletest.Question{
		Dialect: tabletest.Dialect{Delim: ','},
		Asks: []tabletest.Ask{
			{Kind: tabletest.Group, Keys: keysAsked[r.IntN(3)], Aggs: aggs, ByValue: r.IntN(3) == 0, Limit: r.IntN(3)},
			{Kind: tabletest.Group, Keys: keysAsked[r.IntN(3)], Aggs: aggs[:1+r.IntN(len(aggs))]},
		},
	}}
}

// checkQuantiles compares the answers with exact fractions, and returns how many they are.
func checkQuantiles(t *testing.T, r *rand.Rand, c tabletest.Case, name string) (answers int) {
	t.Helper()
	want, wantErr := tabletest.Answer(c.Files, c.Question)
	path := filepath.Join(t.TempDir(), "table")
	if err := os.WriteFile(path, c.Files[0], 0o600); err != nil {
		t.Fatal(err)
	}
	size := len(c.Files[0])
	v := way{piece: 1 + r.IntN(size), ahead: 16 << 10, workers: 1 + r.IntN(3), stream: r.IntN(3) == 0,
		mem: []int64{0, 1 << 20, 64 << 20}[r.IntN(3)]}
	v.piece = max(v.piece, size/100)
	run, out, err := answerTable(t, []string{path}, specOf(c.Question), v)
	compare(t, fmt.Sprintf("%s (%+v; %v; %.300q)", name, v, c.Question, c.Files), run, out, err, want, wantErr, c.Question)
	for _, rows := range want.Answers {
		for _, row := range rows[1:] {
			answers += len(row)
		}
	}
	return answers
}

// TestQuantilesRandom asks for quantiles and distinct texts of groups whose sizes lie on both
// sides of every threshold.
func TestQuantilesRandom(t *testing.T) {
	most := rounds.Of(1000)
	shrunk(t, func(t *testing.T) {
		sizes := []int{1, 2, 3, 10, 100}
		for _, s := range threshold.All() {
			if n := s.Get(); n < 1200 {
				sizes = append(sizes, n-1, n, n+1)
			}
		}
		answers := 0
		for seed := uint64(0); answers < most && !t.Failed(); seed++ {
			r := rand.New(rand.NewPCG(seed, 11))
			answers += checkQuantiles(t, r, quantileCase(r, sizes[r.IntN(len(sizes))]), fmt.Sprint("seed ", seed))
		}
		t.Logf("%d answers", answers)
	})
}

// TestQuantilesLarge has as many values as the larger thresholds, and what was wrong once: more
// than 65,536 small integers.
func TestQuantilesLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("adds up exact fractions of many numbers")
	}
	for i, n := range []int{70_000, 1<<16 - 1, 1<<16 + 1} {
		r := rand.New(rand.NewPCG(uint64(n), 3))
		c := quantileCase(r, 1)
		var file bytes.Buffer
		for range n {
			fmt.Fprintf(&file, "k,%d\n", []int{9, r.IntN(256), r.IntN(1e6)}[i])
		}
		c.Files[0] = file.Bytes()
		checkQuantiles(t, r, c, fmt.Sprint(n, " values"))
	}
}

// TestRandomShrunk asks everything with all sizes shrunk.
func TestRandomShrunk(t *testing.T) {
	shrunk(t, func(t *testing.T) {
		for seed := range rounds.Of(40) {
			testCase(t, tabletest.Random(uint64(seed)+10_000), seed)
			if t.Failed() {
				return
			}
		}
	})
}

// TestApprox: estimates are within their error, and between the least and the greatest value.
func TestApprox(t *testing.T) {
	for _, n := range []int{1, 30, 40, 1000, 2000, 80_000} {
		r := rand.New(rand.NewPCG(uint64(n), 3))
		var file bytes.Buffer
		for range n {
			fmt.Fprintf(&file, "%d,%d\n", r.IntN(3), r.IntN(256)+1)
		}
		const list = "p50(2),approx_p50(2),p99(2),approx_p99(2),min(2),max(2),distinct(1),approx_distinct(1),approx_p0(2),approx_p100(2)"
		path := filepath.Join(t.TempDir(), "table")
		if err := os.WriteFile(path, file.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		spec := query.Spec{Dialect: query.Dialect{Delim: ','}, Questions: []query.Question{{Kind: query.Group, Aggregates: list}}}
		_, out, err := answerTable(t, []string{path}, spec, way{piece: 1000, ahead: 100, workers: 2, mem: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		v := make([]float64, 10)
		for i, cell := range out.answers[0][1] {
			if v[i], err = strconv.ParseFloat(cell, 64); err != nil {
				t.Fatal(err)
			}
		}
		for _, pair := range [][2]int{{0, 1}, {2, 3}, {6, 7}, {4, 8}, {5, 9}} {
			exact, approx := v[pair[0]], v[pair[1]]
			if math.Abs(exact-approx) > 0.01*exact || pair[0] < 6 && (approx < v[4] || approx > v[5]) {
				t.Errorf("%d values: %v is estimated as %v, of %v to %v", n, exact, approx, v[4], v[5])
			}
		}
	}
}
