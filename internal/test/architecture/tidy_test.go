package architecture

import (
	"bufio"
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

const (
	lineRunesMax = 120
	testRunesMax = 160 // table rows of tests may be long
	fileLinesMax = 500
	blobBytesMax = 256 << 10
	// A report of the lab has all that its page needs.
	reportBytesMax = 2 << 20
)

// root is the module's root folder, relative to this package.
const root = "../../.."

// files returns the files that git tracks or would add, by path relative to the module.
func files(t *testing.T) []string {
	t.Helper()
	cmd := exec.Command("git", "ls-files", "--cached", "--others", "--exclude-standard")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git ls-files: %v", err)
	}
	var names []string
	for name := range strings.Lines(string(out)) {
		name = strings.TrimSpace(name)
		if _, err := os.Stat(filepath.Join(root, name)); err == nil {
			names = append(names, name)
		}
	}
	if len(names) < 20 {
		t.Fatalf("only %d files: wrong folder?", len(names))
	}
	return names
}

// The words that mark unfinished work are split, so that this file does not contain them.
var unfinished = regexp.MustCompile(`\b(` + strings.Join([]string{"TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"}, "|") + `)\b`)

func TestTidy(t *testing.T) {
	for _, name := range files(t) {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Dir(name) == "docs/lab" && filepath.Ext(name) == ".html" { // reports, with their charts
			if len(text) > reportBytesMax {
				t.Errorf("%s has %d bytes, more than %d", name, len(text), reportBytesMax)
			}
			continue
		}
		if len(text) > blobBytesMax {
			t.Errorf("%s has %d bytes; generate large data instead of committing it", name, len(text))
		}
		if !utf8.Valid(text) || filepath.Ext(name) == ".sum" {
			continue
		}
		tidyLines(t, name, text)
	}
}

// wanted reports whether a line of test data says what an analyzer has to find there: that is one line,
// however long.
func wanted(name, line string) bool {
	return strings.Contains(name, "/testdata/") && strings.Contains(line, "//")
}

func tidyLines(t *testing.T, name string, text []byte) {
	runesMax := lineRunesMax
	if strings.HasSuffix(name, "_test.go") {
		runesMax = testRunesMax
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, blobBytesMax)
	n := 0
	for lines.Scan() {
		n++
		line := lines.Text()
		switch {
		case unfinished.MatchString(line):
			t.Errorf("%s:%d: unfinished work: finish it or open an issue", name, n)
		case strings.TrimRight(line, " \t") != line && filepath.Ext(name) != ".md":
			t.Errorf("%s:%d: trailing white space", name, n)
		case filepath.Ext(name) == ".go" && utf8.RuneCountInString(line) > runesMax && !wanted(name, line):
			t.Errorf("%s:%d: longer than %d characters", name, n, runesMax)
		}
	}
	generated := bytes.HasPrefix(text, []byte("// Code generated "))
	if n > fileLinesMax && filepath.Ext(name) == ".go" && !strings.HasSuffix(name, "_test.go") && !generated {
		t.Errorf("%s has %d lines, more than %d; split it", name, n, fileLinesMax)
	}
}

// TestExportedIsDocumented checks that every exported identifier has a doc comment.
func TestExportedIsDocumented(t *testing.T) {
	for _, name := range files(t) {
		if filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || strings.Contains(name, "testdata/") {
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, filepath.Join(root, name), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Name.IsExported() && exportedReceiver(f) && f.Doc == nil {
				t.Errorf("%s: %s has no doc comment", name, f.Name)
			}
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.TYPE {
				for _, s := range g.Specs {
					if s := s.(*ast.TypeSpec); s.Name.IsExported() && g.Doc == nil && s.Doc == nil {
						t.Errorf("%s: type %s has no doc comment", name, s.Name)
					}
				}
			}
		}
	}
}

// exportedReceiver reports whether f needs a doc comment: it is a function, or a method of an
// exported type that does not merely implement a well-known interface.
func exportedReceiver(f *ast.FuncDecl) bool {
	if f.Recv == nil {
		return true
	}
	switch f.Name.Name {
	case "Error", "Unwrap", "String", "Close", "Name", "Run", "Reader", "Search", "Set", "Type", "Hint",
		"Len", "Less", "Swap", "Push", "Pop":
		return false
	}
	typ := f.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	id, ok := typ.(*ast.Ident)
	return !ok || id.IsExported()
}

// forbidden lists imports and what to use instead.
var forbidden = map[string]string{
	"io/ioutil":             "io and os",
	"math/rand":             "math/rand/v2",
	"golang.org/x/exp":      "the standard library",
	"github.com/pkg/errors": "errors and fmt.Errorf",
	"log":                   "return an error; the command prints it",
}

func TestForbiddenImports(t *testing.T) {
	for _, name := range files(t) {
		if filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || otherModule(filepath.ToSlash(filepath.Dir(name))) {
			continue
		}
		for _, i := range fileImports(t, name) {
			if instead, ok := forbidden[i]; ok && !(i == "log" && strings.HasPrefix(name, "examples/")) {
				t.Errorf("%s imports %s; use %s", name, i, instead)
			}
		}
	}
}

// TestKernelsHaveATwin checks that every kernel family has its variants, a plain twin and tests.
func TestKernelsHaveATwin(t *testing.T) {
	folders, err := os.ReadDir(filepath.Join(root, "internal/kernel"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range folders {
		name := f.Name()
		if !f.IsDir() || name == "_gen" || name == "kerneltest" || name == "regex" {
			continue // the twin of regex is the standard library
		}
		patterns := []string{"*_plain.go", "*_avx2.go", "*_test.go", "*_neon.go", "*_avx512.go"}
		switch name {
		case "inflate":
			patterns = patterns[:3] // one code after the other: wider vectors have nothing to do
		case "differ", "divide", "gather", "jsonscan", "literals", "pattern", "rows", "utf8", "words":
			patterns = patterns[:4] // longer vectors win less than a tenth; of gather see packAVX2
		}
		for _, pattern := range patterns {
			if found, _ := filepath.Glob(filepath.Join(root, "internal/kernel", name, pattern)); len(found) == 0 {
				t.Errorf("kernel family %s has no %s", name, pattern)
			}
		}
	}
}

// release fits the heading of a release in the changelog.
var release = regexp.MustCompile(`^## v(\d+)\.(\d+)\.(\d+) - \d{4}-\d\d-\d\d$`)

// TestChangelog holds the changelog to its sections: "Unreleased" first, then releases, newest
// first.
func TestChangelog(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "CHANGELOG.md"))
	if err != nil {
		t.Fatal(err)
	}
	var sections []string
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "## ") {
			sections = append(sections, strings.TrimSpace(line))
		}
	}
	if len(sections) == 0 || sections[0] != "## Unreleased" {
		t.Fatalf(`CHANGELOG.md needs a section "## Unreleased" before all others, and has %q`, sections)
	}
	var newer []int
	for _, section := range sections[1:] {
		parts := release.FindStringSubmatch(section)
		if parts == nil {
			t.Errorf("%q is not like \"## v0.1.0 - 2026-12-24\"", section)
			continue
		}
		var version []int
		for _, part := range parts[1:] {
			n, _ := strconv.Atoi(part)
			version = append(version, n)
		}
		if newer != nil && slices.Compare(version, newer) >= 0 {
			t.Errorf("%q stands below a version that is not newer", section)
		}
		newer = version
	}
}
