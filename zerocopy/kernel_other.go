//go:build !linux

package zerocopy

import (
	"errors"
	"os"
	"syscall"
)

// kernelCopies says whether this package uses the system calls of this OS.
const kernelCopies = false

// fileState is what the kernel reports about an open file.
type fileState struct{ regular, empty bool }

func stateOf(*os.File) fileState { return fileState{} }

func appendOnly(*os.File) bool { return false }

// peeker asks how many bytes a socket has received, if the system can tell.
type peeker struct{}

func (a *peeker) clear() {}

func (a *peeker) wait(syscall.RawConn) (int64, error) { return 0, errors.ErrUnsupported }
