package command

import (
	"bytes"
	"errors"
	"io"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
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

// Root gives a program the help, the texts of errors and the usage that all programs of verbs have: examples first, for
// most readers look for one to change, and at most 80 columns wide.
func (c *Console) Root(root *cobra.Command) {
	root.SilenceErrors, root.SilenceUsage = true, true
	root.CompletionOptions.HiddenDefaultCmd = false
	root.SetHelpTemplate(helpTemplate)
	root.SetUsageTemplate(usageTemplate)
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

const helpTemplate = `{{.CommandPath}}: {{.Short}}
{{if .HasExample}}
Examples:
{{.Example}}
{{end}}{{with .Long}}
{{. | trimTrailingWhitespaces}}
{{end}}
{{.UsageString}}`

const usageTemplate = `Usage:
{{if .Runnable}}  {{.UseLine}}
{{end}}{{if .HasAvailableSubCommands}}  {{.CommandPath}} [command]

Commands:{{range .Commands}}{{if .IsAvailableCommand}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}
{{end}}{{if .HasAvailableLocalFlags}}
Flags:
{{.LocalFlags.FlagUsagesWrapped 80 | trimTrailingWhitespaces}}
{{end}}`

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
