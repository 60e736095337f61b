package command

import "github.com/spf13/cobra"

// complete sets how the values of the flag are completed.
func (f *Flag) complete(cmd *cobra.Command) {
	values := f.Complete
	switch {
	case values != nil:
	case f.Values != nil:
		values = cobra.FixedCompletions(f.Values, cobra.ShellCompDirectiveNoFileComp)
	case f.Suggest != nil:
		values = cobra.FixedCompletions(f.Suggest, cobra.ShellCompDirectiveNoFileComp)
	default:
		return
	}
	if err := cmd.RegisterFlagCompletionFunc(f.Name, values); err != nil {
		panic("thresh: bug: " + err.Error())
	}
}
