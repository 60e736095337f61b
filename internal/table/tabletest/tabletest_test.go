package tabletest

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestRecords holds the definition of a record to what its rules say, case by case.
func TestRecords(t *testing.T) {
	for _, c := range []struct {
		file string
		want string // fields in brackets, then what is counted
	}{
		{"", ""},
		{"\n\r\n", "empty 2"},
		{"a,b", "[a][b]"},
		{"a,b\n", "[a][b]"},
		{"a,b\r\n\r\n\nc,d\r", "[a][b] [c][d] empty 2"},
		{"a,b\r\r\n", "[a][b\r]"},
		{"\n\na\n\n\r\nb", "[∅] [∅] [a] [∅] [∅] [b]"},
		{"\xef\xbb\xbfa,b\n\xef\xbb\xbfc,d", "[a][b] [\xef\xbb\xbfc][d]"},
		{"\"a,\"\"\r\nb\",c\r\n", "[a,\"\r\nb][c]"},
		{"\"\",\"\"\"\"\n", "[][\"]"},
		{"a,b\n1\n2,3\n", "[a][b] [2][3] skipped 1 first line 2, at 4: 1 fields instead of 2"},
		{"a,b\n\"\n\n\",2\n1\n", "[a][b] [\n\n][2] skipped 1 first line 5, at 11: 1 fields instead of 2"},
		{"\xef\xbb\xbfa\"\n,\"", "skipped 2 first line 1, at 3: a quote out of place"},
		{"a,b\n1,\"2\n3,4\n", "[a][b] skipped 1 first line 2, at 4: the input ends inside quotes"},
		{"a,b\n1,x\"2\n3,4\n", "[a][b] [3][4] skipped 1 first line 2, at 4: a quote out of place"},
		{"a,b\n1,\"x\"y\n \"1\",2\n3,4", "[a][b] [3][4] skipped 2 first line 2, at 4: a quote out of place"},
		{"a,b\n1,\"x\"\r\r\n\"x\"\r,1", "[a][b] skipped 2 first line 2, at 4: a quote out of place"},
		{"a\"\"b,c\n1,2", "[1][2] skipped 1 first line 1, at 0: a quote out of place"},
	} {
		var result Result
		records, err := Question{Dialect: csv, Malformed: Skip}.read([][]byte{[]byte(c.file)}, &result)
		if err != nil {
			t.Fatal(err)
		}
		var parts []string
		for _, fields := range records {
			parts = append(parts, shown("["+strings.Join(fields, "][")+"]"))
		}
		if result.Empty > 0 {
			parts = append(parts, fmt.Sprint("empty ", result.Empty))
		}
		if result.Skipped > 0 {
			_, place, _ := strings.Cut(result.First.Error(), ", ")
			parts = append(parts, fmt.Sprintf("skipped %d first %s", result.Skipped, place))
		}
		if got := strings.Join(parts, " "); got != c.want {
			t.Errorf("%q: got %q, want %q", c.file, got, c.want)
		}
	}
}

// shown shows where a text is null.
func shown(text string) string { return strings.ReplaceAll(text, Null, "∅") }

func TestModes(t *testing.T) {
	file := []byte("a,b\n1\n2,3,4\n5,\"6\"7\"\"8\n\"9,\"\n")
	ask := []Ask{{Kind: Nth, Numbers: []int64{0, 1, 2, 3, 4, 5}, Columns: []int{1, 2}}}
	got, err := Answer([][]byte{file}, Question{Dialect: csv, Malformed: Keep, Asks: ask})
	want := [][]string{{"record", "1", "2"}, {"0", "a", "b"}, {"1", "1", Null}, {"2", "2", "3"}, {"3", "5", "67\"\"8"}, {"4", "9,", Null}}
	if err != nil || !reflect.DeepEqual(got.Answers, [][][]string{want}) {
		t.Errorf("keep: got %q %v, want %q", got.Answers, err, want)
	}
	var first *Malformed
	got, err = Answer([][]byte{file, file}, Question{Dialect: csv, Asks: ask})
	if !errors.As(err, &first) || *first != (Malformed{0, 2, 4, "1 fields instead of 2"}) || got.First != first {
		t.Errorf("fail: got %v, want line 2", err)
	}
	_, err = Answer([][]byte{file}, Question{Dialect: csv, Malformed: Skip, Asks: []Ask{{Kind: Top, Keys: []Key{{Column: 3}}}}})
	if err == nil || errors.As(err, &first) {
		t.Errorf("a column that is not there: got %v, want an error about the column", err)
	}
	header := Dialect{Delim: ',', Quote: '"', Header: true}
	_, err = Answer([][]byte{[]byte("a,b\n"), []byte("c,d\n")}, Question{Dialect: header})
	if err == nil || errors.As(err, &first) {
		t.Errorf("headers that differ: got %v, want an error about the headers", err)
	}
	got, err = Answer([][]byte{[]byte("a,b\n1,2\n"), []byte("b,c,a\n3,4,5\n"), []byte("b\n6\n")},
		Question{Dialect: header, Asks: []Ask{{Kind: Select}}})
	rows := [][]string{{"1", "2"}, {"1", "2"}, {"5", "3"}, {Null, "6"}}
	if err != nil || !reflect.DeepEqual(got.Answers[0], rows) {
		t.Errorf("columns by name: %q, %v, want %q", got.Answers, err, rows)
	}
}

// TestAggregates holds the aggregates to figures made by hand.
func TestAggregates(t *testing.T) {
	file := []byte("b,1.5\na,0.10\nb,\na,-3\na,x\nb,2\nc,x\nb,1e0\na,0.1\n")
	for _, c := range []struct {
		ask  Ask
		want string
	}{
		{Ask{Kind: Rows}, "rows/9"},
		{Ask{Kind: Nth, Numbers: []int64{8, 0, 9}, Columns: []int{2, 1}}, "record 2 1/8 0.1 a/0 1.5 b"},
		{Ask{Kind: Group, Keys: []Key{{Column: 1}}, Aggs: every(2)},
			"1 count sum(2) min(2) max(2) mean(2) distinct(2) p0(2) p50(2) p99(2) p99.9(2) p100(2)" +
				"/a 4 -2.8 -3 0.1 -0.9333333333333333 4 -3 0.1 0.1 0.1 0.1" +
				"/b 4 4.5 1 2 1.5 3 1 1.5 2 2 2/c 1 ∅ ∅ ∅ ∅ 1 ∅ ∅ ∅ ∅ ∅"},
		{Ask{Kind: Group, Keys: []Key{{Column: 1}}, Aggs: []Agg{{Func: "max", Column: 2}}, ByValue: true}, "1 max(2)/b 2/a 0.1/c ∅"},
		{Ask{Kind: Group, Keys: []Key{{Column: 1}}, Aggs: []Agg{{Func: "count", Column: 0}}, ByValue: true, Limit: 1}, "1 count/a 4"},
		{Ask{Kind: Top, Keys: []Key{{Column: 2, Sliced: true, To: 1}}, Limit: 3}, "2[:1] count/0 2/1 2/x 2"},
		{Ask{Kind: Group, Keys: []Key{{Column: 2, Regexp: `\.(.)`}, {Column: 1}}, Aggs: []Agg{{Func: "count", Column: 0}}},
			`2~\.(.) 1 count/1 a 2/5 b 1`},
		{Ask{Kind: Top, Keys: []Key{{Column: 2, Sliced: true, From: 2, To: AllBytes}}, Limit: 9}, "2[2:] count/ 4/0 1/1 1/10 1/5 1/∅ 1"},
	} {
		got, err := Answer([][]byte{file}, Question{Dialect: csv, Asks: []Ask{c.ask}})
		if err != nil {
			t.Fatal(err)
		}
		var rows []string
		for _, row := range got.Answers[0] {
			rows = append(rows, strings.Join(row, " "))
		}
		if text := shown(strings.Join(rows, "/")); text != c.want {
			t.Errorf("%v:\n got %s\nwant %s", c.ask, text, c.want)
		}
		if c.ask.Aggs != nil && len(c.ask.Aggs[0].uses()) > 0 && !reflect.DeepEqual(got.Bad, map[int]int64{2: 2}) {
			t.Errorf("%v: bad numbers: got %v, want 2 in column 2", c.ask, got.Bad)
		}
	}
}

// TestCorpus checks the corpus: it has many files with different names, is always the same, and
// each mode accepts many files and rejects many.
func TestCorpus(t *testing.T) {
	all := Corpus()
	names, files := map[string]bool{}, map[string]bool{}
	refused, skipped, empty, bad := 0, 0, 0, 0
	for _, c := range all {
		if id := c.Name + c.Question.String(); names[id] {
			t.Errorf("twice: %s", id)
		} else {
			names[id] = true
		}
		files[fmt.Sprintf("%q", c.Files)] = true
		result, err := Answer(c.Files, c.Question)
		switch {
		case err != nil && c.Question.Malformed == Fail:
			refused++
		case err == nil && len(result.Answers) != len(c.Question.Asks):
			t.Errorf("%s: %d answers, want %d", c.Name, len(result.Answers), len(c.Question.Asks))
		}
		skipped += min(1, int(result.Skipped))
		empty += min(1, int(result.Empty))
		bad += min(1, len(result.Bad))
	}
	if len(files) < 300 || refused < 100 || skipped < 100 || empty < 100 || bad < 100 {
		t.Errorf("%d cases of %d files: %d refused, %d with records skipped, %d with empty lines, %d with bad numbers",
			len(all), len(files), refused, skipped, empty, bad)
	}
	if again := Corpus(); !reflect.DeepEqual(again[len(again)-1].Files, all[len(all)-1].Files) || len(again) != len(all) {
		t.Error("the corpus differs from call to call")
	}
}

func TestRandom(t *testing.T) {
	const cases = 1500
	outcomes := map[string]int{}
	for seed := range uint64(cases) {
		c, again := Random(seed), Random(seed)
		if !reflect.DeepEqual(c.Files, again.Files) || c.Question.String() != again.Question.String() {
			t.Fatalf("%s differs from call to call", c.Name)
		}
		result, err := Answer(c.Files, c.Question)
		var m *Malformed
		switch {
		case errors.As(err, &m):
			outcomes[m.Reason]++
		case err != nil:
			outcomes["other error"]++
		default:
			outcomes["answered"]++
			if result.Records > 5 {
				outcomes["with records"]++
			}
		}
		if seed%3 == 0 && m != nil && c.Question.Dialect.Skip == 0 { // lines that are left out may end in quotes
			t.Errorf("%s should be well-formed: %v", c.Name, err)
		}
	}
	for what, least := range map[string]int{"answered": cases / 2, "with records": cases / 3, OutOfPlace: 20, Unclosed: 5} {
		if outcomes[what] < least {
			t.Errorf("%d %s of %d, want %d; all: %v", outcomes[what], what, cases, least, outcomes)
		}
	}
}

func TestSplits(t *testing.T) {
	for _, n := range []int{0, 1, 2, 64, 65, 5000, 300_000, 3 << 20} {
		sizes := Splits(n)
		if !slices.IsSorted(sizes) || sizes[0] < 1 || sizes[len(sizes)-1] < n {
			t.Errorf("pieces of %d bytes: %v", n, sizes)
		}
		if n/sizes[0] > piecesMax {
			t.Errorf("pieces of %d bytes: %d of %d", n, n/sizes[0], sizes[0])
		}
	}
	if sizes := Splits(100); !slices.Equal(sizes, []int{1, 2, 3, 5, 7, 16, 31, 63, 64, 65, 100}) {
		t.Errorf("pieces of 100 bytes: %v", sizes)
	}
}

// TestDifferences holds Compare to seeing every part of a result.
func TestDifferences(t *testing.T) {
	make := func() Result {
		return Result{
			Answers: [][][]string{{{"rows"}, {"3"}}, {{"1", "count"}, {"a", "2"}, {"b", "1"}}},
			Records: 3, Empty: 2, Skipped: 1, Bad: map[int]int64{2: 1}, First: &Malformed{1, 2, 3, Unclosed},
		}
	}
	if d := differences(make(), make()); d != nil {
		t.Errorf("equal results differ: %q", d)
	}
	for name, change := range map[string]func(r *Result){
		"records":   func(r *Result) { r.Records++ },
		"empty":     func(r *Result) { r.Empty++ },
		"skipped":   func(r *Result) { r.Skipped++ },
		"bad":       func(r *Result) { r.Bad = nil },
		"malformed": func(r *Result) { r.First.Offset++ },
		"got none":  func(r *Result) { r.First = nil },
		"answers":   func(r *Result) { r.Answers = r.Answers[:1] },
		"cell":      func(r *Result) { r.Answers[1][2][1] = "2" },
		"row":       func(r *Result) { r.Answers[1] = r.Answers[1][:2] },
		"more rows": func(r *Result) { r.Answers[0] = append(r.Answers[0], []string{strings.Repeat("x", 100)}) },
	} {
		got := make()
		change(&got)
		if d := differences(got, make()); len(d) != 1 || len(d[0]) > 200 {
			t.Errorf("%s: told as %q", name, d)
		}
	}
	if !bytes.Contains([]byte(short([]string{"a", strings.Repeat("x", 100)})), []byte("(100 bytes)")) {
		t.Error("a long cell is not cut short")
	}
}
