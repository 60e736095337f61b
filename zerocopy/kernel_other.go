//go:build !linux

package zerocopy

import (
	"errors"
	"os"
	"syscall"
)

// kernel is whether this system's calls are used.
const kernelCopies = false

// state is what the kernel says of an open file.
type fileState struct{ regular, empty bool }

func stateOf(*os.File) fileState { return fileState{} }

func appendOnly(*os.File) bool { return false }

// ahead looks at what a socket holds, where the system can tell.
type peeker struct{}

func (a *peeker) clear() {}

func (a *peeker) wait(syscall.RawConn) (int64, error) { return 0, errors.ErrUnsupported }
