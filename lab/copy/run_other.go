//go:build !linux

package copy

import (
	"context"
	"errors"
	"fmt"
)

const unavailable = "system calls and CPU time can be measured on Linux only"

// Child runs as a child process of Run if args, the program's arguments, ask for that. A program
// that calls Run must call Child first, and exit with its status if it handled the arguments.
func Child([]string) (handled bool, status int) { return false, 0 }

func (v Variant) run(context.Context, Options) (Outcome, error) {
	return Outcome{}, fmt.Errorf("copy/%s: %s: %w", v.ID, v.Unavailable, errors.ErrUnsupported)
}
