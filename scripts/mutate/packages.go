package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// listed is what go list says of a package.
type listed struct {
	ImportPath, Dir                          string
	Module                                   struct{ Path string }
	GoFiles, TestGoFiles, XTestGoFiles       []string
	Imports, TestImports, XTestImports, Deps []string
}

// rel returns the package's folder in the module, "." for the root.
func (p *listed) rel() string {
	if p.ImportPath == p.Module.Path {
		return "."
	}
	return strings.TrimPrefix(p.ImportPath, p.Module.Path+"/")
}

func last(p *listed) bool { return contains(lastPackages, p.rel()) }

func contains(names []string, name string) bool { return slices.Contains(names, name) }

func sorted(packages map[string]*listed) []string { return slices.Sorted(maps.Keys(packages)) }

// list returns all packages of the module in tree.
func list(ctx context.Context, tree string) (map[string]*listed, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-json", "./...")
	cmd.Dir = tree
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	out := map[string]*listed{}
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		p := &listed{}
		if err := d.Decode(p); errors.Is(err, io.EOF) {
			return out, nil
		} else if err != nil {
			return nil, err
		}
		out[p.ImportPath] = p
	}
}

// matching returns the import paths that the patterns name.
func matching(ctx context.Context, tree string, patterns []string) ([]string, error) {
	cmd := exec.CommandContext(ctx, "go", append([]string{"list"}, patterns...)...)
	cmd.Dir = tree
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list %s: %w", strings.Join(patterns, " "), err)
	}
	return strings.Fields(string(text)), nil
}

// candidates returns all faults that can be made in the files which this system builds.
func candidates(packages map[string]*listed, chosen []string) (faults, error) {
	out := faults{}
	for _, name := range chosen {
		p := packages[name]
		if p == nil || len(p.TestGoFiles)+len(p.XTestGoFiles) == 0 && strings.HasSuffix(name, "test") {
			continue // what only serves tests
		}
		for _, file := range p.GoFiles {
			if err := out.add(filepath.Join(p.Dir, file), name); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}
