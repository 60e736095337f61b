package table

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/table/query"
	"github.com/thresh-dev/thresh/internal/test/rounds"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// TestNumbers asks about numbers as people write them what is answered about plain ones.
func TestNumbers(t *testing.T) {
	for _, n := range []int{0, 3, 64} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			if n > 0 {
				threshold.Shrink(t, n)
			}
			for seed := 0; seed < rounds.Of(100) && !t.Failed(); seed++ {
				testNumbers(t, rand.New(rand.NewPCG(uint64(seed), uint64(n))))
			}
		})
	}
}

func testNumbers(t *testing.T, r *rand.Rand) {
	var people, plain strings.Builder
	for range 1 + r.IntN(60) {
		key, cents := r.IntN(4), r.Uint64()>>(r.IntN(50)+14)
		value := fmt.Sprintf("%d.%02d", cents/100, cents%100)
		written := strings.ReplaceAll(value, ".", ",")
		for i := len(written) - 6; i > 0; i -= 3 {
			written = written[:i] + "." + written[i:]
		}
		switch r.IntN(8) {
		case 0:
			value, written = "-"+value, []string{"-" + written, written + " €-", "(" + written + ")"}[r.IntN(3)]
		case 1:
			value, written = "", ""
		case 2:
			written = []string{"1.5", "1,2,3", "12.34"}[r.IntN(3)]
			if value = written; strings.Count(value, ",") == 0 { // the same text, and no number
				value += notPlain
			}
		case 3:
			written = `"` + written + ` €"`
		}
		fmt.Fprintf(&people, "%d;%s;x\n", key, written)
		fmt.Fprintf(&plain, "%d;%s;x\n", key, value)
	}
	dir := t.TempDir()
	names := []string{filepath.Join(dir, "people"), filepath.Join(dir, "plain")}
	for i, text := range []string{people.String(), plain.String()} {
		if err := os.WriteFile(names[i], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	spec := query.Spec{Dialect: query.Dialect{Delim: ';', Quote: '"', Numbers: "de"}, Questions: [][]query.Question{
		{{Kind: query.Group, Keys: "1", Aggregates: "count,sum(2),mean(2),count(2)"}, {Kind: query.Group, Aggregates: "p50(2),sum($2 * 2 + 1)"}},
		{{Kind: query.Group, Keys: "round($2 / 1000)", Aggregates: "count", Having: "count > 1"}},
		{{Kind: query.Select, Columns: []string{"1", "3", "$2 * 3 as y"}, By: "2 desc, 1", Limit: int64(r.IntN(10))}},
		{{Kind: query.Rows}, {Kind: query.Group, Keys: "1,3", Aggregates: "stddev(2)"}},
	}[r.IntN(4)]}
	if r.IntN(2) == 0 {
		spec.Where = "$2 > 100000.5 or $2 is null"
	}
	other := spec
	other.Dialect.Numbers = ""
	_, want, wantErr := answerTable(t, names[1:], other, way{piece: 1 << 20, workers: 1, mem: 1 << 20})
	for _, piece := range []int{1, 100, 1 << 20} {
		v := way{piece: piece, ahead: 7, workers: 1 + r.IntN(3), stream: r.IntN(2) == 0, mem: 1 << 20}
		_, got, err := answerTable(t, names[:1], spec, v)
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("%+v, %+v: %v, want %v", v, spec, err, wantErr)
		}
		if err == nil && !reflect.DeepEqual(got.answers, want.answers) {
			t.Fatalf("%+v, %+v:\n got %q\nwant %q\n%s\n%s", v, spec, got.answers, want.answers, &people, &plain)
		}
	}
}
