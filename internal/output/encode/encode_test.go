package encode

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"runtime"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/options"
)

// shown returns what a format makes of answers.
func shown(t *testing.T, o options.Writer, answers func(w Writer) error) (string, []string) {
	t.Helper()
	var b bytes.Buffer
	w, err := New(&b, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := answers(w); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String(), w.Notes()
}

func cities(w Writer) error {
	text := func(s string) answer.Cell { return answer.Cell{Text: []byte(s)} }
	return write(w, "city", []answer.Column{{Name: "city"}, {Name: "count", Type: answer.ColumnInteger},
		{Name: "sum(amount)", Type: answer.ColumnDecimal, Scale: 2},
		{Name: "p99(amount)", Type: answer.ColumnFloat}, {Name: "last"}}, [][]answer.Cell{
		{text("Berlin"), {Int: 120}, {Int: 120350}, {Float: 12.5}, text("a,b")},
		{text("日本 🦆"), {Int: 7}, {Int: -5}, {Float: 1e-7}, text(`say "hi"`)},
		{text(""), {Int: 1000000}, {Null: true}, {Float: 1e21}, {Null: true}},
		{text("tab\there\x1b[2J\xff"), {Int: -1}, {Int: 100}, {Float: 3}, text("e\u0301\u202eend\r\n")},
	}, "p99(amount): within 1 %")
}

func rowCount(w Writer) error {
	return write(w, "rows", []answer.Column{{Name: "rows", Type: answer.ColumnInteger}}, [][]answer.Cell{{{Int: 8500000}}})
}

func both(w Writer) error { return errors.Join(rowCount(w), cities(w)) }

func TestTable(t *testing.T) {
	const heading = "city                    count  sum(amount)  p99(amount)  last\n"
	const rows = `Berlin                    120      1203.50         12.5  a,b
日本 🦆                     7        -0.05        1e-07  say "hi"
                      1000000                     1e+21
tab\there\x1b[2J\xff       -1         1.00            3  e` + "\u0301" + `\u202eend\r\n
`
	rule := func(widths ...int) string {
		var parts []string
		for _, n := range widths {
			parts = append(parts, strings.Repeat("─", n))
		}
		return strings.Join(parts, "  ") + "\n"
	}
	note := "note: p99(amount): within 1 %\n"
	all := rule(20, 7, 11, 11, 14)
	table := heading + all + rows + note
	cases := []struct {
		name    string
		o       options.Writer
		answers func(Writer) error
		want    string
	}{
		{"one", options.Writer{}, cities, table},
		{"single", options.Writer{}, rowCount, "rows  8500000\n"},
		{"two", options.Writer{Answers: 2}, both, "rows  8500000\n\ncity\n" + table},
		{"color", options.Writer{Color: true, Terminal: true}, rowCount, "\x1b[2mrows\x1b[0m  8500000\n"},
		{"color of a table", options.Writer{Color: true, Answers: 2}, cities, "\x1b[1mcity\x1b[0m\n\x1b[2m" + strings.TrimSuffix(heading, "\n") +
			"\x1b[0m\n" + rows + "\x1b[2mnote: p99(amount): within 1 %\x1b[0m\n"},
		{"no rows", options.Writer{}, func(w Writer) error {
			return write(w, "", []answer.Column{{Name: "a"}, {Name: "n", Type: answer.ColumnInteger}}, nil)
		},
			"a  n\n─  ─\n"},
		{"cut", options.Writer{Terminal: true, Width: 53}, cities, `city        count  sum(amount)  p99(amount)  last
` + rule(8, 7, 11, 11, 8) + `Berlin        120      1203.50         12.5  a,b
日本 🦆         7        -0.05        1e-07  say "hi"
          1000000                     1e+21
tab\the…       -1         1.00            3  e` + "\u0301" + `\u202e…
` + note},
		{"not cut where nobody looks", options.Writer{Width: 30}, cities, table},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			c.o.Format = options.FormatTable
			if got, notes := shown(t, c.o, c.answers); got != c.want || len(notes) != 0 {
				t.Errorf("got\n%s\nwant\n%s\n%q\n%q", got, c.want, got, c.want)
			}
		})
	}
}

// TestTableStreams has more rows than are held: widths stay, and all rows are there.
func TestTableStreams(t *testing.T) {
	rows := heldRows.Real() + 100
	got, _ := shown(t, options.Writer{Format: options.FormatTable}, func(w Writer) error {
		if err := w.Begin("", []answer.Column{{Name: "n", Type: answer.ColumnInteger}, {Name: "t"}}); err != nil {
			return err
		}
		for i := range rows {
			if err := w.Row([]answer.Cell{{Int: int64(i)}, {Text: []byte("x")}}); err != nil {
				return err
			}
		}
		if err := w.Row([]answer.Cell{{Int: 123456789}, {Text: []byte("wide")}}); err != nil {
			return err
		}
		return w.End(nil)
	})
	lines := strings.Split(got, "\n")
	if len(lines) != rows+4 || lines[2] != "   0  x" || lines[rows+1] != fmt.Sprintf("%4d  x", rows-1) || lines[rows+2] != "123456789  wide" {
		t.Errorf("%d lines: %q … %q", len(lines), lines[:3], lines[len(lines)-3:])
	}
}

func TestCSV(t *testing.T) {
	const want = `city,count,sum(amount),p99(amount),last
Berlin,120,1203.50,12.5,"a,b"
日本 🦆,7,-0.05,1e-07,"say ""hi"""
"",1000000,,1e+21,
` + "tab\there\x1b[2J\xff,-1,1.00,3,\"e\u0301\u202eend\r\n\"\n"
	got, notes := shown(t, options.Writer{Format: options.FormatCSV}, cities)
	if got != want || len(notes) != 1 {
		t.Errorf("got\n%q\nwant\n%q\nnotes %q", got, want, notes)
	}
	got, _ = shown(t, options.Writer{Format: options.FormatCSV, Answers: 2}, both)
	if got != "rows\n8500000\n\n"+want {
		t.Errorf("two answers: %q", got)
	}
	got, _ = shown(t, options.Writer{Format: options.FormatCSV, Delim: '.'}, func(w Writer) error {
		return write(w, "", []answer.Column{{Name: "a.b"}, {Name: "d", Type: answer.ColumnDecimal, Scale: 1}}, [][]answer.Cell{{{Text: []byte("a,b")}, {Int: 15}}})
	})
	if got != "\"a.b\".d\na,b.\"1.5\"\n" {
		t.Errorf("points between fields: %q", got)
	}
	got, _ = shown(t, options.Writer{Format: options.FormatCSV}, func(w Writer) error {
		return write(w, "", []answer.Column{{Name: "a"}}, [][]answer.Cell{{{Null: true}}, {{Text: nil}}, {{Text: []byte("x")}}})
	})
	if got != "a\n\n\"\"\nx\n" {
		t.Errorf("null and an empty text alone: %q", got)
	}
	for _, empty := range []answer.Cell{{}, {Text: []byte{}}} {
		w, err := New(io.Discard, options.Writer{Format: options.FormatCSV, Unquoted: true})
		if err != nil {
			t.Fatal(err)
		}
		err = write(w, "", []answer.Column{{Name: "a"}, {Name: "b"}}, [][]answer.Cell{{{Null: true}, {Text: []byte("x")}}, {{Null: true}, empty}})
		if err == nil || !strings.Contains(err.Error(), "column b: an empty text needs quotes") {
			t.Errorf("an empty text without quotes: %v", err)
		}
		rows := w.(RowWriter).Format([]answer.Column{{Name: "a"}, {Name: "b"}})
		if _, err = rows.Append(nil, [][]byte{nil, {}}); err == nil || !strings.Contains(err.Error(), "column b") {
			t.Errorf("an empty text in a row without quotes: %v", err)
		}
	}
}

// TestSurrogates: half of a pair is written as it is in JSON, and each as itself.
func TestSurrogates(t *testing.T) {
	got, notes := shown(t, options.Writer{Format: options.FormatJSON}, func(w Writer) error {
		return write(w, "", []answer.Column{{Name: "a"}}, [][]answer.Cell{
			{{Text: []byte("x\xed\xa0\x80y")}}, {{Text: []byte("\xed\xbf\xbf")}}, {{Text: []byte("\ufffd\ud7ff")}}})
	})
	if want := `{"a":"x\ud800y"}` + "\n" + `{"a":"\udfff"}` + "\n{\"a\":\"\ufffd\ud7ff\"}\n"; got != want || len(notes) != 0 {
		t.Errorf("got %q, want %q, notes %q", got, want, notes)
	}
	got, notes = shown(t, options.Writer{Format: options.FormatJSON}, func(w Writer) error {
		return write(w, "", []answer.Column{{Name: "a"}}, [][]answer.Cell{{{Text: []byte("\xed\xa0")}}, {{Text: []byte("\xed\x9f\xc0")}}})
	})
	if want := "{\"a\":\"\ufffd\ufffd\"}\n{\"a\":\"\ufffd\ufffd\ufffd\"}\n"; got != want || len(notes) != 1 {
		t.Errorf("what is no half: got %q, want %q, notes %q", got, want, notes)
	}
}

func TestJSON(t *testing.T) {
	const want = `{"city":"Berlin","count":120,"sum(amount)":1203.50,"p99(amount)":12.5,"last":"a,b"}
{"city":"日本 🦆","count":7,"sum(amount)":-0.05,"p99(amount)":1e-07,"last":"say \"hi\""}
{"city":"","count":1000000,"sum(amount)":null,"p99(amount)":1e+21,"last":null}
` + `{"city":"tab\there\u001b[2J` + "\ufffd" + `","count":-1,"sum(amount)":1.00,"p99(amount)":3,"last":"e` + "\u0301\u202e" + `end\r\n"}
`
	got, notes := shown(t, options.Writer{Format: options.FormatJSON}, cities)
	if got != want || len(notes) != 2 || notes[1] != noteUTF8 {
		t.Errorf("got\n%s\nwant\n%s\nnotes %q", got, want, notes)
	}
	for line := range strings.Lines(got) {
		var v map[string]any
		if err := json.Unmarshal([]byte(line), &v); err != nil || len(v) != 5 {
			t.Errorf("%s: %v", line, err)
		}
	}
	got, _ = shown(t, options.Writer{Format: options.FormatJSON, Answers: 2}, rowCount)
	if got != `{"answer":"rows","rows":8500000}`+"\n" {
		t.Error(got)
	}
	got, _ = shown(t, options.Writer{Format: options.FormatJSON}, func(w Writer) error {
		return write(w, "", []answer.Column{{Name: "a\"", Type: answer.ColumnFloat}}, [][]answer.Cell{{{Float: math.NaN()}}, {{Float: math.Inf(-1)}}})
	})
	if got != `{"a\"":"NaN"}`+"\n"+`{"a\"":"-Inf"}`+"\n" {
		t.Error(got)
	}
}

// A column that is called like the title of an answer gets another name.
func TestJSONTitle(t *testing.T) {
	got, _ := shown(t, options.Writer{Format: options.FormatJSON, Answers: 2}, func(w Writer) error {
		return write(w, "a", []answer.Column{{Name: "answer", Type: answer.ColumnInteger}, {Name: "answer_2", Type: answer.ColumnInteger}},
			[][]answer.Cell{{{Int: 1}, {Int: 2}}})
	})
	if got != `{"answer":"a","answer_3":1,"answer_2":2}`+"\n" {
		t.Error(got)
	}
}

func TestDecimals(t *testing.T) {
	for _, c := range []struct {
		value answer.Cell
		scale int
		want  string
	}{
		{answer.Cell{}, 0, "0"}, {answer.Cell{}, 2, "0.00"}, {answer.Cell{Int: -5}, 0, "-5"}, {answer.Cell{Int: -5}, 1, "-0.5"}, {answer.Cell{Int: 5}, 3, "0.005"},
		{answer.Cell{Int: 1234}, 3, "1.234"}, {answer.Cell{Int: -1234}, 4, "-0.1234"}, {answer.Cell{Int: math.MinInt64}, 19, "-0.9223372036854775808"},
		{answer.Cell{Int: math.MinInt64}, 20, "-0.09223372036854775808"}, {answer.Cell{Big: bigInt("-98765432109876543210987")}, 5, "-987654321098765432.10987"},
		{answer.Cell{Big: big.NewInt(7)}, 2, "0.07"},
	} {
		if got := string((&answer.Column{Type: answer.ColumnDecimal, Scale: c.scale}).AppendText([]byte("x"), &c.value)); got != "x"+c.want {
			t.Errorf("%v at %d: %s, want %s", c.value, c.scale, got[1:], c.want)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	for _, c := range []struct {
		o    options.Writer
		want string
	}{
		{options.Writer{Format: options.FormatArrow, Answers: 2}, "Writer.Format json"},
		{options.Writer{Format: options.FormatParquet, Answers: 3}, "parquet holds one table"},
		{options.Writer{Format: options.FormatArrow, Terminal: true}, "with Writer.File"},
		{options.Writer{Format: "xml"}, `"xml" is unknown`},
		{options.Writer{Format: options.FormatCSV, Delim: '"'}, "delimiter"},
	} {
		if _, err := New(io.Discard, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.o, err, c.want)
		}
	}
}

func TestFormatByName(t *testing.T) {
	for name, want := range map[string]options.Format{"a.csv": options.FormatCSV, "b/c.JSONL": options.FormatJSON, "x.json": options.FormatJSON,
		"x.arrow":       options.FormatArrow,
		"x.tar.parquet": options.FormatParquet, "x": "", "csv": "", "x.txt": ""} {
		if got, ok := FormatByName(name); got != want || ok != (want != "") {
			t.Errorf("%s: %q %v", name, got, ok)
		}
	}
}

// TestDecimalsTooLong is what Arrow and Parquet cannot hold.
func TestDecimalsTooLong(t *testing.T) {
	short, long := answer.Cell{Int: 1}, answer.Cell{Big: bigInt(strings.Repeat("9", 39))}
	for _, format := range []options.Format{options.FormatArrow, options.FormatParquet} {
		late := func() error {
			w, err := New(io.Discard, options.Writer{Format: format})
			if err != nil {
				t.Fatal(err)
			}
			err = w.Begin("", []answer.Column{{Name: "sum(c)", Type: answer.ColumnDecimal}})
			for range parquetRows.Real() {
				err = errors.Join(err, w.Row([]answer.Cell{short}))
			}
			return errors.Join(err, w.Row([]answer.Cell{long}), w.End(nil), w.Close())
		}
		if err := late(); err == nil || !strings.Contains(err.Error(), "column sum(c): a value of more than 38 digits") {
			t.Errorf("%s, behind the first batch: %v", format, err)
		}
		w, _ := New(io.Discard, options.Writer{Format: format})
		err := write(w, "", []answer.Column{{Name: "d", Type: answer.ColumnDecimal}}, [][]answer.Cell{{{Big: bigInt("-1" + strings.Repeat("0", 76))}}})
		if err == nil || !strings.Contains(err.Error(), "77 digits") {
			t.Errorf("%s: %v", format, err)
		}
		if w.Close() == nil {
			t.Errorf("%s: Close forgot the error", format)
		}
		w, _ = New(io.Discard, options.Writer{Format: format})
		if err := w.Begin("", []answer.Column{{Name: "d", Type: answer.ColumnDecimal, Scale: 77}}); err == nil {
			t.Errorf("%s took a scale of 77", format)
		}
		if w.End(nil) == nil {
			t.Errorf("%s: End forgot the error of Begin", format)
		}
	}
}

// TestMemoryStays writes as many rows again as filled the buffers: they do not grow.
func TestMemoryStays(t *testing.T) {
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapInuse
	}
	for _, format := range []options.Format{options.FormatTable, options.FormatCSV, options.FormatJSON, options.FormatArrow, options.FormatParquet} {
		w, err := New(io.Discard, options.Writer{Format: format})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Begin("", []answer.Column{{Name: "t"}, {Name: "n", Type: answer.ColumnInteger}}); err != nil {
			t.Fatal(err)
		}
		var before uint64
		row := []answer.Cell{{Text: make([]byte, 20)}, {}}
		for i := range 6 * parquetRows.Real() {
			if i == 2*parquetRows.Real() {
				before = heap()
			}
			row[0].Text = fmt.Appendf(row[0].Text[:0], "group %x", uint64(i)*0x9e3779b97f4a7c15)
			if err := w.Row(row); err != nil {
				t.Fatal(err)
			}
		}
		if after := heap(); after > before+2<<20 {
			t.Errorf("%s: %d KiB became %d KiB", format, before>>10, after>>10)
		}
		if err := errors.Join(w.End(nil), w.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestBatchWithinMemory bounds memory: a batch has at most a sixteenth of it, and what is usual where there is more.
func TestBatchWithinMemory(t *testing.T) {
	for memory, want := range map[int64]int{0: batchBytes.Real(), 16 << 20: 1 << 20, 1: batchLeast, 1 << 40: batchBytes.Real()} {
		b, err := newBatch([]answer.Column{{Name: "t"}}, memory)
		if err != nil {
			t.Fatal(err)
		}
		for !b.full(1 << 30) {
			if err := b.add([]answer.Cell{{Text: make([]byte, 1024)}}); err != nil {
				t.Fatal(err)
			}
		}
		if b.bytes <= want || b.bytes > want+1024 {
			t.Errorf("within %d bytes a batch has %d, want %d", memory, b.bytes, want)
		}
	}
}

// brokenWriter takes some bytes and then fails, or is silent about it.
type brokenWriter struct {
	room int
	err  error
}

func (b *brokenWriter) Write(p []byte) (int, error) {
	if len(p) <= b.room {
		b.room -= len(p)
		return len(p), nil
	}
	n := b.room
	b.room = 0
	return n, b.err
}

// TestWriteErrors holds every format to telling that an answer is not complete.
func TestWriteErrors(t *testing.T) {
	full := errors.New("no space")
	for _, format := range []options.Format{options.FormatTable, options.FormatCSV, options.FormatJSON, options.FormatArrow, options.FormatParquet} {
		for _, room := range []int{0, 3, 70_000} {
			for _, broken := range []error{full, nil} {
				w, err := New(&brokenWriter{room, broken}, options.Writer{Format: format})
				if err != nil {
					t.Fatal(err)
				}
				err = w.Begin("", []answer.Column{{Name: "n", Type: answer.ColumnInteger}, {Name: "t"}})
				for i := range 20_000 {
					err = errors.Join(err, w.Row([]answer.Cell{{Int: int64(i)}, {Text: fmt.Appendf(nil, "%x", uint64(i)*0x9e3779b97f4a7c15)}}))
				}
				err = errors.Join(err, w.End(nil))
				closed := w.Close()
				want := broken
				if want == nil {
					want = io.ErrShortWrite
				}
				if !errors.Is(closed, want) || err != nil && !errors.Is(err, want) {
					t.Errorf("%s with room for %d: close says %v, before it %v, want %v", format, room, closed, err, want)
				}
			}
		}
	}
}

// FuzzCSV reads back what was written. The standard reader drops the CR of a CR LF in quotes.
func FuzzCSV(f *testing.F) {
	f.Add([]byte("a"), []byte("b,\"\n"), int64(-5), byte(','))
	f.Add([]byte(""), []byte("\xff\x00 ; "), int64(math.MinInt64), byte(';'))
	f.Add([]byte("\r\n\r"), []byte(" x "), int64(15), byte('.'))
	f.Fuzz(func(t *testing.T, a, b []byte, n int64, delim byte) {
		if delim == '"' || delim == '\n' || delim == '\r' || delim == 0 || delim >= 0x80 {
			t.Skip("no delimiter for one of the two")
		}
		rows := [][]answer.Cell{{{Text: a}, {Text: b}, {Int: n}}, {{Text: b}, {Null: true}, {Int: n}}}
		got, _ := shown(t, options.Writer{Format: options.FormatCSV, Delim: delim}, func(w Writer) error {
			return write(w, "", []answer.Column{{Name: string(a)}, {Name: "b"}, {Name: "n", Type: answer.ColumnDecimal, Scale: 1}}, rows)
		})
		r := csv.NewReader(strings.NewReader(got))
		r.Comma = rune(delim)
		back, err := r.ReadAll()
		if err != nil {
			t.Fatalf("%q: %v", got, err)
		}
		lf := func(text []byte) string { return strings.ReplaceAll(string(text), "\r\n", "\n") }
		number := string(answer.Cell{Type: answer.ColumnDecimal, Scale: 1, Int: n}.String())
		want := [][]string{{lf(a), "b", "n"}, {lf(a), lf(b), number}, {lf(b), "", number}}
		if fmt.Sprint(back) != fmt.Sprint(want) {
			t.Errorf("%q read back is %q, want %q", got, back, want)
		}
	})
}

// FuzzText holds JSON to being JSON and tables to being printable.
func FuzzText(f *testing.F) {
	f.Add([]byte("a\x00\xff\"\\\u2028\U000e0001"))
	f.Fuzz(func(t *testing.T, text []byte) {
		one := func(w Writer) error {
			return write(w, "", []answer.Column{{Name: "t"}}, [][]answer.Cell{{{Text: text}}})
		}
		got, _ := shown(t, options.Writer{Format: options.FormatJSON}, one)
		var v struct{ T string }
		if err := json.Unmarshal([]byte(got), &v); err != nil || v.T != string(appendValid(nil, text)) {
			t.Errorf("%q: %q, %v", got, v.T, err)
		}
		got, _ = shown(t, options.Writer{Format: options.FormatTable}, one)
		line, _ := strings.CutSuffix(got, "\n")
		if strings.ContainsFunc(line, func(r rune) bool { return !unicode.IsPrint(r) && r != zeroWidthJoiner }) || !utf8.ValidString(line) {
			t.Errorf("table of %q: %q", text, got)
		}
	})
}

func BenchmarkRows(b *testing.B) {
	columns := []answer.Column{{Name: "city"}, {Name: "count", Type: answer.ColumnInteger},
		{Name: "sum(amount)", Type: answer.ColumnDecimal, Scale: 2}, {Name: "mean(amount)", Type: answer.ColumnFloat}}
	const rows = 10_000
	all := make([][]answer.Cell, rows)
	for i := range all {
		all[i] = []answer.Cell{{Text: fmt.Appendf(nil, "a city named %d", i*7919%rows)}, {Int: int64(i)}, {Int: int64(i) * 1001}, {Float: float64(i) / 8}}
	}
	for _, format := range []options.Format{options.FormatTable, options.FormatCSV, options.FormatJSON, options.FormatArrow, options.FormatParquet} {
		b.Run(string(format), func(b *testing.B) {
			var n counter
			w, err := New(&n, options.Writer{Format: format})
			if err != nil {
				b.Fatal(err)
			}
			if err := w.Begin("", columns); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			lines := 0
			for b.Loop() {
				for i := range all {
					if err := w.Row(all[i]); err != nil {
						b.Fatal(err)
					}
				}
				lines += rows
			}
			if err := errors.Join(w.End(nil), w.Close()); err != nil || n < 10 {
				b.Fatal(n, err)
			}
			b.SetBytes(int64(n) * rows / int64(lines))
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(lines), "ns/row")
		})
	}
}

type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// TestRowFormats makes formats of rows, one after the other.
func TestRowFormats(t *testing.T) {
	w := newJSON(io.Discard, options.Writer{})
	w.Format([]answer.Column{{Name: "a"}})
	if !w.mu.TryLock() {
		t.Fatal("the next RowFormat would wait for ever")
	}
	w.mu.Unlock()
}

// TestDecimalBounds: of decimals, the limb with the sign decides first, as a signed number.
func TestDecimalBounds(t *testing.T) {
	b, err := newBatch([]answer.Column{{Name: "d", Type: answer.ColumnDecimal, Scale: 1}}, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []int64{1, -1, 3, -2} {
		if err := b.add([]answer.Cell{{Int: v, Big: big.NewInt(v)}}); err != nil {
			t.Fatal(err)
		}
	}
	least, greatest, ok := b.vectors[0].bounds(answer.ColumnDecimal, b.rows)
	number := func(v []byte) int64 { return int64(binary.BigEndian.Uint64(v[len(v)-8:])) }
	if !ok || number(least) != -2 || number(greatest) != 3 {
		t.Errorf("from %x to %x, %v", least, greatest, ok)
	}
}

// TestIsValue: what is written as it is, is JSON.
func TestIsValue(t *testing.T) {
	const texts = "0 -0 1 -1 01 -01 1.5 1. .5 1e9 1E+9 1e-9 1e 1e+ + - -.5 +1 NaN Inf +Inf -Inf " +
		"true false null truth 0x1 1_0 2026-01-02 00 0.0 1.5.5 1e5e5 x"
	for _, text := range strings.Fields(texts) {
		if got, want := isValue([]byte(text)), json.Valid([]byte(text)); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}
