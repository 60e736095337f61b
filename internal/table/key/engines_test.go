package key

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/kernel/regex"
)

// BenchmarkEngines compares ways to find a key: this package's scan, which finds the group, and
// select, which only finds whether there is a match; the standard library, which also finds the
// group; and kernel/regex, which finds whole matches only: field by field and, as an upper bound,
// in all fields as the lines of one text. The first expression becomes a scan, the second a scan
// that is unsure, and the third has no scan.
func BenchmarkEngines(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	word := func() []byte {
		w := make([]byte, 4+r.IntN(3)+r.IntN(4))
		for i := range w {
			w[i] = byte('A' + r.IntN(26))
		}
		return w
	}
	var fields [][]byte
	for range records.Max {
		fields = append(fields, slices.Concat(word(), []byte(", "), word()))
	}
	lines := bytes.Join(fields, []byte("\n"))
	text, column, sel := batch(fields)
	out, kept := make(records.Column, len(sel)), make(records.Selection, len(sel))
	narrowed := make(records.Selection, len(sel))
	for _, expr := range []string{`, *([^, ]+)`, `([A-Z]+)[A-Z], `, `(AB|CD|EF)`} {
		p := compiled(b, expr, Compile)
		want := 0
		for _, f := range fields {
			if p.re.Match(f) {
				want++
			}
		}
		re, err := regex.Compile(expr)
		if err != nil {
			b.Fatal(err)
		}
		finder, searcher := p.Finder(), re.Searcher()
		for _, e := range []struct {
			name string
			find func() int
		}{
			{"scan", func() int { return len(finder.scan(text, column, sel, out, kept[:0])) }},
			{"select", func() int { return len(finder.Select(text, column, append(narrowed[:0], sel...))) }},
			{"regexp", func() (n int) {
				for _, i := range sel {
					if _, _, found := p.machine(column[i].Of(text)); found {
						n++
					}
				}
				return n
			}},
			{"kernel/regex", func() (n int) {
				for _, i := range sel {
					searcher.Reset(column[i].Of(text))
					if from, _ := searcher.Next(); from >= 0 {
						n++
					}
				}
				return n
			}},
			{"kernel/regex-lines", func() int {
				n, end := 0, -1
				searcher.All(lines, func(from, _ int) bool {
					if from > end { // the first match of its line
						n++
						end = len(lines)
						if feed := bytes.IndexByte(lines[from:], '\n'); feed >= 0 {
							end = from + feed
						}
					}
					return true
				})
				return n
			}},
		} {
			b.Run(fmt.Sprintf("expr=%s/engine=%s", expr, e.name), func(b *testing.B) {
				for b.Loop() {
					if n := e.find(); n != want {
						b.Fatalf("%d found, want %d", n, want)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(sel)), "ns/field")
			})
		}
	}
}
