package command

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const (
	helpColumns   = 80
	briefExamples = 5
)

// help prints the help of a verb: all of it, or one screen of it for -h.
func (v *Verb) help(cmd *cobra.Command, to io.Writer, brief bool) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", cmd.CommandPath(), v.Short)
	usage := fmt.Sprintf("  %s %s\n", cmd.CommandPath(), v.Usage)
	if brief {
		fmt.Fprintf(&b, "Usage:%s\n%s\n\n%s", strings.TrimPrefix(usage, " "), firstExamples(v.Examples),
			flagLines(cmd.Flags(), v.common(), firstClauses))
		fmt.Fprintf(&b, "\n%s --help explains these and lists all.\n", cmd.CommandPath())
	} else {
		fmt.Fprintf(&b, "\nExamples:\n%s\n\n%s\n\nUsage:\n%s%s", v.Examples, v.Long, usage, v.sections(cmd.Flags()))
	}
	_, err := io.WriteString(to, b.String())
	return err
}

// firstExamples returns the first briefExamples examples. One that ends with a backslash goes on in the next line.
func firstExamples(examples string) string {
	n, end := 0, 0
	for line := range strings.Lines(examples) {
		if end += len(line); !strings.HasSuffix(line, "\\\n") {
			n++
		}
		if n == briefExamples {
			break
		}
	}
	return strings.TrimSuffix(examples[:end], "\n")
}

// common returns the flags of -h.
func (v *Verb) common() (flags []*Flag) {
	for name := range strings.FieldsSeq(v.Common) {
		for i := range v.Flags {
			if v.Flags[i].Name == name {
				flags = append(flags, &v.Flags[i])
			}
		}
	}
	return flags
}

// sections returns the flags, each below the title of its section.
func (v *Verb) sections(set *pflag.FlagSet) string {
	var titles []string
	in := map[string][]*Flag{}
	for i := range v.Flags {
		f := &v.Flags[i]
		if in[f.Section] == nil {
			titles = append(titles, f.Section)
		}
		in[f.Section] = append(in[f.Section], f)
	}
	last := titles[len(titles)-1]
	in[last] = append(in[last], &Flag{Name: "help"})
	var b strings.Builder
	for _, title := range titles {
		heading := title
		if heading == "" {
			heading = "Flags:"
		}
		fmt.Fprintf(&b, "\n%s\n%s", heading, flagLines(set, in[title], wrap))
	}
	return b.String()
}

// flagLines returns the lines about flags, with what they do laid out from a column on. A value that may be left out is
// written --flag[=VALUE], as it is typed.
func flagLines(set *pflag.FlagSet, flags []*Flag, layout func(help string, column int) string) string {
	var typed, what []string
	width := 0
	for _, f := range flags {
		p := set.Lookup(f.Name)
		if p.Hidden {
			continue
		}
		value, help := pflag.UnquoteUsage(p)
		line := "      --" + p.Name
		if p.Shorthand != "" {
			line = "  -" + p.Shorthand + ", --" + p.Name
		}
		switch {
		case value == "":
		case p.NoOptDefVal != "":
			line += "[=" + value + "]"
		default:
			line += " " + value
		}
		if d := p.DefValue; d != "" && d != "0" && d != "0s" && d != "false" {
			help += " (default " + d + ")"
		}
		typed, what = append(typed, line), append(what, help)
		width = max(width, len(line))
	}
	var b strings.Builder
	for i := range typed {
		fmt.Fprintf(&b, "%-*s   %s\n", width, typed[i], layout(what[i], width+3))
	}
	return b.String()
}

// wrap breaks text into lines that begin at a column, the first one without indentation.
func wrap(text string, column int) string {
	var b strings.Builder
	at := column
	for word := range strings.FieldsSeq(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case at == column:
		case at+1+n > helpColumns:
			b.WriteString("\n" + strings.Repeat(" ", column))
			at = column
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += n
	}
	return b.String()
}

// firstClauses returns as many of the first clauses of text as fit in a line that begins at a column. What is in
// parentheses is never cut, and a list with commas only if nothing else divides the text.
func firstClauses(text string, column int) string {
	room := helpColumns - column
	if utf8.RuneCountInString(text) <= room {
		return text
	}
	depth, clause, item := 0, 0, 0
	for i, c := range text {
		if utf8.RuneCountInString(text[:i]) > room {
			break
		}
		rest := text[i:]
		switch {
		case depth == 0 && (c == ';' || strings.HasPrefix(rest, ": ") || strings.HasPrefix(rest, " (")):
			clause = i
		case depth == 0 && strings.HasPrefix(rest, ", "):
			item = i
		}
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		}
	}
	if end := cmp.Or(clause, item); end > 0 {
		return text[:end]
	}
	return text
}

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
