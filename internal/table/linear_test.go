package table

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/table/tabletest"
)

// TestLinearSums asks for sums and means of linear expressions, of columns with every kind of field, alone and
// beside what needs the values themselves.
func TestLinearSums(t *testing.T) {
	for seed := range uint64(120) {
		r := rand.New(rand.NewPCG(seed, 34))
		pick := func(all ...string) string { return all[r.IntN(len(all))] }
		kinds := [][]string{
			{"%d", "-%d"}, {"%d.5", "%d", ""}, {"%d.25", "-%d.75", "%d.50"}, {"%d", "%de0", "x", "", "\"\"", "%d.5e-3"},
			{"9223372036%09d", "-4611686018%09d", "1"}, {"%d.1234567", "0.%d", "-7"}, {"%d00000000000000000000.5", "%d", "5"},
		}[seed%7]
		var b strings.Builder
		for range 1 + r.IntN(1500) {
			field := pick(kinds...)
			if strings.Contains(field, "%") {
				field = fmt.Sprintf(field, r.IntN(1000))
			}
			fmt.Fprintf(&b, "%d,%s\n", r.IntN(4), field)
		}
		x, number := tabletest.Column(2), func() tabletest.Value {
			return tabletest.Literal(pick("0", "1", "2", "0.5", "0.50", "0.25", "-3", "1000000007", "0.0000001", "9223372036854775807", "1e0"))
		}
		var aggs []tabletest.Agg
		for range 1 + r.IntN(6) {
			v := x.Operation(pick("+", "-", "*"), number())
			if r.IntN(3) == 0 {
				v = number().Operation(pick("+", "-", "*"), v)
			}
			if r.IntN(6) == 0 {
				v = v.Operation("-", x)
			}
			aggs = append(aggs, tabletest.Agg{Func: pick("sum", "mean", "sum", "mean", "max", "variance", "counted"), Of: &v})
			if r.IntN(2) == 0 {
				aggs = append(aggs, tabletest.Agg{Func: pick("sum", "mean", "min", "p50"), Of: &v})
			}
		}
		if r.IntN(3) == 0 {
			aggs = append(aggs, tabletest.Agg{Func: pick("sum", "min", "variance", "first"), Column: 2})
		}
		ask := tabletest.Ask{Kind: tabletest.Group, Keys: []tabletest.Key{{Column: 1}}, Aggs: aggs, ByValue: r.IntN(2) == 0, Limit: r.IntN(3)}
		q := tabletest.Question{Dialect: tabletest.Dialect{Delim: ',', Quote: '"'}, Asks: []tabletest.Ask{ask}}
		testCase(t, tabletest.Case{Name: fmt.Sprint("linear ", seed), Files: [][]byte{[]byte(b.String())}, Question: q}, int(seed))
		if t.Failed() {
			return
		}
	}
}
