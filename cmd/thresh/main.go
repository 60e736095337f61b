// Command thresh answers questions about files too big for ordinary tools.
package main

import (
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
)

// Exit statuses, as ../../README.md lists them.
const (
	exitAnswered    = 0
	exitNothing     = 1
	exitUsage       = 2
	exitIncomplete  = 3
	exitInterrupted = 130
)

// exitError ends the program with a status. Err is nil where everything there is to say
// has been said.
type exitError struct {
	status int
	err    error
}

func (e *exitError) Error() string { return fmt.Sprint(e.err) }
func (e *exitError) Unwrap() error { return e.err }

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// run is the program less the process around it.
func run(args []string, stdin *os.File, stdout, stderr *os.File) int {
	if status, ran := runCompanion(args, stdin, stdout, stderr); ran {
		return status
	}
	if err := checkRoom(); err != nil {
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
	var exit *exitError
	switch {
	case err == nil:
		return exitAnswered
	case errors.As(err, &exit):
		if exit.err != nil {
			complain(stderr, exit.err)
		}
		return exit.status
	}
	complain(stderr, err)
	return exitUsage
}

// console is the three streams of the process, and what interrupts it.
type console struct {
	in, out, err *os.File
	signals      chan os.Signal
	drain        atomic.Int64 // a time.Duration; 0: the command does not serve
}

// serves makes it the console of a command that serves: from now on signals are caught,
// and when one comes, what is under way may take that long to end.
func (c *console) serves(drain time.Duration) {
	c.drain.Store(int64(max(drain, 1)))
	signal.Notify(c.signals, os.Interrupt, syscall.SIGTERM)
}

func complain(w io.Writer, err error) {
	fmt.Fprintln(w, "thresh:", err)
	var h interface{ Hint() string }
	if errors.As(err, &h) {
		fmt.Fprintln(w, "thresh: hint:", h.Hint())
	}
}

const (
	// How long a cancelled command may take to print what it has.
	graceAfterInterrupt = 2 * time.Second
	// One interruption may be more than one signal: timeout(1) sends two.
	sameInterrupt = 300 * time.Millisecond
	// Before that a signal ends the process as it ends others. To catch signals costs a
	// thread, which a search of a small file can do without.
	catchAfter = 10 * time.Millisecond
)

// interruptible returns a context that ends with the first SIGINT or SIGTERM. A command
// that cannot end then, because nobody takes its output, is ended by a second signal or
// after the grace, which begins after the drain of a command that serves.
func interruptible(c *console) (context.Context, context.CancelFunc) {
	signal.Ignore(syscall.SIGPIPE) // a closed pipe is an error of the write, not a sudden end
	ctx, cancel := context.WithCancel(context.Background())
	signals := c.signals
	catch := time.AfterFunc(catchAfter, func() {
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
			fmt.Fprintln(c.err, "thresh: interrupted again: what was under way is cut off")
		} else {
			fmt.Fprintln(c.err, "thresh: interrupted, and the output is blocked")
		}
		os.Exit(exitInterrupted)
	})
	return ctx, func() { catch.Stop(); signal.Stop(signals); cancel() }
}

func newRoot(c *console, args []string) *cobra.Command {
	var showVersion bool
	root := &cobra.Command{
		Use:   "thresh",
		Short: "answers about files too big for ordinary tools",
		Long: `thresh answers questions about files too big for ordinary tools, as fast as the
hardware allows, and tells which wall it hit.

"thresh NAME" runs the program thresh-NAME if NAME is not a command of thresh
and such a program lies beside thresh or in a folder of PATH.`,
		Example: `  thresh find --nonzero disk.img
  thresh find --text 'req=7f3a9c' app.log
  thresh count --lines access.log
  thresh count --type i32 --eq 10 datafile.bin
  thresh minify big.json -o small.json
  thresh serve /data
  thresh limits`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			return nil
		},
		// A wrong switch must not look like a slow machine, whatever the command.
		PersistentPreRunE: func(*cobra.Command, []string) error { return cpu.Err() },
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !showVersion {
				return cmd.Help()
			}
			_, err := c.out.WriteString(version())
			return err
		},
	}
	root.Flags().BoolVarP(&showVersion, "version", "v", false, "version, and the kernels that may run here")
	root.CompletionOptions.HiddenDefaultCmd = false
	root.SetUsageTemplate(usageTemplate)
	help := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if cmd == root {
			addCompanions(root)
		}
		help(cmd, args)
	})
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if cmd == root && len(args) > 0 && companionName(args[0]) {
			return unknownCommand(root, args[0]) // the flag is the unknown command's
		}
		return err
	})
	if len(args) == 2 && isCompletion(args[0]) {
		addCompanions(root)
	}
	addCommands(root, c, args)
	addMan(root)
	return root
}

// command is a command of this program, and how it is made.
type command struct {
	name string
	make func(*console) *cobra.Command
}

var commands = []command{
	{"find", newFind}, {"count", newCount}, {"table", newTable}, {"minify", newMinify},
	{"serve", newServe}, {"relay", newRelay}, {"limits", newLimits},
}

// addCommands adds the command that args name, or all of them, as for help: to make the flags
// of all takes as long as to search a small file.
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

// version returns the version of the build, and the variants of kernels that may run
// here, best first, with where they come from.
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

// usageTemplate puts the examples first: most readers want one to change.
const usageTemplate = `{{if .HasExample}}Examples:
{{.Example}}

{{end}}Usage:
{{if .Runnable}}  {{.UseLine}}
{{end}}{{if .HasAvailableSubCommands}}  {{.CommandPath}} [command]

Commands:{{range .Commands}}{{if and .IsAvailableCommand (not .GroupID)}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}
{{$first := true}}{{range .Commands}}{{if .GroupID}}{{if $first}}{{$first = false}}
Companions, programs of their own that "{{$.CommandPath}} NAME" runs:
{{end}}  {{.Name}}
{{end}}{{end}}{{end}}{{if .HasAvailableLocalFlags}}
Flags:
{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}
{{end}}{{if .HasAvailableSubCommands}}
"{{.CommandPath}} [command] --help" tells more about a command.
{{end}}`
