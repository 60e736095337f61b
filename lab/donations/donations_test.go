package donations

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/lab/gen"
)

func file(t testing.TB, content []byte) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "donations")
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func generated(t testing.TB, size int64) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := gen.Donations(&b, size, 1); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// expressions match the most common first name as the revisions do: rev8 and rev9 miss it after
// two spaces.
var expressions = map[string]string{"rev0": `, \s*([^, ]+)`, "rev8": `, ([^, ]+)`, "rev9": `, ([^, ]+)`}

// simple answers like an awk program: it splits each line at the bars and counts in maps.
func simple(content []byte, firstName string) Answer {
	a := Answer{Months: map[string]int64{}}
	counts := map[string]int64{}
	first := regexp.MustCompile(firstName)
	for line := range strings.Lines(string(content)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "|")
		for i, row := range Rows {
			if int64(row) == a.Lines {
				a.Names[i] = strings.TrimSpace(fields[7])
			}
		}
		a.Lines++
		a.Months[fields[4][:6]]++
		if m := first.FindStringSubmatch(fields[7]); m != nil {
			counts[m[1]]++
		}
	}
	for name, n := range counts {
		if n > a.FirstCount {
			a.First, a.FirstCount = name, n
		}
	}
	return a
}

func TestRevisionsAgree(t *testing.T) {
	for _, size := range []int64{10_000, 500_000, 20_000_000} { // too short for the rows asked for, one chunk, several chunks
		content := generated(t, size)
		name := file(t, content)
		for _, r := range Revisions() {
			want := simple(content, expressions[r.ID])
			got, err := r.Answer(name)
			if err != nil {
				t.Fatalf("%s: %v", r.ID, err)
			}
			if size == 10_000 {
				// In a small file several first names may be equally common. Then the order of chunks decides.
				got.First, want.First = "", ""
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s of %d bytes: %v, want %v", r.ID, size, got, want)
			}
		}
	}
}

// row returns a donation with a name.
func row(name string) string { return "C|N|Q1|P|201712310000000000|15|IND|" + name + "|CITY|" }

func TestFirstNames(t *testing.T) {
	for _, c := range []struct{ name, rev0, rev8, rev9 string }{
		{"DOE, JANE", "JANE", "JANE", "JANE"},
		{"DOE, JANE A.", "JANE", "JANE", "JANE"},
		{"DOE, JANE, MD", "JANE", "JANE", "JANE"},
		{"DOE, JANE,MD X", "JANE", "JANE,MD", "JANE"},
		{" DOE, JANE ", "JANE", "JANE", "JANE"},
		{"DOE,  JANE", "JANE", "", ""},
		{"DOE,JANE", "", "OE,JANE", "OE"},
		{"ACME FUND", "", "CME", "CME"},
		{"", "", "", ""},
	} {
		name := file(t, []byte(row(c.name)+"\n"))
		for _, r := range Revisions() {
			want := map[string]string{"rev0": c.rev0, "rev8": c.rev8, "rev9": c.rev9}[r.ID]
			got, err := r.Answer(name)
			if err != nil || got.First != want || got.Names[0] != strings.TrimSpace(c.name) {
				t.Errorf("%s: first name of %q is %q, %v; want %q", r.ID, c.name, got.First, err, want)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	long := strings.Repeat("x", 70_000)
	for what, content := range map[string]string{"no name": "a|b|c\n", "a short month": "a|b|c|d|2017|f|g|DOE, JANE|\n", "a long line": row(long) + "\n"} {
		name := file(t, []byte(content))
		for _, r := range Revisions() {
			if got, err := r.Answer(name); err == nil {
				t.Errorf("%s: got the answer %v for %s, want an error", r.ID, got, what)
			}
		}
	}
	for _, r := range Revisions() {
		if _, err := r.Answer(filepath.Join(t.TempDir(), "none")); err == nil {
			t.Errorf("%s: no error for a missing file", r.ID)
		}
		if got, err := r.Answer(file(t, nil)); err != nil || got.Lines != 0 || len(got.Months) != 0 {
			t.Errorf("%s of an empty file: %v, %v", r.ID, got, err)
		}
	}
}

func BenchmarkRevisions(b *testing.B) {
	content := generated(b, 50_000_000)
	name := file(b, content)
	for _, r := range Revisions() {
		want := simple(content, expressions[r.ID])
		b.Run(r.ID, func(b *testing.B) {
			b.SetBytes(int64(len(content)))
			for b.Loop() {
				if got, err := r.Answer(name); err != nil || !reflect.DeepEqual(got, want) {
					b.Fatalf("%v, %v", got, err)
				}
			}
		})
	}
}
