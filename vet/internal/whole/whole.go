// Package whole runs rules over all packages of a program at once, so that a value is followed from the package that
// makes it to the one that copies it, whichever of them imports the other.
package whole

import (
	"bytes"
	"context"
	"go/token"
	"go/types"
	"os"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/thresh-dev/thresh/vet/internal/flow"
	"github.com/thresh-dev/thresh/vet/internal/shape"
)

// Config says what to check: packages as the go command in Dir understands them.
type Config struct {
	Dir             string
	Flags, Patterns []string
	Overlay         map[string][]byte // content by absolute file name
}

// Result is what was found.
type Result struct {
	Fset  *token.FileSet
	Files map[string]bool // what was looked at, by absolute name; a package with errors is left out
	Found []Finding
}

// Finding is a finding of a rule.
type Finding struct {
	Rule string
	analysis.Diagnostic
}

// followed are the types that a package hands on, or waits for, if its functions are followed.
var followed = [][]byte{[]byte("http.ResponseWriter"), []byte("net.Conn"), []byte("net.Listener")}

// Check runs rules over the packages that are asked for. The functions of what they import are followed where
// they handle responses or connections. Packages that can't be loaded are left out, without an error. Where no
// package that is asked for handles any, nothing is looked at.
func Check(ctx context.Context, c Config, rules []*analysis.Analyzer) (*Result, error) {
	roots, deps, err := c.list(ctx)
	if err != nil || len(roots) == 0 {
		return &Result{}, err
	}
	fset := token.NewFileSet()
	config := c.load(ctx, packages.LoadSyntax|packages.NeedModule)
	config.Fset = fset
	loaded, err := packages.Load(config, slices.Concat(roots, deps)...)
	if err != nil {
		return nil, err
	}
	loaded = slices.DeleteFunc(loaded, func(p *packages.Package) bool {
		return p.IllTyped || len(p.Errors) > 0 || p.Types == nil
	})
	initial := map[*packages.Package]bool{}
	for _, p := range loaded {
		initial[p] = true
	}
	packages.Visit(loaded, nil, func(p *packages.Package) {
		if !initial[p] {
			p.Syntax = nil // its bodies have no types
		}
	})
	graph, err := checker.Analyze([]*analysis.Analyzer{shape.Analyzer}, loaded, nil)
	if err != nil {
		return nil, err
	}
	var all []flow.Package
	for _, a := range graph.Roots {
		if shapes, ok := a.Result.(*shape.Shapes); ok && a.Err == nil {
			p := a.Package
			all = append(all, flow.Package{Types: p.Types, Files: p.Syntax, Info: p.TypesInfo, Shapes: shapes})
		}
	}
	forget := flow.Whole(fset, all, func(p *types.Package) bool { return slices.Contains(roots, p.Path()) })
	defer forget()
	asked := slices.DeleteFunc(loaded, func(p *packages.Package) bool { return !slices.Contains(roots, p.PkgPath) })
	graph, err = checker.Analyze(rules, asked, nil)
	if err != nil {
		return nil, err
	}
	return collect(fset, graph), nil
}

// list returns the paths of the packages that are asked for, and of those among what they import that are followed.
func (c Config) list(ctx context.Context) (roots, deps []string, err error) {
	const mode = packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedModule
	found, err := packages.Load(c.load(ctx, mode), c.Patterns...)
	if err != nil || !slices.ContainsFunc(found, follows) {
		return nil, nil, err // there is nothing to follow from one package to another
	}
	for _, p := range found {
		if p.PkgPath == "command-line-arguments" {
			return nil, nil, nil // files without a package path can't be asked for beside other packages
		}
		roots = append(roots, p.PkgPath)
	}
	packages.Visit(found, nil, func(p *packages.Package) {
		if (p.PkgPath == "net/http" || p.Module != nil && follows(p)) && !slices.Contains(roots, p.PkgPath) {
			deps = append(deps, p.PkgPath)
		}
	})
	return roots, deps, nil
}

// follows reports whether a package names one of the types to follow. Most packages that import net/http ask
// others only.
func follows(p *packages.Package) bool {
	return slices.ContainsFunc(p.GoFiles, func(name string) bool {
		text, err := os.ReadFile(name) // a file that can't be read, the go command complains about
		return err == nil && slices.ContainsFunc(followed, func(t []byte) bool { return bytes.Contains(text, t) })
	})
}

func (c Config) load(ctx context.Context, mode packages.LoadMode) *packages.Config {
	return &packages.Config{Context: ctx, Mode: mode, Dir: c.Dir, BuildFlags: c.Flags, Overlay: c.Overlay}
}

// collect returns the findings of a graph's roots.
func collect(fset *token.FileSet, graph *checker.Graph) *Result {
	r := &Result{Fset: fset, Files: map[string]bool{}}
	for _, a := range graph.Roots {
		if a.Err != nil {
			continue
		}
		for _, file := range a.Package.Syntax {
			r.Files[fset.Position(file.FileStart).Filename] = true
		}
		for _, d := range a.Diagnostics {
			r.Found = append(r.Found, Finding{a.Analyzer.Name, d})
		}
	}
	return r
}
