//go:build !man

package command

import "github.com/spf13/cobra"

func addMan(*cobra.Command) {}
