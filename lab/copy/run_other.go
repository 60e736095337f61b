//go:build !linux

package copy

import (
	"context"
	"errors"
	"fmt"
)

const unavailable = "system calls and CPU of a process are looked at on Linux only"

// Child does the work of the processes that Run starts, when args, those behind the name of
// the program, ask for it. A program that calls Run calls Child first thing, and ends with
// its status if it handled them.
func Child([]string) (handled bool, status int) { return false, 0 }

func (v Variant) run(context.Context, Options) (Outcome, error) {
	return Outcome{}, fmt.Errorf("copy/%s: %s: %w", v.ID, v.Unavailable, errors.ErrUnsupported)
}
