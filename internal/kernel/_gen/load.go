package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A pkg is a package with a source.
type pkg struct {
	path, name, dir string

	types   *types.Package
	entries []*entry
	sources map[string]string // what the sources declare, and where

	// words are the files of assembly that are built only with the experiment, because the
	// assembler knows some of their instructions only then.
	words map[string]bool
}

// prefix is the prefix of the package's symbols.
func (p *pkg) prefix() string {
	if p.name == "main" {
		return "main."
	}
	return p.path + "."
}

// An entry is a function of a source that other files use.
type entry struct {
	name string
	sig  *types.Signature
}

// listed is what go list prints about a package.
type listed struct {
	ImportPath, Name, Dir, Export                string
	GoFiles, IgnoredGoFiles, TestGoFiles, SFiles []string
	Imports                                      []string
	DepOnly                                      bool
}

// list runs go list.
func list(root string, m *machine, args ...string) (all []listed, err error) {
	command := exec.Command("go", append([]string{"list",
		"-json=ImportPath,Name,Dir,Export,GoFiles,IgnoredGoFiles,TestGoFiles,SFiles,Imports,DepOnly"}, args...)...)
	command.Dir, command.Env, command.Stderr = root, m.environment(), os.Stderr
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var l listed
		if err := d.Decode(&l); err == io.EOF {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		all = append(all, l)
	}
}

// load finds the packages that have a source for a machine, with their entries. It writes the sources
// that are derived from others, or checks that they are up to date.
func load(root string, m *machine, patterns []string, check bool) ([]*pkg, error) {
	all, err := list(root, m, patterns...)
	if err != nil {
		return nil, err
	}
	var found []*pkg
	var paths []string
	for _, l := range all {
		p := &pkg{path: l.ImportPath, name: l.Name, dir: l.Dir, sources: map[string]string{}, words: map[string]bool{}}
		if err := p.findWords(l.SFiles); err != nil {
			return nil, err
		}
		switch {
		case slices.Contains(l.Imports, "simd/archsimd"):
			paths = append(paths, l.ImportPath)
			files, err := derive(l, m)
			if err == nil {
				err = files.settle(l.Dir, check)
			}
			if err != nil {
				return nil, err
			}
		case len(p.words) > 0 || p.isLeft(m):
			found = append(found, p)
		}
	}
	if len(paths) == 0 {
		return found, nil
	}
	// Only these are built, with their dependencies, because their types are needed.
	if all, err = list(root, m, append([]string{"-export", "-deps"}, paths...)...); err != nil {
		return nil, err
	}
	exports := map[string]string{}
	for _, l := range all {
		exports[l.ImportPath] = l.Export
	}
	open := func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }
	var errs []error
	for _, l := range all {
		if !l.DepOnly {
			p, err := inspect(l, m, open)
			errs = append(errs, err)
			found = append(found, p)
		}
	}
	return found, errors.Join(errs...)
}

// isLeft reports whether a package has generated assembly, though perhaps no source any more.
func (p *pkg) isLeft(m *machine) bool {
	_, err := os.Stat(filepath.Join(p.dir, "simd_"+m.name+".s"))
	return err == nil
}

// findWords finds the assembly that is built only with the experiment.
func (p *pkg) findWords(files []string) error {
	for _, name := range files {
		text, err := os.ReadFile(filepath.Join(p.dir, name))
		if err != nil {
			return err
		}
		if strings.HasPrefix(string(text), "//go:build goexperiment.simd") {
			p.words[name] = true
		}
	}
	return nil
}

// inspect checks the types of a package that imports archsimd, and finds its entries.
func inspect(l listed, m *machine, open importer.Lookup) (*pkg, error) {
	p := &pkg{path: l.ImportPath, name: l.Name, dir: l.Dir, sources: map[string]string{}, words: map[string]bool{}}
	if err := p.findWords(l.SFiles); err != nil {
		return nil, err
	}
	set := token.NewFileSet()
	var files []*ast.File
	isSource := map[string]bool{}
	for _, name := range l.GoFiles {
		name = filepath.Join(l.Dir, name)
		file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
		isSource[name] = slices.ContainsFunc(file.Imports, isArchsimd)
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: importer.ForCompiler(set, "gc", open), Sizes: m.sizes()}
	var err error
	if p.types, err = config.Check(l.ImportPath, set, files, info); err != nil {
		return nil, err
	}
	scope := p.types.Scope()
	for _, name := range scope.Names() {
		if at := set.Position(scope.Lookup(name).Pos()); isSource[at.Filename] {
			p.sources[name] = at.String()
		}
	}
	used := map[string]bool{}
	var errs []error
	for id, object := range info.Uses {
		at := set.Position(object.Pos())
		if object.Pkg() != p.types || isSource[set.Position(id.Pos()).Filename] || !isSource[at.Filename] {
			continue
		}
		if object.Parent() == scope {
			used[object.Name()] = true
		} else if f, ok := object.(*types.Func); ok {
			errs = append(errs, fmt.Errorf("%s: method %s is used elsewhere: make it a function", at, f.Name()))
		}
	}
	for _, name := range l.TestGoFiles {
		errs = append(errs, p.usedBy(filepath.Join(l.Dir, name), used))
	}
	return p, errors.Join(append(errs, p.enter(used))...)
}

func isArchsimd(i *ast.ImportSpec) bool { return i.Path.Value == `"simd/archsimd"` }

// enter makes the functions of the sources that are used elsewhere entries.
func (p *pkg) enter(used map[string]bool) error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(used)) {
		f, ok := p.types.Scope().Lookup(name).(*types.Func)
		if !ok {
			errs = append(errs, fmt.Errorf("%s: %s is used elsewhere: move it to a file that does not import archsimd",
				p.sources[name], name))
			continue
		}
		sig := f.Signature()
		if sig.TypeParams() != nil || sig.Variadic() {
			errs = append(errs, fmt.Errorf("%s: %s has type parameters or a variable number of arguments",
				p.sources[name], name))
		}
		p.entries = append(p.entries, &entry{name, sig})
	}
	return errors.Join(errs...)
}

// usedBy adds what a test file uses of the sources.
func (p *pkg) usedBy(file string, used map[string]bool) error {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(parsed.Imports, isArchsimd) {
		return nil
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && p.sources[id.Name] != "" {
			used[id.Name] = true
		}
		return true
	})
	return nil
}

// imports returns the packages that the entries' types come from.
func (p *pkg) imports() []string {
	set := map[string]bool{}
	for _, f := range p.entries {
		types.TypeString(f.sig, func(other *types.Package) string {
			if other != p.types {
				set[other.Path()] = true
			}
			return ""
		})
	}
	return slices.Sorted(maps.Keys(set))
}

// signature returns the parameters and results as they are declared.
func (f *entry) signature(p *pkg) string {
	named := types.NewSignatureType(nil, nil, nil, renamed(f.sig.Params(), "arg"), f.sig.Results(), false)
	return strings.TrimPrefix(types.TypeString(named, func(other *types.Package) string {
		if other == p.types {
			return ""
		}
		return other.Name()
	}), "func")
}

// renamed names the variables that have no name.
func renamed(t *types.Tuple, name string) *types.Tuple {
	var vars []*types.Var
	for i, v := range slices.Collect(t.Variables()) {
		if v.Name() == "" || v.Name() == "_" {
			v = types.NewParam(v.Pos(), v.Pkg(), fmt.Sprint(name, i), v.Type())
		}
		vars = append(vars, v)
	}
	return types.NewTuple(vars...)
}
