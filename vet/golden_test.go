package vet_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/thresh-dev/thresh/vet"
)

// checkRule runs a rule on the package RULE/a of the test data, applies the fixes of RULE/fixed, and compares these with
// the golden file beside it. What has no fix stands in files without one.
func checkRule(t *testing.T, rule *analysis.Analyzer) {
	t.Helper()
	analysistest.Run(t, analysistest.TestData(), rule, rule.Name+"/a")
	analysistest.RunWithSuggestedFixes(t, analysistest.TestData(), rule, rule.Name+"/fixed")
}

// TestFixed compiles each package that has golden files, RULE or one below it, as the fixes leave it: the rule finds
// nothing there that it has a fix for, and in RULE/fixed/fixed.go nothing at all. All are loaded at once, with what they import.
func TestFixed(t *testing.T) {
	gopath := t.TempDir()
	if err := os.CopyFS(gopath, os.DirFS("testdata")); err != nil {
		t.Fatal(err)
	}
	ruleOf := map[string]*analysis.Analyzer{} // by the path of the package
	for _, r := range vet.Rules() {
		for _, pattern := range []string{"*.golden", "*/*.golden"} {
			goldens, err := filepath.Glob(filepath.Join(gopath, "src", r.Analyzer.Name, pattern))
			if err != nil {
				t.Fatal(err)
			}
			for _, golden := range goldens {
				if err := os.Rename(golden, strings.TrimSuffix(golden, ".golden")); err != nil {
					t.Fatal(err)
				}
				path, err := filepath.Rel(filepath.Join(gopath, "src"), filepath.Dir(golden))
				if err != nil {
					t.Fatal(err)
				}
				ruleOf[filepath.ToSlash(path)] = r.Analyzer
			}
		}
	}
	pkgs, err := packages.Load(&packages.Config{
		Mode: packages.LoadAllSyntax,
		Dir:  gopath,
		Env:  append(os.Environ(), "GOPATH="+gopath, "GO111MODULE=off", "GOPROXY=off", "GOWORK=off"),
	}, slices.Collect(maps.Keys(ruleOf))...)
	if err != nil || len(pkgs) < len(vet.Rules())-2 { // MissingLength has no fixes, and UnusedIgnore other tests
		t.Fatalf("%d packages: %v", len(pkgs), err)
	}
	for _, p := range pkgs {
		for _, e := range p.Errors {
			t.Errorf("fixed code does not compile: %v", e)
		}
		graph, err := checker.Analyze([]*analysis.Analyzer{ruleOf[p.PkgPath]}, []*packages.Package{p}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range graph.Roots[0].Diagnostics {
			at := p.Fset.Position(d.Pos)
			if len(d.SuggestedFixes) > 0 || strings.HasSuffix(at.Filename, "/fixed.go") {
				t.Errorf("%s: found after the fix, too: %s", at, d.Message)
			}
		}
	}
}
