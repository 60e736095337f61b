package mutate

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/imports"

	"github.com/thresh-dev/thresh/vet"
)

// mutant is a seed that has lost the path in one place.
type mutant struct {
	name     string // of its package
	seed     string
	change   string // what was done, in words
	rule     string // that has to find it
	source   string
	reported []string // the rules that reported something
}

func (m *mutant) found() bool { return slices.Contains(m.reported, m.rule) }

// edit replaces a node, or, without text, removes it.
type edit struct {
	from, to int
	text     string
}

// change is a way to lose the path at one place of a seed.
type change struct {
	what, rule string
	edits      []edit
	more       string // declarations that the file needs then
}

// operator finds the places of a seed where it can lose the path.
type operator func(*seed) []change

// mutate applies all operators to all seeds.
func mutate(seeds []*seed) (all []*mutant, err error) {
	for _, s := range seeds {
		for _, op := range operators {
			for _, c := range op(s) {
				m := &mutant{name: fmt.Sprintf("m%03d", len(all)), seed: s.name, change: c.what, rule: c.rule}
				if m.source, err = s.apply(c); err != nil {
					return nil, fmt.Errorf("%s: %s: %w", s.name, c.what, err)
				}
				all = append(all, m)
			}
		}
	}
	return all, nil
}

// apply returns the seed's source with a change, and with the imports that it then needs.
func (s *seed) apply(c change) (string, error) {
	slices.SortFunc(c.edits, func(a, b edit) int { return cmp.Compare(b.from, a.from) })
	src := string(s.src)
	for _, e := range c.edits {
		src = src[:e.from] + e.text + src[e.to:]
	}
	out, err := imports.Process(s.name, []byte(src+"\n"+c.more), nil)
	return string(out), err
}

// replace returns the edit that puts text in the place of a node.
func (s *seed) replace(n ast.Node, text string) edit {
	return edit{s.offset(n.Pos()), s.offset(n.End()), text}
}

// before returns the edit that puts text before a node.
func (s *seed) before(n ast.Node, text string) edit {
	return edit{s.offset(n.Pos()), s.offset(n.Pos()), text}
}

// remove returns the edit that removes a declaration with its comment, or a statement.
func (s *seed) remove(n ast.Node) edit {
	from := n.Pos()
	if f, ok := n.(*ast.FuncDecl); ok && f.Doc != nil {
		from = f.Doc.Pos()
	}
	return edit{s.offset(from), s.offset(n.End()), ""}
}

// find writes the mutants to a module in a folder, each as a package, and runs the rules over all of them.
func find(rules []*analysis.Analyzer, folder string, mutants []*mutant) error {
	byPath := map[string]*mutant{}
	if err := vet.ResponseWrapper.Flags.Set(vet.PossibleFlag, "true"); err != nil { // a seed is a package, and no program
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, "go.mod"), []byte("module mutants\n\ngo 1.26\n"), 0o600); err != nil {
		return err
	}
	for _, m := range mutants {
		dir := filepath.Join(folder, m.name)
		if err := errors.Join(os.Mkdir(dir, 0o700),
			os.WriteFile(filepath.Join(dir, m.seed), []byte(m.source), 0o600)); err != nil {
			return err
		}
		byPath["mutants/"+m.name] = m
	}
	env := append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax, Dir: folder, Env: env}, "./...")
	if err != nil {
		return err
	}
	for _, p := range pkgs {
		for _, e := range p.Errors {
			m := byPath[p.PkgPath]
			return fmt.Errorf("%s: %s: %w\n%s", m.seed, m.change, e, m.source)
		}
	}
	graph, err := checker.Analyze(rules, pkgs, nil)
	if err != nil {
		return err
	}
	for _, action := range graph.Roots {
		if action.Err != nil {
			return fmt.Errorf("%s: %s: %w", action.Package.PkgPath, action.Analyzer.Name, action.Err)
		}
		m := byPath[action.Package.PkgPath]
		if len(action.Diagnostics) > 0 {
			m.reported = append(m.reported, action.Analyzer.Name)
		}
	}
	return nil
}
