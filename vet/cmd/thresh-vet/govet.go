package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/thresh-dev/thresh/vet"
	"github.com/thresh-dev/thresh/vet/internal/whole"
)

// goVet runs go vet with this program as its tool. The go command loads the packages, and keeps the
// results of those that have not changed.
type goVet struct {
	goPath, self    string
	folder          string // in which it runs, "" for the current one
	flags, patterns []string
	stderr          io.Writer
}

func newGoVet(folder string, flags, patterns []string, stderr io.Writer) (*goVet, error) {
	goPath, err := exec.LookPath("go")
	if err != nil {
		return nil, fmt.Errorf("thresh-vet loads packages with the go command, which is not on the PATH: %w", err)
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return &goVet{goPath, self, folder, flags, patterns, stderr}, nil
}

// command returns a call of go vet with some flags of its own. With -trimpath, as GOFLAGS may have it, the go
// command keeps results by content alone, and answers with the paths of another copy of the same code.
func (g *goVet) command(ctx context.Context, flags ...string) *exec.Cmd {
	args := []string{"vet", "-vettool=" + g.self, "-trimpath=false"}
	args = slices.Concat(args, flags, g.flags, []string{"--"}, g.patterns)
	cmd := exec.CommandContext(ctx, g.goPath, args...)
	cmd.Dir, cmd.Stderr = g.folder, g.stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	return cmd
}

// allFlags makes the rules report what is not shown unless it is asked for: warnings in test files, and what
// is possible.
func allFlags() []string {
	return append(testsFlags(), "-"+vet.ResponseWrapper.Name+"."+vet.PossibleFlag)
}

// testsFlags makes the warnings report in test files.
func testsFlags() (flags []string) {
	for _, r := range vet.Rules() {
		if r.Analyzer.Flags.Lookup(vet.TestsFlag) != nil {
			flags = append(flags, "-"+r.Analyzer.Name+"."+vet.TestsFlag)
		}
	}
	return flags
}

// check returns the findings of all rules, sorted. Which of them are shown is decided afterwards, so that
// the go command can use what it has kept whatever is asked for. An error means that some packages could
// not be loaded: the findings are those of the others.
func (g *goVet) check(ctx context.Context) ([]finding, error) {
	cmd := g.command(ctx, append(allFlags(), "-json")...)
	var out bytes.Buffer
	cmd.Stdout = &out
	var runErr error
	var program *whole.Result
	err := shown(g.stderr, func(complaints io.Writer) (err error) {
		cmd.Stderr = complaints
		if runErr = cmd.Run(); ctx.Err() != nil {
			return ctx.Err()
		}
		program, err = g.whole(ctx)
		return err
	})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	found, err := decode(&out)
	return merge(found, program), errors.Join(loadError(runErr), err)
}

// whole runs the rules over all packages at once. go vet, which knows of a package only what it imports, says
// what can't be loaded, and looks at the tests.
func (g *goVet) whole(ctx context.Context) (*whole.Result, error) {
	c := whole.Config{Dir: g.folder, Flags: g.flags, Patterns: g.patterns}
	for _, f := range g.flags {
		if name, ok := strings.CutPrefix(f, "-overlay="); ok {
			var err error
			if c.Overlay, err = overlay(name); err != nil {
				return nil, err
			}
		}
	}
	for _, f := range allFlags() {
		rule, name, _ := strings.Cut(f[1:], ".")
		for _, r := range vet.Rules() {
			if r.Analyzer.Name == rule {
				if err := r.Analyzer.Flags.Set(name, "true"); err != nil {
					return nil, err
				}
			}
		}
	}
	return whole.Check(ctx, c, vet.All())
}

// overlay returns the contents of files that -overlay replaces.
func overlay(name string) (map[string][]byte, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var o struct{ Replace map[string]string }
	if err := json.Unmarshal(text, &o); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	files := map[string][]byte{}
	for from, to := range o.Replace {
		if to == "" {
			continue // removed
		}
		if files[from], err = os.ReadFile(to); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// merge returns the findings of a whole program, and those of go vet in the files that were not looked at there.
func merge(found []finding, program *whole.Result) []finding {
	looked := map[string]bool{}
	for name := range program.Files {
		looked[relative(name)] = true
	}
	found = slices.DeleteFunc(found, func(f finding) bool { return looked[f.File] })
	for _, x := range program.Found {
		at := func(from, to token.Pos) place {
			return parsePlace(program.Fset.Position(from).String(), program.Fset.Position(to).String())
		}
		f := finding{place: at(x.Pos, x.End), Message: x.Message, about: x.Category, Fixable: len(x.SuggestedFixes) > 0}
		if f.Fixable {
			for _, e := range x.SuggestedFixes[0].TextEdits {
				file := program.Fset.File(e.Pos)
				from, to := file.Offset(e.Pos), file.Offset(cmp.Or(e.End, e.Pos))
				f.edits = append(f.edits, edit{file.Name(), from, to, string(e.NewText)})
			}
		}
		for _, r := range x.Related {
			f.Related = append(f.Related, related{at(r.Pos, r.End), r.Message})
		}
		f.of(x.Rule)
		found = append(found, f)
	}
	return sorted(found)
}

// loadError returns the error for a go vet that failed. It has said why.
func loadError(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("not all packages could be checked: go vet: %w", err)
}

// decode returns the findings in the output of go vet -json: an object for each package, with lines
// between them that begin with #.
func decode(r *bytes.Buffer) (found []finding, err error) {
	var objects bytes.Buffer
	for line := range bytes.Lines(r.Bytes()) {
		if !bytes.HasPrefix(line, []byte("#")) {
			objects.Write(line)
		}
	}
	var errs []error
	for d := json.NewDecoder(&objects); ; {
		var packages map[string]map[string]json.RawMessage
		if err := d.Decode(&packages); err == io.EOF {
			break
		} else if err != nil {
			return found, fmt.Errorf("read the output of go vet: %w", err)
		}
		for pkg, rules := range packages {
			for rule, raw := range rules {
				all, err := decodeRule(rule, raw)
				if err != nil {
					errs = append(errs, fmt.Errorf("%s in %s: %w", rule, pkg, err))
				}
				found = append(found, all...)
			}
		}
	}
	return found, errors.Join(errs...)
}

// sorted returns findings by their places, each once: a package and its test variant have the same.
func sorted(found []finding) []finding {
	slices.SortFunc(found, func(a, b finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Message, b.Message))
	})
	return slices.CompactFunc(found, func(a, b finding) bool {
		return a.place == b.place && a.Rule == b.Rule && a.Message == b.Message
	})
}

// decodeRule returns the findings of one rule in one package. What it gives may be an error instead.
func decodeRule(rule string, raw json.RawMessage) (found []finding, err error) {
	var failed struct{ Error string }
	if json.Unmarshal(raw, &failed) == nil && failed.Error != "" {
		return nil, errors.New(failed.Error)
	}
	var diagnostics []diagnostic
	if err := json.Unmarshal(raw, &diagnostics); err != nil {
		return nil, err
	}
	for _, d := range diagnostics {
		x := finding{Message: d.Message, about: d.Category, Fixable: len(d.Fixes) > 0}
		if x.Fixable {
			x.edits = d.Fixes[0].Edits
		}
		x.of(rule)
		x.place = parsePlace(d.Posn, d.End)
		for _, r := range d.Related {
			x.Related = append(x.Related, related{parsePlace(r.Posn, r.End), r.Message})
		}
		found = append(found, x)
	}
	return found, nil
}

// diagnostic is a finding as go vet -json prints it.
type diagnostic struct {
	Category, Posn, End, Message string
	Fixes                        []struct{ Edits []edit } `json:"suggested_fixes"`
	Related                      []struct{ Posn, End, Message string }
}

// parsePlace parses positions such as /a/b.go:3:14. Files below the current folder become relative.
func parsePlace(from, to string) (p place) {
	p.File, p.Line, p.Column = parsePosition(from)
	if name, line, column := parsePosition(to); name == p.File {
		p.EndLine, p.EndColumn = line, column
	}
	p.File = relative(p.File)
	return p
}

// relative returns the name of a file as it is below the current folder, or name if it is not there.
func relative(name string) string {
	if here, err := os.Getwd(); err == nil && filepath.IsAbs(name) {
		if rel, err := filepath.Rel(here, name); err == nil && filepath.IsLocal(rel) {
			return rel
		}
	}
	return name
}

func parsePosition(s string) (file string, line, column int) {
	file, last, _ := cutLast(s)
	rest, middle, ok := cutLast(file)
	if n, err := strconv.Atoi(middle); ok && err == nil {
		column, _ = strconv.Atoi(last) // "-" has no place
		return rest, n, column
	}
	line, _ = strconv.Atoi(last)
	return file, line, 0
}

func cutLast(s string) (before, after string, found bool) {
	if i := strings.LastIndexByte(s, ':'); i >= 0 {
		return s[:i], s[i+1:], true
	}
	return s, "", false
}
