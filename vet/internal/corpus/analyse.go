package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// result is what came of a module.
type result struct {
	Module   string     `json:"module"`
	Version  string     `json:"version,omitempty"`
	Packages int        `json:"packages"` // that were analysed
	Seconds  int        `json:"seconds"`
	Unloaded []unloaded `json:"unloaded,omitempty"`
	Findings []finding  `json:"findings,omitempty"`
}

// unloaded is a package that could not be loaded, and why.
type unloaded struct {
	Package string `json:"package"`
	Reason  string `json:"reason"`
}

// analyse runs the rules over a module.
func (m module) analyse(ctx context.Context, tool, scratch string) (result, error) {
	r := result{Module: m.Path, Version: m.Version}
	at, err := m.fetch(ctx, scratch)
	if err != nil {
		return r, err
	}
	loads, err := m.list(ctx, at, &r)
	if err != nil || len(loads) == 0 {
		return r, err
	}
	r.Packages = len(loads)
	begin := time.Now()
	args := []string{"vet", "-vettool=" + tool, "-json", "-responsewrapper.possible"}
	args = slices.Concat(args, at.flags, loads)
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = at.dir, environment()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	failed := cmd.Run() // fails if a package has errors; which ones follows
	r.Seconds = int(time.Since(begin).Seconds())
	if err := r.read(&stdout, at.dir); err != nil {
		return r, err
	}
	broken := brokenPackages(stderr.String())
	if failed != nil && len(broken) == 0 {
		return r, fmt.Errorf("go vet: %w: %s", failed, stderr.String())
	}
	if strings.Contains(stderr.String(), "goroutine ") {
		return r, fmt.Errorf("a rule panicked: %s", stderr.String())
	}
	r.Unloaded = append(r.Unloaded, broken...)
	r.Packages -= len(broken)
	slices.SortFunc(r.Findings, finding.compare)
	r.Findings = slices.Compact(r.Findings)
	return r, nil
}

// list returns the packages that can be loaded with their tests; the others are added to r. go vet itself
// stops at the first that can't.
func (m module) list(ctx context.Context, at place, r *result) (loads []string, err error) {
	const fields = "-json=ImportPath,Name,ForTest,Error,DepsErrors,GoFiles,TestGoFiles,XTestGoFiles"
	args := append([]string{"list", "-e", "-test", fields}, at.flags...)
	out, err := output(ctx, at.dir, append(args, m.patterns...)...)
	if err != nil {
		return nil, err
	}
	bad := map[string]bool{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath, Name, ForTest          string
			Error                              *struct{ Err string }
			DepsErrors                         []*struct{ Err string }
			GoFiles, TestGoFiles, XTestGoFiles []string
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		path, _, _ := strings.Cut(p.ImportPath, " ")
		if p.ForTest != "" {
			path = p.ForTest
		}
		path = strings.TrimSuffix(path, ".test")
		files := len(p.GoFiles) + len(p.TestGoFiles) + len(p.XTestGoFiles)
		reason := ""
		if p.Error != nil {
			reason = p.Error.Err
		} else if len(p.DepsErrors) > 0 {
			reason = p.DepsErrors[0].Err
		}
		switch {
		case reason != "" && !bad[path]:
			bad[path] = true
			r.Unloaded = append(r.Unloaded, unloaded{path, firstLine(reason)})
		case reason == "" && p.ForTest == "" && p.ImportPath == path && files > 0:
			loads = append(loads, path)
		}
	}
	return slices.DeleteFunc(loads, func(p string) bool { return bad[p] }), nil
}

// read reads the output of go vet -json: for each package, and each rule, its findings.
func (r *result) read(out io.Reader, dir string) error {
	root, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	for d := json.NewDecoder(out); ; {
		var tree map[string]map[string]json.RawMessage
		if err := d.Decode(&tree); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("read the output of go vet: %w", err)
		}
		for pkg, rules := range tree {
			for rule, text := range rules {
				if err := r.readRule(pkg, rule, root, text); err != nil {
					return err
				}
			}
		}
	}
}

// readRule reads what a rule reported about a package.
func (r *result) readRule(pkg, rule, root string, text []byte) error {
	var list []struct{ Posn, Message string }
	if err := json.Unmarshal(text, &list); err != nil {
		return fmt.Errorf("%s: %s: %s", pkg, rule, text)
	}
	for _, d := range list {
		at := position.FindStringSubmatch(d.Posn)
		if at == nil {
			return fmt.Errorf("%s: %s: strange position %q", pkg, rule, d.Posn)
		}
		line, err := strconv.Atoi(at[2])
		if err != nil {
			return err
		}
		name := at[1]
		if near, err := filepath.Rel(root, name); err == nil && filepath.IsLocal(near) {
			name = filepath.ToSlash(near)
		} else if _, near, ok := strings.Cut(name, "/src/"); r.Module == "std" && ok {
			name = near
		}
		r.Findings = append(r.Findings, finding{Module: r.Module, File: name, Line: line, Rule: rule, Message: d.Message})
	}
	return nil
}

var (
	position = regexp.MustCompile(`^(.*?):(\d+)(?::\d+)?$`)
	header   = regexp.MustCompile(`^# ([^\s\[]\S*)( \[.*)?$`)
)

// brokenPackages reads errors of go vet: a line with the package, and below it what is wrong.
func brokenPackages(text string) (all []unloaded) {
	var at *unloaded
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if h := header.FindStringSubmatch(line); h != nil {
			all = append(all, unloaded{Package: h[1]})
			at = &all[len(all)-1]
		} else if at != nil && at.Reason == "" && !strings.HasPrefix(line, "# ") {
			at.Reason = line
		}
	}
	slices.SortFunc(all, func(a, b unloaded) int { return strings.Compare(a.Package, b.Package) })
	return slices.CompactFunc(all, func(a, b unloaded) bool { return a.Package == b.Package })
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return s
}
