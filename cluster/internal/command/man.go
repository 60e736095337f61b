//go:build man

package command

// The manual pages need a build with the tag man (make man), as those of thresh do.

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// addMan adds the command that writes the manual pages.
func addMan(root *cobra.Command) {
	root.AddCommand(&cobra.Command{
		Use:    "man FOLDER",
		Short:  "write the manual pages into a folder",
		Args:   cobra.ExactArgs(1),
		Hidden: true, // no page about itself: other builds do not have it
		RunE: func(cmd *cobra.Command, args []string) error {
			header := &doc.GenManHeader{Title: "THRESH-CLUSTER", Section: "1", Source: "thresh"}
			if err := doc.GenManTree(cmd.Root(), header, args[0]); err != nil {
				return fmt.Errorf("write the manual pages: %w", err)
			}
			return nil
		},
	})
}
