//go:build !linux

package copy

import (
	"context"
	"errors"
	"fmt"
)

func missing() string { return "Linux: system calls and processor time cannot be measured elsewhere" }

// Child runs as a child process of a variant if args, the program's arguments, ask for that. A program
// that runs variants must call Child first, and exit with its status if it handled the arguments.
func Child([]string) (handled bool, status int) { return false, 0 }

func (v variant) run(context.Context, options) (outcome, error) {
	return outcome{}, fmt.Errorf("copy/%s needs %s: %w", v.id, missing(), errors.ErrUnsupported)
}
