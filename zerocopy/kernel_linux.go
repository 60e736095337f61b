package zerocopy

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// kernelCopies says whether this package uses the system calls of this OS.
const kernelCopies = true

// fileState is what the kernel reports about an open file.
type fileState struct{ regular, empty bool }

// stateOf asks the kernel. A nil file, of which Path knows only the type, counts as regular.
func stateOf(f *os.File) fileState {
	if f == nil {
		return fileState{regular: true}
	}
	var stat unix.Stat_t
	if err := control(f, func(fd int) error { return unix.Fstat(fd, &stat) }); err != nil {
		return fileState{} // closed: Read or Write returns the error
	}
	return fileState{regular: stat.Mode&unix.S_IFMT == unix.S_IFREG, empty: stat.Size == 0}
}

// appends reports whether f was opened with O_APPEND.
func appendOnly(f *os.File) bool {
	if f == nil {
		return false
	}
	var flags int
	err := control(f, func(fd int) (err error) {
		flags, err = unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
		return err
	})
	return err == nil && flags&unix.O_APPEND != 0
}

// control calls ask with the descriptor of f.
func control(f *os.File, ask func(fd int) error) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	controlErr := raw.Control(func(fd uintptr) { err = ask(int(fd)) })
	return errors.Join(controlErr, err)
}

// peeker asks how many bytes a socket has received. It is not safe for concurrent use.
type peeker struct {
	n      int
	err    error
	peekFn func(fd uintptr) bool // bound once
}

func (a *peeker) clear() { a.err = nil }

// wait waits until the socket has received bytes and returns how many; 0 means that the peer ended
// the stream.
func (a *peeker) wait(raw syscall.RawConn) (int64, error) {
	if a.peekFn == nil {
		a.peekFn = a.peek
	}
	a.n, a.err = 0, nil
	if err := raw.Read(a.peekFn); err != nil {
		return 0, err
	}
	return int64(a.n), os.NewSyscallError("recv", a.err)
}

// peek asks how many bytes there are. 0 may mean the end; only a receive call can tell.
func (a *peeker) peek(fd uintptr) bool {
	for {
		if n, err := unix.IoctlGetInt(int(fd), unix.TIOCINQ); err == nil && n > 0 {
			a.n = n
			return true
		}
		var one [1]byte
		n, _, err := unix.Recvfrom(int(fd), one[:], unix.MSG_PEEK|unix.MSG_DONTWAIT)
		switch {
		case err == unix.EINTR || n > 0: // they arrived just now; ask how many
			continue
		case err == unix.EAGAIN:
			return false
		}
		a.err = err
		return true
	}
}
