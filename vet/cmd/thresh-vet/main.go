// Command thresh-vet finds Go code that silently leaves the zero-copy path. "thresh vet" runs it, and
// go vet does with -vettool.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/thresh-dev/thresh/vet"
	"github.com/thresh-dev/thresh/vet/internal/usage"
)

// Exit statuses, as those of thresh where they mean the same.
const (
	exitFound       = 1
	exitFailed      = 2 // wrong usage, or code that could not be loaded
	exitInterrupted = 130
)

// errFound ends a run that has printed findings.
var errFound = errors.New("there are findings")

func main() {
	if asTool(os.Args[1:]) {
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	switch {
	case err == nil:
	case errors.Is(err, errFound):
		os.Exit(exitFound)
	case errors.Is(err, context.Canceled):
		os.Exit(exitInterrupted)
	default:
		fmt.Fprintln(os.Stderr, "thresh-vet:", err)
		os.Exit(exitFailed)
	}
}

// run is the program without the process around it.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	root := newRoot(stdout, stderr)
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	return root.ExecuteContext(ctx)
}

func newRoot(stdout, stderr io.Writer) *cobra.Command {
	var f flags
	root := &cobra.Command{
		Use:   "thresh-vet [flags] [PACKAGE...]",
		Short: "did my code lose it? find Go code that leaves the zero-copy path",
		Long: `thresh-vet reports Go code in which a file or a connection, on its way to
another, loses sendfile, splice or copy_file_range, and code in which these
go round what a wrapper counts, limits or encrypts. It says nothing about
code that it can't be sure of.

PACKAGE is what go vet takes; without one, ./... is checked. All packages are
looked at together: a value is followed from one to another, and the calls
between are printed below a finding. Warnings in test files are not shown
without --tests, wrappers that nobody is seen to copy to not without --possible.

A comment silences a rule at its line, or at the line below:

  //thresh:ignore RULE reason

Exit status: 0 nothing found, 1 findings, 2 wrong usage, or code that could
not be loaded. "thresh vet" is the same as "thresh-vet".`,
		Example: `  thresh vet ./...
  thresh vet --list                      the rules
  thresh vet --fix ./...                 apply the fixes that rules suggest
  thresh vet --sarif ./... >vet.sarif    for code scanning
  go vet -vettool=$(which thresh-vet) ./...`,
		Version: version(),
		RunE: func(cmd *cobra.Command, patterns []string) error {
			return f.run(cmd.Context(), patterns, stdout, stderr)
		},
	}
	f.define(root)
	usage.Set(root)
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	return root
}

// asTool reports whether args are those with which go vet calls its tool, and does as it asks then:
// -V=full, -flags, or a file that describes a package. It returns after -V=full and -flags only where
// unitchecker does.
func asTool(args []string) bool {
	asks := slices.Contains(args, "-V=full") || slices.Contains(args, "-flags")
	config := ""
	if len(args) > 0 && strings.HasSuffix(args[len(args)-1], ".cfg") {
		config = args[len(args)-1]
	}
	switch {
	case config != "" && onlyFacts(config):
		// Otherwise unitchecker would run each rule that needs facts on all dependencies.
		unitchecker.Run(config, vet.Facts())
	case asks || config != "":
		unitchecker.Main(vet.All()...)
	default:
		return false
	}
	return true
}

// onlyFacts reports whether go vet asks about a dependency, of which nothing is reported. What is wrong
// with the file unitchecker says.
func onlyFacts(config string) bool {
	text, err := os.ReadFile(config)
	if err != nil {
		return false
	}
	var c unitchecker.Config
	return json.Unmarshal(text, &c) == nil && c.VetxOnly
}
