package table

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/table/query"
	"github.com/thresh-dev/thresh/internal/test/rounds"
	"github.com/thresh-dev/thresh/internal/threshold"
	"github.com/thresh-dev/thresh/options"
)

// splitForms are ways to write a table of three columns whose lines are split, with texts that they can hold.
var splitForms = []struct {
	dialect query.Dialect
	cells   []string
}{
	{query.Dialect{Separator: "||", Quote: '"'}, []string{"", "a", "12", "1.5", "x|y", `"a||b"`, `""`, `"say ""hi"""`, "ä", "# no"}},
	{query.Dialect{Separator: ", "}, []string{"", "a", "12", "1.5", "x,y", "|", `"`}},
	{query.Dialect{Blanks: true, Quote: '\''}, []string{"a", "12", "1.5", "x,y", `"`, "'a  b'", "''", "'it''s'"}},
	{query.Dialect{Widths: []int{3, 5, 0}}, []string{"", "a", "12", "1.5", "äöü", `",`, "a b"}},
	{query.Dialect{Delim: ';', Quote: '"'}, []string{"", "a", "12", "1.5", `"x;y"`, "ü", `""`}},
}

// write writes a record, and as CSV.
func writeSplit(r *rand.Rand, d query.Dialect, cells []string) (line, csv string) {
	for i, c := range cells {
		if q := string(rune(d.Quote)); d.Quote != 0 && strings.HasPrefix(c, q) {
			csv += `,"` + strings.ReplaceAll(strings.ReplaceAll(c[1:len(c)-1], q+q, q), `"`, `""`) + `"`
		} else if csv += ","; c != "" {
			csv += `"` + strings.ReplaceAll(c, `"`, `""`) + `"`
		}
		switch {
		case d.Widths != nil && i < 2:
			line += c + strings.Repeat(" ", d.Widths[i]-len([]rune(c)))
		case d.Widths != nil:
			line += " " + c
		case d.Blanks:
			line += " \t  "[r.IntN(3):][:1+r.IntN(2)] + c
		case i > 0:
			line += d.Form().Separator + c
		default:
			line += c
		}
	}
	return line, csv[1:]
}

// TestSplitLines asks about lines that are split what is answered about the same table as CSV.
func TestSplitLines(t *testing.T) {
	for _, n := range []int{0, 2, 3, 7, 64} {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			if n > 0 {
				threshold.Shrink(t, n)
			}
			for seed := 0; seed < rounds.Of(200) && !t.Failed(); seed++ {
				testSplitLines(t, rand.New(rand.NewPCG(uint64(seed), uint64(n))))
			}
		})
	}
}

func testSplitLines(t *testing.T, r *rand.Rand) {
	form := splitForms[r.IntN(len(splitForms))]
	d := form.dialect
	d.Comment, d.Header = "#", r.IntN(2) == 0
	end := []string{"\n", "\r\n"}[r.IntN(2)]
	var text, csv strings.Builder
	var bad []int64 // offsets of malformed records
	for i := range 1 + r.IntN(40) {
		for r.IntN(6) == 0 {
			text.WriteString([]string{"", "#", "  # a||b \" c", "#" + strings.Repeat("x", r.IntN(200))}[r.IntN(4)] + end)
		}
		cells := []string{"k" + strconv.Itoa(r.IntN(3)), form.cells[r.IntN(len(form.cells))], form.cells[r.IntN(len(form.cells))]}
		if d.Quote != 0 && r.IntN(20) == 0 {
			cells[1] = string(rune(d.Quote)) + strings.Repeat("long ", r.IntN(40)) + string(rune(d.Quote))
		}
		line, record := writeSplit(r, d, cells)
		if i > 0 && r.IntN(15) == 0 && d.Widths == nil {
			line, record = line+d.Form().Separator+" x", record+",x"
			bad = append(bad, int64(text.Len()))
		}
		text.WriteString(line + end)
		csv.WriteString(record + "\n")
	}
	content := text.String()
	if r.IntN(3) == 0 {
		content = strings.TrimSuffix(content, end)
	}
	spec := query.Spec{Dialect: d, Malformed: options.Malformed(r.IntN(3)), Questions: [][]query.Question{
		{{Kind: query.Rows}},
		{{Kind: query.Group, Keys: "1", Aggregates: "count,sum(2),max(3),count(3)"}, {Kind: query.Top, Keys: "3"}},
		{{Kind: query.Select, Columns: []string{"3", "1"}, Limit: int64(r.IntN(3))}},
		{{Kind: query.Select}},
		{{Kind: query.Group, Keys: "2,3"}, {Kind: query.Nth, Records: []query.Span{{First: 0, Last: 2}, {First: 7, Last: 7}}, Columns: []string{"2", "3"}}},
	}[r.IntN(5)]}
	if r.IntN(3) == 0 {
		spec.Where = "2 > 3 or 3 is null"
	}
	other := spec
	other.Dialect = query.Dialect{Delim: ',', Quote: '"', Header: d.Header}
	dir := t.TempDir()
	names := []string{filepath.Join(dir, "a.txt"), filepath.Join(dir, "a.csv")}
	for i, s := range []string{content, csv.String()} {
		if err := os.WriteFile(names[i], []byte(s), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, want, wantErr := answerTable(t, names[1:], other, way{piece: 1 << 20, workers: 1, mem: 1 << 20})
	for _, piece := range []int{1, 7, 100, 1 << 20} {
		v := way{piece: piece, ahead: []int{1, 7, 100, 16 << 10}[r.IntN(4)], workers: 1 + r.IntN(3), stream: r.IntN(2) == 0, mem: 1 << 20}
		run, got, err := answerTable(t, names[:1], spec, v)
		where := fmt.Sprintf("%+v, %+v:\n%q", v, spec, content)
		var p *failure.Problem
		if errors.As(err, &p) && (len(bad) == 0 || p.Off != bad[0] || p.Line != int64(strings.Count(content[:p.Off], "\n"))+1) {
			t.Fatalf("%s: line %d, byte %d: want the byte of %d", where, p.Line, p.Off, bad)
		}
		if (err == nil) != (wantErr == nil) || err != nil && p == nil && err.Error() != wantErr.Error() {
			t.Fatalf("%s: %v, want %v", where, err, wantErr)
		}
		if err == nil && !reflect.DeepEqual(got.answers, want.answers) {
			t.Fatalf("%s:\n got %q\nwant %q\nof %q", where, got.answers, want.answers, csv.String())
		}
		if err == nil && run.Report.Seen != int64(len(content)) && spec.Questions[0].Limit == 0 {
			t.Fatalf("%s: %d of %d bytes seen", where, run.Report.Seen, len(content))
		}
	}
}
