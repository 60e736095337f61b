package encode

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/options"
)

// TestLeftOut: on a screen with a height, rows and columns that do not fit are counted, and nothing else changes.
func TestLeftOut(t *testing.T) {
	columns := []answer.Column{{Name: "id", Type: answer.ColumnInteger}, {Name: "name"}, {Name: "note"}, {Name: "n", Type: answer.ColumnInteger}}
	write := func(rows, width, height int) []string {
		var b bytes.Buffer
		w, err := New(&b, options.Writer{Format: options.FormatTable, Terminal: true, Width: width, Height: height, Hint: " (--all)"})
		if err == nil {
			err = w.Begin("", columns)
		}
		for i := range rows {
			err = errors.Join(err, w.Row([]answer.Cell{{Int: int64(i)}, {Text: []byte("Ann")}, {Text: bytes.Repeat([]byte("x"), 30)}, {Int: 7}}))
		}
		if err = errors.Join(err, w.End(nil), w.Close()); err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	}
	for _, c := range []struct {
		rows, width, height, lines int
		last, heading              string
	}{
		{100, 80, 0, 102, "99  Ann", "id  name  note"},
		{100, 80, 20, 2 + 13 + 1, "… 87 more rows (--all)", "id  name  note"},
		{14, 80, 20, 2 + 14, "13  Ann", "id  name  note"}, // one more row takes no more than the line that says so
		{15, 80, 20, 2 + 13 + 1, "… 2 more rows (--all)", "id  name  note"},
		{3, 25, 20, 2 + 3 + 1, "… 2 more columns (--all)", "id  name"},
		{30, 25, 4, 2 + 3 + 1, "… 27 more rows, 2 more columns (--all)", "id  name"},
		{3, 26, 20, 2 + 3 + 1, "… 1 more column (--all)", "id  name  note"},
		{1, 1, 1, 2 + 1 + 1, "… 3 more columns (--all)", "id"},
	} {
		got := write(c.rows, c.width, c.height)
		if len(got) != c.lines || !strings.HasPrefix(got[len(got)-1], c.last) || !strings.HasPrefix(got[0], c.heading) ||
			c.height > 0 && displaywidth.String(got[0]) > max(c.width, 2) {
			t.Errorf("%+v: %d lines\n%s", c, len(got), strings.Join(got, "\n"))
		}
	}
}

// TestLines: what formats without quotes write, and how null is written in all of them.
func TestLines(t *testing.T) {
	columns := []answer.Column{{Name: "a|b"}, {Name: "n", Type: answer.ColumnDecimal, Scale: 1}}
	values := [][]answer.Cell{{{Text: []byte("x\ty|z\\N")}, {Int: 15}}, {{Null: true}, {Null: true}}, {{Text: []byte("one\r\ntwo")}, {Int: 0}},
		{{Text: []byte{}}, {Int: -1}}, {{Text: []byte("NA")}, {Int: 1}}}
	null := "NA"
	for _, c := range []struct {
		format options.Format
		null   *string
		want   string
	}{
		{options.FormatTSV, nil, "a|b\tn\nx\\ty|z\\\\N\t1.5\n\\N\t\\N\none\\r\\ntwo\t0.0\n\t-0.1\nNA\t0.1\n"},
		{options.FormatTSV, &null, "a|b\tn\nx\\ty|z\\\\N\t1.5\nNA\tNA\none\\r\\ntwo\t0.0\n\t-0.1\nNA\t0.1\n"},
		{options.FormatMarkdown, nil, "| a\\|b | n |\n| --- | --: |\n| x\ty\\|z\\\\N | 1.5 |\n|  |  |\n| one <br>two | 0.0 |\n|  | -0.1 |\n| NA | 0.1 |\n"},
		{options.FormatCSV, &null, "a|b,n\nx\ty|z\\N,1.5\nNA,NA\n\"one\r\ntwo\",0.0\n\"\",-0.1\n\"NA\",0.1\n"},
		{options.FormatJSON, &null, `{"a|b":"x\ty|z\\N","n":1.5}` + "\n" + `{"a|b":null,"n":null}` + "\n" + `{"a|b":"one\r\ntwo","n":0.0}` + "\n" +
			`{"a|b":"","n":-0.1}` + "\n" + `{"a|b":"NA","n":0.1}` + "\n"},
	} {
		var b bytes.Buffer
		w, err := New(&b, options.Writer{Format: c.format, Null: c.null})
		if err == nil {
			err = w.Begin("", columns)
		}
		for _, row := range values {
			err = errors.Join(err, w.Row(row))
		}
		if err = errors.Join(err, w.End(nil), w.Close()); err != nil {
			t.Fatal(err)
		}
		if got := b.String(); got != c.want {
			t.Errorf("%s:\n%q\nwant\n%q", c.format, got, c.want)
		}
	}
}

// TestLinesOfTexts: rows of texts look the same whether they are given to Row or formatted beside it.
func TestLinesOfTexts(t *testing.T) {
	null := "NA"
	rows := [][][]byte{{[]byte("x\ty|z\\N"), nil}, {{}, []byte("NA")}, {[]byte("\r\n\""), []byte("\\")}}
	for _, o := range []options.Writer{{Format: options.FormatTSV}, {Format: options.FormatMarkdown}, {Format: options.FormatTSV, Null: &null},
		{Format: options.FormatMarkdown, Null: &null}, {Format: options.FormatCSV, Null: &null}} {
		columns := []answer.Column{{Name: "a"}, {Name: "b"}}
		got, _ := shown(t, o, func(w Writer) error {
			err := w.Begin("", columns)
			for _, row := range rows {
				err = errors.Join(err, w.Row([]answer.Cell{{Text: row[0], Null: row[0] == nil}, {Text: row[1], Null: row[1] == nil}}))
			}
			return errors.Join(err, w.End(nil))
		})
		want, _ := shown(t, o, func(w Writer) error {
			err := w.Begin("", columns)
			f := w.(RowWriter).Format(columns)
			for _, row := range rows {
				text, appendErr := f.Append(nil, row)
				err = errors.Join(err, appendErr, w.(RowWriter).Rows(text))
			}
			return errors.Join(err, w.End(nil))
		})
		if got != want {
			t.Errorf("%+v: Row %q, RowFormat %q", o, got, want)
		}
	}
}
