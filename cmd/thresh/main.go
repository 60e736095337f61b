// Command thresh answers questions about files too big for ordinary tools.
package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	_ "time/tzdata" // zones such as Europe/Berlin, for machines that have no files of them

	"github.com/spf13/cobra"

	"github.com/thresh-dev/thresh/internal/command"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
	"github.com/thresh-dev/thresh/internal/verbs"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// run is the whole program, without the process around it: tests call it directly.
func run(args []string, stdin *os.File, stdout, stderr *os.File) int {
	if status, ran := runCompanion(args, stdin, stdout, stderr); ran {
		return status
	}
	if len(args) > 0 && isInput(args[0]) {
		args = append([]string{"table"}, args...) // which shows what is in a file, and takes questions about it
	}
	c := command.NewConsole(args, stdin, stdout, stderr)
	return command.Execute(newRoot(c, args), c)
}

func newRoot(c *command.Console, args []string) *cobra.Command {
	var showVersion bool
	root := &cobra.Command{
		Use:     "thresh",
		Short:   "answers about files too big for ordinary tools",
		Long:    rootHelp,
		Example: rootExamples,
		Args: func(cmd *cobra.Command, words []string) error {
			if len(words) > 0 {
				return unknownCommand(cmd, args[slices.Index(args, words[0]):])
			}
			return nil
		},
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Name() == "bash" { // the command completion bash
				if _, err := c.Out.WriteString(bashWords); err != nil {
					return err
				}
			}
			// A wrong THRESH_ISA is an error of every command. Ignored, it would look like a slow machine.
			return cpu.Err()
		},
		ValidArgsFunction: func(cmd *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
			for _, verb := range cmd.Commands() {
				if strings.HasPrefix(verb.Name(), begun) {
					return nil, cobra.ShellCompDirectiveNoFileComp
				}
			}
			return nil, cobra.ShellCompDirectiveDefault // "thresh FILE": names of files
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !showVersion {
				return cmd.Help()
			}
			_, err := c.Out.WriteString(version())
			return err
		},
	}
	root.Flags().BoolVarP(&showVersion, "version", "v", false,
		"print the version and the instruction sets it can use")
	c.Root(root)
	help := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if cmd == root {
			c.Help(cmd, describe(root, c.Brief()))
			return
		}
		help(cmd, args)
	})
	if len(args) == 2 && isCompletion(args[0]) {
		addCompanions(root)
	}
	flagError := root.FlagErrorFunc()
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if cmd == root && len(args) > 0 && companionName(args[0]) {
			return unknownCommand(root, args) // the flag is the unknown command's
		}
		return flagError(cmd, err)
	})
	addCommands(root, c, args)
	return root
}

// verb is a verb of this program, and the function that makes it: building the flags of every verb takes as long as
// searching a small file.
type verb struct {
	section string // of the help
	name    string
	make    func() *command.Verb
}

const (
	asking    = "Questions about files:"
	serving   = "Servers:"
	measuring = "Measuring:"
)

var commands = []verb{
	{asking, "grep", verbs.Grep},
	{asking, "find", verbs.Find},
	{asking, "count", verbs.Count},
	{asking, "sql", verbs.SQL},
	{asking, "table", verbs.Table},
	{asking, "cmp", verbs.Cmp},
	{asking, "minify", verbs.Minify},
	{asking, "blank", newBlank},
	{serving, "serve", newServe},
	{serving, "relay", newRelay},
	{measuring, "wall", newWall},
	{measuring, "limits", newLimits},
}

// addCommands adds only the verb that args name, or all verbs if args name none, as for help.
func addCommands(root *cobra.Command, c *command.Console, args []string) {
	named := slices.IndexFunc(commands, func(v verb) bool { return len(args) > 0 && args[0] == v.name })
	for i, v := range commands {
		if named < 0 || named == i {
			root.AddCommand(v.make().Command(c, len(args) > 0 && isCompletion(args[0])))
		}
	}
}

// version returns the version of the build and the instruction sets that it has code for and that this machine can run,
// best first.
func version() string {
	var sets []string
	for _, isa := range cpu.Available() {
		sets = append(sets, isa.String())
	}
	return fmt.Sprintf("thresh %s\ninstruction sets: %s\n", command.BuildVersion(), strings.Join(sets, ", "))
}
