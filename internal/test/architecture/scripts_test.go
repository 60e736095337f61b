package architecture

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// goTestRun finds in a script a go test of one package with -run and a name without a subtest.
var goTestRun = regexp.MustCompile(`(?:go test|settled) [^\n]*-run '?([^' ]+)'?(?: [^\n]*)? (\.|\./[\w/]+)\n`)

// TestScriptsRunTests: each alternative that a script gives to -run names a test of the package. The
// go command says nothing when a pattern matches no test, as after a test has moved.
func TestScriptsRunTests(t *testing.T) {
	scripts, err := filepath.Glob(filepath.Join(root, "scripts/*.sh"))
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	seen := 0
	for _, script := range scripts {
		text, err := os.ReadFile(script)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range goTestRun.FindAllStringSubmatch(string(text), -1) {
			pattern, folder := m[1], m[2]
			if pattern == "^$" || strings.ContainsAny(pattern, "$\"") && !strings.HasSuffix(pattern, "$") {
				continue // no test, or a pattern of the script's arguments
			}
			seen++
			first, _, _ := strings.Cut(strings.NewReplacer("(", "", ")", "", "^", "", "$", "").Replace(pattern), "/")
			for name := range strings.SplitSeq(first, "|") {
				if !hasTest(t, folder, name) {
					t.Errorf("%s: go test -run %s runs no test %s in %s", filepath.Base(script), pattern, name, folder)
				}
			}
		}
	}
	if seen < 5 {
		t.Errorf("only %d patterns seen: the scripts are written in another way", seen)
	}
}

// testName finds the tests that a script names in whatever way, also to skip them.
var testName = regexp.MustCompile(`\bTest[A-Z]\w*`)

// TestScriptsNameTests: each test that a script names is there, or one that begins like it.
func TestScriptsNameTests(t *testing.T) {
	scripts, err := filepath.Glob(filepath.Join(root, "scripts/*.sh"))
	if err != nil {
		t.Fatal(err)
	}
	var tests strings.Builder
	err = filepath.WalkDir(root, func(name string, _ os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := os.ReadFile(name)
		tests.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, script := range scripts {
		text, err := os.ReadFile(script)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range testName.FindAllString(string(text), -1) {
			seen++
			if !strings.Contains(tests.String(), "\nfunc "+name) {
				t.Errorf("%s names %s, which is no test", filepath.Base(script), name)
			}
		}
	}
	if seen < 15 {
		t.Errorf("only %d tests seen: the scripts name them in another way", seen)
	}
}

// hasTest reports whether a package has a test that a pattern matches.
func hasTest(t *testing.T, folder, pattern string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	test := regexp.MustCompile(`(?m)^func (Test|Example|Fuzz)?\w*` + pattern + `\w*\(`)
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if test.Match(text) {
			return true
		}
	}
	return false
}
