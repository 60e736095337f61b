package versus

import (
	"io"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/internal/test/gen"
	testpython "github.com/thresh-dev/thresh/internal/test/python"
	"github.com/thresh-dev/thresh/lab/peer"
	"github.com/thresh-dev/thresh/options"
)

// TestSQLQuestions asks the questions of small tables of thresh and of DuckDB.
func TestSQLQuestions(t *testing.T) {
	interpreter := testpython.Interpreter(t, "duckdb")
	table := func(name string, of []string, write func(w io.Writer) error) askedTable {
		return askedTable{name, generated(t, write), peer.Table{Columns: columns(of...), Delim: "|"}}
	}
	groups := groupsTable(generated(t, func(w io.Writer) error { return gen.Groups(w, 30_000, 10, true, 1) }))
	const sales = 60_000
	var shop []askedTable
	for _, s := range gen.Shop() {
		shop = append(shop, table(s.Name, s.Columns, func(w io.Writer) error { return s.Write(w, sales, 1) }))
	}
	b := &bench{ctx: t.Context(), workers: 2}
	b.Log = io.Discard
	for _, c := range []struct {
		text   string
		least  int
		tables []askedTable
	}{
		{shopSQL, 5, shop}, {groupsSQL, 10, []askedTable{groups}},
	} {
		all := questionsOf(c.text)
		if len(all) < c.least {
			t.Errorf("only %d questions", len(all))
		}
		for _, q := range all {
			ours, theirs, _ := q.about(c.tables)
			duck := contender{name: "DuckDB", args: try(c.tables[0].Query(interpreter, "duckdb", 1, theirs)), rate: ownClock(1)}
			want, err := peerCells(b.answers(duck))
			if err != nil {
				t.Fatalf("%s: %v", q.name, err)
			}
			var out strings.Builder
			w, err := thresh.NewWriter(&out, options.Writer{Format: options.FormatCSV})
			if err == nil {
				_, err = thresh.SQL(t.Context(), ours, thresh.SQLOptions{}, w)
			}
			if err == nil {
				err = w.Close()
			}
			if err == nil {
				_, err = want.fromThresh(out.String())
			}
			if err != nil || len(want) == 0 {
				t.Errorf("%s: %d rows, %v", q.name, len(want), err)
			}
		}
	}
}
