//go:build !linux

package outfile

import (
	"errors"
	"os"
)

// unnamed: this system has no files without names.
func unnamed(string) (*os.File, error) { return nil, errors.ErrUnsupported }

func name(*os.File, string) error { return errors.ErrUnsupported }
