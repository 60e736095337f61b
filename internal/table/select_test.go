package table

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/output/encode"
	"github.com/thresh-dev/thresh/internal/table/row"
	"github.com/thresh-dev/thresh/internal/table/tabletest"
	"github.com/thresh-dev/thresh/internal/threshold"
	"github.com/thresh-dev/thresh/options"
)

// TestSelect selects records of all difficult tables, whole ones and some columns, with and without a limit, and with some of
// the first left out.
// Workers give rows as cells in one half of the cases, and as bytes in the other.
func TestSelect(t *testing.T) {
	cases := tabletest.Corpus()
	for seed := range uint64(300) {
		cases = append(cases, tabletest.Random(seed))
	}
	step := 14
	if testing.Short() {
		step = 50
	}
	for _, n := range []int{0, 2, 7, 64} {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			if n > 0 {
				threshold.Shrink(t, n)
			}
			for i := n % 3; i < len(cases) && !t.Failed(); i += step {
				c := cases[i]
				last := max(1, c.Question.Columns(c.Files))
				ask := tabletest.Ask{Kind: tabletest.Select, Limit: []int{0, 0, 1, 2, 5}[i%5], Skip: []int{0, 3, 1, 0, 20, 1000}[i/5%6]}
				if i%3 > 0 {
					ask.Columns = []int{last, 1, 1}[:1+i%3]
				}
				c.Question.Asks = []tabletest.Ask{ask}
				if n > 0 && size(c.Files) > 20_000 {
					continue
				}
				if i%2 == 0 {
					testCase(t, c, i)
				} else {
					testWritten(t, c, i)
				}
			}
		})
	}
}

// written is an Output that takes formatted rows.
type written struct {
	encode.Writer
	text bytes.Buffer
}

func (o *written) Row([]answer.Cell) error { panic("rows are formatted by the workers") }

func (o *written) Format(columns []answer.Column) row.Format {
	return o.Writer.(encode.RowWriter).Format(columns)
}

func (o *written) Rows(text []byte) error { return o.Writer.(encode.RowWriter).Rows(text) }

// testWritten compares the bytes of selected records with those that the twin's records are written as, in
// a dialect that is that of the table or another.
func testWritten(t *testing.T, c tabletest.Case, number int) {
	t.Helper()
	want, wantErr := tabletest.Answer(c.Files, c.Question)
	d := c.Question.Dialect
	if number%4 == 3 || d.Delim == 0 { // no output is delimited by zero bytes
		d.Delim, d.Quote = ';', '"'
	}
	var names []string
	folder := t.TempDir()
	for i, content := range c.Files {
		name := filepath.Join(folder, strconv.Itoa(i))
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	n := size(c.Files)
	for i, piece := range tabletest.Splits(n) {
		if n/piece > 3000 || (number+i)%3 > 0 {
			continue
		}
		v := way{piece: piece, ahead: []int{16 << 10, 1, 7, 100}[(number+i)%4], workers: 1 + (number+i)%3, stream: (number+i)%2 == 0,
			mem: 64 << 20}
		r, err := NewRun(specOf(c.Question), Options{Workers: v.workers, MemBytes: v.mem, AheadBytes: v.ahead})
		if err != nil {
			t.Fatal(err)
		}
		out := new(written)
		out.Writer, err = encode.New(&out.text, options.Writer{Format: options.FormatCSV, Delim: d.Delim, Quote: d.Quote,
			Unquoted: d.Quote == 0, NoHeading: true})
		if err != nil {
			t.Fatal(err)
		}
		err = readAll(r, names, v, out)
		name := fmt.Sprintf("%s (%+v; %v; %.300q)", c.Name, v, c.Question, c.Files)
		if (err == nil) != (wantErr == nil) {
			t.Errorf("%s: error %v, want %v", name, err, wantErr)
		} else if err == nil {
			if err := out.Close(); err != nil {
				t.Fatal(err)
			}
			if got, want := out.text.String(), asText(d, want.Answers[0][1:]); got != want {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		if t.Failed() {
			return
		}
	}
}

// asText returns records as they are written in a dialect.
func asText(d tabletest.Dialect, records [][]string) string {
	var text strings.Builder
	quote := string([]byte{d.Quote})
	for _, fields := range records {
		line := slices.Clone(fields)
		for i, f := range line {
			if f == tabletest.Null {
				line[i] = ""
			} else if d.Quote != 0 && (strings.ContainsAny(f, "\n\r") || strings.Contains(f, quote) || strings.Contains(f, string([]byte{d.Delim})) ||
				f == "") {
				line[i] = quote + strings.ReplaceAll(f, quote, quote+quote) + quote
			}
		}
		joined := strings.Join(line, string([]byte{d.Delim}))
		if d.Quote == 0 && strings.HasSuffix(joined, "\r") {
			joined += "\r"
		}
		text.WriteString(joined + "\n")
	}
	return text.String()
}
