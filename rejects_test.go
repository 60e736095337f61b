package thresh_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/fault"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// rejectable is a table: what comes before its records, and the records, of which some have a price that is no number.
type rejectable struct {
	from    string // of a statement
	prelude string
	records []string
	bad     []bool
}

func (r *rejectable) text() []byte { return []byte(r.prelude + strings.Join(r.records, "")) }

func rejectables(records int) map[string]*rejectable {
	all := map[string]*rejectable{
		"csv":   {prelude: "\xef\xbb\xbfid,price,note\r\n", from: "'%s'"},
		"plain": {prelude: "id|price|note\n", from: "read_csv('%s', delim = '|', quote = '', header = true)"},
		"json":  {from: "read_json('%s')"},
		"skip":  {prelude: "# made\n", from: "read_csv('%s', skip = 1, header = false, names = ['id', 'price', 'note'])"},
		"wide":  {prelude: "id  price  note\n", from: "read_csv('%s', delim = ' +', header = true)"},
	}
	for i := range records {
		price, bad := fmt.Sprint(i*7%1000), i%5 == 3
		if bad {
			price = fmt.Sprint("n/a", i)
		}
		note := fmt.Sprintf("note, %d \"\"twice\"\"\nand a line", i)
		if i%97 == 50 {
			note = strings.Repeat("long ", 16_000+i) + "end"
		}
		end := "\r\n"
		if i%3 == 0 {
			end = "\n"
		}
		for form, record := range map[string]string{
			"csv":   fmt.Sprintf("%d,\"%s\",\"%s\"%s", i, price, note, end),
			"plain": fmt.Sprintf("%d|%s|%q\n", i, price, note),
			"json":  fmt.Sprintf(" {\"note\": %q, \"price\": %q, \"id\": %d} \n", note, price, i),
			"skip":  fmt.Sprintf("%d,%s,\"%s\"\n", i, price, note),
			"wide":  fmt.Sprintf("  %d  %s %s\n", i, price, strings.Repeat("x", i%40+1)),
		} {
			all[form].records, all[form].bad = append(all[form].records, record), append(all[form].bad, bad)
		}
	}
	for _, r := range all { // the last one has no line feed
		r.records[records-1] = strings.TrimRight(r.records[records-1], "\r\n")
	}
	return all
}

// rejectStatements are statements and the records that they ask for a number.
var rejectStatements = []struct {
	text string
	asks func(i int) bool
}{
	{"select sum(price), avg(price * 2), min(price) from %s", func(int) bool { return true }},
	{"select id::int %% 10, max(price) from %s where id > 100 group by 1", func(i int) bool { return i > 100 }},
	{"select min(note), count(price), max(id) from %s", func(int) bool { return false }},
	{"select id, price + 1 from %s limit 40 offset 3", func(i int) bool { return i < 43 }},
	{"select id from %s where price >= 0 order by id limit 2; select price::int from %[1]s limit 9", func(int) bool { return true }},
	{"select count(*) from (select id, price * 2 as p from %s where id < 7) where p > 1", func(i int) bool { return i < 7 }},
	{"select sum(price) filter (where id < 9) from %s union all select sqrt(price) from %[1]s where id = 3",
		func(i int) bool { return i < 9 }},
}

// TestRejects: the file has each record that was counted, once, as it is written, whatever the kind of table and input,
// the number of workers and the sizes of what they work on.
func TestRejects(t *testing.T) {
	const records = 300
	folder, n := t.TempDir(), 0
	for _, size := range []int{0, 7, 64} {
		if size > 0 {
			threshold.Shrink(t, size)
		}
		for form, r := range rejectables(records) {
			text := r.text()
			name := filepath.Join(folder, form)
			var packed bytes.Buffer
			gz := gzip.NewWriter(&packed)
			_, err := gz.Write(text)
			if err := errors.Join(err, gz.Close(), os.WriteFile(name, text, 0o600), os.WriteFile(name+".gz", packed.Bytes(), 0o600)); err != nil {
				t.Fatal(err)
			}
			for _, s := range rejectStatements {
				n++
				input, o := []string{name, name + ".gz", "-"}[n%3], thresh.SQLOptions{}
				o.Workers, o.ChunkBytes = 1+n%4, []int{0, 4097, 100_000}[n%3]
				if n%2 == 0 {
					o.MemoryBytes = 32 << 20
				}
				if input == "-" {
					in, out, err := os.Pipe()
					if err != nil {
						t.Fatal(err)
					}
					go func() { _, _ = out.Write(text); out.Close() }() // it ends early where enough was read
					o.Callbacks.Stdin = in
					defer in.Close()
				}
				var got bytes.Buffer
				o.Rejects = &got
				statement := fmt.Sprintf(s.text, fmt.Sprintf(r.from, input))
				if _, err := thresh.SQL(t.Context(), statement, o, new(discard)); err != nil {
					t.Errorf("%s, size %d, %+v: %v", statement, size, o.Run, err)
					continue
				}
				want := r.prelude
				for i, record := range r.records {
					if r.bad[i] && s.asks(i) {
						want += strings.TrimSuffix(record, "\n") + "\n"
					}
				}
				if got.String() != want {
					t.Errorf("%s, size %d, %+v:\n%.300q\nwant\n%.300q", statement, size, o.Run, got.String(), want)
				}
			}
		}
	}
}

// TestRejectsOfAFailure: nothing is kept where a statement fails, and a write that fails is the error of the script.
func TestRejectsOfAFailure(t *testing.T) {
	folder := t.TempDir()
	file := func(name, text string) string {
		name = filepath.Join(folder, name)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	a, b, other := file("a.csv", "id,price\n1,x\n2,3\n"), file("b.csv", "id,price\n3,y\n"), file("other.csv", "price,id\n3,y\n")
	for statement, want := range map[string]string{
		fmt.Sprintf("select sum(price) from ['%s', '%s']", a, b):                                          "",
		fmt.Sprintf("select sum(price) from ['%s', '%s']", a, other):                                      "ask about files alike",
		fmt.Sprintf("select sum(price) from '%s'; select sum(price) from '%s'", a, b):                     "read the same files in the same way",
		fmt.Sprintf("select x.id from '%s' x join '%s' y on x.id = y.id", a, b):                           "without joins",
		fmt.Sprintf("select price + 1 from '%s'; select sum(nothing) from '%[1]s'", a):                    "nothing",
		fmt.Sprintf("select price + 1 from '%s'; select price from read_csv('%[1]s', header = false)", a): "in the same way",
	} {
		var got bytes.Buffer
		_, err := thresh.SQL(t.Context(), statement, thresh.SQLOptions{Rejects: &got}, new(discard))
		if want == "" {
			if err != nil || got.String() != "id,price\n1,x\n3,y\n" {
				t.Errorf("%s: %v, %q", statement, err, got.String())
			}
		} else if err == nil || !strings.Contains(err.Error(), want) || got.Len() > 0 {
			t.Errorf("%s: %v, %q; want %q", statement, err, got.String(), want)
		}
	}
	if _, err := thresh.SQL(t.Context(), fmt.Sprintf("select price + 1 from '%s'", a), thresh.SQLOptions{Rejects: noRoom{}},
		new(discard)); !errors.Is(err, errNoRoom) {
		t.Error(err)
	}
}

type noRoom struct{}

var errNoRoom = errors.New("no room")

func (noRoom) Write([]byte) (int, error) { return 0, errNoRoom }

// discard takes an answer and keeps nothing of it.
type discard struct{}

func (discard) Begin(string, []answer.Column) error { return nil }
func (discard) Row([]answer.Cell) error             { return nil }
func (discard) End([]string) error                  { return nil }

// TestRejectsFaults refuses the n-th call: the records are right, or there is an error.
func TestRejectsFaults(t *testing.T) {
	threshold.Shrink(t, 64)
	defer fault.Clear()
	r := rejectables(300)["plain"]
	name := filepath.Join(t.TempDir(), "t")
	if err := os.WriteFile(name, r.text(), 0o600); err != nil {
		t.Fatal(err)
	}
	statement := fmt.Sprintf("select sum(price) from read_csv('%s', delim = '|', quote = '')", name)
	ask := func(p *fault.Plan) (string, error) {
		fault.Inject(p)
		defer fault.Clear()
		var got bytes.Buffer
		o := thresh.SQLOptions{Rejects: &got}
		o.Workers, o.ChunkBytes = 3, 4096
		_, err := thresh.SQL(t.Context(), statement, o, new(discard))
		return got.String(), err
	}
	want, err := ask(&fault.Plan{})
	if err != nil || strings.Count(want, "\n") != 61 {
		t.Fatalf("%v, %q", err, want)
	}
	for _, op := range []fault.Op{fault.CreateTemp, fault.WriteTemp, fault.ReadTemp, fault.Map} {
		for nth, refused := int64(1), int64(1); refused > 0; nth += 1 + nth/2 {
			p := &fault.Plan{Op: op, Nth: nth, Stays: nth%2 == 0, Err: syscall.ENOSPC}
			got, err := ask(p)
			if refused = p.Refused(); err == nil && got != want || err != nil && !errors.Is(err, syscall.ENOSPC) {
				t.Errorf("call %d of %q: %v, %d bytes, want %d", nth, op, err, len(got), len(want))
			}
		}
	}
}
