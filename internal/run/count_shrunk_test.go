package run

import (
	"bytes"
	"context"
	"errors"
	"os"
	"testing"

	"github.com/thresh-dev/thresh/options"
	"github.com/thresh-dev/thresh/question"
)

// TestCountOfShrunkFile: of a file that shrank after it was opened, what is left is counted
// exactly, and the report says that it is not complete.
func TestCountOfShrunkFile(t *testing.T) {
	const line = "ab,\"c\n\"\n" // one record of two lines
	const lines, left = 100_000, 40_001
	data := bytes.Repeat([]byte(line), lines)
	q := must(t)
	for _, test := range []struct {
		name  string
		query *Query
		want  int64
	}{
		{"lines", Lines(), 2 * left},
		{"rows", Rows(','), left},
		{"text", q(Text("ab")), left},
		{"text that can overlap itself", q(Text("\"c\n\"")), left},
		{"regex", q(Regexp("^ab")), left},
		{"values", q(Values(column("u8", 0, question.Condition{Op: question.Equal, Value: "97"}))), left},
		{"statistics", q(Statistics(column("u8", 0, question.Condition{Op: question.Equal, Value: "97"}))), left},
		{"all values", q(Statistics(column("u8", 0))), left * int64(len(line))},
		{"histogram", q(Histogram(column("u8", 0, question.Condition{Op: question.Equal, Value: "97"}), question.Bins{})), left},
	} {
		name := write(t, data)
		for _, e := range engines(t, name) {
			if err := os.WriteFile(name, data, 0o600); err != nil {
				t.Fatal(err)
			}
			in := open(t, name)
			if err := os.Truncate(name, left*int64(len(line))); err != nil {
				t.Fatal(err)
			}
			report, err := Count(context.Background(), in, test.query, Options{Run: options.Run{Engine: options.Engine(e)}})
			if err := errors.Join(err, in.Close()); err != nil {
				t.Fatal(err)
			}
			if report.Hits != test.want || report.Complete || len(report.Unread) == 0 {
				t.Errorf("%s by %s: %d, want %d; complete: %v, %d ranges unread",
					test.name, e, report.Hits, test.want, report.Complete, len(report.Unread))
			}
		}
	}
}
