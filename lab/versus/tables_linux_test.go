package versus

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/test/gen"
	"github.com/thresh-dev/thresh/lab/pagecache"
)

// generated returns a small file with the output of a generator.
func generated(t *testing.T, write func(w io.Writer) error) *pagecache.File {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "table"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(write(f), f.Close()); err != nil {
		t.Fatal(err)
	}
	s, err := pagecache.Open(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func textFile(t *testing.T, text string) *pagecache.File {
	return generated(t, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

func TestSimpleAnswers(t *testing.T) {
	var keys strings.Builder
	tops := map[string][]float64{}
	for i := range 30 { // keys 15 to 29 have the largest sums, some of them equal
		fmt.Fprintf(&keys, "key%02d,%d\nkey%02d,1\n", i, i/2, i)
		if i >= 20 {
			tops[fmt.Sprintf("key%02d", i)] = []float64{float64(i/2) + 1}
		}
	}
	for _, test := range []struct {
		answer func(*pagecache.File) cells
		text   string
		want   map[string][]float64
	}{
		{simpleMeasurements, "Oslo;1.5\nRome;-0.5\nOslo;-2.0\nOslo;0.6\n", map[string][]float64{"Oslo": {-2, 0.1 / 3, 1.5}, "Rome": {-0.5, -0.5, -0.5}}},
		{simpleOrders, "id,city,country,amount,note\n1,A,DE,1.50,\"a\"\"\n,b\"\n2,B,US,2.00,\n3,C,DE,0.25,x\n", map[string][]float64{"DE": {2, 1.75}, "US": {1, 2}}},
		{simpleKeys, keys.String(), tops},
		{simplePrices, "a,1.00\nb,7.25\na,3.00\na,2.00\n", map[string][]float64{"a": {2, 3}, "b": {7.25, 7.25}}},
	} {
		if _, err := groupCells(test.want).check(test.answer(textFile(t, test.text))); err != nil {
			t.Error(err)
		}
	}
	if ended(func() { simpleMeasurements(textFile(t, "Oslo;1.55\n")) }) == nil {
		t.Error("no error for two decimals")
	}
}

func TestTableAnswersAreCompared(t *testing.T) {
	groups := groupCells(map[string][]float64{"a,b": {1, 0.3}, "c": {2, 4}})
	donated := donationsAnswer{Lines: 3, Names: [3]string{"DOE, JANE"}, Months: map[string]int64{"201712": 3}, First: "JANE", FirstCount: 2}
	const csvOfDonated = "rows\n3\n\nrow,8\n0,\" DOE, JANE\"\n\n5[:6],count\n201712,3\n\nkey,count\nJANE,2\n"
	const jsonOfDonated = `{"seconds": 1, "answer": {"Lines": 3, "Names": ["DOE, JANE", "", ""], "Months": {"201712": 3}, "First": "JANE", "FirstCount": 2}}`
	for what, c := range map[string]struct {
		answer func(string) (string, error)
		right  string
		wrong  []string
	}{
		"groups of thresh": {groups.fromThresh, "key,n,sum\nc,2,4.00\n\"a,b\",1,0.30000000000000004\n",
			[]string{"key,n,sum\nc,2,4\n", "key,n,sum\nc,2,4\n\"a,b\",1,0.31\n", "key,n,sum\nc,2,4\n\"a,b\",x,0.3\n",
				"key,n\nc,2\n\"a,b\",1\n", "", "rows\n3\n\nrows\n3\n"}},
		"groups of a peer": {groups.fromPeer, `{"seconds": 2, "answer": {"c": [2, 4], "a,b": [1, 0.3]}}`,
			[]string{`{"seconds": 2, "answer": {"c": [2, 4]}}`, `{"seconds": 0, "answer": {"c": [2, 4], "a,b": [1, 0.3]}}`, "killed"}},
		"donations of thresh": {donated.fromThresh, csvOfDonated, []string{"", "rows\n3\n",
			strings.Replace(csvOfDonated, "201712,3", "201712,2", 1), strings.Replace(csvOfDonated, "JANE,2", "JOHN,2", 1),
			strings.Replace(csvOfDonated, "rows\n3", "rows\n4", 1), strings.Replace(csvOfDonated, "DOE", "ROE", 1)}},
		"donations of a peer": {donated.fromPeer, jsonOfDonated, []string{strings.Replace(jsonOfDonated, `"FirstCount": 2`, `"FirstCount": 1`, 1)}},
	} {
		if got, err := c.answer(c.right); got != "" || err != nil {
			t.Errorf("%s: the right answer gives %q, %v", what, got, err)
		}
		for _, wrong := range c.wrong {
			if _, err := c.answer(wrong); err == nil {
				t.Errorf("%s: no error for %q", what, wrong)
			}
		}
	}
}

// TestPeersAgree runs the installed libraries, and the article's program, on small data.
func TestPeersAgree(t *testing.T) {
	b := &bench{ctx: t.Context(), workers: 2}
	if _, err := python(); err != nil {
		t.Skip(err)
	}
	ask := func(sides []contender) {
		t.Helper()
		if len(sides) == 0 {
			t.Error(b.compared.Missing)
		}
		for _, c := range sides {
			if _, err := c.sample(t.Context(), 1); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
		}
	}
	b.Log = io.Discard
	file := generated(t, func(w io.Writer) error { return gen.Donations(w, 10_000_000, 1) })
	q := libraryQuestion{file, "donations", simpleDonations(file, firstNameKey)}
	ask(b.duckDB(q, "", 0))
	ask(b.polars(q, 0))

	file = generated(t, func(w io.Writer) error { return gen.Measurements(w, 100_000, 1, gen.Stations{MadeUp: 1000}) })
	q = libraryQuestion{file, "measurements", simpleMeasurements(file)}
	ask(b.duckDB(q, "", 0))
	ask(b.polars(q, 0))

	file = generated(t, func(w io.Writer) error { return gen.Orders(w, 1_000_000, 1) })
	ask(b.duckDB(libraryQuestion{file, "orders", simpleOrders(file)}, "", 0))

	file = generated(t, func(w io.Writer) error { return gen.Keys(w, 100_000, 20_000, 1) })
	ask(b.duckDB(libraryQuestion{file, "keys", simpleKeys(file)}, "512MiB", 0))
	q = libraryQuestion{file, "distinct", groupCells(map[string][]float64{"20000": {}})}
	ask(b.duckDB(q, "", 0))
	ask(b.polars(q, 0))

	file = generated(t, func(w io.Writer) error { return gen.Prices(w, 100_000, 20, 1) })
	q = libraryQuestion{file, "prices", simplePrices(file)}
	ask(b.duckDB(q, "", 0))
	ask(b.polars(q, 0))
}

func TestChildDonations(t *testing.T) {
	file := generated(t, func(w io.Writer) error { return gen.Donations(w, 10_000_000, 1) })
	want := simpleDonations(file, firstNameArticle)
	for _, id := range []string{"rev8", "rev9"} {
		var out strings.Builder
		if err := child([]string{"donations", id, file.Name}, &out); err != nil {
			t.Fatal(err)
		}
		if _, err := want.fromPeer(out.String()); err != nil {
			t.Errorf("%s: %v", id, err)
		}
	}
	if child([]string{"donations", "rev99", file.Name}, io.Discard) == nil {
		t.Error("no error for an unknown revision")
	}
}

func TestCellsAreCompared(t *testing.T) {
	want := cellsOf([][]any{{"b", 2.0, nil}, {"a", 0.3, "x"}})
	const right = "key,n,s\na,0.30000000000000004,x\nb,2.0,\n"
	if got, err := want.fromThresh(right); got != "" || err != nil {
		t.Errorf("the right answer gives %q, %v", got, err)
	}
	if got, err := want.fromPeer(`{"seconds": 1, "answer": [["b", 2, null], ["a", 0.3, "x"]]}`); got != "" || err != nil {
		t.Errorf("the right answer of a peer gives %q, %v", got, err)
	}
	for _, wrong := range []string{"", "key,n,s\na,0.3,x\n", strings.Replace(right, "2.0", "2.1", 1),
		strings.Replace(right, "x", "y", 1), strings.Replace(right, "b", "c", 1), right + "c,1,\n", right + "\n" + right} {
		if _, err := want.fromThresh(wrong); err == nil {
			t.Errorf("no error for %q", wrong)
		}
	}
	for _, wrong := range []string{"killed", `{"seconds": 1, "answer": [["b", 2, null], ["a", 0.4, "x"]]}`} {
		if _, err := want.fromPeer(wrong); err == nil {
			t.Errorf("no error for %q", wrong)
		}
	}
}
