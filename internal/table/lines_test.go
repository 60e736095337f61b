package table

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/output/encode"
	"github.com/thresh-dev/thresh/internal/table/query"
	"github.com/thresh-dev/thresh/internal/table/tabletest"
	"github.com/thresh-dev/thresh/internal/test/rounds"
	"github.com/thresh-dev/thresh/internal/threshold"
	"github.com/thresh-dev/thresh/options"
)

// lines is a file of lines of JSON, and the same table as CSV: column n is the value of key n.
type lines struct {
	json, csv []byte
	offs      []int64 // of the lines in json
	bad       []int   // the lines that are malformed
}

// badBytes returns how long the malformed lines are.
func (f lines) badBytes() (n int64) {
	for _, i := range f.bad {
		end := int64(len(f.json))
		if i+1 < len(f.offs) {
			end = f.offs[i+1]
		}
		n += end - f.offs[i]
	}
	return n
}

const linesColumns = 4

// randomLines returns a table. Malformed lines are written in the CSV as what is malformed there, or, if they are
// kept, as a record without values.
func randomLines(seed uint64, kept bool) (f lines) {
	r := rand.New(rand.NewPCG(seed, 9))
	strs := []string{"a", "b", "ab", "", "abcdefghijklmnop", "é", "\"q\"", "back\\slash", "tab\t", ", x", "12", " 7 ", "1e3", "\r", "x,\"y"}
	numbers := []string{"0", "-1.25", "10", "7", "0.5", "12345678901234567890", "1e3", "100000000", "3.10", "-0", "5E-2"}
	for range r.IntN(60) {
		f.offs = append(f.offs, int64(len(f.json)))
		switch r.IntN(12) {
		case 0:
			f.json = append(f.json, []string{"", " ", "\t\r"}[r.IntN(3)]...)
			f.csv = append(f.csv, '\n')
		case 1:
			bad := []string{"{", "[]", "7", `{"1":"x}`, `{"1":1,}`, "{\"1\":\"\x01\"}", `{"1":"\q"}`, `{"1":1} 2`, "x", "{\"1\":\x00}", `{"1":nul}`}
			f.bad = append(f.bad, len(f.offs)-1)
			f.json = append(f.json, bad[r.IntN(len(bad))]...)
			if kept {
				f.csv = append(f.csv, ",,,\n"...)
			} else {
				f.csv = append(f.csv, "a\"b,,,\n"...)
			}
		default:
			values, parts := [linesColumns]string{}, []string(nil)
			for c := range values {
				values[c] = tabletest.Null
			}
			for _, c := range r.Perm(linesColumns)[:r.IntN(linesColumns+1)] {
				var raw string
				switch r.IntN(6) {
				case 0, 1:
					values[c] = strs[r.IntN(len(strs))]
					text, err := json.Marshal(values[c])
					if err != nil {
						panic(err)
					}
					raw = string(text)
				case 2:
					raw, values[c] = "null", tabletest.Null
				case 3:
					raw = []string{"true", "false", "{}", `[1, "x"]`, `{"1":"no"}`}[r.IntN(5)]
					values[c] = raw
				default:
					raw = numbers[r.IntN(len(numbers))]
					values[c] = raw
				}
				parts = append(parts, fmt.Sprintf(`"%d":%s`, c+1, raw))
			}
			if r.IntN(3) == 0 {
				parts = append(parts, `"other": {"1": ["\\\"", {"2":2}]}`)
			}
			f.json = append(f.json, strings.Repeat(" ", r.IntN(2))+"{"+strings.Join(parts, []string{",", " , "}[r.IntN(2)])+"}"...)
			for c, v := range values {
				if c > 0 {
					f.csv = append(f.csv, ',')
				}
				if v != tabletest.Null {
					f.csv = append(f.csv, `"`+strings.ReplaceAll(v, `"`, `""`)+`"`...)
				}
			}
			f.csv = append(f.csv, '\n')
		}
		f.json = append(f.json, []string{"\n", "\n", "\r\n"}[r.IntN(3)]...)
	}
	if r.IntN(3) == 0 && !bytes.HasSuffix(f.csv, []byte("\n\n")) {
		f.json = bytes.TrimSuffix(f.json, []byte("\n"))
	}
	return f
}

// move puts a malformed record of the CSV where it is in the lines of JSON.
func (f lines) move(m *tabletest.Malformed) {
	if m != nil {
		m.Offset = f.offs[m.Line-1]
	}
}

// TestLines asks about lines of JSON what the twin answers for the same table as CSV.
func TestLines(t *testing.T) {
	for _, n := range []int{0, 2, 7, 64} {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			if n > 0 {
				threshold.Shrink(t, n)
			}
			for seed := n; seed < rounds.Of(300) && !t.Failed(); seed += 5 {
				testLines(t, uint64(seed))
			}
		})
	}
}

func testLines(t *testing.T, seed uint64) {
	t.Helper()
	q := tabletest.Random(seed).Question
	q.Dialect = tabletest.Dialect{Delim: ',', Quote: '"'}
	if seed%3 == 0 {
		q.Asks = []tabletest.Ask{{Kind: tabletest.Select, Columns: []int{3, 1, 1}, Limit: int(seed % 4)}}
	}
	var names []string
	var files []lines
	var csv [][]byte
	folder := t.TempDir()
	for i := range 1 + seed%2 {
		f := randomLines(seed+i, q.Malformed == tabletest.Keep)
		name := filepath.Join(folder, strconv.Itoa(int(i)))
		if err := os.WriteFile(name, f.json, 0o600); err != nil {
			t.Fatal(err)
		}
		names, files, csv = append(names, name), append(files, f), append(csv, f.csv)
	}
	spec := specOf(q)
	spec.Dialect = query.Dialect{JSON: true}
	for i, piece := range tabletest.Splits(len(files[0].json)) {
		if (int(seed)+i)%3 > 0 {
			continue
		}
		want, wantErr := tabletest.Answer(csv, q)
		if wantErr != nil && !errors.As(wantErr, new(*tabletest.Malformed)) {
			return // the question is about more columns than there are
		}
		if m, ok := wantErr.(*tabletest.Malformed); ok {
			files[m.File].move(m)
		}
		if want.First != nil && wantErr == nil {
			files[want.First.File].move(want.First)
		}
		v := way{piece: piece, ahead: []int{16 << 10, 1, 7, 100}[(int(seed)+i)%4], workers: 1 + i%3, stream: i%2 == 0, mem: 1 << 20}
		r, out, err := answerTable(t, names, spec, v)
		if q.Malformed == tabletest.Skip {
			want.SkippedBytes = 0
			for _, f := range files {
				want.SkippedBytes += f.badBytes()
			}
			if q.Asks[0].Limit > 0 && q.Asks[0].Kind == tabletest.Select { // what follows the limit is not read
				want.SkippedBytes = r.Report.MalformedBytes
			}
		}
		for i := range r.Report.bad {
			n, err := strconv.Atoi(r.Report.bad[i].Column) // the twin's column; an expression has no number
			if err == nil {
				r.Report.bad[i].Number = n
			}
		}
		compare(t, fmt.Sprintf("seed %d (%+v; %v; %q as %q)", seed, v, q, files[0].json, files[0].csv), r, out, err, want, wantErr, q)
	}
}

// TestLinesPrinted: values are printed as they are written, and lines whole.
func TestLinesPrinted(t *testing.T) {
	text := " {\"a\":{\"b\":\"\\u0041\\n\"},\"n\":1.50} \r\n\n{\"a\":null,\"n\":[1, 2]}\n{\"n\":\"\"}"
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		columns []string
		json    bool
		want    string
	}{
		{nil, true, "{\"a\":{\"b\":\"\\u0041\\n\"},\"n\":1.50}\n{\"a\":null,\"n\":[1, 2]}\n{\"n\":\"\"}\n"},
		{[]string{"n", "a.b"}, true, "{\"n\":1.50,\"a.b\":\"\\u0041\\n\"}\n{\"n\":[1, 2],\"a.b\":null}\n{\"n\":\"\",\"a.b\":null}\n"},
		{[]string{"n", "a.b"}, false, "1.50,\"A\n\"\n\"[1, 2]\",\n\"\",\n"},
		{nil, false, "name columns"},
		{[]string{"n", "*"}, true, "name columns"},
	} {
		for _, piece := range []int{1, 7, 1000} {
			got, err := printed(t, name, c.columns, c.json, piece)
			if err != nil {
				got = err.Error()
			}
			if got != c.want && (err == nil || !strings.Contains(got, c.want)) {
				t.Errorf("%q in pieces of %d: %q, want %q", c.columns, piece, got, c.want)
			}
		}
	}
}

// printed returns what selecting columns of lines of JSON prints.
func printed(t *testing.T, name string, columns []string, asJSON bool, piece int) (string, error) {
	t.Helper()
	r, err := NewRun(query.Spec{Dialect: query.Dialect{JSON: true}, Questions: []query.Question{{Kind: query.Select, Columns: columns}}}, Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	out := new(written)
	format := options.FormatCSV
	if asJSON {
		format = options.FormatJSON
	}
	if out.Writer, err = encode.New(&out.text, options.Writer{Format: format, NoHeading: true}); err != nil {
		t.Fatal(err)
	}
	if err := readAll(r, []string{name}, way{piece: piece, workers: 2}, out); err != nil {
		return "", err
	}
	err = out.Close()
	return out.text.String(), err
}
