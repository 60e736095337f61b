package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// helpTemplate puts the examples first: most readers look for one to change.
const helpTemplate = `{{.CommandPath}}: {{.Short}}
{{if .HasExample}}
Examples:
{{.Example}}
{{end}}{{with .Long}}
{{. | trimTrailingWhitespaces}}
{{end}}
{{.UsageString}}`

// usageTemplate prints the usage line, commands and flags, at most 80 columns wide.
const usageTemplate = `Usage:
{{if .Runnable}}  {{.UseLine}}
{{end}}{{if .HasAvailableSubCommands}}  {{.CommandPath}} [command]

Commands:{{range .Commands}}{{if and .IsAvailableCommand (not .GroupID)}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}
{{$first := true}}{{range .Commands}}{{if .GroupID}}{{if $first}}{{$first = false}}
Companions, separate programs that "{{$.CommandPath}} NAME" runs:
{{end}}  {{.Name}}
{{end}}{{end}}{{end}}{{with flagGroups .}}
{{.}}{{end}}{{if .HasAvailableSubCommands}}
Run "{{.CommandPath}} [command] --help" for more about a command.
{{end}}`

// flagHeadings are the groups of flags that many commands have, after those of the command itself.
var flagHeadings = []struct {
	title string
	names string // separated by spaces
}{
	{"Flags about who may connect, and how fast:",
		"auth auth-file host trusted-proxy proxy-protocol send-proxy max-conns " +
			"max-conns-per-ip limit-rate limit-rate-per-ip limit-requests-per-ip"},
	{"Flags about TLS:", "tls tls-cert tls-key redirect redirect-port hsts"},
	{"Flags about logs and time limits:", "access-log log-format metrics header-timeout send-timeout idle drain"},
	{"Flags about reading:", "offset length recursive no-decompress engine workers chunk mem cache cached"},
	{"Flags about what is printed:", "color format output json quiet explain dry-run receipt progress"},
}

const helpColumns = 80

// flagGroups returns the flags of a command for its help, in groups.
func flagGroups(cmd *cobra.Command) string {
	own := pflag.NewFlagSet("", pflag.ContinueOnError)
	own.SortFlags = cmd.Flags().SortFlags
	groups := make([]*pflag.FlagSet, len(flagHeadings))
	for i := range groups {
		groups[i] = pflag.NewFlagSet("", pflag.ContinueOnError)
		groups[i].SortFlags = false
	}
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		for i, h := range flagHeadings {
			if strings.Contains(" "+h.names+" ", " "+f.Name+" ") {
				groups[i].AddFlag(f)
				return
			}
		}
		own.AddFlag(f)
	})
	var b strings.Builder
	section := func(title string, flags *pflag.FlagSet) {
		if !flags.HasAvailableFlags() {
			return
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(title + "\n" + strings.TrimRight(flagUsages(flags), "\n") + "\n")
	}
	section("Flags:", own)
	for i, h := range flagHeadings {
		section(h.title, groups[i])
	}
	return b.String()
}

// flagUsages returns the lines about flags. A value that may be left out is written --flag[=VALUE], as it is
// typed.
func flagUsages(flags *pflag.FlagSet) string {
	text := flags.FlagUsagesWrapped(helpColumns)
	flags.VisitAll(func(f *pflag.Flag) {
		value, _ := pflag.UnquoteUsage(f)
		if f.NoOptDefVal == "" || value == "" {
			return
		}
		typed := fmt.Sprintf("--%s[=%s]", f.Name, value)
		for _, format := range []string{"--%s %s[=%q]", "--%s %s[=%s]"} {
			printed := fmt.Sprintf(format, f.Name, value, f.NoOptDefVal)
			text = strings.Replace(text, printed, fmt.Sprintf("%-*s", len(printed), typed), 1)
		}
	})
	return text
}
