package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"slices"
	"strconv"

	"golang.org/x/exp/apidiff"
)

// A loader returns packages that are not ours, of the standard library or of others, by their import paths.
type loader func(paths []string) (map[string]*types.Package, error)

// compare prints how the current API differs from the kept one, and reports whether it does.
func compare(out io.Writer, kept, current stubs, load loader) (differ bool, err error) {
	if maps.Equal(kept, current) {
		return false, nil
	}
	checkedKept, err := checkStubs(kept, load)
	if err != nil {
		return false, fmt.Errorf("a file of api/ is not Go; run make api: %w", err)
	}
	checkedCurrent, err := checkStubs(current, load)
	if err != nil {
		return false, err
	}
	paths := slices.Collect(maps.Keys(kept))
	paths = slices.AppendSeq(paths, maps.Keys(current))
	slices.Sort(paths)
	for _, path := range slices.Compact(paths) {
		was, recorded := kept[path]
		now, exists := current[path]
		if was == now {
			continue
		}
		fmt.Fprintln(out, path)
		switch {
		case !exists:
			fmt.Fprintln(out, "\tincompatible: package removed")
			continue
		case !recorded:
			fmt.Fprintln(out, "\tnot recorded: package added")
			continue
		}
		changes := apidiff.Changes(checkedKept[path], checkedCurrent[path]).Changes
		for _, c := range changes {
			if c.Compatible {
				fmt.Fprintln(out, "\tnot recorded:", c.Message)
			} else {
				fmt.Fprintln(out, "\tincompatible:", c.Message)
			}
		}
		if len(changes) == 0 { // apidiff ignores names of parameters, tags and order
			fmt.Fprintln(out, "\tnot recorded:", firstDifference(was.text, now.text))
		}
	}
	return true, nil
}

// checkStubs parses and type-checks stubs, which import one another and packages of others.
func checkStubs(s stubs, load loader) (map[string]*types.Package, error) {
	fset := token.NewFileSet()
	files := map[string]*ast.File{}
	var imports []string
	for path, stub := range s {
		f, err := parser.ParseFile(fset, stub.name+".txt", stub.text, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files[path] = f
		for _, i := range f.Imports {
			imported, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return nil, err
			}
			if _, ours := s[imported]; !ours {
				imports = append(imports, imported)
			}
		}
	}
	slices.Sort(imports)
	found, err := load(slices.Compact(imports))
	if err != nil {
		return nil, err
	}
	checked := map[string]*types.Package{}
	c := &checker{fset, files, found, checked}
	for path := range files {
		if _, err := c.Import(path); err != nil {
			return nil, err
		}
	}
	return checked, nil
}

// A checker type-checks stubs in the order of their imports. It is a types.Importer.
type checker struct {
	fset    *token.FileSet
	files   map[string]*ast.File
	others  map[string]*types.Package
	checked map[string]*types.Package
}

func (c *checker) Import(path string) (*types.Package, error) {
	if p, ok := c.checked[path]; ok {
		return p, nil
	}
	f, ours := c.files[path]
	if !ours {
		if p, ok := c.others[path]; ok {
			return p, nil
		}
		return nil, fmt.Errorf("package %s is neither ours nor could it be loaded", path)
	}
	// Functions have no bodies.
	config := types.Config{Importer: c, IgnoreFuncBodies: true}
	p, err := config.Check(path, c.fset, []*ast.File{f}, nil)
	if err != nil {
		return nil, err
	}
	c.checked[path] = p
	return p, nil
}
