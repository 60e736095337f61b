//go:build !man

package main

import "github.com/spf13/cobra"

// addMan adds nothing: only a build with the tag man writes manual pages, see man.go.
func addMan(*cobra.Command) {}
