//go:build !linux

package zerocopy

import (
	"errors"
	"os"
	"syscall"
)

// kernel is whether this system's calls are used.
const kernel = false

// state is what the kernel says of an open file.
type state struct{ regular, empty bool }

func stateOf(*os.File) state { return state{} }

func appends(*os.File) bool { return false }

// ahead looks at what a socket holds, where the system can tell.
type ahead struct{}

func (a *ahead) clear() {}

func (a *ahead) wait(syscall.RawConn) (int64, error) { return 0, errors.ErrUnsupported }
