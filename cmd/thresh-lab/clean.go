package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"
)

func newClean(c *console) *cobra.Command {
	return &cobra.Command{
		Use:   "clean",
		Short: "remove the inputs and the sessions that are kept",
		Long: `clean removes what run keeps in the user's cache folder: generated inputs,
sessions and their results, and execution traces.`,
		Example: `  thresh lab clean`,
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			unlock, err := lock(c.folder)
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil {
				return err
			}
			if err := errors.Join(os.RemoveAll(c.folder), unlock()); err != nil {
				return fmt.Errorf("remove %s: %w", c.folder, err)
			}
			return nil
		},
	}
}
