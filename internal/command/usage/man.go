//go:build man

package usage

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"
)

// addMan adds the command "man FOLDER", which writes the manual page of the program and those of its
// commands. That needs a build with the tag man (make man): the library for it would add a fraction of a
// millisecond to every start.
func addMan(root *cobra.Command) {
	root.AddCommand(&cobra.Command{
		Use:     "man FOLDER",
		Short:   "write the manual pages into a folder",
		Example: "  " + root.Name() + " man /usr/local/share/man/man1",
		Args:    cobra.ExactArgs(1),
		Hidden:  true, // no page about itself: other builds do not have it
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := writePages(cmd.Root(), args[0]); err != nil {
				return fmt.Errorf("write the manual pages: %w", err)
			}
			return nil
		},
	})
}

// writePages writes the page of a command, and those of the commands below it.
func writePages(cmd *cobra.Command, folder string) error {
	cmd.DisableAutoGenTag = true
	cmd.Long = indent.ReplaceAllString(title.ReplaceAllString(status.ReplaceAllString(cmd.Long, "\n$1: "), "**$1.** "), "")
	var page bytes.Buffer
	if err := doc.GenMan(cmd, &doc.GenManHeader{Section: "1", Source: "thresh"}, &page); err != nil {
		return err
	}
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-") + ".1"
	err := os.WriteFile(filepath.Join(folder, name), options(cmd, page.Bytes()), 0o644)
	for _, below := range cmd.Commands() {
		if below.IsAvailableCommand() {
			err = errors.Join(err, writePages(below, folder))
		}
	}
	return err
}

// What the texts of --help are laid out with: an exit status, the title of a section, and its indented lines.
var (
	status = regexp.MustCompile(`(?m)^  (\d+) +`)
	title  = regexp.MustCompile(`(?m)^([A-Z].*):\n\s+`)
	indent = regexp.MustCompile(`(?m)^ +`)
)

// option matches the heading of a flag as the library writes it: with its default in the place of the
// name of its value, as in --text="" and --nonzero[=false].
var option = regexp.MustCompile(`(?m)^(?:\.PP\n)?((?:\\fB-\w\\fP, )?\\fB--([\w-]+)\\fP)[^\n]*\n\t`)

// options gives the flags in a page the names of their values, and puts what they do beside them.
func options(cmd *cobra.Command, page []byte) []byte {
	return option.ReplaceAllFunc(page, func(heading []byte) []byte {
		m := option.FindSubmatch(heading)
		flag := cmd.Flag(string(m[2]))
		if flag == nil {
			return heading
		}
		value, _ := pflag.UnquoteUsage(flag)
		switch {
		case value == "":
		case flag.NoOptDefVal != "":
			value = `[=\fI` + value + `\fP]`
		default:
			value = ` \fI` + value + `\fP`
		}
		return fmt.Appendf(nil, ".TP\n%s%s\n", m[1], value)
	})
}
