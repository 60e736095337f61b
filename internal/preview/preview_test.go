package preview

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
)

func lookAt(t *testing.T, name, content string, given Given) *File {
	t.Helper()
	f, err := Look(context.Background(), name, []byte(content), true, given)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return f
}

// TestKinds: what a file is said to be, by its first bytes.
func TestKinds(t *testing.T) {
	for _, c := range []struct{ name, content, what string }{
		{"a", "", "empty"},
		{"a.csv", "a,b\n1,2\n", "a table with commas between fields; the first record names the columns"},
		{"a.csv", "1,2\n3,4\n", "a table with commas between fields and no names of columns"},
		{"a.csv", "a;b\n1;2\n", "a table with semicolons between fields; the first record names the columns"},
		{"a.csv", "\xef\xbb\xbfa|b\n1|2\n", "a table with bars between fields; the first record names the columns"},
		{"a.csv", "a\n1\n", "a table with commas between fields; the first record names the columns"},
		{"a.csv", "a,\"b;c;d\"\n1,\"x;y\nz\"\n", "a table with commas between fields; the first record names the columns"},
		{"a.tsv", "a\tb,c\n1\t2,3\n", "a table with tabs between fields; the first record names the columns"},
		{"a.csv.gz", "a;b\n1;2\n", "a table with semicolons between fields; the first record names the columns"},
		{"a.txt", "1|2\n3|4\n5|6\n", "a table with bars between fields and no names of columns"},
		{"a.txt", "hello, world\nthis is, text\nof three, lines\n", "text"},
		{"a.txt", "x\xff\n", "text that is not UTF-8, or binary data"},
		{"a.log", "2026-11-27 10:00:00,123 INFO a\n2026-11-27 10:00:01,123 INFO b\n2026-11-27 10:00:02,003 INFO c\n",
			"a log: its lines begin with times"},
		{"a.log", "[2026-11-27T10:00:00Z] a\n[2026-11-27T10:00:01Z] b\n", "a log: its lines begin with times"},
		{"a", `{"a":1}` + "\n" + `{"a":2}` + "\n", "lines of JSON"},
		{"a", `{"a":1}`, "lines of JSON"},
		{"a", "{\n \"a\": 1\n}\n", "JSON"},
		{"a", "[1, 2]\n", "JSON, an array"},
		{"a", "[info] started\n", "text"},
		{"a", "\x7fELF\x02\x01\x01\x00", "a program or library (ELF)"},
		{"a", strings.Repeat("\x00", 257) + "ustar\x00", "a tar archive"},
		{"a", strings.Repeat("\x00", 600), "zeros only"},
		{"a", strings.Repeat("\x00", 510) + "\x55\xaa", "a disk image (with a boot sector)"},
		{"a", "a\x00b", "binary data"},
		{"a", "\xff\xfea\x00b\x00", "text in UTF-16, which thresh reads as bytes"},
	} {
		if f := lookAt(t, c.name, c.content, Given{}); f.What != c.what {
			t.Errorf("%s %.40q: %s, want %s", c.name, c.content, f.What, c.what)
		}
	}
}

// TestLooks: what the values of a column look like.
func TestLooks(t *testing.T) {
	numbers := make([]string, 100)
	for i := range numbers {
		numbers[i] = fmt.Sprintf("%d.5", i)
	}
	numbers[70] = "n/a"
	for _, c := range []struct {
		looks  string
		values []string
	}{
		{"whole numbers", []string{"1", "-20", "0"}},
		{"numbers", []string{"1", "2.50", "1e3"}},
		{"text (digits, leading zeros)", []string{"12345", "02134"}},
		{"dates", []string{"2026-11-27"}},
		{"times", []string{"2026-11-27", "2026-11-27T10:00:00Z"}},
		{"true or false", []string{"true", "FALSE"}},
		{"text (numbers with other signs)", []string{"194.9ms", "1.234,50"}},
		{"text, always the same", []string{"x", "x"}},
		{"text", []string{"x", "1"}},
		{`numbers, but 1 of 100 values not, such as "n/a"`, numbers},
		{"text (one of 2 values)", strings.Split(strings.Repeat("a b ", 20), " ")[:40]},
		{"nothing: no value was seen", []string{"", ""}},
	} {
		f := lookAt(t, "a.csv", "name,other\n"+strings.Join(c.values, ",x\n")+",x\n", Given{})
		if got := f.Columns[0]; got.Looks != c.looks || got.Name != "name" {
			t.Errorf("%q: %s, want %s", c.values, got.Looks, c.looks)
		}
	}
}

// TestPresent: how many records have a value, and the first one.
func TestPresent(t *testing.T) {
	f := lookAt(t, "a.ndjson", `{"a":{"b c":null},"d":1}`+"\n"+`{"a":{"b c":"x"}}`+"\n"+`{"d":[1]}`+"\n", Given{})
	want := []Column{
		{Name: "a.`b c`", Looks: "text", Present: 1, Records: 3, Example: "x", asked: "a.`b c`", different: 1},
		{Name: "d", Looks: "text", Present: 2, Records: 3, Example: "1", asked: "d", different: 2},
	}
	if fmt.Sprint(f.Columns) != fmt.Sprint(want) {
		t.Errorf("%+v, want %+v", f.Columns, want)
	}
}

// TestQuestionsCanBeAsked asks the questions that are proposed of tables of random names and values.
func TestQuestionsCanBeAsked(t *testing.T) {
	names := []string{"a", "Unit Price", "a", "0", "x`y", "", "select", "é", "a.b"}
	values := []string{"1", "2.5", "x", "2026-11-27", "", "true", "1,5"}
	r := rand.New(rand.NewPCG(1, 2))
	folder := t.TempDir()
	for i := range 120 {
		var b strings.Builder
		columns := 1 + r.IntN(4)
		for record := range 1 + r.IntN(5) {
			from := names
			if record > 0 {
				from = values
			}
			for c := range columns {
				if c > 0 {
					b.WriteByte(',')
				}
				fmt.Fprintf(&b, "%q", from[r.IntN(len(from))])
			}
			b.WriteByte('\n')
		}
		name := filepath.Join(folder, fmt.Sprint(i)+"'s.csv")
		if err := os.WriteFile(name, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		var given Given
		if i%2 == 0 {
			given.Nulls = []string{"x", "it's"}
		}
		f := lookAt(t, name, b.String(), given)
		if len(f.SQL) == 0 {
			t.Errorf("%s: no statement", b.String())
		}
		for _, statement := range f.SQL {
			if _, err := thresh.SQL(context.Background(), statement, thresh.SQLOptions{}, new(answer.Tables)); err != nil {
				t.Fatalf("%s: %s: %v", b.String(), statement, err)
			}
		}
	}
}

// TestCut: the last record of what was looked at is left out, unless it is the last of the file.
func TestCut(t *testing.T) {
	text := []byte("a,b\n1,2\n3,")
	for whole, records := range map[bool]int{true: 2, false: 1} {
		f, err := Look(context.Background(), "a.csv", text, whole, Given{})
		if err != nil || len(f.Records) != records {
			t.Errorf("whole %v: %d records, want %d: %v", whole, len(f.Records), records, err)
		}
	}
}

// TestAnyBytes: no content is an error or a panic, but for lines that end with carriage returns alone, which are refused.
func TestAnyBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	alphabet := []string{"a", ",", "\n", "\"", "{", "}", ":", "1", "\t", ";", "[", "\x00", "\xff", "\r", "2026-11-27", "{\"a\":1}\n", "`"}
	for range 3000 {
		var b strings.Builder
		for range r.IntN(30) {
			b.WriteString(alphabet[r.IntN(len(alphabet))])
		}
		for _, name := range []string{"a", "a.csv", "a.ndjson"} {
			_, err := Look(context.Background(), name, []byte(b.String()), r.IntN(2) == 0, Given{})
			if err != nil && !strings.Contains(err.Error(), "end with carriage returns alone") {
				t.Fatalf("%s %q: %v", name, b.String(), err)
			}
		}
	}
}
