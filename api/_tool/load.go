package main

import (
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// systems are checked to have the same API: code that builds on one must build on the others.
var systems = []string{"linux/amd64", "linux/arm64", "darwin/arm64", "windows/amd64"}

// A stub is the API of one package.
type stub struct {
	name string // of the file, without .txt
	text string
}

// stubs are the API of packages, by import path.
type stubs map[string]stub

// currentStubs makes the stubs of the module's public packages.
func currentStubs(root string) (stubs, error) {
	var all stubs
	for i, system := range systems {
		found, err := systemStubs(root, system)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", system, err)
		}
		if i == 0 {
			all = found
		}
		for p, s := range found {
			if all[p] != s {
				return nil, fmt.Errorf("the API of %s on %s is not that on %s: %s", p, system, systems[0],
					firstDifference(all[p].text, s.text))
			}
		}
		if len(found) != len(all) {
			return nil, fmt.Errorf("%d public packages on %s, %d on %s", len(found), system, len(all), systems[0])
		}
	}
	return all, nil
}

func systemStubs(root, system string) (stubs, error) {
	goos, goarch, _ := strings.Cut(system, "/")
	env := []string{"GOOS=" + goos, "GOARCH=" + goarch, "CGO_ENABLED=0"}
	// Types need compiled packages. Commands need not compile while the API is being changed.
	listed, err := load(root, env, packages.NeedName|packages.NeedModule, "./...")
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, p := range listed {
		if public(p) {
			paths = append(paths, p.PkgPath)
		}
	}
	if len(paths) == 0 {
		return nil, errors.New("no public package found")
	}
	loaded, err := load(root, env, withTypes, paths...)
	if err != nil {
		return nil, err
	}
	found := stubs{}
	file := map[string]string{}
	for _, p := range loaded {
		text, err := stubOf(p.Types)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(p.Types.Scope().Names(), token.IsExported) {
			continue // it holds tests only
		}
		name := path.Base(p.PkgPath)
		if other, taken := file[name]; taken {
			return nil, fmt.Errorf("%s and %s are both kept in %s.txt", other, p.PkgPath, name)
		}
		file[name] = p.PkgPath
		found[p.PkgPath] = stub{name, text}
	}
	return found, nil
}

// public reports whether the module's compatibility promise covers a package. Experiments and
// benchmarks can be imported, but promise nothing.
func public(p *packages.Package) bool {
	if p.Name == "main" || p.Module == nil {
		return false
	}
	below := strings.TrimPrefix(strings.TrimPrefix(p.PkgPath, p.Module.Path), "/")
	for i, element := range strings.Split(below, "/") {
		if element == "internal" || i == 0 && (element == "lab" || element == "bench") {
			return false
		}
	}
	return true
}

// withTypes loads the types of a package's declarations, from the compiler's export data.
const withTypes = packages.NeedName | packages.NeedTypes | packages.NeedImports | packages.NeedExportFile

// load returns packages. An error of any of them is an error.
func load(dir string, env []string, mode packages.LoadMode, patterns ...string) ([]*packages.Package, error) {
	loaded, err := packages.Load(&packages.Config{
		Mode: mode,
		Dir:  dir,
		Env:  append(os.Environ(), env...),
	}, patterns...)
	if err != nil {
		return nil, err
	}
	for _, p := range loaded {
		for _, err := range p.Errors {
			return nil, fmt.Errorf("%s: %w", p.PkgPath, err)
		}
	}
	return loaded, nil
}

// others returns a loader of packages that are not the module's own, as the module in a folder builds with them.
func others(root string) loader {
	return func(paths []string) (map[string]*types.Package, error) { return loadOthers(root, paths) }
}

func loadOthers(root string, paths []string) (map[string]*types.Package, error) {
	found := map[string]*types.Package{}
	if len(paths) == 0 {
		return found, nil
	}
	loaded, err := load(root, nil, withTypes, paths...)
	if err != nil {
		return nil, err
	}
	for _, p := range loaded {
		found[p.PkgPath] = p.Types
	}
	return found, nil
}

// importPath finds the path in a stub's package clause.
var importPath = regexp.MustCompile(`(?m)^package \w+ // import "(.+)"$`)

func readStubs(dir string) (stubs, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil {
		return nil, err
	}
	found := stubs{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		m := importPath.FindSubmatch(text)
		if m == nil {
			return nil, fmt.Errorf("%s: no package clause with an import path", file)
		}
		found[string(m[1])] = stub{strings.TrimSuffix(filepath.Base(file), ".txt"), string(text)}
	}
	return found, nil
}

// writeStubs writes a file for each package, and removes those of packages that are gone.
func writeStubs(dir string, s stubs) error {
	old, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil {
		return err
	}
	written := map[string]bool{}
	for _, stub := range s {
		file := filepath.Join(dir, stub.name+".txt")
		if err := os.WriteFile(file, []byte(stub.text), 0o644); err != nil {
			return err
		}
		written[file] = true
	}
	for _, file := range old {
		if !written[file] {
			if err := os.Remove(file); err != nil {
				return err
			}
		}
	}
	return nil
}

func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range max(len(x), len(y)) {
		switch {
		case i >= len(x):
			return fmt.Sprintf("it also has %q", y[i])
		case i >= len(y):
			return fmt.Sprintf("it lacks %q", x[i])
		case x[i] != y[i]:
			return fmt.Sprintf("line %d is %q, not %q", i+1, y[i], x[i])
		}
	}
	return "the texts are the same"
}
