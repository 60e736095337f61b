//go:build unix

package measure

import (
	"fmt"
	"syscall"
)

// makePipe makes a named pipe.
func makePipe(path string) error {
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		return fmt.Errorf("make pipe %s: %w", path, err)
	}
	return nil
}
