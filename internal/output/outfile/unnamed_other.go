//go:build !linux

package outfile

import (
	"errors"
	"os"
)

// unnamed returns an error: this system has no unnamed files.
func unnamed(string) (*os.File, error) { return nil, errors.ErrUnsupported }

func name(*os.File, string) error { return errors.ErrUnsupported }
