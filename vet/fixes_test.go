package vet_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"
)

// checkRule runs a rule on the packages RULE/a, RULE/b … of the test data.
func checkRule(t *testing.T, rule *analysis.Analyzer, packages ...string) {
	t.Helper()
	for i, p := range packages {
		packages[i] = rule.Name + "/" + p
	}
	analysistest.Run(t, analysistest.TestData(), rule, packages...)
}

// checkFixes applies the fixes of RULE/fixed and compares the result with the golden file beside it. That
// file must compile, and the rule says nothing about it. What has no fix stands in files without one.
func checkFixes(t *testing.T, rule *analysis.Analyzer) {
	t.Helper()
	fixed := rule.Name + "/fixed"
	analysistest.RunWithSuggestedFixes(t, analysistest.TestData(), rule, fixed)

	golden, err := os.ReadFile(filepath.Join("testdata", "src", fixed, "fixed.go.golden"))
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	dir := filepath.Join(root, "src", fixed)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "fixed.go"), wants.ReplaceAll(golden, nil), 0o600); err != nil {
		t.Fatal(err)
	}
	analysistest.Run(t, root, rule, fixed)
}

// wants are the expectations of analysistest.
var wants = regexp.MustCompile("// want .*")
