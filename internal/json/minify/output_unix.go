//go:build unix

package minify

import (
	"os"

	"golang.org/x/sys/unix"
)

// writableAnywhere reports whether a file can be written at any offset.
func writableAnywhere(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	raw, err := f.SyscallConn()
	if err != nil {
		return false
	}
	flags := unix.O_APPEND
	err = raw.Control(func(fd uintptr) { flags, _ = unix.FcntlInt(fd, unix.F_GETFL, 0) })
	return err == nil && flags&unix.O_APPEND == 0
}
