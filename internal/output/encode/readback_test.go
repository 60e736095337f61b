package encode

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/test/python"
	"github.com/thresh-dev/thresh/options"
)

// readers is a Python program that reads a file with pyarrow or DuckDB and prints it as JSON:
// names, types, then rows with every value as text. Package internal/test/python tells when
// a test without these modules is skipped and when it fails.
const readers = `
import json, sys
kind, name = sys.argv[1], sys.argv[2]
if kind == "duckdb":
    import duckdb
    r = duckdb.sql(f"select * from '{name}'")
    names, types, rows = r.columns, [str(t) for t in r.types], r.fetchall()
else:
    import pyarrow as pa
    import pyarrow.parquet as pq
    if kind == "parquet":
        t = pq.read_table(name)
    elif kind == "file":
        t = pa.ipc.open_file(name).read_all()
    else:
        t = pa.ipc.open_stream(name).read_all()
    t.validate(full=True)
    names, types = t.column_names, [str(f.type) for f in t.schema]
    rows = list(zip(*[c.to_pylist() for c in t.columns]))
text = lambda v: None if v is None else repr(v) if isinstance(v, float) else str(v)
json.dump({"names": names, "types": types, "rows": [[text(v) for v in r] for r in rows]}, sys.stdout)
`

type readBack struct {
	Names, Types []string
	Rows         [][]*string
}

func runPython(t *testing.T, program string, args ...string) []byte {
	t.Helper()
	interpreter := python.Interpreter(t, "pyarrow", "duckdb")
	cmd := exec.Command(interpreter, append([]string{"-c", program}, args...)...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", interpreter, args, err, errs.String())
	}
	return out
}

func read(t *testing.T, kind, name string) (r readBack) {
	t.Helper()
	if err := json.Unmarshal(runPython(t, readers, kind, name), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// written writes an answer to a file and returns its name and the writer's notes.
func written(t *testing.T, format options.Format, stream bool, columns []answer.Column, rows [][]answer.Cell) (string, []string) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "answer."+string(format))
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w, err := New(f, options.Writer{Format: format, File: !stream})
	if err != nil {
		t.Fatal(err)
	}
	err = write(w, "answer", columns, rows)
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return name, w.Notes()
}

func write(w Writer, title string, columns []answer.Column, rows [][]answer.Cell, notes ...string) error {
	if err := w.Begin(title, columns); err != nil {
		return err
	}
	for _, r := range rows {
		if err := w.Row(r); err != nil {
			return err
		}
	}
	return w.End(notes)
}

func bigInt(s string) *big.Int {
	x, ok := new(big.Int).SetString(s, 10)
	if !ok {
		panic(s)
	}
	return x
}

// allTypes is an answer with every type, its edges and missing values.
func allTypes() ([]answer.Column, [][]answer.Cell, [][]any) {
	columns := []answer.Column{{Name: "key"}, {Name: "count", Type: answer.ColumnInteger}, {Name: "sum(ä)", Type: answer.ColumnDecimal, Scale: 2},
		{Name: "mean", Type: answer.ColumnFloat}}
	text := func(s string) answer.Cell { return answer.Cell{Text: []byte(s)} }
	null := answer.Cell{Null: true}
	nines := strings.Repeat("9", 38)
	rows := [][]answer.Cell{
		{text("Berlin"), {Int: 12}, {Int: 120350}, {Float: 1.5}},
		{text(""), {Int: math.MinInt64}, {Int: -5}, {Float: math.SmallestNonzeroFloat64}},
		{null, null, null, null},
		{text("a\x00\"\n,\x1b"), {Int: math.MaxInt64}, {Big: bigInt(nines)}, {Float: -math.MaxFloat64}},
		{text("日本 🦆"), {Int: 0}, {Big: bigInt("-" + nines)}, {Float: 0.1}},
		{text("bad \xff\xfe!"), {Int: -1}, {Int: math.MinInt64}, {Float: 0}},
		{text("x"), {Int: 1}, {Big: bigInt("-18446744073709551616")}, null},
		{text("y"), null, {Big: bigInt("-1")}, {Float: 1e300}},
		{text("z"), {Int: 7}, {Big: bigInt("18446744073709551616")}, {Float: -0.5}},
	}
	want := [][]any{
		{"Berlin", "12", "1203.50", "1.5"},
		{"", "-9223372036854775808", "-0.05", "5e-324"},
		{nil, nil, nil, nil},
		{"a\x00\"\n,\x1b", "9223372036854775807", nines[:36] + ".99", "-1.7976931348623157e+308"},
		{"日本 🦆", "0", "-" + nines[:36] + ".99", "0.1"},
		{"bad \ufffd\ufffd!", "-1", "-92233720368547758.08", "0.0"},
		{"x", "1", "-184467440737095516.16", nil},
		{"y", nil, "-0.01", "1e+300"},
		{"z", "7", "184467440737095516.16", "-0.5"},
	}
	return columns, rows, want
}

func compare(t *testing.T, got [][]*string, want [][]any) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d rows, want %d", len(got), len(want))
	}
	for i := range want {
		for k := range want[i] {
			shown := any(nil)
			if got[i][k] != nil {
				shown = *got[i][k]
			}
			if shown != want[i][k] {
				t.Errorf("row %d column %d: %q, want %q", i, k, shown, want[i][k])
			}
		}
	}
}

var readBacks = []struct {
	name   string
	format options.Format
	stream bool
	reader string
	types  string
}{
	{"arrow file", options.FormatArrow, false, "file", "[string int64 decimal128(38, 2) double]"},
	{"arrow stream", options.FormatArrow, true, "stream", "[string int64 decimal128(38, 2) double]"},
	{"parquet", options.FormatParquet, false, "parquet", "[string int64 decimal128(38, 2) double]"},
	{"parquet in DuckDB", options.FormatParquet, true, "duckdb", "[VARCHAR BIGINT DECIMAL(38,2) DOUBLE]"},
}

func TestReadBack(t *testing.T) {
	columns, rows, want := allTypes()
	for _, c := range readBacks {
		t.Run(c.name, func(t *testing.T) {
			name, notes := written(t, c.format, c.stream, columns, rows)
			got := read(t, c.reader, name)
			if fmt.Sprint(got.Types) != c.types || got.Names[2] != "sum(ä)" {
				t.Errorf("types %v, names %q", got.Types, got.Names)
			}
			compare(t, got.Rows, want)
			if len(notes) != 1 || !strings.Contains(notes[0], "UTF-8") {
				t.Errorf("notes %q", notes)
			}
		})
	}
}

// TestReadBackWide has decimals that take 256 bits, which DuckDB does not have.
func TestReadBackWide(t *testing.T) {
	columns := []answer.Column{{Name: "d", Type: answer.ColumnDecimal, Scale: 3}}
	long := strings.Repeat("7", 76)
	rows := [][]answer.Cell{{{Int: -1}}, {{Big: bigInt("1" + strings.Repeat("0", 37))}}, {{Big: bigInt("-" + long)}}, {{Null: true}}, {{Big: bigInt(long)}}}
	want := [][]any{{"-0.001"}, {"1" + strings.Repeat("0", 34) + ".000"}, {"-" + long[:73] + ".777"}, {nil}, {long[:73] + ".777"}}
	for _, c := range readBacks[:3] {
		t.Run(c.name, func(t *testing.T) {
			name, _ := written(t, c.format, c.stream, columns, rows)
			got := read(t, c.reader, name)
			if got.Types[0] != "decimal256(76, 3)" {
				t.Errorf("type %s", got.Types[0])
			}
			compare(t, got.Rows, want)
		})
	}
}

// TestReadBackLong has several batches and row groups, with missing values in some of them,
// and looks at what filters on statistics find.
func TestReadBackLong(t *testing.T) {
	rows := 2*parquetRows.Real() + 12345
	columns := []answer.Column{{Name: "k"}, {Name: "n", Type: answer.ColumnInteger}, {Name: "d", Type: answer.ColumnDecimal, Scale: 1},
		{Name: "f", Type: answer.ColumnFloat}}
	all := make([][]answer.Cell, rows)
	for i := range all {
		all[i] = []answer.Cell{{Text: fmt.Appendf(nil, "key %07d", i)}, {Int: int64(i - 1000), Null: i%7 == 3 && i > parquetRows.Real()},
			{Int: int64(-i)}, {Float: float64(i) / 4, Null: i < 100}}
	}
	const program = `
import sys, pyarrow as pa, pyarrow.parquet as pq, pyarrow.compute as pc
kind, name = sys.argv[1], sys.argv[2]
if kind == "duckdb":
    import duckdb
    q = duckdb.sql(f"select count(*), count(n), sum(n), sum(d), sum(f), max(k) from '{name}'").fetchall()[0]
    print(*q, duckdb.sql(f"select count(*) from '{name}' where k = 'key 0200001' and n = 199001 and d = -20000.1").fetchall()[0][0])
else:
    t = pq.read_table(name) if kind == "parquet" else pa.ipc.open_file(name).read_all() if kind == "file" else pa.ipc.open_stream(name).read_all()
    t.validate(full=True)
    one = t.filter((pc.field("k") == "key 0200001") & (pc.field("n") == 199001)).num_rows
    print(t.num_rows, t.num_rows - t["n"].null_count, pc.sum(t["n"]), pc.sum(t["d"]), pc.sum(t["f"]), pc.max(t["k"]), one)
    if kind == "parquet":
        m = pq.ParquetFile(name).metadata
        for g in range(m.num_row_groups):
            for c in range(m.num_columns):
                s = m.row_group(g).column(c).statistics
                v = t.slice(g * 131072, 131072).column(c)
                want = (pc.min(v).as_py(), pc.max(v).as_py(), v.null_count)
                assert s.has_min_max and (s.min, s.max, s.null_count) == want, (g, c, s, want)
        assert m.num_row_groups == 3
`
	var count, sum, sumD int64
	var sumF float64
	for _, r := range all {
		if !r[1].Null {
			count++
			sum += r[1].Int
		}
		sumD += r[2].Int
		if !r[3].Null {
			sumF += r[3].Float
		}
	}
	decimal := (&answer.Column{Type: answer.ColumnDecimal, Scale: 1}).AppendText(nil, &answer.Cell{Int: sumD})
	for _, c := range readBacks {
		t.Run(c.name, func(t *testing.T) {
			name, _ := written(t, c.format, c.stream, columns, all)
			fields := strings.Fields(string(runPython(t, program, c.reader, name)))
			got := strings.Join(fields, " ")
			want := fmt.Sprintf("%d %d %d %s %s key %07d 1", rows, count, sum, decimal, answer.Cell{Type: answer.ColumnFloat, Float: sumF}, rows-1)
			if strings.ReplaceAll(got, ".0 key", " key") != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

// TestReadBackEmpty has answers without rows, and columns without values.
func TestReadBackEmpty(t *testing.T) {
	columns, _, _ := allTypes()
	nulls := []answer.Cell{{Null: true}, {Null: true}, {Null: true}, {Null: true}}
	for _, c := range readBacks {
		t.Run(c.name, func(t *testing.T) {
			for _, rows := range [][][]answer.Cell{nil, {nulls}, {nulls, nulls, nulls, nulls, nulls, nulls, nulls, nulls, nulls}} {
				name, _ := written(t, c.format, c.stream, columns, rows)
				got := read(t, c.reader, name)
				if fmt.Sprint(got.Types) != c.types || len(got.Rows) != len(rows) {
					t.Errorf("types %v, %d rows, want %d", got.Types, len(got.Rows), len(rows))
				}
			}
		})
	}
}

// TestParquetMetadata compares the figures of the footer with each other: pages lie one after the other, and sizes
// add up.
func TestParquetMetadata(t *testing.T) {
	columns, rows, _ := allTypes()
	name, _ := written(t, options.FormatParquet, false, columns, rows)
	out := runPython(t, `
import sys
import pyarrow.parquet as pq
m = pq.ParquetFile(sys.argv[1]).metadata
assert m.num_row_groups == 1 and m.num_columns == int(sys.argv[2]), m
g, off, plain = m.row_group(0), 4, 0
assert g.num_rows == m.num_rows == int(sys.argv[3]), g
for i in range(m.num_columns):
    c = g.column(i)
    assert c.data_page_offset == off and c.num_values == g.num_rows and c.compression == "ZSTD", c
    assert sorted(c.encodings) == ["PLAIN", "RLE"], c
    assert c.total_compressed_size > 0 and c.total_uncompressed_size > 0 and c.statistics.has_null_count, c
    off, plain = off + c.total_compressed_size, plain + c.total_uncompressed_size
assert g.total_byte_size == plain, g
print(m.format_version, m.created_by)`, name, fmt.Sprint(len(columns)), fmt.Sprint(len(rows)))
	if got := strings.TrimSpace(string(out)); got != "2.6 thresh" {
		t.Error(got)
	}
}
