//go:build man

package main

// The manual pages are made by a build of their own (make man): the library that writes
// them would cost every run of the program a part of a millisecond.

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// addMan adds the command that writes the manual pages.
func addMan(root *cobra.Command) {
	root.AddCommand(&cobra.Command{
		Use:     "man FOLDER",
		Short:   "write the manual pages into a folder",
		Example: "  thresh man /usr/local/share/man/man1",
		Args:    cobra.ExactArgs(1),
		Hidden:  true, // no page about itself: other builds do not have it
		RunE: func(cmd *cobra.Command, args []string) error {
			header := &doc.GenManHeader{Title: "THRESH", Section: "1", Source: "thresh"}
			if err := doc.GenManTree(cmd.Root(), header, args[0]); err != nil {
				return fmt.Errorf("write the manual pages: %w", err)
			}
			return nil
		},
	})
}
