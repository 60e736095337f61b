package command

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/thresh-dev/thresh/internal/command/usage"
)

// Execute runs the command that the arguments of the console name, and returns the exit status. Signals are caught from
// the first call of Catch on.
func Execute(root *cobra.Command, c *Console) int {
	signal.Ignore(syscall.SIGPIPE) // a closed pipe is a write error and does not kill the process
	defer c.close()
	root.SetArgs(c.args)
	root.SetOut(c.Out)
	root.SetErr(c.Err)
	err := root.ExecuteContext(c.ctx)
	if err == nil {
		err = c.helpErr
	}
	var exit *ExitError
	switch {
	case err == nil:
		return Answered
	case errors.As(err, &exit):
		if exit.Err != nil {
			Complain(c.Err, exit.Err)
		}
		return exit.Status
	case errors.Is(err, syscall.EPIPE): // the reader of the output has seen enough
		return Answered
	}
	Complain(c.Err, err)
	return WrongUsage
}

// Root gives a program the help, the texts of errors and the usage that all programs of verbs have.
func (c *Console) Root(root *cobra.Command) {
	usage.Set(root)
	help := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		var text bytes.Buffer
		out := cmd.OutOrStdout()
		cmd.SetOut(&text)
		help(cmd, args)
		cmd.SetOut(out)
		c.Help(cmd, text.String())
	})
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return flagError(cmd, err, nil) })
}

// Help prints the help of a command. An error is the program's.
func (c *Console) Help(cmd *cobra.Command, text string) {
	_, c.helpErr = io.WriteString(cmd.OutOrStdout(), text)
}

// Brief reports whether nothing was typed, or -h and not --help.
func (c *Console) Brief() bool {
	short := len(c.args) == 0
	for _, arg := range c.args {
		if strings.HasPrefix(arg, "--help") {
			return false
		}
		short = short || len(arg) > 1 && arg[0] == '-' && arg[1] != '-' && strings.Contains(arg, "h")
	}
	return short
}

// Exit statuses, as listed in README.md.
const (
	Answered    = 0
	Nothing     = 1 // nothing was found
	WrongUsage  = 2 // or an input could not be opened
	Unread      = 3 // part of an input could not be read
	Interrupted = 130
)

// ExitError ends the program with a status.
type ExitError struct {
	Status int
	Err    error // nil if it was already printed
}

func (e *ExitError) Error() string { return fmt.Sprint(e.Err) }

// Unwrap returns the error to print.
func (e *ExitError) Unwrap() error { return e.Err }

// Exit returns an ExitError.
func Exit(status int, err error) error { return &ExitError{status, err} }

// Hint returns an error with a hint that says what to do about it.
func Hint(err error, hint string) error { return &hinted{err, hint} }

type hinted struct {
	error
	hint string
}

func (h *hinted) Hint() string  { return h.hint }
func (h *hinted) Unwrap() error { return h.error }

// Complain prints an error, and its hint on a second line if it has one.
func Complain(w io.Writer, err error) {
	fmt.Fprintln(w, "thresh:", Flags(err.Error()))
	if h := hint(err); h != "" {
		fmt.Fprintln(w, "thresh: hint:", h)
	}
}
