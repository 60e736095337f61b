package proof

import (
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

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
	found, err := analyse(vet.All(), ".", "./testdata/shapes")
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

// finding is what a rule reports.
type finding struct {
	At      token.Position // the file without its folder
	Rule    string
	Message string
}

// analyse runs rules over packages of a folder, with what they depend on.
func analyse(rules []*analysis.Analyzer, dir string, patterns ...string) (found []finding, err error) {
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax, Dir: dir}, patterns...)
	if err != nil {
		return nil, err
	}
	for _, r := range rules { // a shape is a package, and no program
		if possible := r.Flags.Lookup("possible"); possible != nil {
			if err := possible.Value.Set("true"); err != nil {
				return nil, err
			}
		}
	}
	for _, p := range pkgs {
		for _, e := range p.Errors {
			return nil, fmt.Errorf("%s: %w", p.PkgPath, e)
		}
	}
	graph, err := checker.Analyze(rules, pkgs, nil)
	if err != nil {
		return nil, err
	}
	for _, action := range graph.Roots {
		if action.Err != nil {
			return nil, fmt.Errorf("%s: %s: %w", action.Package.PkgPath, action.Analyzer.Name, action.Err)
		}
		for _, d := range action.Diagnostics {
			at := action.Package.Fset.Position(d.Pos)
			at.Filename = filepath.Base(at.Filename)
			found = append(found, finding{at, action.Analyzer.Name, d.Message})
		}
	}
	return found, nil
}

// entry matches a line of the table in the program's source.
var entry = regexp.MustCompile(`(?m)^\t"(\w+)": +\{`)

const shapesFolder = "vet/internal/proof/testdata/shapes"

// shapeNames returns the names of the shapes. root is the folder of this repository.
func shapeNames(root string) (names []string, err error) {
	text, err := os.ReadFile(filepath.Join(root, shapesFolder, "main.go"))
	if err != nil {
		return nil, err
	}
	for _, m := range entry.FindAllSubmatch(text, -1) {
		names = append(names, string(m[1]))
	}
	return names, nil
}

// reproduced says what a shape was made after.
type reproduced struct {
	Finding string // the module and the file
	Rule    string
}

var (
	after  = regexp.MustCompile(`(?m)^// After (\S+):`)
	wanted = regexp.MustCompile(`(?m)// want (\w+)$`)
)

// aboutOf returns what a shape was made after. Its file says so in a line "// After MODULE/FILE".
func aboutOf(root, name string) (r reproduced, err error) {
	text, err := os.ReadFile(filepath.Join(root, shapesFolder, name+".go"))
	if err != nil {
		return r, err
	}
	f, w := after.FindSubmatch(text), wanted.FindSubmatch(text)
	if f == nil || w == nil {
		return r, fmt.Errorf("%s.go names no finding, or no rule", name)
	}
	return reproduced{string(f[1]), string(w[1])}, nil
}
