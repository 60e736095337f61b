//go:build unix

package cluster

import (
	"fmt"
	"syscall"
)

// become replaces this process.
func become(path string, args, environment []string) error {
	return fmt.Errorf("run %s: %w", path, syscall.Exec(path, args, environment))
}
