package run

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/table/query"
	"github.com/thresh-dev/thresh/internal/table/tabletest"
	"github.com/thresh-dev/thresh/internal/test/rounds"
	"github.com/thresh-dev/thresh/options"
)

// faults are lines that are no record of three fields, each in a way of its own.
var faults = map[string]string{
	"stray quote":           `7,5" pipe,x`,
	"stray quote and more":  `7,5" pipe,"a ""b"""`,
	"behind closing quote":  `7,"a"b,x`,
	"opened behind a space": `7, "a,b",x`,
	"too few":               `7,x`,
	"too many":              `7,a,b,c`,
	"never closed":          `7,"open,x`,
}

// faulty returns a table with a fault in one of its lines.
func faulty(fault string, at, lines int, quoted bool) []byte {
	var b bytes.Buffer
	for i := range lines {
		switch {
		case i == at:
			fmt.Fprintln(&b, fault)
		case quoted && i%5 == 0:
			fmt.Fprintf(&b, "%d,\"name, %d\",\"%d\"\n", i, i%7, i%3)
		default:
			fmt.Fprintf(&b, "%d,name %d,%d\n", i, i%7, i%3)
		}
	}
	return b.Bytes()
}

// tableForm is a way in which the bytes of a table come.
type tableForm struct {
	name   string
	engine string // of files
	pack   func(data []byte) []byte
	suffix string
}

func tableForms(t *testing.T) (all []tableForm) {
	t.Helper()
	for _, e := range engines(t, write(t, []byte("a,b\n"))) {
		all = append(all, tableForm{name: e, engine: e})
	}
	gz := func(data []byte) []byte {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		if _, err := w.Write(data); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	zst := func(data []byte) []byte {
		var b bytes.Buffer
		w, err := zstd.NewWriter(&b)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(data); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	return append(all, tableForm{name: "pipe"}, tableForm{name: "gzip", pack: gz, suffix: ".gz"}, tableForm{name: "zstd", pack: zst, suffix: ".zst"})
}

// ask asks about a table that comes in this form.
func (f tableForm) ask(t *testing.T, data []byte, spec query.Spec, o Options) (answer.TableReport, *answered, error) {
	t.Helper()
	out, v, name := &answered{}, Callbacks{Done: failing}, "-"
	switch {
	case f.name == "pipe":
		v.Stdin = piped(t, func(w io.Writer) { _, _ = w.Write(data) }) // it ends early where a record is refused
	case f.pack != nil:
		name = write(t, f.pack(data)) + f.suffix
		if err := os.Rename(strings.TrimSuffix(name, f.suffix), name); err != nil {
			t.Fatal(err)
		}
	default:
		name, o.Engine = write(t, data), options.Engine(f.engine)
	}
	report, err := TableAll(context.Background(), listed(name), spec, o, v, out)
	return report, out, err
}

// TestEveryByteIsAccountedFor: a record that is malformed costs its own lines and no others,
// and what was answered for and what was left out are together all that there is.
func TestEveryByteIsAccountedFor(t *testing.T) {
	const lines = 700
	every := tableForms(t)
	n := 0
	for name, fault := range faults {
		for _, at := range []int{1, lines / 2, lines - 1} {
			for _, quoted := range []bool{false, true} {
				data := faulty(fault, at, lines, quoted)
				for _, mode := range []tabletest.Mode{tabletest.Fail, tabletest.Skip, tabletest.Keep} {
					q := tabletest.Question{Dialect: tabletest.Dialect{Delim: ',', Quote: '"'}, Malformed: mode,
						Asks: []tabletest.Ask{{Kind: tabletest.Rows},
							{Kind: tabletest.Nth, Numbers: []int64{0, int64(at), lines - 2}, Columns: []int{1, 2}},
							{Kind: tabletest.Group, Keys: []tabletest.Key{{Column: 2}}, Aggs: []tabletest.Agg{{Func: "count"}, {Func: "sum", Column: 1}}}}}
					want, wantErr := tabletest.Answer([][]byte{data}, q)
					for k, f := range every {
						if n++; n%rounds.Every(3) > 0 { // there are eight forms: each has its turn
							continue
						}
						o := Options{Run: options.Run{Workers: 1 + (n+k)%4, ChunkBytes: []int{0, 100, 1000, 4097}[n%4]}}
						report, out, err := f.ask(t, data, asTyped(q), o)
						what := fmt.Sprintf("%s in line %d, %v, quotes %v, %s, %+v", name, at+1, mode, quoted, f.name, o)
						sameTable(t, what, report, out, err, want, wantErr)
						if err == nil && report.TruncatedBytes != 0 {
							t.Errorf("%s: %d bytes of %d were not gone through", what, report.TruncatedBytes, len(data))
						}
						if mode == tabletest.Skip && (report.Malformed != want.Skipped ||
							report.MalformedBytes != want.SkippedBytes || report.MalformedLines != want.SkippedLines) {
							t.Errorf("%s: %d records, %d bytes, %d lines left out, want %d, %d, %d", what, report.Malformed,
								report.MalformedBytes, report.MalformedLines, want.Skipped, want.SkippedBytes, want.SkippedLines)
						}
					}
				}
				if t.Failed() {
					return
				}
			}
		}
	}
}

// TestTableOfDamagedFiles: of a compressed file that is cut or damaged, the records before the
// damage are answered for, the answer is marked incomplete, and nothing is called malformed.
func TestTableOfDamagedFiles(t *testing.T) {
	data := faulty("7,x,1", 9, 60_000, true)
	for _, f := range tableForms(t) {
		if f.pack == nil {
			continue
		}
		packed := f.pack(data)
		for _, damage := range []string{"cut", "flipped", "cut at the end"} {
			for _, mode := range []options.Malformed{options.MalformedFail, options.MalformedSkip, options.MalformedKeep} {
				for _, chunk := range []int{0, 1000, 100_001} {
					broken := slices.Clone(packed)
					switch damage {
					case "cut":
						broken = broken[:len(broken)/2]
					case "cut at the end":
						broken = broken[:len(broken)-3]
					default:
						broken[len(broken)*2/3] ^= 0x55
					}
					spec := query.Spec{Dialect: query.Dialect{Delim: ',', Quote: '"'}, Malformed: mode, Questions: []query.Question{{Kind: query.Rows}}}
					same := func([]byte) []byte { return broken }
					report, out, err := tableForm{name: f.name, pack: same, suffix: f.suffix}.ask(t, nil, spec, Options{Run: options.Run{ChunkBytes: chunk, Workers: 2}})
					what := fmt.Sprintf("%s, %s, %v, chunk %d", f.name, damage, mode, chunk)
					if err != nil || report.Complete || len(report.Unread) == 0 {
						t.Errorf("%s: %v, complete: %v, unread: %v", what, err, report.Complete, report.Unread)
						continue
					}
					if damage == "flipped" { // what was read may differ from what was written
						continue
					}
					read := data[:report.Bytes]
					whole := read[:bytes.LastIndexByte(read, '\n')+1]
					want := fmt.Sprint(bytes.Count(whole, []byte{'\n'}))
					if got := out.answers[0][0][0]; got != want || report.Bytes-report.TruncatedBytes != int64(len(whole)) ||
						report.Unread[0].Off != report.Bytes || report.Malformed != 0 {
						t.Errorf("%s: %s records, want %s; %d bytes cut of %d read, unread from %d; %d malformed",
							what, got, want, report.TruncatedBytes, report.Bytes, report.Unread[0].Off, report.Malformed)
					}
				}
			}
		}
	}
}

// TestTableCutInARecord: a file that shrinks in the middle of a record, after it was opened,
// loses this record and no other.
func TestTableCutInARecord(t *testing.T) {
	data := faulty("7,x,1", 9, 20_000, true)
	for _, left := range []int{len(data) / 2, len(data)/2 + 1, len(data)/2 + 7, len(data) - 1, len(data) - 5} {
		whole := data[:bytes.LastIndexByte(data[:left], '\n')+1]
		for _, e := range engines(t, write(t, data)) {
			for _, quote := range []byte{'"', 0} {
				name := write(t, data)
				spec := query.Spec{Dialect: query.Dialect{Delim: ',', Quote: quote}, Malformed: options.MalformedKeep, Questions: []query.Question{{Kind: query.Rows}}}
				run, err := newTableRun(spec, Options{Run: options.Run{Engine: options.Engine(e), Workers: 2}})
				if err != nil {
					t.Fatal(err)
				}
				in := open(t, name)
				if err := os.Truncate(name, int64(left)); err != nil {
					t.Fatal(err)
				}
				out := &answered{}
				err = errors.Join(run.input(context.Background(), in), in.Close(), run.run.Answer(context.Background(), out))
				report, closeErr := run.report(err == nil)
				if err := errors.Join(err, closeErr); err != nil {
					t.Fatal(err)
				}
				unread := int64(0)
				for _, u := range report.Unread {
					if unread += u.Len; u.Len == 0 { // a stream's end is not known
						unread = int64(len(data)) - u.Off
					}
				}
				want := fmt.Sprint(bytes.Count(whole, []byte{'\n'}))
				if got := out.answers[0][0][0]; got != want || report.Complete || report.Bytes-report.TruncatedBytes != int64(len(whole)) ||
					report.Bytes+unread != int64(len(data)) {
					t.Errorf("%s, quote %q, %d of %d bytes left: %s records, want %s; %d bytes read, want %d; %d cut; unread %v",
						e, quote, left, len(data), got, want, report.Bytes, len(whole), report.TruncatedBytes, report.Unread)
				}
			}
		}
	}
}

// TestTooLongAField: a field that is longer than may be kept ends the run as soon as that is
// seen, with its place, and not when all of it has been read.
func TestTooLongAField(t *testing.T) {
	const most = 400 << 20
	var written atomic.Int64
	in := piped(t, func(w io.Writer) {
		part := bytes.Repeat([]byte("never closed\n"), 10_000)
		n, err := io.WriteString(w, "1,2\n3,\"")
		for written.Add(int64(n)); err == nil && written.Load() < most; written.Add(int64(n)) {
			n, err = w.Write(part)
		}
	})
	spec := query.Spec{Dialect: query.Dialect{Delim: ',', Quote: '"'}, Questions: []query.Question{{Kind: query.Group, Keys: "2"}}}
	_, err := TableAll(context.Background(), listed("-"), spec, Options{Run: options.Run{MemoryBytes: 64 << 20}}, Callbacks{Stdin: in, Done: failing}, &answered{})
	if err == nil || !strings.Contains(err.Error(), "the record at byte 4: field 2 is longer than") ||
		!strings.Contains(err.Error(), "from the quote at byte 6 on") {
		t.Errorf("%v", err)
	}
	if n := written.Load(); n > most/4 {
		t.Errorf("%d bytes were read before", n)
	}
}
