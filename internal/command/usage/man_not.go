//go:build !man

package usage

import "github.com/spf13/cobra"

// addMan adds nothing in builds without the tag man.
func addMan(*cobra.Command) {}
