//go:build !unix

package measure

import (
	"errors"
	"fmt"
	"os/exec"
)

// ownGroup does nothing: when the context ends, only the command itself is killed.
func ownGroup(*exec.Cmd) {}

// makePipe fails: this system has no named pipes in its file system.
func makePipe(path string) error { return fmt.Errorf("make pipe %s: %w", path, errors.ErrUnsupported) }

// used returns nothing: this system's counters are not read.
func used() (usage, error) { return usage{}, nil }
