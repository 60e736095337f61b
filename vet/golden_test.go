package vet_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"
)

// checkFixed compiles the package of testdata with that name as the fixes leave it, and fails if the rule
// still finds something there that it has a fix for.
func checkFixed(t *testing.T, rule *analysis.Analyzer, name string) {
	t.Helper()
	gopath := t.TempDir()
	if err := os.CopyFS(gopath, os.DirFS("testdata")); err != nil {
		t.Fatal(err)
	}
	goldens, err := filepath.Glob(filepath.Join(gopath, "src", name, "*.golden"))
	if err != nil || len(goldens) == 0 {
		t.Fatalf("no golden files of %s: %v", name, err)
	}
	for _, golden := range goldens {
		if err := os.Rename(golden, strings.TrimSuffix(golden, ".golden")); err != nil {
			t.Fatal(err)
		}
	}
	pkgs, err := packages.Load(&packages.Config{
		Mode: packages.LoadAllSyntax,
		Dir:  gopath,
		Env:  append(os.Environ(), "GOPATH="+gopath, "GO111MODULE=off", "GOPROXY=off", "GOWORK=off"),
	}, name)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pkgs {
		for _, e := range p.Errors {
			t.Errorf("fixed code does not compile: %v", e)
		}
	}
	graph, err := checker.Analyze([]*analysis.Analyzer{rule}, pkgs, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, root := range graph.Roots {
		for _, d := range root.Diagnostics {
			if len(d.SuggestedFixes) > 0 {
				t.Errorf("%s: found after the fix, too: %s", root.Package.Fset.Position(d.Pos), d.Message)
			}
		}
	}
}
