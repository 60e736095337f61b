package tabletest

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/thresh-dev/thresh/internal/test/python"
)

// pythonCase is what testdata/read_csv.py is asked about a file.
type pythonCase struct {
	File    string `json:"file"`
	Delim   string `json:"delim"`
	Quote   string `json:"quote"`
	text    []byte
	dialect Dialect
}

// TestPythonReads holds the twin to Python's csv module: its lax reading is what mode Keep
// takes records for, whatever is wrong with their quotes. What its strict reading refuses is
// malformed; it does not look at quotes in fields without.
//
// Python ends records at carriage returns too, so that files come without, and it drops lines
// without anything in them.
func TestPythonReads(t *testing.T) {
	interpreter := python.Interpreter(t)
	all := Corpus()
	for seed := range uint64(3000) {
		all = append(all, Random(seed))
	}
	folder := t.TempDir()
	var cases []pythonCase
	seen := map[string]bool{}
	for _, c := range all {
		d := c.Question.Dialect
		for _, file := range c.Files {
			text := bytes.ReplaceAll(file, []byte("\r"), nil)
			for mark := []byte("\xef\xbb\xbf"); bytes.HasPrefix(text, mark); { // Python takes it for a field's text
				text = text[len(mark):]
			}
			one := pythonCase{Delim: latin(d.Delim), text: text, dialect: Dialect{Delim: d.Delim, Quote: d.Quote}}
			if d.Quote != 0 {
				one.Quote = latin(d.Quote)
			}
			id := one.Delim + one.Quote + string(text)
			if seen[id] || len(text) > 20_000 || d.Delim == 0 || d.Delim == ' ' {
				continue
			}
			seen[id] = true
			one.File = filepath.Join(folder, strconv.Itoa(len(cases)))
			if err := os.WriteFile(one.File, text, 0o600); err != nil {
				t.Fatal(err)
			}
			cases = append(cases, one)
		}
	}
	in, err := json.Marshal(cases)
	if err != nil {
		t.Fatal(err)
	}
	script := exec.Command(interpreter, "testdata/read_csv.py")
	script.Stdin, script.Stderr = bytes.NewReader(in), os.Stderr
	out, err := script.Output()
	if err != nil {
		t.Fatalf("testdata/read_csv.py: %v", err)
	}
	var answers []duckAnswer
	if err := json.Unmarshal(out, &answers); err != nil || len(answers) != len(cases) {
		t.Fatalf("testdata/read_csv.py: %d answers to %d cases: %v", len(answers), len(cases), err)
	}
	refused := 0
	for i, a := range answers {
		c := cases[i]
		var got [][]string
		malformed := false
		for _, l := range c.dialect.lines(c.text) {
			malformed = malformed || l.misplaced || l.open
			if len(l.raw) > 0 && string(l.raw) != "\n" {
				var row []string
				for _, value := range c.dialect.values(l) {
					row = append(row, latinText(textOrEmpty(value)))
				}
				got = append(got, row)
			}
		}
		want := slices.DeleteFunc(a.Rows, func(row []string) bool { return len(row) == 0 })
		if !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%q, delimiter %q quote %q: the twin reads %.300q, Python %.300q", brief(c.text), c.Delim, c.Quote, got, want)
		}
		if a.Error != "" {
			if refused++; !malformed {
				t.Errorf("%q, delimiter %q quote %q: Python says %s, the twin nothing", brief(c.text), c.Delim, c.Quote, a.Error)
			}
		}
	}
	if len(cases) < 2500 || refused < 500 {
		t.Errorf("only %d files, of which %d were refused", len(cases), refused)
	}
}

// latin is a byte as a character of Latin-1.
func latin(b byte) string { return string(rune(b)) }

func latinText(s string) string {
	var out []rune
	for i := range len(s) {
		out = append(out, rune(s[i]))
	}
	return string(out)
}
