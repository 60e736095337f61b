package finding

import (
	"go/ast"
	"go/types"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"
)

// callsOf returns a rule that finds the calls and declarations of functions and types with a name.
func callsOf(name, severity string) *analysis.Analyzer {
	return New(Spec{
		Name: name, Severity: severity, Short: "finds " + name, Doc: "For tests.",
		Run: func(pass *analysis.Pass) error {
			for _, file := range pass.Files {
				ast.Inspect(file, func(n ast.Node) bool {
					switch n := n.(type) {
					case *ast.CallExpr:
						if id, ok := n.Fun.(*ast.Ident); ok && id.Name == name {
							pass.Reportf(n.Pos(), "call of %s", name)
						}
					case *ast.TypeSpec:
						if strings.HasPrefix(n.Name.Name, name) {
							pass.Reportf(n.Name.Pos(), "type %s", n.Name.Name)
						}
					case *ast.FuncDecl:
						if n.Recv != nil && n.Name.Name == name {
							pass.Reportf(n.Name.Pos(), "method %s", name)
						}
					}
					return true
				})
			}
			return nil
		},
	})
}

func TestIgnore(t *testing.T) {
	slow, wrong := callsOf("slow", Warning), callsOf("wrong", Error)
	unused := UnusedIgnore([]*analysis.Analyzer{slow, wrong})
	both := together(slow, wrong, unused)
	analysistest.Run(t, analysistest.TestData(), both, "ignored", "lines", "cgo")
}

func TestBrokenComments(t *testing.T) {
	slow, wrong := callsOf("slow", Warning), callsOf("wrong", Error)
	unused := UnusedIgnore([]*analysis.Analyzer{slow, wrong})
	analysistest.RunWithSuggestedFixes(t, analysistest.TestData(), unused, "broken")
}

// TestInTests asks for the findings of a warning in test files.
func TestInTests(t *testing.T) {
	slow := callsOf("slow", Warning)
	if err := slow.Flags.Set(TestsFlag, "true"); err != nil {
		t.Fatal(err)
	}
	analysistest.Run(t, analysistest.TestData(), slow, "shown")
	if wrong := callsOf("wrong", Error); wrong.Flags.Lookup(TestsFlag) != nil {
		t.Error("an error has the flag, though it is always shown")
	}
}

// TestHelpers looks at a file that imports testing: a warning counts it as a test, an error does not.
func TestHelpers(t *testing.T) {
	both := together(callsOf("slow", Warning), callsOf("wrong", Error))
	analysistest.Run(t, analysistest.TestData(), both, "helped")
}

// together returns an analyzer that reports what several do.
func together(all ...*analysis.Analyzer) *analysis.Analyzer {
	type key struct {
		a   *analysis.Analyzer
		pkg *types.Package
	}
	var found sync.Map
	for _, a := range all {
		run := a.Run
		a.Run = func(pass *analysis.Pass) (any, error) {
			var kept []analysis.Diagnostic
			copied := *pass
			copied.Report = func(d analysis.Diagnostic) { kept = append(kept, d) }
			result, err := run(&copied)
			found.Store(key{a, pass.Pkg}, kept)
			return result, err
		}
	}
	return &analysis.Analyzer{
		Name: "together", Doc: "reports what several analyzers do", Requires: all,
		Run: func(pass *analysis.Pass) (any, error) {
			for _, a := range all {
				kept, _ := found.Load(key{a, pass.Pkg})
				for _, d := range kept.([]analysis.Diagnostic) {
					pass.Report(analysis.Diagnostic{Pos: d.Pos, Message: d.Message})
				}
			}
			return nil, nil
		},
	}
}

func TestFindingNamesItsRule(t *testing.T) {
	slow := callsOf("slow", Warning)
	results := analysistest.Run(t, analysistest.TestData(), slow, "named")
	for _, r := range results {
		for _, d := range r.Diagnostics {
			if d.Category != "slow" || !strings.HasSuffix(d.URL, "/docs/vet/slow.md") {
				t.Errorf("category %q, URL %q", d.Category, d.URL)
			}
		}
		if len(r.Diagnostics) == 0 && !strings.Contains(r.Action.Package.ID, ".test]") {
			t.Error("no finding")
		}
	}
}
