package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/thresh-dev/thresh/internal/command"
	"github.com/thresh-dev/thresh/internal/output/outfile"
	"github.com/thresh-dev/thresh/internal/output/wallreport"
	"github.com/thresh-dev/thresh/wall"
)

// Exit statuses of wall, as those of other programs that run commands.
const (
	exitCannotRun = 126
	exitNotFound  = 127
)

// wallFlags holds the flags of wall, as typed.
type wallFlags struct {
	output  string
	json    bool
	quiet   bool
	pid     int
	seconds time.Duration
	compare bool
	rounds  int
}

func newWall() *command.Verb {
	f := &wallFlags{rounds: 5}
	return &command.Verb{
		Name: "wall",
		Usage: "[flags] [--] COMMAND [ARGUMENT...]\n  thresh wall --pid PID [--for TIME]\n" +
			"  thresh wall --compare 'COMMAND A' 'COMMAND B' [flags]",
		Short: "what held it back? any command: which wall it hit",
		Long: `wall runs a command and says on standard error, in a line or two, what held it
back: storage, one core, all cores, memory, page faults, system calls, starting
processes, a lock, its input, its output, the network, sleeping, CPU quota,
other programs, stopped, or "not known" if the evidence does not tell.
With it come the number that shows it, and how many times as fast the command
would be at best without that wall. A run of several phases has a line with the
wall of each.

The command:
  The command runs unchanged: its input, output, terminal and signals are its
  own, and its exit status is that of wall: 128 + N if signal N ended it, 127
  if there is no such command, 126 if it cannot be executed. Signals that wall
  gets are passed on, except for those that the terminal sends to the command
  as well. All processes of the command are watched, also those whose parent
  has ended. They are neither traced nor stopped: the state of their threads
  is read from /proc up to a hundred times a second, with at most half a
  percent of a processor.

Reports:
  -o writes a report for a browser, with the walls, processors, storage and
  processes over time. --json has all evidence; it goes to standard error, or
  to the file of -o.

Other ways:
  --pid watches a process that runs already, until it ends, --for is over, or
  Ctrl-C; the answer goes to standard output. --compare runs two commands of
  the shell in turn, several rounds, with their output thrown away, and prints
  the ratio of their times with its spread, and both walls. It takes three
  rounds to call one of them faster.

What cannot be told:
  Whether a busy core computes or waits for main memory cannot be told: a
  program that is bound by memory bandwidth is named "one core" or "all
  cores".`,
		Examples: `  thresh wall make -j8
  thresh wall -o report.html -- ./nightly.sh
  thresh wall --json -o evidence.json -- pip install -r requirements.txt
  thresh wall --pid 4711 --for 30s
  thresh wall --compare 'rg -c x big.log' 'thresh grep -c x big.log'`,
		Common: "pid for compare rounds output json quiet",
		Flags: []command.Flag{
			{Name: "pid", To: &f.pid, Help: "watch a process, by its number `PID`, instead of running a command"},
			{Name: "for", To: &f.seconds,
				Help: "with --pid: stop watching after `TIME`, as in 30s (default: when it ends)"},
			{Name: "compare", To: &f.compare, Help: "run two commands of the shell in turn, and compare their times"},
			{Name: "rounds", To: &f.rounds, Help: "with --compare: run each command `N` times"},
			{Name: "output", Short: "o", To: &f.output,
				Help: "write a report to `FILE`, which appears when it is complete"},
			{Name: "json", To: &f.json, Help: "print all evidence as JSON, to the file of -o if there is one"},
			{Name: "quiet", Short: "q", To: &f.quiet, Help: "print nothing of its own"},
		},
		Conflicts: []command.Conflict{
			{Flags: "compare", With: "pid", Why: "one runs two commands, the other none"},
			{Flags: "compare", With: "quiet", Why: "the comparison is what is printed"},
		},
		ArgsMax: -1,
		Passes:  true,
		Resumes: "compare",
		Quick:   true, // it has signals of its own
		Run: func(ctx context.Context, c *command.Call) error {
			if err := f.check(c); err != nil {
				return err
			}
			return f.run(ctx, c.Console, c.Args)
		},
	}
}

// check returns an error for flags and arguments that do not belong together.
func (f *wallFlags) check(c *command.Call) error {
	args := c.Args
	switch {
	case c.Given("for") && !c.Given("pid"):
		return errors.New("--for ends watching a process: give --pid too (to end a command, use timeout)")
	case c.Given("rounds") && !f.compare:
		return errors.New("--rounds is for --compare")
	case f.rounds < 1:
		return fmt.Errorf("--rounds %d: give at least 1", f.rounds)
	case c.Given("for") && f.seconds <= 0:
		return fmt.Errorf("--for %v: give a time, as in 30s", f.seconds)
	case f.compare && f.output != "" && !f.json:
		return errors.New("--compare writes no report: give --json too for its figures")
	case f.compare && len(args) != 2:
		return fmt.Errorf("--compare needs two commands, each in quotes, not %d", len(args))
	case c.Given("pid") && len(args) > 0:
		return fmt.Errorf("--pid watches a process and runs no command: leave out %s", command.ShellQuote(args[0]))
	case c.Given("pid") && f.pid <= 0:
		return fmt.Errorf("--pid %d: not the number of a process", f.pid)
	case !c.Given("pid") && len(args) == 0:
		return errors.New("no command: thresh wall make -j8, for example")
	}
	return nil
}

func (f *wallFlags) run(ctx context.Context, c *command.Console, args []string) (err error) {
	var out *outfile.File
	if f.output != "" {
		if out, err = outfile.Create(f.output); err != nil {
			return command.Exit(command.WrongUsage, err) // before the command does anything
		}
		defer func() { err = errors.Join(err, out.Abort()) }()
	}
	switch {
	case f.compare:
		return f.runCompare(ctx, c, args, out)
	case f.pid > 0:
		return f.watch(ctx, c, out)
	}
	return f.command(ctx, c, args, out)
}

// watch watches a process that runs already.
func (f *wallFlags) watch(ctx context.Context, c *command.Console, out *outfile.File) error {
	ctx, stop := command.UntilSignal(ctx)
	defer stop()
	if f.seconds > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, f.seconds)
		defer cancel()
	}
	report, err := wall.Watch(ctx, f.pid, wall.Options{})
	if err != nil {
		return command.Exit(command.WrongUsage, err)
	}
	if err := f.print(c.Out, report, out, ""); err != nil {
		return command.Exit(command.WrongUsage, err)
	}
	return nil
}

// command runs a command, and ends with its exit status.
func (f *wallFlags) command(ctx context.Context, c *command.Console, args []string, out *outfile.File) error {
	cmd := exec.Command(args[0], args[1:]...)
	if errors.Is(cmd.Err, exec.ErrDot) {
		cmd.Err = nil // PATH has the current folder, and the shell would take it too
	}
	report, err := runPassing(ctx, cmd, c)
	if errors.Is(err, syscall.ENOEXEC) { // a script without a first line, as execvp runs it
		cmd = exec.Command("/bin/sh", append([]string{cmd.Path}, args[1:]...)...)
		report, err = runPassing(ctx, cmd, c)
	}
	if cmd.ProcessState == nil {
		return cannotRun(args[0], err)
	}
	status := exitStatus(cmd.ProcessState)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		command.Complain(c.Err, fmt.Errorf("watch %s: %w", args[0], err))
		return command.Exit(status, nil)
	}
	report.Command = args
	if err := f.print(c.Err, report, out, "thresh: "); err != nil {
		command.Complain(c.Err, err) // the command's exit status is not ours to change
	}
	if status == 0 {
		return nil
	}
	return command.Exit(status, nil)
}

// runPassing runs a command with the standard streams of this process, and passes signals on.
func runPassing(ctx context.Context, cmd *exec.Cmd, c *command.Console) (wall.Report, error) {
	cmd.Stdin, cmd.Stdout, cmd.Stderr = c.In, c.Out, c.Err
	signals := catchSignals()
	defer signals.stop()
	// One thread of Go is enough to watch. Beside idle ones the runtime wakes a thread of its own more often.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	return wall.Run(ctx, cmd, wall.Options{Orphans: true, Started: signals.pass})
}

// cannotRun returns the error for a command that could not be started, with the exit status that
// shells have for it.
func cannotRun(name string, err error) error {
	status := exitCannotRun
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
		status = exitNotFound
	}
	if errors.Is(err, wall.ErrUnsupported) {
		status = command.WrongUsage
	}
	if why, ok := errors.AsType[*exec.Error](err); ok {
		err = why.Err
	}
	if path, ok := errors.AsType[*os.PathError](err); ok {
		err = path.Err
	}
	return command.Exit(status, fmt.Errorf("run %s: %w", name, err))
}

// print prints a report for people or as JSON, and writes the file of -o.
func (f *wallFlags) print(w io.Writer, r wall.Report, out *outfile.File, prefix string) error {
	var text []byte
	var err error
	switch {
	case f.json:
		if text, err = json.MarshalIndent(r, "", "  "); err != nil {
			return err
		}
		text = append(text, '\n')
	case out != nil:
		if text, err = wallreport.HTML(r); err != nil {
			return err
		}
	}
	if out != nil {
		if _, err := out.Write(text); err != nil {
			return err
		}
		if err := out.Commit(true); err != nil {
			return err
		}
	}
	switch {
	case f.quiet:
	case f.json && out == nil:
		_, err = w.Write(text)
	default:
		_, err = io.WriteString(w, wallLines(r, prefix))
	}
	return err
}

// phasesShown bounds the phases in the line for people: the report has them all.
const phasesShown = 8

// wallLines returns the answer for people.
func wallLines(r wall.Report, prefix string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%swall: %s\n", prefix, r.Sentence)
	if n := len(r.Phases); n > 1 {
		var list []string
		for _, p := range r.Phases[:min(n, phasesShown)] {
			list = append(list, fmt.Sprintf("%s until %.3g s", p.Wall, p.To))
		}
		if n > phasesShown {
			list = append(list, fmt.Sprintf("and %d more", n-phasesShown))
		}
		fmt.Fprintf(&b, "%sphases: %s\n", prefix, strings.Join(list, ", "))
	}
	if r.Wall == wall.Unknown && r.Share > 0 { // and not too short
		for _, m := range r.Missing {
			fmt.Fprintf(&b, "%snot seen: %s\n", prefix, m)
		}
	}
	if r.LeftRunning == 1 {
		fmt.Fprintf(&b, "%sa process of the command still runs\n", prefix)
	} else if r.LeftRunning > 1 {
		fmt.Fprintf(&b, "%s%d processes of the command still run\n", prefix, r.LeftRunning)
	}
	return b.String()
}
