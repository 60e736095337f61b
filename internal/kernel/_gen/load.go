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

	// words are files of assembly that are built with the experiment alone, as the assembler
	// knows some of their instructions only then.
	words map[string]bool
}

// prefix is what the names of the package's symbols begin with.
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

// listed is what go list tells about a package.
type listed struct {
	ImportPath, Name, Dir, Export string
	GoFiles, TestGoFiles, SFiles  []string
	DepOnly                       bool
}

// load finds the packages that have a source for a machine, with their entries.
func load(root string, m *machine, patterns []string) ([]*pkg, error) {
	command := exec.Command("go", append([]string{"list", "-export", "-deps",
		"-json=ImportPath,Name,Dir,Export,GoFiles,TestGoFiles,SFiles,DepOnly"}, patterns...)...)
	command.Dir, command.Env, command.Stderr = root, m.environment(), os.Stderr
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	exports, named := map[string]string{}, []listed{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var l listed
		if err := d.Decode(&l); err == io.EOF {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		exports[l.ImportPath] = l.Export
		if !l.DepOnly {
			named = append(named, l)
		}
	}
	open := func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }
	var found []*pkg
	var errs []error
	for _, l := range named {
		p, err := inspect(l, m, open)
		errs = append(errs, err)
		if p != nil {
			found = append(found, p)
		}
	}
	return found, errors.Join(errs...)
}

// inspect checks the types of a package and finds its entries. It returns nil for a package
// without a source that has no assembly of an earlier one either.
func inspect(l listed, m *machine, open importer.Lookup) (*pkg, error) {
	set := token.NewFileSet()
	var files []*ast.File
	sources := map[string]bool{}
	for _, name := range l.GoFiles {
		file, err := parser.ParseFile(set, filepath.Join(l.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
		for _, i := range file.Imports {
			if i.Path.Value == `"simd/archsimd"` {
				sources[name] = true
			}
		}
	}
	p := &pkg{path: l.ImportPath, name: l.Name, dir: l.Dir, sources: map[string]string{}, words: map[string]bool{}}
	for _, name := range l.SFiles {
		text, err := os.ReadFile(filepath.Join(l.Dir, name))
		if err != nil {
			return nil, err
		}
		if strings.HasPrefix(string(text), "//go:build goexperiment.simd") {
			p.words[name] = true
		}
	}
	if len(sources)+len(p.words) == 0 {
		if _, err := os.Stat(filepath.Join(l.Dir, "simd_"+m.name+".s")); err != nil {
			return nil, nil
		}
		return p, nil
	}
	info := &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: importer.ForCompiler(set, "gc", open), Sizes: m.sizes()}
	var err error
	if p.types, err = config.Check(l.ImportPath, set, files, info); err != nil {
		return nil, err
	}
	base := func(at token.Pos) string { return filepath.Base(set.Position(at).Filename) }
	scope := p.types.Scope()
	for _, name := range scope.Names() {
		if at := scope.Lookup(name).Pos(); sources[base(at)] {
			p.sources[name] = set.Position(at).String()
		}
	}
	used := map[string]bool{}
	var errs []error
	for id, object := range info.Uses {
		if object.Pkg() != p.types || sources[base(id.Pos())] || !sources[base(object.Pos())] {
			continue
		}
		if object.Parent() == scope {
			used[object.Name()] = true
		} else if f, ok := object.(*types.Func); ok { // a method
			errs = append(errs, fmt.Errorf("%s: method %s is used elsewhere: make it a function", set.Position(f.Pos()), f.Name()))
		}
	}
	for _, name := range l.TestGoFiles {
		if err := p.usedBy(filepath.Join(l.Dir, name), used); err != nil {
			return nil, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(used)) {
		f, ok := scope.Lookup(name).(*types.Func)
		if !ok {
			errs = append(errs, fmt.Errorf("%s: %s is used elsewhere: move it to a file that does not import archsimd",
				p.sources[name], name))
			continue
		}
		sig := f.Signature()
		if sig.TypeParams() != nil || sig.Variadic() {
			errs = append(errs, fmt.Errorf("%s: %s has type parameters or any number of arguments", p.sources[name], name))
		}
		p.entries = append(p.entries, &entry{name, sig})
	}
	return p, errors.Join(errs...)
}

// usedBy adds what a test uses of the sources.
func (p *pkg) usedBy(file string, used map[string]bool) error {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, i := range parsed.Imports {
		if i.Path.Value == `"simd/archsimd"` {
			return nil
		}
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

// renamed gives a name to variables without one.
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
