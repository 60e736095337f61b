package run

import (
	"fmt"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/table/query"
	"github.com/thresh-dev/thresh/options"
)

// TestSelectedRecords: by every engine, from a pipe and from compressed files, the same records come in file order,
// and a limit ends the run with the same report.
func TestSelectedRecords(t *testing.T) {
	var text strings.Builder
	var want []string
	const lines, limit = 40_000, 1_234
	malformed := 0
	for i := range lines {
		switch {
		case i%1000 == 500:
			text.WriteString("x\n")
			if len(want) < limit {
				malformed++
			}
			continue
		case i%7 == 0:
			fmt.Fprintf(&text, "%d,\"name,\n%d\",%d\n", i, i, i%3)
		default:
			fmt.Fprintf(&text, "%d,name%d,%d\n", i, i, i%3)
		}
		if i%3 != 1 {
			want = append(want, fmt.Sprintf("[%d]", i))
		}
	}
	for _, form := range tableForms(t) {
		for _, n := range []int{0, limit} {
			spec := query.Spec{Dialect: query.Dialect{Delim: ',', Quote: '"'}, Malformed: options.MalformedSkip, Where: "3 != 1",
				Questions: []query.Question{{Kind: query.Select, Columns: []string{"1"}, Limit: int64(n)}}}
			report, out, err := form.ask(t, []byte(text.String()), spec, Options{Run: options.Run{ChunkBytes: 16 << 10, Workers: 3}})
			if err != nil || !report.Complete {
				t.Fatalf("%s: %v, complete %v", form.name, err, report.Complete)
			}
			expected, skipped := want, lines/1000
			if n > 0 {
				expected, skipped = want[:n], malformed
			}
			if got := fmt.Sprint(out.answers[0]); got != fmt.Sprint(expected) {
				t.Errorf("%s, limit %d: %.200s, want %.200s", form.name, n, got, expected)
			}
			if report.Malformed != int64(skipped) || report.Records != int64(len(expected)) {
				t.Errorf("%s, limit %d: %d records, %d malformed, want %d and %d", form.name, n, report.Records, report.Malformed,
					len(expected), skipped)
			}
		}
	}
}
