package table

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/table/tabletest"
	"github.com/thresh-dev/thresh/internal/test/rounds"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// TestShrunk asks a part of the same questions with every size shrunk at which code takes
// another way: chunks of some bytes, batches of some records, groups that go to disk at once.
// TestRandomShrunk does so with random questions.
func TestShrunk(t *testing.T) {
	cases, step := tabletest.Corpus(), rounds.Every(34)
	for _, n := range []int{2, 3, 7, 64} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			threshold.Shrink(t, n)
			for i := n % step; i < len(cases) && !t.Failed(); i += step {
				if size(cases[i].Files) < 20_000 {
					testCase(t, cases[i], i)
				}
			}
		})
	}
}

func size(files [][]byte) (n int) {
	for _, f := range files {
		n += len(f)
	}
	return n
}

// TestAroundThresholds tests records that end just before, at and just after each size at which
// the code takes another path, with and without quotes, well-formed and malformed.
func TestAroundThresholds(t *testing.T) {
	var sizes []int
	for _, s := range []*threshold.Size{chunkBytes, fileAhead, readOnBytes} {
		for d := -1; d <= 1; d++ {
			sizes = append(sizes, s.Real()+d)
		}
	}
	for i, n := range sizes {
		if testing.Short() && i%3 == 0 {
			continue // the sizes themselves and one more
		}
		for j, long := range []string{
			strings.Repeat("x", n-2) + ",1",
			`"` + strings.Repeat("y\n", (n-4)/2) + strings.Repeat("z", n%2) + `",2`,
			strings.Repeat("x", n-4) + `",",` + "3", // the quote is out of place, and opens nothing
			`"` + strings.Repeat(`""`, (n-4)/2) + strings.Repeat("z", n%2) + `"x,4`,
			`"` + strings.Repeat("y\n", n/2-1), // never closed
		} {
			for _, last := range []string{"", "\n", "\na,5", "\n\"b\",6\n"} {
				file := "k,7\n\"q\",8\n" + long + last
				for _, mode := range []tabletest.Mode{tabletest.Skip, tabletest.Keep} {
					q := tabletest.Question{Dialect: tabletest.Dialect{Delim: ',', Quote: '"'}, Malformed: mode,
						Asks: []tabletest.Ask{{Kind: tabletest.Rows}, {Kind: tabletest.Nth, Numbers: []int64{0, 2, 3}, Columns: []int{2}},
							{Kind: tabletest.Group, Keys: []tabletest.Key{{Column: 2}}, Aggs: []tabletest.Agg{{Func: "count"}}}}}
					name := filepath.Join(t.TempDir(), "file")
					if err := os.WriteFile(name, []byte(file), 0o600); err != nil {
						t.Fatal(err)
					}
					want, wantErr := tabletest.Answer([][]byte{[]byte(file)}, q)
					for _, v := range []way{
						{piece: 1 << 20, workers: 1, mem: 64 << 20, stream: (i+j)%2 == 0},
						{piece: n, ahead: 7, workers: 2, mem: 64 << 20, stream: (i+j)%2 == 1},
					} {
						r, out, err := answerTable(t, []string{name}, specOf(q), v)
						compare(t, fmt.Sprintf("record %d of %d bytes, %q behind, %v, %+v", j, n, last, mode, v),
							r, out, err, want, wantErr, q)
						if t.Failed() {
							return
						}
					}
				}
			}
		}
	}
}
