package proof

import (
	"fmt"
	"go/token"
	"path/filepath"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"
)

// Finding is what a rule reports.
type Finding struct {
	At      token.Position // the file without its folder
	Rule    string
	Message string
}

// Analyse runs rules over packages of a folder, with what they depend on.
func Analyse(rules []*analysis.Analyzer, dir string, patterns ...string) (found []Finding, err error) {
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax, Dir: dir}, patterns...)
	if err != nil {
		return nil, err
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
			found = append(found, Finding{at, action.Analyzer.Name, d.Message})
		}
	}
	return found, nil
}
