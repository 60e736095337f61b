package table

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/table/tabletest"
	"github.com/thresh-dev/thresh/internal/test/rounds"
)

// TestAnyOrder asks for groups that are sorted by values and for distinct texts, with more keys than tables hold
// at once, and compares the answers with those of the twin: many ties, quoted keys, zeros, texts among numbers.
func TestAnyOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	key := func() string {
		switch n := r.IntN(9000); r.IntN(12) {
		case 0:
			return strings.Repeat("k", n%70)
		case 1:
			return fmt.Sprintf("\"quoted, \"\"%d\"\"\"", n)
		case 2:
			return "\x00" + strings.Repeat("\x00", n%9)
		case 3:
			return fmt.Sprintf("a key that is long enough: %030d", n)
		default:
			return fmt.Sprint(n)
		}
	}
	value := func() string {
		switch r.IntN(400) {
		case 0:
			return "none"
		case 1:
			return fmt.Sprintf("%d.%020d", r.IntN(10), r.IntN(1e9)) // needs an object
		}
		return fmt.Sprint(r.IntN(50) - 10)
	}
	var file strings.Builder
	for range rounds.Of(60000) {
		fmt.Fprintf(&file, "%s,%s,%c\n", key(), value(), 'a'+rune(r.IntN(5)))
	}
	name := filepath.Join(t.TempDir(), "keys.csv")
	if err := os.WriteFile(name, []byte(file.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	first, both := []tabletest.Key{{Column: 1}}, []tabletest.Key{{Column: 1}, {Column: 3}}
	sums := []tabletest.Agg{{Func: "sum", Column: 2}, {Func: "max", Column: 2}, {Func: "count"}}
	counted := tabletest.Column(2)
	counted.Text = "count"
	counts := []tabletest.Agg{{Func: "count"}, {Func: "distinct", Column: 3}}
	q := tabletest.Question{Dialect: tabletest.Dialect{Delim: ',', Quote: '"'}, Malformed: tabletest.Skip,
		Where: tabletest.Textual(tabletest.Column(3), "!=", "e"),
		Asks: []tabletest.Ask{
			{Kind: tabletest.Group, Keys: first, Aggs: sums, ByValue: true, Limit: 10},
			{Kind: tabletest.Group, Keys: both, Aggs: counts, Sort: []tabletest.Sort{{Cell: 2}, {Cell: -1, Descending: true}}, Limit: 500, Skip: 7},
			{Kind: tabletest.Group, Keys: both, Aggs: counts, Sort: []tabletest.Sort{{Cell: 2}}, Limit: 500},
			{Kind: tabletest.Group, Keys: first, Aggs: counts, Sort: []tabletest.Sort{{Cell: -1, Descending: true}},
				Having: tabletest.Numeric(counted, ">", "3")},
			{Kind: tabletest.Top, Keys: first, Limit: 3},
			{Kind: tabletest.Group, Keys: []tabletest.Key{{Column: 3}}, Aggs: []tabletest.Agg{{Func: "distinct", Column: 1}}},
			{Kind: tabletest.Group, Aggs: []tabletest.Agg{{Func: "distinct", Column: 1}}},
		}}
	want, wantErr := tabletest.Answer([][]byte{[]byte(file.String())}, q)
	for _, v := range []way{
		{piece: 1 << 20, workers: 1, mem: 4 << 20}, {piece: 9999, workers: 3, mem: 12 << 20, stream: true},
		{piece: 50000, workers: 2, mem: 40 << 20}, {piece: 1 << 20, workers: 1, mem: 512 << 20},
	} {
		r, out, err := answerTable(t, []string{name}, specOf(q), v)
		compare(t, fmt.Sprintf("%+v", v), r, out, err, want, wantErr, q)
	}
}
