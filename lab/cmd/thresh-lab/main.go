// Command thresh-lab reruns published experiments on this machine, and says which of their claims hold here.
// "thresh lab" runs it.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/thresh-dev/thresh/internal/command/usage"
	"github.com/thresh-dev/thresh/lab/catalog"
	"github.com/thresh-dev/thresh/lab/copy"
	"github.com/thresh-dev/thresh/lab/measure"
	"github.com/thresh-dev/thresh/lab/peer"
)

// Exit statuses, as those of thresh.
const (
	exitUsage       = 2
	exitInterrupted = 130
)

// childCommand makes this program do one run of a variant: it starts itself so for each.
const childCommand = "child"

func main() {
	if err := peer.ExtendPath(); err != nil {
		fmt.Fprintln(os.Stderr, "thresh-lab:", err)
		os.Exit(exitUsage)
	}
	if handled, status := child(os.Args[1:]); handled {
		os.Exit(status)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	switch {
	case errors.Is(err, context.Canceled):
		os.Exit(exitInterrupted)
	case err != nil:
		fmt.Fprintln(os.Stderr, "thresh-lab:", err)
		os.Exit(exitUsage)
	}
}

// child runs as a child process if args ask for that: one that does a run, or one of those that a run of the
// experiment copy starts.
func child(args []string) (handled bool, status int) {
	for _, of := range []func([]string) (bool, int){copy.Child, versusChild} {
		if handled, status = of(args); handled {
			return true, status
		}
	}
	if len(args) != 2 || args[0] != childCommand {
		return false, 0
	}
	if err := measure.Child(context.Background(), catalog.All(), args[1], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return true, exitUsage
	}
	return true, 0
}

// run is the program without the process around it.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	c := &console{out: stdout, err: stderr, folder: filepath.Join(cache, "thresh", "lab")}
	root := newRoot(c)
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	return root.ExecuteContext(ctx)
}

// console has the standard streams, and the folder for what is kept: inputs and sessions.
type console struct {
	out, err io.Writer
	folder   string
}

func newRoot(c *console) *cobra.Command {
	root := &cobra.Command{
		Use:   "thresh-lab",
		Short: "is the article right? published experiments, rerun here",
		Long: `thresh-lab reruns the experiments of five articles about fast programs on this
machine. Each program of the articles is a variant; each conclusion is a claim
that holds here, or does not, with the reason. It also compares thresh with what
people use today, and with itself: peers, situations, kernels and scaling.

"thresh lab" is the same as "thresh-lab".`,
		Example: `  thresh lab run                     everything: up to 25 minutes
  thresh lab run --quick             small inputs: two minutes
  thresh lab run needle donations    two experiments
  thresh lab claims                  which conclusions hold here, and why
  thresh lab report -o report.html   a page with figures, charts and verdicts
  thresh lab run peers               thresh beside other programs: hours`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	usage.Set(root)
	root.AddCommand(newRun(c), newList(c), newClaims(c), newReport(c), newDiff(c), newRecord(c), newClean(c))
	return root
}
