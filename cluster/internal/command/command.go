// Package command is the command line of thresh-cluster.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/thresh-dev/thresh/cluster"
	flags "github.com/thresh-dev/thresh/internal/command"
	"github.com/thresh-dev/thresh/internal/output/manpage"
)

// Exit statuses, as those of thresh.
const (
	exitNone        = 1 // nothing was found
	ExitFailed      = 2
	exitInterrupted = 130
)

// errNone ends a search that found nothing.
var errNone = errors.New("nothing was found")

// Run is the program without the process around it. It returns the exit status.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	cluster.Quiet()
	root := newRoot(stdout, stderr)
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errNone):
		return exitNone
	case ctx.Err() != nil:
		fmt.Fprintln(stderr, "thresh-cluster: interrupted; the job was cancelled and nothing was written")
		return exitInterrupted
	}
	fmt.Fprintln(stderr, "thresh-cluster:", flags.Flags(err.Error()))
	return ExitFailed
}

func newRoot(stdout, stderr io.Writer) *cobra.Command {
	var s shared
	root := &cobra.Command{
		Use:   "thresh-cluster",
		Short: "too big for one machine? thresh's questions as pipelines of Apache Beam",
		Long: `thresh-cluster answers the questions of thresh grep, find, count and table with
the machines of a cluster. Answers are the same as those of thresh. Every machine
must see the files under the same names. FILE may also be an object, https:// or
s3://BUCKET/KEY, which is read as each machine's environment says (AWS_...).

Without --runner, a runner inside this program does the work on this machine:
good for trials. --runner flink or spark, with --endpoint, sends the job to the
Beam job server there. This program must be installed on all machines of the
cluster, under the path --worker-command. Workers must be able to reach this
machine at --listen.

Lines of binary files are printed like others, as with thresh grep -a. Compressed
files are read by one worker each.

Exit status: as of thresh; 2 also if any part of an input could not be read, or
the job failed: there is no incomplete answer. "thresh cluster" is the same as
"thresh-cluster".`,
		Example: `  thresh cluster count --lines 'logs/*.log'
  thresh cluster count --words -r s3://books/
  thresh cluster table 'part-*.csv' --group country --runner flink \
    --endpoint jobs:8099 --listen 10.0.0.5:7070 -o countries.parquet`,
		Version: version(), SilenceErrors: true, SilenceUsage: true,
	}
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.CompletionOptions.HiddenDefaultCmd = true
	p := &printer{shared: &s, stdout: stdout, stderr: stderr}
	for _, cmd := range []*cobra.Command{newGrep(p), newFind(p), newCount(p), newTable(p)} {
		s.add(cmd)
		root.AddCommand(cmd)
	}
	for _, cmd := range append(root.Commands(), root) {
		cmd.SetHelpTemplate(helpTemplate)
		cmd.SetUsageTemplate(usageTemplate)
	}
	manpage.AddCommand(root)
	return root
}

// helpTemplate puts the examples first, as thresh does.
const helpTemplate = `{{.CommandPath}}: {{.Short}}

Examples:
{{.Example}}
{{if .Long}}
{{.Long | trimTrailingWhitespaces}}
{{end}}
{{.UsageString}}`

// usageTemplate prints the usage line, commands and flags, at most 80 columns wide.
const usageTemplate = `Usage:
  {{.UseLine}}
{{if .HasAvailableSubCommands}}
Commands:{{range .Commands}}{{if .IsAvailableCommand}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}
{{end}}
Flags:
{{.LocalFlags.FlagUsagesWrapped 80 | trimTrailingWhitespaces}}
`

func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "unknown"
}

// temporary gives the process a temporary folder of its own, which is removed when use has returned.
func temporary(use func() error) (err error) {
	folder, err := os.MkdirTemp("", "thresh-cluster-*")
	if err != nil {
		return err
	}
	before, set := os.LookupEnv("TMPDIR")
	if err := os.Setenv("TMPDIR", folder); err != nil {
		return errors.Join(err, os.RemoveAll(folder))
	}
	defer func() {
		if set {
			err = errors.Join(err, os.Setenv("TMPDIR", before))
		} else {
			err = errors.Join(err, os.Unsetenv("TMPDIR"))
		}
		err = errors.Join(err, os.RemoveAll(folder))
	}()
	return use()
}
