package table

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/table/query"
	"github.com/thresh-dev/thresh/internal/test/rounds"
)

// TestExpressionsAsNumbers asks for sums of expressions, which need no texts, and for the same beside an aggregate
// that needs them: then each value is written and read again.
func TestExpressionsAsNumbers(t *testing.T) {
	expressions := []string{"a*b", "a+b", "a-b*c", "(a+b)*(a-c)", "-a", "a*1.5", "a*b*c", "a+0.000001",
		"a*a", "2*a+b", "a*100", "a-b"}
	name := filepath.Join(t.TempDir(), "file")
	for seed := range uint64(rounds.Of(120)) {
		r := rand.New(rand.NewPCG(seed, 20))
		if err := os.WriteFile(name, []byte(rowsOfNumbers(r)), 0o600); err != nil {
			t.Fatal(err)
		}
		e := expressions[r.IntN(len(expressions))]
		v := way{piece: 1 + r.IntN(100_000), workers: 1 + r.IntN(2), mem: 64 << 20}
		asNumbers := sumsOf(t, name, fmt.Sprintf("sum(%s),mean(%[1]s)", e), v)
		asTexts := sumsOf(t, name, fmt.Sprintf("sum(%s),mean(%[1]s),distinct(%[1]s)", e), v)
		if asNumbers != asTexts {
			t.Fatalf("seed %d, %s: as numbers\n%s\nas texts\n%s", seed, e, asNumbers, asTexts)
		}
	}
}

// TestComputedKeysOfZeroBytes: a computed text of a zero byte is a key of its own, and is neither null nor the empty text,
// also in a batch without these.
func TestComputedKeysOfZeroBytes(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	text := "\x00\n\x00B\n" + strings.Repeat("b\n", 3001) + "\n\"\"\n\x00b\n\x00\n"
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, keys := range []string{"lower(1)", "case when 1 = 'B' then 'b' else lower(1) end"} {
		keys = strings.NewReplacer("(1)", "($1)", "when 1", "when $1").Replace(keys)
		spec := query.Spec{Dialect: query.Dialect{Delim: ',', Quote: '"'}, Questions: []query.Question{{Kind: query.Group, Keys: keys, Aggregates: "count"}}}
		for workers := 1; workers <= 2; workers++ {
			_, out, err := answerTable(t, []string{name}, spec, way{piece: 700, workers: workers, mem: 64 << 20})
			if err != nil {
				t.Fatal(err)
			}
			got := fmt.Sprintf("%q", out.answers[0][1:])
			if want := `[["" "1"] ["\x00" "2"] ["\x00b" "2"] ["b" "3001"] ["\x00(null)\x00" "1"]]`; got != want {
				t.Errorf("%s, %d workers: %s, want %s", keys, workers, got, want)
			}
		}
	}
}

// sumsOf returns the key, the sum and the mean of each group.
func sumsOf(t *testing.T, name, aggregates string, v way) string {
	t.Helper()
	spec := query.Spec{Dialect: query.Dialect{Delim: ',', Header: true}, Questions: []query.Question{{Kind: query.Group, Keys: "k", Aggregates: aggregates}}}
	_, out, err := answerTable(t, []string{name}, spec, v)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, row := range out.answers[0][1:] {
		fmt.Fprintln(&text, row[:3])
	}
	return text.String()
}

// rowsOfNumbers returns rows of a key and three numbers, few or many of which are no plain ones.
func rowsOfNumbers(r *rand.Rand) string {
	odd := []string{"", "x", "1e5", "-0", "0.0", "  7", "1e400", "+3", "0.00000000000000000001", "4611686018427387903",
		"4611686018427387904", "999999999999999999", "1000000000000000000", "-9223372036854775808", "99999999999999999999"}
	plain := 1 - []float64{0, 0.01, 0.5}[r.IntN(3)]
	number := func() string {
		switch {
		case r.Float64() >= plain:
			return odd[r.IntN(len(odd))]
		case r.IntN(2) == 0:
			return fmt.Sprint(r.IntN(20_000) - 10_000)
		}
		return fmt.Sprintf("%.*f", r.IntN(7), 1e4*r.NormFloat64())
	}
	b := strings.Builder{}
	b.WriteString("k,a,b,c\n")
	for range []int{3, 50, 3000}[r.IntN(3)] {
		fmt.Fprintf(&b, "%c,%s,%s,%s\n", 'a'+rune(r.IntN(3)), number(), number(), number())
	}
	return b.String()
}
