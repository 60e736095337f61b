package source

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// mincore sets one byte for each page of a mapping. x/sys has the number of the call, but no
// function for it.
func mincore(m, pages []byte) error {
	_, _, errno := unix.Syscall(unix.SYS_MINCORE, uintptr(unsafe.Pointer(&m[0])),
		uintptr(len(m)), uintptr(unsafe.Pointer(&pages[0])))
	if errno != 0 {
		return errno
	}
	return nil
}
