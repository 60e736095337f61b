// Command thresh-cluster answers thresh's questions on many machines. "thresh cluster" runs it.
package main

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/thresh-dev/thresh/cluster"
	"github.com/thresh-dev/thresh/internal/command"
	"github.com/thresh-dev/thresh/internal/verbs"
)

func main() {
	if is, err := cluster.Worker(os.Args[1:]); is {
		fmt.Fprintln(os.Stderr, "thresh-cluster:", err)
		os.Exit(command.WrongUsage)
	}
	os.Exit(program(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, cluster.Embedded))
}

// embedded makes the runner that is a part of this program.
type embedded func(context.Context) (*cluster.Runner, error)

// program is the program without the process around it. It returns the exit status.
func program(args []string, stdin, stdout, stderr *os.File, e embedded) int {
	cluster.Quiet()
	c := command.NewConsole(args, stdin, stdout, stderr)
	return command.Execute(newRoot(c, len(args) > 0 && args[0] == cobra.ShellCompRequestCmd, e), c)
}

func newRoot(c *command.Console, completing bool, e embedded) *cobra.Command {
	root := &cobra.Command{
		Use:   "thresh-cluster",
		Short: "too big for one machine? thresh's questions as pipelines of Apache Beam",
		Long: `thresh-cluster has verbs of thresh, with their flags, what they print and their
exit statuses, and asks their questions of the machines of a cluster. Every
machine must see the files under the same names. FILE may also be an object,
https:// or s3://BUCKET/KEY, which is read as each machine's environment says
(AWS_...). Flags that make no sense there are refused, with the reason.

Without --runner, a runner inside this program does the work on this machine:
good for trials. --runner flink or spark, with --endpoint, sends the job to the
Beam job server there. This program must be installed on all machines of the
cluster, under the path --worker-command. Workers must be able to reach this
machine at --listen.

Compressed files are read by one worker each. Standard input, files of tensors
and the beginning of a table are read by this machine.

Exit status: as of thresh; 2 also if any part of an input could not be read, or
the job failed: there is no incomplete answer. "thresh cluster" is the same as
"thresh-cluster".`,
		Example: `  thresh cluster count --lines 'logs/*.log'
  thresh cluster grep -c timeout -r s3://logs/2026/
  thresh cluster sql "select country, sum(amount) from 'part-*.csv' group by 1" \
    --runner flink --endpoint jobs:8099 --listen 10.0.0.5:7070`,
		Version: version(),
	}
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	c.Root(root)
	root.CompletionOptions.HiddenDefaultCmd = true
	for _, v := range []*command.Verb{verbs.Grep(), verbs.Find(), verbs.Count(), verbs.SQL(), verbs.Table()} {
		root.AddCommand(onCluster(v, e).Command(c, completing))
	}
	return root
}

func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "unknown"
}
