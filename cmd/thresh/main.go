// Command thresh answers questions about files too big for ordinary tools.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/thresh-dev/thresh/internal/machine/cpu"
	"github.com/thresh-dev/thresh/internal/output/manpage"
)

// Exit statuses, as listed in ../../README.md.
const (
	exitAnswered    = 0
	exitNothing     = 1
	exitUsage       = 2
	exitIncomplete  = 3
	exitInterrupted = 130
)

// exitError ends the program with a status. err is nil if the error was already printed.
type exitError struct {
	status int
	err    error
}

func (e *exitError) Error() string { return fmt.Sprint(e.err) }
func (e *exitError) Unwrap() error { return e.err }

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// run is the whole program, without the process around it: tests call it directly.
func run(args []string, stdin *os.File, stdout, stderr *os.File) int {
	if status, ran := runCompanion(args, stdin, stdout, stderr); ran {
		return status
	}
	if err := checkAddressSpace(); err != nil {
		complain(stderr, err)
		return exitUsage
	}
	c := &console{in: stdin, out: stdout, err: stderr, signals: make(chan os.Signal, 2)}
	ctx, cancel := interruptible(c)
	defer cancel()
	root := newRoot(c, args)
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		err = c.helpErr
	}
	var exit *exitError
	switch {
	case err == nil:
		return exitAnswered
	case errors.As(err, &exit):
		if exit.err != nil {
			complain(stderr, exit.err)
		}
		return exit.status
	case errors.Is(err, syscall.EPIPE): // the reader of the output has seen enough
		return exitAnswered
	}
	complain(stderr, err)
	return exitUsage
}

// console holds the standard streams of the process and the signals it receives.
type console struct {
	in, out, err *os.File
	signals      chan os.Signal
	drain        atomic.Int64 // a time.Duration; 0 if the command is not a server
	catch        func()       // catches signals from a moment later on; the first call counts
	helpErr      error        // of writing the help, which cobra's function cannot return
}

// serves marks the command as a server. From now on signals are caught, and after the first
// one open connections have the time drain to finish.
func (c *console) serves(drain time.Duration) {
	c.drain.Store(int64(max(drain, 1)))
	signal.Notify(c.signals, os.Interrupt, syscall.SIGTERM)
}

// complain prints an error, and its hint on a second line if it has one.
func complain(w io.Writer, err error) {
	fmt.Fprintln(w, "thresh:", err)
	var h interface{ Hint() string }
	if errors.As(err, &h) && h.Hint() != "" {
		fmt.Fprintln(w, "thresh: hint:", h.Hint())
	}
}

const (
	// How long a cancelled command may take to print its results so far.
	graceAfterInterrupt = 2 * time.Second
	// Signals this close together count as one interrupt: timeout(1) sends two.
	sameInterrupt = 300 * time.Millisecond
	// Until then a signal kills the process, as is the default. Catching signals costs a
	// thread, and even the timer for this takes as long as a search of a small file: for that,
	// console.catch is not called at all.
	catchAfter = 10 * time.Millisecond
)

// interruptible returns a context that the first SIGINT or SIGTERM after catchAfter cancels, counted
// from the first call of c.catch. If the command cannot
// stop, because its output is blocked, the program exits at a second signal or after
// graceAfterInterrupt. For a server that grace period starts after its drain time.
func interruptible(c *console) (context.Context, context.CancelFunc) {
	signal.Ignore(syscall.SIGPIPE) // a closed pipe is a write error and does not kill the process
	ctx, cancel := context.WithCancel(context.Background())
	signals := c.signals
	handle := func() {
		signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
		<-signals
		cancel()
		time.Sleep(sameInterrupt)
		for len(signals) > 0 {
			<-signals
		}
		select {
		case <-signals:
		case <-time.After(time.Duration(c.drain.Load()) + graceAfterInterrupt):
		}
		if c.drain.Load() > 0 {
			fmt.Fprintln(c.err, "thresh: interrupted again: open connections were cut off")
		} else {
			fmt.Fprintln(c.err, "thresh: interrupted, and the output is blocked: some results were not written")
		}
		os.Exit(exitInterrupted)
	}
	var timer *time.Timer
	c.catch = func() {
		if timer == nil {
			timer = time.AfterFunc(catchAfter, handle)
		}
	}
	return ctx, func() {
		if timer != nil {
			timer.Stop()
		}
		signal.Stop(signals)
		cancel()
	}
}

func newRoot(c *console, args []string) *cobra.Command {
	var showVersion bool
	root := &cobra.Command{
		Use:   "thresh",
		Short: "answers about files too big for ordinary tools",
		Long: `thresh answers questions about files too big for ordinary tools, as fast as the
hardware allows, and reports which limit of the machine held each run back.

"thresh NAME" runs the program thresh-NAME if NAME is not a command of thresh
and there is such a program beside thresh or in a folder of PATH.`,
		Example: `  thresh grep -n 'status=5..' app.log.gz
  thresh find --nonzero disk.img
  thresh find --text 'req=7f3a9c' app.log
  thresh count --lines access.log
  thresh count --type i32 --eq 10 datafile.bin
  thresh table orders.csv --header --group country
  thresh minify big.json -o small.json
  thresh blank /dev/sdb --report certificate.html
  thresh serve /data
  thresh wall make -j8
  thresh limits`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			return nil
		},
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if name := cmd.Name(); cmd.HasParent() && name != "grep" && name != "find" && name != "count" &&
				name != "wall" { // they know when, and wall has signals of its own
				c.catch()
			}
			if cmd.Name() == "bash" { // the command completion bash
				if _, err := c.out.WriteString(bashWords); err != nil {
					return err
				}
			}
			// A wrong THRESH_ISA is an error of every command. Ignored, it would look like a slow machine.
			return cpu.Err()
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !showVersion {
				return cmd.Help()
			}
			_, err := c.out.WriteString(version())
			return err
		},
	}
	root.Flags().BoolVarP(&showVersion, "version", "v", false, "print the version, and the kernels that can run here")
	root.CompletionOptions.HiddenDefaultCmd = false
	cobra.AddTemplateFunc("flagGroups", flagGroups)
	root.SetHelpTemplate(helpTemplate)
	root.SetUsageTemplate(usageTemplate)
	help := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if cmd == root {
			addCompanions(root)
		}
		var text bytes.Buffer
		out := cmd.OutOrStdout()
		cmd.SetOut(&text)
		help(cmd, args)
		cmd.SetOut(out)
		_, c.helpErr = out.Write(text.Bytes())
	})
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if cmd == root && len(args) > 0 && companionName(args[0]) {
			return unknownCommand(root, args[0]) // the flag is the unknown command's
		}
		return flagError(cmd, err)
	})
	if len(args) == 2 && isCompletion(args[0]) {
		addCompanions(root)
	}
	addCommands(root, c, args)
	manpage.AddCommand(root)
	if len(args) > 0 && isCompletion(args[0]) {
		addCompletions(root)
	}
	return root
}

// command is a command of this program, and the function that makes it.
type command struct {
	name string
	make func(*console) *cobra.Command
}

var commands = []command{
	{"grep", newGrep}, {"find", newFind}, {"count", newCount}, {"table", newTable}, {"minify", newMinify},
	{"blank", newBlank},
	{"serve", newServe}, {"relay", newRelay}, {"wall", newWall}, {"limits", newLimits},
}

// addCommands adds only the command that args name, or all commands if args name none, as for
// help. Building the flags of every command takes as long as searching a small file.
func addCommands(root *cobra.Command, c *console, args []string) {
	for _, cmd := range commands {
		if len(args) > 0 && args[0] == cmd.name {
			root.AddCommand(cmd.make(c))
			return
		}
	}
	for _, cmd := range commands {
		root.AddCommand(cmd.make(c))
	}
}

// version returns the version of the build and the kernel variants that can run on this
// machine, best first, each with its origin.
func version() string {
	build := "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		build = fmt.Sprintf("%s (%s)", info.Main.Version, info.GoVersion)
	}
	var kernels []string
	for _, isa := range cpu.Available() {
		name := isa.String()
		if origin := isa.Origin(); origin != "" {
			name += " (" + origin + ")"
		}
		kernels = append(kernels, name)
	}
	return fmt.Sprintf("thresh %s\nkernels: %s\n", build, strings.Join(kernels, ", "))
}
