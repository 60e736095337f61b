// Package usage is how help and manual pages look in all programs: examples first, for most readers look for one to
// change, and at most 80 columns wide. The linter, which needs nothing of the root's module, has a copy of it; a test
// compares them.
package usage

import "github.com/spf13/cobra"

// Set gives a program that help, and its manual pages. It prints its errors itself.
func Set(root *cobra.Command) {
	root.SilenceErrors, root.SilenceUsage = true, true
	root.CompletionOptions.HiddenDefaultCmd = false
	root.SetHelpTemplate(helpTemplate)
	root.SetUsageTemplate(usageTemplate)
	addMan(root)
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
{{end}}{{if .HasAvailableSubCommands}}
Run "{{.CommandPath}} [command] --help" for more about a command.
{{end}}`
