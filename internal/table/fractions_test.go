package table

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/table/query"
	"github.com/thresh-dev/thresh/internal/test/python"
	"github.com/thresh-dev/thresh/internal/test/rounds"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// TestFractions holds random answers about groups to Python's exact fractions.
func TestFractions(t *testing.T) {
	interpreter := python.Interpreter(t)
	wanted := rounds.Of(2_500)
	answers, seed := 0, uint64(0)
	for _, n := range []int{0, 7, 64} { // sizes as they are, and shrunk
		t.Run(fmt.Sprint("sizes ", n), func(t *testing.T) {
			if n > 0 {
				threshold.Shrink(t, n)
			}
			for part := 0; part < wanted/3; seed++ {
				got := fractions(t, interpreter, seed, n > 0)
				if t.Failed() {
					return
				}
				part += got
				answers += got
			}
		})
	}
	t.Logf("%d answers", answers)
}

// fractions asks about a few random files, and returns how many answers were compared.
func fractions(t *testing.T, interpreter string, seed uint64, small bool) (answers int) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 6))
	var cases bytes.Buffer
	for i := range 16 {
		name := filepath.Join(t.TempDir(), fmt.Sprint(i))
		if err := os.WriteFile(name, grouped(r, small), 0o600); err != nil {
			t.Fatal(err)
		}
		aggregates := []string{"count", "sum", "min", "max", "mean", "distinct", "p50", fmt.Sprintf("p%.1f", r.Float64()*100)}
		r.Shuffle(len(aggregates), func(i, j int) { aggregates[i], aggregates[j] = aggregates[j], aggregates[i] })
		var list []string
		for _, a := range aggregates {
			if a != "count" {
				a += "(2)"
			}
			list = append(list, a)
		}
		spec := query.Spec{Dialect: query.Dialect{Delim: ',', Quote: '"'}, Questions: []query.Question{
			{Kind: query.Group, Keys: "1", Aggregates: strings.Join(list, ",")}}}
		v := way{piece: 1 + r.IntN(1<<17), workers: 1 + r.IntN(3), mem: int64(1+r.IntN(8)) << 20, stream: r.IntN(2) == 0}
		_, out, err := answerTable(t, []string{name}, spec, v)
		if err != nil {
			t.Fatalf("seed %d, %+v: %v", seed, v, err)
		}
		line, err := json.Marshal(map[string]any{"file": name, "aggregates": aggregates, "rows": out.answers[0][1:]})
		if err != nil {
			t.Fatal(err)
		}
		cases.Write(append(line, '\n'))
		answers += (len(out.answers[0]) - 1) * len(aggregates)
	}
	script := exec.Command(interpreter, "testdata/exact.py")
	script.Stdin, script.Stderr = &cases, os.Stderr
	output, err := script.Output()
	if want := fmt.Sprintf("%d answers\n", answers); err != nil || string(output) != want {
		t.Errorf("seed %d: %v\n%.2000swant %s", seed, err, output, want)
	}
	return answers
}

// grouped returns records of a key and a number. Groups are of sizes that differ much, and
// numbers of a kind: small and large integers, money, many decimals, some that are none.
func grouped(r *rand.Rand, small bool) []byte {
	var b bytes.Buffer
	groups := 1 + r.IntN(1<<r.IntN(11))
	records := 1 + r.IntN(1<<r.IntN(14))
	if !small && r.IntN(10) == 0 {
		records, groups = 65_535+r.IntN(5_000), 1+r.IntN(3)
	}
	kind := r.IntN(6)
	for range records {
		key := r.IntN(1 + r.IntN(groups)) // the first ones are commonest
		fmt.Fprintf(&b, "k%d,%s\n", key, numberOf(r, kind))
	}
	return b.Bytes()
}

func numberOf(r *rand.Rand, kind int) string {
	sign := []string{"", "-"}[r.IntN(2)]
	switch kind {
	case 0:
		return fmt.Sprint(r.IntN(10))
	case 1:
		return fmt.Sprintf("%s%d.%02d", sign, r.IntN(1000), r.IntN(100))
	case 2: // at the bounds of what float64 and 64 bits hold
		return fmt.Sprintf("%s%d", sign, uint64(1)<<(50+r.IntN(14))+r.Uint64N(5)-2)
	case 3:
		return fmt.Sprintf("%s%d.%0*d", sign, r.IntN(3), 1+r.IntN(20), r.IntN(100))
	case 4:
		return []string{"", " ", "x", "1.5", "+2", "-.5", "7.", "1 2", "--1"}[r.IntN(9)]
	}
	return fmt.Sprintf("%s%d%018d", sign, r.Uint64(), r.IntN(1e18))
}
