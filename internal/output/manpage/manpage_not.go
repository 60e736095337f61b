//go:build !man

package manpage

import "github.com/spf13/cobra"

// AddCommand adds nothing in builds without the tag man.
func AddCommand(*cobra.Command) {}
