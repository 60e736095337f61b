package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Verb is a command of a program: thresh find.
type Verb struct {
	Name     string
	Usage    string // what follows the name in the usage line; more lines are other ways to call it
	Short    string // what it is for, in a line
	Examples string // the first five are the ones of -h
	Long     string // for --help and the manual page
	Flags    []Flag
	Common   string // the flags that -h lists, separated by spaces

	Conflicts []Conflict
	Elsewhere map[string]string // flags of other programs, and what they are called here

	ArgsMax  int    // how many arguments it takes; -1 for any number
	TooMany  string // what to type instead of more
	Passes   bool   // flags end at the first argument: what follows is for another command
	Resumes  string // with Passes: the flag with which flags may follow the arguments after all
	Searches bool   // the exit status is 1 if nothing was found
	Quick    bool   // Run catches signals itself: it may be done before one could arrive
	Run      func(ctx context.Context, c *Call) error
}

// Call is a verb as it was typed.
type Call struct {
	*Console
	Verb  *Verb
	Args  []string
	flags *pflag.FlagSet
}

// Command returns the verb as a command of cobra. With completing set it can complete the values of flags, which most
// starts need not pay for.
func (v *Verb) Command(c *Console, completing bool) *cobra.Command {
	cmd := &cobra.Command{
		Use: v.Name + " " + v.Usage, Short: v.Short, Long: v.Long, Example: v.Examples,
		Args: func(cmd *cobra.Command, args []string) error {
			if v.ArgsMax < 0 || len(args) <= v.ArgsMax {
				return nil
			}
			return Hint(fmt.Errorf("%s: one argument too many: %s", v.Name, ShellQuote(args[v.ArgsMax])), v.TooMany)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.SetInterspersed(!v.Passes)
	for i := range v.Flags {
		f := &v.Flags[i]
		f.add(flags)
		if completing {
			f.complete(cmd)
		}
	}
	if flags.ShorthandLookup("h") == nil {
		cmd.InitDefaultHelpFlag()
	} else {
		flags.Bool("help", false, "help for "+v.Name)
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if !v.Quick {
			c.Catch()
		}
		call := &Call{Console: c, Verb: v, Args: args, flags: flags}
		if v.Resumes != "" && call.Given(v.Resumes) {
			flags.SetInterspersed(true)
			if err := flags.Parse(args); err != nil {
				return flagError(cmd, err, v.Elsewhere)
			}
			if call.Args = flags.Args(); call.Given("help") {
				return cmd.Help()
			}
		}
		if err := call.contradiction(); err != nil {
			return err
		}
		if err := call.values(); err != nil {
			return err
		}
		return v.Run(cmd.Context(), call)
	}
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return flagError(cmd, err, v.Elsewhere) })
	cmd.SetHelpFunc(func(cmd *cobra.Command, _ []string) { c.helpErr = v.help(cmd, cmd.OutOrStdout(), c.Brief()) })
	return cmd
}

// Given reports whether a flag was typed; --flag=false counts as not typed.
func (c *Call) Given(flag string) bool {
	f := c.flags.Lookup(flag)
	return f != nil && f.Changed && (f.Value.Type() != "bool" || f.Value.String() == "true")
}

// Only reports whether no flag was typed but some of these, separated by spaces.
func (c *Call) Only(flags string) bool {
	only := true
	c.flags.Visit(func(f *pflag.Flag) {
		only = only && slices.Contains(strings.Fields(flags), f.Name)
	})
	return only
}

// First returns the first of the flags, separated by spaces, that was typed; "" if none was.
func (c *Call) First(flags string) string {
	for name := range strings.FieldsSeq(flags) {
		if c.Given(name) {
			return name
		}
	}
	return ""
}
