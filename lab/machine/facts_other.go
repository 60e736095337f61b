//go:build !linux

package machine

import (
	"errors"
	"runtime"
)

// Facts returns only the name of the system.
func Facts() map[string]string { return map[string]string{"kernel": runtime.GOOS} }

// memory is unknown on this system.
func memory() (all, available int64) { return 0, 0 }

// FileSystem is unknown on this system.
func FileSystem(string) string { return "" }

// InMemory is unknown on this system.
func InMemory(string) bool { return false }

// Load is the processor time used up to a moment. This system does not tell it.
type Load struct{}

// TakeLoad returns errors.ErrUnsupported on this system.
func TakeLoad() (Load, error) { return Load{}, errors.ErrUnsupported }

// Others returns nothing.
func (Load) Others(Load, int) Share { return Share{} }
