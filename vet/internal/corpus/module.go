package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// module is a line of the list: a module, or a part of it.
type module struct {
	Path, Version string
	patterns      []string
}

// own is the path of this repository's module.
const own = "github.com/thresh-dev/thresh"

// readModules reads the list.
func readModules(path string) (all []module, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		m := module{Path: fields[0], patterns: []string{"./..."}}
		switch {
		case m.Path == "std":
			m.patterns = []string{"std"}
		case m.Path != own && len(fields) == 1:
			return nil, fmt.Errorf("%s: %s has no version", path, m.Path)
		case len(fields) > 1:
			m.Version = fields[1]
		}
		if len(fields) > 2 {
			m.patterns = fields[2:]
		}
		all = append(all, m)
	}
	return all, nil
}

// place is where a module is analysed: its folder, and the flags of the go command there.
type place struct {
	dir   string
	flags []string
}

// fetch downloads the module. Its go.mod and go.sum are copied to scratch, because the go command may
// have to add checksums of what only tests need; replacements by neighbouring folders, which are not
// part of a module, are taken out.
func (m module) fetch(ctx context.Context, scratch string) (place, error) {
	if m.Version == "" {
		return place{dir: "."}, nil
	}
	out, err := output(ctx, ".", "mod", "download", "-json", m.Path+"@"+m.Version)
	if err != nil {
		return place{}, err
	}
	var at struct{ Dir string }
	if err := json.Unmarshal(out, &at); err != nil {
		return place{}, err
	}
	folder := filepath.Join(scratch, filepath.FromSlash(m.Path))
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return place{}, err
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(at.Dir, name))
		if errors.Is(err, fs.ErrNotExist) && name == "go.sum" {
			continue // a module without dependencies
		} else if err != nil {
			return place{}, err
		}
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o644); err != nil {
			return place{}, err
		}
	}
	file := filepath.Join(folder, "go.mod")
	return place{at.Dir, []string{"-modfile=" + file, "-mod=mod"}}, dropNeighbours(ctx, file)
}

// dropNeighbours takes replacements by folders out of a go.mod.
func dropNeighbours(ctx context.Context, file string) error {
	out, err := output(ctx, ".", "mod", "edit", "-json", file)
	if err != nil {
		return err
	}
	var mod struct {
		Replace []struct {
			Old, New struct{ Path, Version string }
		}
	}
	if err := json.Unmarshal(out, &mod); err != nil {
		return err
	}
	for _, r := range mod.Replace {
		if r.New.Version != "" {
			continue
		}
		old := r.Old.Path
		if r.Old.Version != "" {
			old += "@" + r.Old.Version
		}
		if _, err := output(ctx, ".", "mod", "edit", "-dropreplace="+old, file); err != nil {
			return err
		}
	}
	return nil
}

// environment is that of go commands: a workspace would stand in the place of the go.mod.
func environment() []string { return append(os.Environ(), "GOWORK=off") }

// output runs the go command in a folder, and returns what it printed.
func output(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = dir, environment()
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return out, fmt.Errorf("go %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(stderr.String()))
	}
	return out, nil
}
