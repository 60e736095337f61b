//go:build !unix

package measure

import (
	"errors"
	"fmt"
)

// makePipe fails: this system has no named pipes in its file system.
func makePipe(path string) error { return fmt.Errorf("make pipe %s: %w", path, errors.ErrUnsupported) }
