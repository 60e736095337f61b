//go:build !linux

package zerocopy

import (
	"errors"
	"os"
)

// mapping is a window of a file. Where copies go through memory, none is needed.
type mapping struct{}

func (m *mapping) pages(*os.File, int64, int64) ([]byte, error) { return nil, errors.ErrUnsupported }

func (m *mapping) unmap() error { return nil }
