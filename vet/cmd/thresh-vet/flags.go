package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/thresh-dev/thresh/vet"
)

// flags are the flags of the command.
type flags struct {
	json, sarif, list      bool
	fix, diff, tests       bool
	possible               bool
	enable, disable        []string
	folder                 string
	tags, mod, file, cover string
	race                   bool
}

func (f *flags) define(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.BoolVar(&f.list, "list", false, "list the rules, and check nothing")
	flags.BoolVar(&f.json, "json", false, "print the findings, or the rules, as JSON lines")
	flags.BoolVar(&f.sarif, "sarif", false, "print the findings as SARIF 2.1.0, for code scanning")
	flags.StringSliceVar(&f.enable, "enable", nil, "only these `RULES`, separated by commas")
	flags.StringSliceVar(&f.disable, "disable", nil, "all rules but these `RULES`")
	flags.BoolVar(&f.tests, "tests", false, "also warnings in test files; errors are always shown")
	flags.BoolVar(&f.possible, "possible", false, "also wrappers of which no copy is known")
	flags.BoolVar(&f.fix, "fix", false, "apply the fixes that rules suggest, and print what is left")
	flags.BoolVar(&f.diff, "diff", false, "print what --fix would change, as a patch, and change nothing")
	flags.StringVarP(&f.folder, "chdir", "C", "", "work in this `FOLDER`")
	flags.StringVar(&f.tags, "tags", "", "build tags, separated by commas, as those of go build")
	flags.StringVar(&f.mod, "mod", "", "readonly, vendor or mod, as that of go build")
	flags.StringVar(&f.file, "modfile", "", "read this `FILE` instead of go.mod, as go build does")
	flags.StringVar(&f.cover, "overlay", "", "replace files by others, as that of go build does")
	flags.BoolVar(&f.race, "race", false, "check the files that are built with -race")
	for _, name := range []string{"enable", "disable"} {
		// It fails for flags that do not exist only.
		_ = cmd.RegisterFlagCompletionFunc(name, completeRules)
	}
	cmd.MarkFlagsMutuallyExclusive("json", "sarif")
	cmd.MarkFlagsMutuallyExclusive("enable", "disable")
	cmd.MarkFlagsMutuallyExclusive("fix", "diff", "list")
	cmd.MarkFlagsMutuallyExclusive("sarif", "diff", "list")
	cmd.MarkFlagsMutuallyExclusive("json", "diff")
	cmd.MarkFlagsMutuallyExclusive("overlay", "fix")
	cmd.MarkFlagsMutuallyExclusive("overlay", "diff")
}

func completeRules(*cobra.Command, []string, string) (names []string, _ cobra.ShellCompDirective) {
	for _, r := range vet.Rules() {
		names = append(names, r.Analyzer.Name+"\t"+r.Short)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// selected returns the names of the rules whose findings are shown.
func (f *flags) selected() ([]string, error) {
	var all []string
	for _, r := range vet.Rules() {
		all = append(all, r.Analyzer.Name)
	}
	for _, name := range slices.Concat(f.enable, f.disable) {
		if !slices.Contains(all, name) {
			return nil, fmt.Errorf("there is no rule %q; \"thresh vet --list\" has them all", name)
		}
	}
	if len(f.enable) > 0 {
		return f.enable, nil
	}
	return slices.DeleteFunc(all, func(name string) bool { return slices.Contains(f.disable, name) }), nil
}

func (f *flags) run(ctx context.Context, patterns []string, stdout, stderr io.Writer) error {
	if f.list {
		if len(patterns) > 0 {
			return errors.New("--list takes no packages: it checks nothing")
		}
		return printRules(stdout, f.json)
	}
	rules, err := f.selected()
	if err != nil {
		return err
	}
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	g, err := newGoVet(f.folder, f.buildFlags(), patterns, stderr)
	if err != nil {
		return err
	}
	check := func() ([]finding, error) {
		found, err := g.check(ctx)
		return slices.DeleteFunc(found, func(x finding) bool { return !x.shown(rules, f.tests, f.possible) }), err
	}
	found, loadErr := check()
	if f.diff || f.fix {
		changed, err := fix(found, f.diff, stdout)
		if err != nil || f.diff {
			return errors.Join(err, loadErr, foundIf(changed))
		}
		if changed {
			found, loadErr = check()
		}
	}
	switch {
	case f.sarif:
		err = printSARIF(stdout, found)
	case f.json:
		err = printJSON(stdout, found, loadErr == nil)
	default:
		err = printText(stdout, found)
	}
	if err != nil {
		return fmt.Errorf("write standard output: %w", err)
	}
	if loadErr != nil {
		return loadErr
	}
	return foundIf(len(found) > 0)
}

func foundIf(found bool) error {
	if found {
		return errFound
	}
	return nil
}

// buildFlags returns the flags that go vet gets.
func (f *flags) buildFlags() (args []string) {
	for _, b := range []struct{ name, value string }{
		{"tags", f.tags}, {"mod", f.mod}, {"modfile", f.file}, {"overlay", f.cover},
	} {
		if b.value != "" {
			args = append(args, "-"+b.name+"="+b.value)
		}
	}
	if f.race {
		args = append(args, "-race")
	}
	return args
}

// version returns the version of the program, and the Go that it was built with.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	return strings.TrimSpace(info.Main.Version + " " + info.GoVersion)
}
