package proof

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/vet"
)

// root is the folder of this repository.
const root = "../../.."

// spot is a line of a file, and a rule that reports it.
type spot struct {
	file string
	line int
	rule string
}

// TestRules gives the source of the shapes to the rules: each reports what is flagged, and nothing else.
func TestRules(t *testing.T) {
	want := map[spot]bool{}
	files, err := filepath.Glob("testdata/shapes/*.go")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	rules := map[string]bool{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if m := wanted.FindStringSubmatch(line); m != nil {
				want[spot{filepath.Base(name), i + 1, m[1]}] = true
				rules[m[1]] = true
			}
		}
	}
	found, err := Analyse(vet.All(), ".", "./testdata/shapes")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		at := spot{f.At.Filename, f.At.Line, f.Rule}
		if !want[at] {
			t.Errorf("%s:%d: %s: %s", at.file, at.line, at.rule, f.Message)
		}
		delete(want, at)
	}
	for at := range want {
		t.Errorf("%s:%d: %s reports nothing", at.file, at.line, at.rule)
	}
	for _, r := range vet.Rules() {
		if name := r.Analyzer.Name; !rules[name] && r.Analyzer != vet.UnusedIgnore {
			t.Errorf("%s has no shape", name)
		}
	}
}
